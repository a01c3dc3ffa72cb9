package named

import (
	"strings"

	"mem/guard/chars"
)

// A command is how programs are given a secret on the command line.
type command struct {
	programs string // what their names begin with, separated by blanks
	needs    string // a word that stands before the secret
	flags    string // the secret follows one of these, or is attached to one that ends in *
	after    string // and begins after this in it
}

var commands = []command{
	{programs: "mysql mariadb", flags: "-p*"},
	{programs: "7z 7za 7zz 7zr rar unrar p7zip", flags: "-p*"},
	{programs: "zip unzip sqlcmd bcp", flags: "-P -P*"},
	{programs: "sshpass mongo mongosh mongodump mongorestore cqlsh", flags: "-p -p*"},
	{programs: "redis-cli", flags: "-a"},
	{programs: "docker podman helm az buildah skopeo", needs: "login", flags: "-p"},
	{programs: "curl wget", flags: "-u -u* --user --user=* --proxy-user -U", after: ":"},
	{programs: "smbclient rpcclient smbmap winexe", flags: "-U -U* --user=*", after: "%"},
	{programs: "ldap", flags: "-w"},
	{programs: "openssl", flags: "-k -K"},
	{programs: "openssl", flags: "-pass -passin -passout", after: "pass:"},
	{programs: "gh", needs: "secret", flags: "-b --body --body=*"},
	{programs: "az", needs: "secret", flags: "--value --value=*"},
	{programs: "aws", flags: "--secret-string"},
}

// FindCommandSecret finds a secret among the arguments of the program whose name
// begins at at.
func FindCommandSecret(s string, at int) (from, to int) {
	name := at + chars.WordLen(s[at:])
	if at > 0 && (chars.IsWordByte(s[at-1]) || s[at-1] == '.') || isOptionValue(s, at) {
		return 0, 0
	}
	program := strings.ToLower(s[at:name])
	words := splitArguments(s, name)
	if program == "htpasswd" {
		return findPositional(s, words)
	}
	for _, c := range commands {
		if !c.isRun(program) {
			continue
		}
		ready := c.needs == ""
		for i, w := range words {
			ready = ready || w.in(s) == c.needs
			if from, to = c.findFlag(s, words[i:]); ready && from < to {
				return from, to
			}
		}
	}
	return 0, 0
}

// isOptionValue reports whether the word at i is the value of an option such as
// find's -name, and so no program.
func isOptionValue(s string, i int) bool {
	before := strings.TrimRight(s[max(0, i-64):i], " \"'") // a bound, or a text of names takes quadratic time
	word := before[strings.LastIndexAny(before, " \t\n")+1:]
	return i > 0 && len(word) > 2 && word[0] == '-' && word[1] != '-'
}

// isRun reports whether a program takes its secrets so.
func (c *command) isRun(program string) bool {
	for name := range strings.FieldsSeq(c.programs) {
		if program == name || len(name) > 3 && strings.HasPrefix(program, name) {
			return true
		}
	}
	return false
}

// findFlag finds the secret that words[0] is a flag for.
func (c *command) findFlag(s string, words []argument) (from, to int) {
	for flag := range strings.FieldsSeq(c.flags) {
		attached := strings.TrimSuffix(flag, "*")
		v := words[0]
		switch word := v.in(s); {
		case isFindOption(word):
			return 0, 0
		case flag == attached && word == flag && len(words) > 1:
			v = words[1]
		case flag != attached && strings.HasPrefix(word, attached) && len(word) > len(attached):
			v.from += len(attached)
			if v = v.unquote(s); strings.HasPrefix(v.in(s), "-") {
				continue
			}
		default:
			continue
		}
		if c.after != "" {
			n := strings.Index(v.in(s), c.after)
			if n < 0 {
				continue
			}
			v.from += n + len(c.after)
		}
		if value := v.in(s); isGiven(value) {
			return v.from, v.to
		}
	}
	return 0, 0
}

// isFindOption reports whether a word is one of find, which people use on
// folders that have the name of a program.
func isFindOption(word string) bool {
	switch word {
	case "-perm", "-print", "-print0", "-printf", "-prune", "-path":
		return true
	}
	return false
}

