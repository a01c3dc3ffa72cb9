package guard

import (
	"cmp"
	_ "embed" // for the commands
	"strings"
	"sync"

	"mem/words"
)

// A command is how programs are given a secret on the command line.
type command struct {
	programs string // what their names begin with, separated by blanks
	needs    string // one of these words stands before the secret
	flags    string // the secret follows one of these, or is attached to one that ends in *
	after    string // and begins after one of these characters
	chosen   bool   // it is what people choose, behind a flag a word, too
}

//go:embed commands.txt
var commandTable string

var commands = sync.OnceValue(func() (list []command) {
	for line := range strings.Lines(commandTable) {
		if f := strings.Split(strings.TrimRight(line, "\r\n"), "\t"); len(f) == 5 {
			list = append(list, command{programs: f[0], needs: f[1], flags: f[2], after: f[3], chosen: f[4] != ""})
		}
	}
	return list
})

// findCommandSecret finds a secret among the arguments of the program whose name
// begins at at, or of the program that gets the flag after the blank at at.
func findCommandSecret(s string, at int) (from, to int) {
	program, end := "", at+1
	if s[at] != ' ' {
		if end = at + words.NameLen(s[at:]); at > 0 && (words.IsNameByte(s[at-1]) || s[at-1] == '.') || isOptionValue(s, at) {
			return 0, 0
		}
		program = strings.ToLower(s[at:end])
	}
	words := splitArguments(s, end)
	for _, c := range commands() {
		if !c.isRun(program) {
			continue
		}
		ready := c.needs == ""
		for i := range words {
			if from, to = c.findArgument(s, words[i:]); ready && from < to {
				return from, to
			}
			ready = ready || hasField(c.needs, words[i].in(s))
			if program == "" {
				break // the flag itself, of a command that is not known
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

func (c *command) isRun(program string) bool {
	return program == c.programs || anyField(c.programs, func(name string) bool {
		return program == name || len(name) > 3 && strings.HasPrefix(program, name)
	})
}

// findArgument finds the secret that words[0] is, or is a flag for.
func (c *command) findArgument(s string, words []argument) (from, to int) {
	if c.flags == "" {
		return c.trim(s, words[0])
	}
	word := words[0].in(s)
	if hasField("-perm -print -print0 -printf -prune -path", word) {
		return 0, 0 // of find, on a folder that has the name of a program
	}
	for flag := range strings.FieldsSeq(c.flags) {
		attached := strings.TrimSuffix(flag, "*")
		v := words[0]
		switch {
		case flag == attached && len(words) > 1 && (word == flag || c.programs != "" && len(flag) == 2 && isCluster(word, flag[1])):
			v = words[1]
		case flag != attached && strings.HasPrefix(word, attached) && len(word) > len(attached):
			v.from += len(attached)
			v = v.unquote(s)
		default:
			continue
		}
		if from, to = c.trim(s, v); from < to {
			return from, to
		}
	}
	return 0, 0
}

// trim returns the secret in an argument: all of it, or what stands after the user.
func (c *command) trim(s string, v argument) (from, to int) {
	if c.after != "" {
		n := strings.IndexAny(v.in(s), c.after)
		if n < 0 {
			return 0, 0
		}
		v.from += n + 1
		if host := strings.LastIndexByte(v.in(s), '@'); host > 0 && c.flags == "" {
			v.to = v.from + host
		}
	}
	value := v.in(s)
	if !isGiven(value) && (c.flags == "" || !c.chosen || !isLogged(value)) || c.programs == "" && !isMixed(value) {
		return 0, 0
	}
	if (c.programs == "" || c.flags == "") && !isStrong(value, true) && (!c.chosen || !isChosen(value) || strings.ContainsAny(value, `\/:@.`)) {
		return 0, 0
	}
	return v.from, v.to
}

// isCluster reports whether an argument is some flags of a letter, the last of them as given.
func isCluster(word string, last byte) bool {
	return len(word) > 2 && len(word) < 6 && word[0] == '-' && word[len(word)-1] == last && strings.Trim(word[1:], lowers+"LSX") == ""
}

// isGiven reports whether a value on the command line is a secret: not a flag, a
// variable, a word, or what stands for one.
func isGiven(value string) bool {
	return len(value) > 2 && !isStandIn(value) && !isWord(value) && value[0] != '-' && value[0] != '@' && !strings.ContainsAny(value, "(`<>[ ") && !isPathLike(value)
}

// isWord reports whether a value has small letters only, few of them or such as words
// have: foo and prompts are no passwords in a command that people show.
func isWord(value string) bool {
	return strings.Trim(value, lowers) == "" && (len(value) < 8 || words.IsWordy(value))
}

// findStored finds the values that a command gives to a store of secrets or of settings,
// as NAME=value or NAME value, from the first that looks like one to the last: vault kv put,
// heroku config:set, kubectl create secret. at is where the store is named.
func findStored(s string, at int) (from, to int) {
	words := splitArguments(s, at)
	for i, w := range words {
		name, value, ok := strings.Cut(strings.TrimPrefix(w.in(s), "--from-literal="), "=")
		if !ok && i > 0 {
			name, value = words[i-1].in(s), name
			name = name[strings.LastIndexAny(name, ":/.")+1:]
			ok = isSecretName(name)
		}
		if value = strings.Trim(value, "\"'"); ok && name != "" && name[0] != '-' && isStored(value, isSecretName(name) || strings.Contains("create kv put", s[at:at+6])) {
			to = w.from + strings.Index(w.in(s), value) + len(value)
			from = min(cmp.Or(from, to), to-len(value))
		}
	}
	return from, to
}

func isSecretName(name string) bool { return isPasswordName(name) || isTokenName(name) }

// isStored reports whether a value given to a store is a secret: where something says
// that it is one, what people choose is enough.
func isStored(value string, isSecret bool) bool {
	return isGiven(value) && (isStrongValue(value, 8) || isSecret && isChosen(value))
}

// findPiped finds what echo, printf or yes writes into a command that reads a
// secret, or a here-string gives to it. at is somewhere in that command.
func findPiped(s string, at int) (from, to int) {
	line := max(0, at-300) // a bound, as above
	line += strings.LastIndexByte(s[line:at], '\n') + 1
	var words []argument
	if pipe := strings.LastIndexByte(s[line:at], '|'); pipe > 0 {
		for _, writer := range []string{"echo ", "printf ", "yes "} {
			if i := strings.LastIndex(s[line:line+pipe], writer); i >= 0 {
				words = splitArguments(s, line+i+len(writer))
			}
		}
	}
	rest, _, _ := strings.Cut(s[at:min(len(s), at+120)], "\n")
	if i := strings.Index(rest, "<<<"); i >= 0 && words == nil {
		words = splitArguments(s, at+i+len("<<<"))
		words = words[:min(len(words), 1)]
	}
	if len(words) == 0 {
		return 0, 0
	}
	w := words[len(words)-1]
	if i := strings.IndexByte(w.in(s), ':'); i > 0 {
		w.from += i + 1 // user:password
	}
	if value := w.in(s); len(value) < 6 || !isGiven(value) {
		return 0, 0
	}
	return w.from, w.to
}

// An argument is a word of a command: s[from:to], without the quotes around it.
type argument struct{ from, to int }

func (a argument) in(s string) string { return s[a.from:a.to] }

// unquote takes quotes off that stand around what was attached to a flag.
func (a argument) unquote(s string) argument {
	if a.to-a.from > 1 && words.IsQuote(s[a.from]) && s[a.to-1] == s[a.from] {
		return argument{a.from + 1, a.to - 1}
	}
	return a
}

// splitArguments splits what follows i in a command into words. A sign that ends
// a command, a line break, or what closes a quote around it, ends them.
func splitArguments(s string, i int) []argument {
	const reach, most = 400, 40
	var list []argument
	for limit := min(len(s), i+reach); len(list) < most; {
		i = words.SkipBlanks(s, i)
		for i+1 < limit && s[i] == '\\' && s[i+1] == '\n' {
			i = words.SkipBlanks(s, i+2)
		}
		if i >= limit || strings.IndexByte("\n|;&`)", s[i]) >= 0 {
			break
		}
		w := argument{from: i}
		for i < limit && (strings.IndexByte(" \t\n|;&`)", s[i]) < 0 || isInside(s, i)) {
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
		list = append(list, w.unquote(s))
	}
	return list
}

// isInside reports whether the & at i is a part of a password, as in a&b: it ends no
// command, and no field of a URL or a form begins after it.
func isInside(s string, i int) bool {
	next := i + 1 + words.NameLen(s[i+1:])
	return s[i] == '&' && i > 0 && s[i-1] > ' ' && next > i+1 && (next == len(s) || s[next] != '=' && s[next] != ';')
}
