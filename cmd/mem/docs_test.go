package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/spf13/cobra"

	"mem/envtest"
	"mem/fault"
)

// notRun says of blocks that are no command, by their beginning, why nothing runs them.
var notRun = map[string]string{
	"create table lessons":        "psql's",
	"mem export jsonl | jq":       "needs jq, curl and a server",
	"From an earlier session:":    "what a hook says",
	"claude mcp add mem":          "other programs' commands",
	"export ANTHROPIC_API_KEY":    "needs a key",
	"# 2026-02-03":                "a file of the journal",
	"# Learned":                   "a file of another program",
	"version: \"0.2.0\"":          "a file of another program",
	"a learning, or a lesson":     "a picture",
	"1 of 2  pattern-001":         "a picture",
	"mem  shop ":                  "a picture",
	"learnings/coding/2026-02-03": "a file's name",
	"---":                         "a file's content",
	"mem ▸ ":                      "what a person sees of a hook",
	"make ab":                     "a script tries it",
	"fixtures/ab/adapt":           "a script tries it",
	"mem 12 lessons":              "what a status line says",
	"\"statusLine\"":              "another program's settings",
	"set -g status-right":         "other programs' settings",
}

// TestDocs tries each block of each page. Lines that begin with "$ " are run in order, and have
// to print what is printed there. Other commands need sessions, keys or answers: their
// names and flags must exist. JSON and configuration must be read.
func TestDocs(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("lines of a shell")
	}
	before := map[string]string{
		"sync.md":   "mem learn --now 2026-02-03T04:05:06Z --root laptop 'Use pnpm'; mem learn --now 2026-02-04T04:05:06Z --root desktop 'Read the log before the code'",
		"export.md": "git init -q; mem learn --now 2026-02-03T04:05:06Z --domain mistake 'Avoid: deploying on a Friday'",
	}
	pages, err := filepath.Glob("../../docs/*.md")
	envtest.StopIf(t, err != nil || len(pages) < 20, "%d pages, %v", len(pages), err)
	for _, page := range pages {
		name := filepath.Base(page)
		t.Run(name, func(t *testing.T) {
			text := envtest.Read(t, page)
			run := newShell(t)
			run(before[name])
			for _, block := range findBlocks(text) {
				tryBlock(t, block, run)
			}
		})
	}
}

// findBlocks returns the blocks of code of a page that begin a paragraph, with what follows an empty line
// within them.
func findBlocks(text string) (blocks []string) {
	var block strings.Builder
	isNew := true // an item of a list may be indented below its first line
	for line := range strings.Lines(text + "\n.\n") {
		said, isCode := strings.CutPrefix(line, "    ")
		switch {
		case isCode && (isNew || block.Len() > 0):
			block.WriteString(said)
		case line == "\n" && block.Len() > 0:
			block.WriteString(line)
		case block.Len() > 0:
			blocks = append(blocks, strings.TrimRight(block.String(), "\n")+"\n")
			block.Reset()
		}
		isNew = line == "\n"
	}
	return blocks
}

func tryBlock(t *testing.T, block string, run func(line string) string) {
	for begin := range notRun {
		if strings.HasPrefix(block, begin) {
			return
		}
	}
	switch first, _, _ := strings.Cut(block, "\n"); {
	case strings.HasPrefix(first, "$ "):
		var got strings.Builder
		for line := range strings.Lines(block) {
			if command, is := strings.CutPrefix(line, "$ "); is {
				got.WriteString(line + run(command))
			}
		}
		envtest.Same(t, block, got.String(), "printed")
	case strings.HasPrefix(first, "{"):
		dec := jsontext.NewDecoder(strings.NewReader(block))
		for {
			if _, err := dec.ReadValue(); err == io.EOF {
				return
			} else if err != nil {
				t.Fatalf("%v in\n%s", err, block)
			}
		}
	case strings.HasPrefix(first, "["):
		run(`own="$XDG_CONFIG_HOME/mem"; mkdir -p "$own"; cat > "$own/config.toml" <<'END'` + "\n" + block + `END
			mem config > set && rm "$own/config.toml"`)
	default:
		n := checkCommands(t, block)
		envtest.FailIf(t, n == 0, "nothing tries this block; if nothing can, say why in notRun:\n%s", block)
	}
}