// isGiven reports whether a value on the command line is a secret: not a flag, a
// variable, or what stands for one.
func isGiven(value string) bool {
	return len(value) > 2 && !IsStandIn(value) && value[0] != '-' && value[0] != '@' && !strings.ContainsAny(value, "(`<>[") && !isPathLike(value)
}

// findPositional finds the password of htpasswd -b, which is its last argument.
func findPositional(s string, words []argument) (from, to int) {
	batch := false
	for _, w := range words {
		word := w.in(s)
		batch = batch || strings.HasPrefix(word, "-") && strings.Contains(word, "b")
		from, to = w.from, w.to
	}
	if !batch || !isGiven(s[from:to]) {
		return 0, 0
	}
	return from, to
}

// FindStored finds the values that a command gives to a store of secrets, as
// NAME=value, from the first that looks like one to the last: vault kv put, heroku
// config:set, kubectl create secret. at is where the store is named.
func FindStored(s string, at int) (from, to int) {
	for _, w := range splitArguments(s, at) {
		_, value, ok := strings.Cut(w.in(s), "=")
		if strings.HasPrefix(value, "--") || strings.HasPrefix(w.in(s), "--from-literal=") {
			_, value, ok = strings.Cut(value, "=")
		}
		value = strings.Trim(value, "\"'")
		if !ok || len(value) < 8 || !IsStrongValue(value, 8) || !isGiven(value) {
			continue
		}
		if from == 0 {
			from = w.from + strings.Index(w.in(s), value)
		}
		to = w.from + strings.Index(w.in(s), value) + len(value)
	}
	return from, to
}

// FindPiped finds what echo or printf writes into a command that reads a secret,
// or a here-string gives to it. at is somewhere in that command.
func FindPiped(s string, at int) (from, to int) {
	line := max(0, at-300) // a bound, as above
	line += strings.LastIndexByte(s[line:at], '\n') + 1
	if pipe := strings.LastIndexByte(s[line:at], '|'); pipe > 0 {
		before := s[line : line+pipe]
		echo := max(strings.LastIndex(before, "echo "), strings.LastIndex(before, "printf "))
		if echo >= 0 {
			words := splitArguments(s, line+echo+len("echo"))
			if len(words) > 0 {
				w := words[len(words)-1]
				if i := strings.IndexByte(w.in(s), ':'); i > 0 {
					w.from += i + 1 // user:password
				}
				if value := w.in(s); len(value) > 5 && isGiven(value) {
					return w.from, w.to
				}
			}
			return 0, 0
		}
	}
	end := min(len(s), at+120)
	if i := strings.IndexByte(s[at:end], '\n'); i >= 0 {
		end = at + i
	}
	if i := strings.Index(s[at:end], "<<<"); i >= 0 {
		if words := splitArguments(s, at+i+len("<<<")); len(words) > 0 && isGiven(words[0].in(s)) {
			return words[0].from, words[0].to
		}
	}
	return 0, 0
}

// An argument is a word of a command: s[from:to], without the quotes around it.
type argument struct{ from, to int }

func (a argument) in(s string) string { return s[a.from:a.to] }

// unquote takes quotes off that stand around what was attached to a flag.
func (a argument) unquote(s string) argument {
	if a.to-a.from > 1 && chars.IsQuote(s[a.from]) && s[a.to-1] == s[a.from] {
		return argument{a.from + 1, a.to - 1}
	}
	return a
}

// splitArguments splits what follows i in a command into words. A sign that ends
// a command, a line break, or what closes a quote around it, ends them.
func splitArguments(s string, i int) []argument {
	const reach, most = 400, 40
	var words []argument
	for limit := min(len(s), i+reach); len(words) < most; {
		i = chars.SkipBlanks(s, i)
		for i+1 < limit && s[i] == '\\' && s[i+1] == '\n' {
			i = chars.SkipBlanks(s, i+2)
		}
		if i >= limit || strings.IndexByte("\n|;&`)", s[i]) >= 0 {
			break
		}
		w := argument{from: i}
		for i < limit && strings.IndexByte(" \t\n|;&`)", s[i]) < 0 {
			if end := 0; s[i] == '"' || s[i] == '\'' {
				if end = closingQuote(s[:limit], i); end == 0 {
					break // it closes what stands around the command
				}
				i = end
			}
			i++
		}
		if w.to = i; w.from == w.to {
			break
		}
		words = append(words, w.unquote(s))
	}
	return words
}
