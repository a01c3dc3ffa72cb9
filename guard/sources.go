package guard

import (
	_ "embed" // for the stores
	"path"
	"slices"
	"strings"

	"mem/words"
)

// HoldsSecrets reports whether a file exists to hold secrets (.env, private keys,
// credentials, kubeconfig), so that its content is neither read nor sent. It
// goes by the name alone, with either kind of slash and in any case. Templates
// such as .env.example and public keys hold none.
func HoldsSecrets(file string) bool {
	file = strings.ToLower(strings.ReplaceAll(strings.Trim(file, `"'`), `\`, "/"))
	name := path.Base(file)
	isHarmless := slices.Contains([]string{".example", ".sample", ".template", ".dist", ".pub", ".tmpl"}, path.Ext(name))
	return !isHarmless && (isSecretFileName(name) || isSecretPlace(file, name))
}

func isSecretFileName(name string) bool {
	switch name {
	case ".env", ".envrc", ".netrc", "_netrc", ".npmrc", ".pypirc", ".pgpass", ".my.cnf", ".htpasswd",
		".git-credentials", ".vault-token", ".dockercfg", ".s3cfg", ".boto", "credentials", "credentials.json",
		"credentials.toml", "credentials.yml", "credentials.yaml", "kubeconfig", "master.key", "shadow",
		"id_rsa", "id_dsa", "id_ecdsa", "id_ed25519", "environ", "auth.json", "application_default_credentials.json":
		return true
	}
	for _, prefix := range []string{".env.", "secrets.", "secret.", "id_rsa.", "kubeconfig."} {
		if strings.HasPrefix(name, prefix) && !isSourceFile(name) {
			return true
		}
	}
	switch path.Ext(name) {
	case ".env", ".pem", ".key", ".p8", ".p12", ".pfx", ".jks", ".keystore", ".ppk", ".kdbx", ".ovpn", ".tfstate",
		".tfvars", ".kubeconfig", ".keytab":
		return true
	case ".json":
		return strings.Contains(name, "service-account") || strings.Contains(name, "service_account") ||
			strings.HasPrefix(name, "client_secret")
	}
	return false
}

func isSecretPlace(file, name string) bool {
	in := func(dir string) bool { return strings.Contains("/"+file, "/"+dir+"/") }
	switch {
	case in(".ssh"):
		return name != "known_hosts" && name != "config"
	case in(".kube"), in(".docker"):
		return strings.HasPrefix(name, "config")
	case in(".config/gh"):
		return name == "hosts.yml"
	}
	return in(".aws") || in(".gnupg") || in(".password-store") || in("run/secrets")
}

// isSourceFile reports whether a name is that of source code or prose, which may
// be about secrets without holding any.
func isSourceFile(name string) bool {
	return slices.Contains([]string{
		".go", ".ts", ".tsx", ".js", ".jsx", ".mjs", ".py", ".rb", ".rs", ".java", ".kt", ".c", ".h", ".cc", ".cpp",
		".cs", ".php", ".swift", ".md", ".rst", ".html", ".css", ".sql", ".proto", ".sh", ".lua", ".ex", ".scala",
	}, path.Ext(name))
}

// PrintsSecrets reports whether to leave out the output of a shell command: it prints the environment,
// a file that holds secrets, or a secret from a store. It understands pipes, lists, redirections, sudo
// and sh -c well enough for what agents type; it is not a shell. In doubt, it says yes.
func PrintsSecrets(cmd string) bool {
	cmd = strings.ReplaceAll(cmd, "\\\n", " ")
	cut := func(r rune) bool { return strings.ContainsRune("|;&\n()`", r) }
	for part := range strings.FieldsFuncSeq(cmd, cut) {
		words := strings.FieldsFunc(part, func(r rune) bool { return strings.ContainsRune(" \t\r\"'", r) })
		if wordsPrintSecrets(words) {
			return true
		}
	}
	return false
}

func wordsPrintSecrets(words []string) bool {
	for len(words) > 0 && isPrefixWord(words[0]) {
		words = words[1:]
	}
	if len(words) == 0 {
		return false
	}
	if printsEnvironment(words) || printsSecret(words) {
		return true
	}
	commandStarts := []string{"-c", "--", "exec", "-exec", "xargs"}
	reads, searches := false, false
	for i, w := range words {
		switch {
		case i > 0 && slices.Contains(commandStarts, w) && wordsPrintSecrets(words[i+1:]),
			redirectsSecret(words[i:]),
			reads && namesSecret(w, searches):
			return true
		}
		reads = reads || isReader(words, i)
		searches = searches || slices.Contains(searchers, strings.ToLower(path.Base(w)))
	}
	return false
}

// redirectsSecret reports whether words begin with a redirection from a
// file that holds secrets.
func redirectsSecret(words []string) bool {
	file, ok := strings.CutPrefix(words[0], "<")
	return ok && (HoldsSecrets(file) || len(words) > 1 && HoldsSecrets(words[1]))
}

// namesSecret reports whether a reader's argument names a file with secrets. If
// the reader searches, the argument may be a pattern.
func namesSecret(w string, searches bool) bool {
	_, file, _ := strings.Cut(w, ":") // git show HEAD:.env
	return !strings.HasPrefix(w, "-") && (HoldsSecrets(file) || HoldsSecrets(strings.TrimPrefix(w, "if=")) || !searches && looksSecret(w))
}

// isPrefixWord reports whether a word only changes how the next command runs.
func isPrefixWord(w string) bool {
	switch w {
	case "sudo", "time", "command", "nohup", "exec", "builtin", "doas", "!", "then", "do", "else", "{", "if", "while", "$":
		return true
	}
	name, _, ok := strings.Cut(w, "=")
	return ok && name != "" && words.NameLen(name) == len(name)
}

func printsEnvironment(words []string) bool {
	rest := words[1:]
	bare := !slices.ContainsFunc(rest, func(w string) bool {
		return !strings.HasPrefix(w, "-") && !strings.Contains(w, "=") && !strings.ContainsAny(w, "<>") && w != "/dev/null"
	})
	switch name := strings.ToLower(path.Base(words[0])); name {
	case "printenv":
		return true
	case "env":
		return bare
	case "set", "export", "declare", "typeset":
		return len(rest) == 0 || len(rest) == 1 && slices.Contains([]string{"-p", "-x", "-xp", "-px"}, rest[0])
	case "gci", "get-childitem", "dir", "ls":
		return len(rest) > 0 && strings.HasPrefix(strings.ToLower(rest[0]), "env:")
	case "echo", "printf", "write-output":
		return slices.ContainsFunc(rest, func(w string) bool { return strings.HasPrefix(w, "$") && saysSecret(w[1:]) })
	}
	return false
}

func isReader(words []string, i int) bool {
	switch strings.ToLower(path.Base(words[i])) {
	case "cat", "bat", "batcat", "less", "more", "head", "tail", "sed", "awk", "gawk", "grep", "egrep", "fgrep", "rg",
		"ag", "ack", "xxd", "od", "hexdump", "strings", "base64", "nl", "tac", "cut", "sort", "uniq", "diff", "jq",
		"yq", "type", "gc", "get-content", "dd", "view", "tr", "sops", "age", "column", "fold", "paste":
		return true
	case "git":
		return i+1 < len(words) && slices.Contains([]string{"show", "diff", "cat-file", "log", "blame", "grep"}, words[i+1])
	case "openssl":
		return !slices.Contains(words, "-noout")
	}
	return false
}

// searchers are the programs whose first argument is a pattern: those who look for
// api_key in the sources print no key.
var searchers = []string{"grep", "egrep", "fgrep", "rg", "ag", "ack", "sed", "awk", "gawk", "jq", "yq"}

// looksSecret reports whether a reader's argument is the name of a file with
// key, secret, token, credential or password in it that is not source code.
func looksSecret(w string) bool {
	name := strings.ToLower(path.Base(w))
	return !isSourceFile(name) && !strings.HasSuffix(name, ".pub") && !strings.HasSuffix(name, ".json") &&
		strings.ContainsAny(w, "/._-") && saysSecret(name)
}

func saysSecret(name string) bool {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !words.IsAlnum(byte(r)) || r > 0x7f })
	for _, w := range words {
		switch strings.TrimSuffix(w, "s") {
		case "key", "secret", "token", "credential", "password", "passwd", "pas", "apikey", "passphrase", "pwd":
			return w != "pwd" || len(words) > 1
		}
	}
	return false
}

//go:embed stores.txt
var storeTable string

// printsSecret reports whether a command takes a secret out of a store, as those of stores.txt do.
func printsSecret(words []string) bool {
	command := strings.ToLower(path.Base(words[0]) + " " + strings.Join(words[1:], " ") + " ")
	for line := range strings.Lines(storeTable) {
		begins, has, isRow := strings.Cut(strings.TrimRight(line, "\r\n"), "\t")
		if rest, ok := strings.CutPrefix(command, begins); isRow && ok && strings.Contains(rest, has) {
			return true
		}
	}
	return false
}