// checkCommands checks that the commands of mem in a text exist, with their flags, and counts
// them. What stands behind two blanks or # is a remark.
func checkCommands(t *testing.T, text string) (n int) {
	root := newRoot(Env{}, "")
	for line := range strings.Lines(text) {
		for _, command := range regexp.MustCompile(`  +|[|<>;#]`).Split(line, -1) {
			_, command, isOurs := strings.Cut(" "+command+" ", " mem ")
			if words := strings.Fields(command); isOurs {
				n++
				checkCommand(t, root, words)
			}
		}
	}
	return n
}

func checkCommand(t *testing.T, root *cobra.Command, words []string) {
	c, rest, err := root.Find(words)
	if err == nil && c == root && len(rest) > 0 && !strings.HasPrefix(rest[0], "-") {
		err = errors.New("no such command")
	}
	if err != nil {
		t.Errorf("mem %s: %v", strings.Join(words, " "), err)
		return
	}
	for _, word := range rest {
		if name, isFlag := strings.CutPrefix(strings.Trim(word, "[],"), "--"); isFlag && name != "" {
			name, _, _ = strings.Cut(name, "=")
			envtest.FailIf(t, c.Flags().Lookup(name) == nil && c.InheritedFlags().Lookup(name) == nil,
				"mem %s has no --%s", c.Name(), name)
		}
	}
}

// TestReadmeBlocks pastes every line of the README that begins with "$ ", in order and in
// an empty home, and compares what is printed with what is shown, but for dates and commits.
func TestReadmeBlocks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("lines of a shell")
	}
	text := envtest.Read(t, "../../README.md")
	const end = "--- end of a command ---"
	var script, want strings.Builder
	for line := range strings.Lines(text) {
		said, isCode := strings.CutPrefix(line, "    ")
		command, isCommand := strings.CutPrefix(said, "$ ")
		switch {
		case isCode && isCommand:
			script.WriteString(command + "echo '" + end + "'\n")
			want.WriteString(end + "\n")
		case isCode && want.Len() > 0 && !strings.HasPrefix(said, "mem hook install"):
			want.WriteString(said)
		}
	}
	home := t.TempDir()
	cmd := exec.Command("sh", "-e")
	cmd.Stdin, cmd.Dir = strings.NewReader(script.String()), home
	cmd.Env = append(os.Environ(), "HOME="+home, "MEM_HOOK_WORKER=false")
	out, err := cmd.CombinedOutput()
	envtest.StopIf(t, err != nil, "%v\n%s", err, out)
	hide := regexp.MustCompile(`\b[0-9a-f]{12}\b|\b\d{4}-\d\d-\d\d\b`)
	show := func(s string) string { return hide.ReplaceAllString(s, "X") }
	// The mark stands before what is shown in want, and after what is printed in out.
	printed := end + "\n" + strings.TrimSuffix(string(out), end+"\n")
	envtest.Same(t, show(want.String()), show(printed), "README.md")
}

// newShell returns a function that runs a line in an empty home, and returns what it prints. The
// configuration is not where most have it: what a page says must hold there, too.
func newShell(t *testing.T) func(line string) string {
	home := t.TempDir()
	return func(line string) string {
		cmd := exec.Command("sh", "-c", line)
		cmd.Dir = home
		cmd.Env = append(os.Environ(), "HOME="+home, "XDG_CONFIG_HOME="+home+"/my settings", "MEM_HOOK_WORKER=false")
		out, err := cmd.CombinedOutput()
		envtest.StopIf(t, err != nil, "%s: %v\n%s", line, err, out)
		return strings.ReplaceAll(string(out), home, "/home/ada")
	}
}

// TestHelpWords keeps odd words, and second names for what has a name, out of help and hints:
// a lesson, a watch-out, a learning (which someone noted), a rule, a proposal, the journal.
func TestHelpWords(t *testing.T) {
	odd := regexp.MustCompile(`(?i)\b(passed over|a plain file|(?:took|takes?) over|goes? on to|with your yes|(?:it|they) stays?|silos?|desk|shelf|` +
		`sittings?|alike|told|what waits|mend(?:s|ed|ing)?|anew|agreed|insights?|anti-patterns?|diary)\b`)
	check := func(where, text string) {
		for _, word := range odd.FindAllString(text, -1) {
			t.Errorf("%s says %q", where, word)
		}
	}
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		check(c.CommandPath(), c.Short+"\n"+c.Long)
		check("a flag of "+c.CommandPath(), c.Flags().FlagUsages())
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(newRoot(Env{}, ""))
	eachFault(t, func(where, _, hint string) { check("a hint in "+where, hint) })
	check("an exit code", fault.Table())
}
