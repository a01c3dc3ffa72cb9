package reflect_test

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mem/envtest"
	"mem/oracle"
	"mem/reflect"
	"mem/repo"
	"mem/session"
)

// A secret is a made-up one in the text that people would have it in.
type secret struct {
	family string
	shaped bool // known by its own shape, so also when it is split or wrapped
	text   string
	hidden []string // the parts of text that must not be kept
}

// alphabets are what the placeholders of testdata/secrets.txt draw from.
var alphabets = map[byte]string{
	'a': "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
	'A': "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789",
	'b': "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
	'w': "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-",
	'p': "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789!*_~",
	'U': "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567",
	'l': "abcdefghijklmnopqrstuvwxyz0123456789",
	'h': "0123456789abcdef",
	'H': "0123456789ABCDEF",
	'd': "0123456789",
	'n': "0123456789", // that is no secret by itself
	'-': "-",
}

// secrets reads the families and makes up one secret for each. No source
// holds a whole one, because those who scan sources would take it for real.
func secrets(t *testing.T, r *rand.Rand) []secret {
	t.Helper()
	f, err := os.Open("testdata/secrets.txt")
	envtest.NoError(t, err)
	defer f.Close()
	var all []secret
	for lines := bufio.NewScanner(f); lines.Scan(); {
		line := lines.Text()
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.SplitN(line, " ", 3)
		envtest.StopIf(t, len(fields) != 3, "secrets.txt: %q", line)
		s := secret{family: fields[0], shaped: fields[1] == "shape"}
		s.text, s.hidden = madeUp(r, strings.ReplaceAll(strings.ReplaceAll(fields[2], `\\n`, "\x00"), `\n`, "\n"))
		s.text = strings.ReplaceAll(s.text, "\x00", `\n`)
		all = append(all, s)
	}
	return all
}

var placeholder = regexp.MustCompile(`\{([a-zA-Z-])(\d+)\}`)

// madeUp fills the placeholders of a text. Each drawn part has a digit and
// starts and ends with a letter or digit, as real ones do.
func madeUp(r *rand.Rand, text string) (filled string, hidden []string) {
	filled = placeholder.ReplaceAllStringFunc(text, func(p string) string {
		alphabet := alphabets[p[1]]
		n, _ := strconv.Atoi(p[2 : len(p)-1])
		for {
			b := make([]byte, n)
			for i := range b {
				b[i] = alphabet[r.IntN(len(alphabet))]
			}
			s := string(b)
			if p[1] == '-' {
				return s
			}
			if n >= 8 && (!strings.ContainsAny(s, "0123456789") || strings.ContainsAny(s[:1]+s[n-1:], "+/_-!*~")) {
				continue
			}
			if n >= 8 && p[1] != 'n' {
				hidden = append(hidden, s)
			}
			return s
		}
	})
	return filled, hidden
}

// A form is a way in which a secret gets into a text.
type form struct {
	name   string
	shaped bool // only promised for what is known by its own shape
	write  func(secret) string
}

var secretForms = []form{
	{"plain", false, func(s secret) string { return "see " + s.text + "\nand go on" }},
	{"JSON", false, func(s secret) string { return quoted(map[string]string{"out": "first\n" + s.text + "\nlast"}) }},
	{"URL", false, func(s secret) string { return "https://x.example.com/?q=" + url.QueryEscape(s.text) }},
	{"split", true, func(s secret) string { return splitAfter(s, "\n") }},
	{"continued", true, func(s secret) string { return splitAfter(s, "\\\n") }},
	{"base64", true, func(s secret) string {
		return "data: " + base64.StdEncoding.EncodeToString([]byte("here it is: "+s.text))
	}},
}

// quoted is v as JSON.
func quoted(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // texts always marshal
	}
	return string(data)
}

// splitAfter breaks the longest hidden part in the middle.
func splitAfter(s secret, by string) string {
	longest := slices.MaxFunc(s.hidden, func(a, b string) int { return len(a) - len(b) })
	half := len(longest) / 2
	return "before\n" + strings.Replace(s.text, longest, longest[:half]+by+longest[half:], 1) + "\nafter it"
}

// part is how much of a secret may not be found anywhere, in bytes.
const part = 10

// A watch knows every part of every secret that was planted.
type watch map[string]string // the part, and whose it is

// add watches for every part of s, or for all of it if it is short.
func (w watch) add(s, whose string) {
	for i := 0; i+part <= len(s); i++ {
		w[s[i:i+part]] = whose
	}
}

// find calls report once for each secret of which a part is in data.
func (w watch) find(data string, report func(whose, leaked string)) {
	seen := map[string]bool{}
	for i := 0; i+part <= len(data); i++ {
		if whose, ok := w[data[i:i+part]]; ok && !seen[whose] {
			seen[whose] = true
			report(whose, data[max(0, i-60):min(len(data), i+60)])
		}
	}
}

// plant writes a session in Claude Code's format that has every secret in one
// form in what a person said, in tool inputs, in results and in errors.
func plant(t *testing.T, all []secret, f form, w watch) *session.Session {
	t.Helper()
	c := newTranscript("claude", "secrets-"+f.name)
	c.user("Deploy the service and make the smoke test pass.")
	for _, s := range all {
		if f.shaped && !s.shaped {
			continue
		}
		text := f.write(s)
		whose := s.family + ", " + f.name
		for _, h := range s.hidden {
			w.add(h, whose)
		}
		if f.name == "base64" {
			w.add(text[len("data: "):][20:], whose)
		}
		c.call("Bash", map[string]any{"command": "echo '" + text + "' | ./deploy"}, "Exit code 1\ndenied for "+text, true)
		c.call("Bash", map[string]any{"command": "./status"}, "configured:\n"+text+"\nok", false)
		c.call("Write", map[string]any{"file_path": "config/app.yaml", "content": text}, "wrote it", false)
		c.user("No, don't use " + text + " here, that is the old one.")
		c.deny("Edit", map[string]any{"file_path": "a.txt", "old_string": "x", "new_string": text}, "never commit "+text+" to the repo. Never commit secrets to the repo.")
		c.say("I used " + text + " and it failed.")
	}
	return c.read(t)
}

// echo learns every line that it was shown, in the prompt or in the steps.
func echo() *asker {
	return &asker{name: "echo", f: func(r oracle.Request) (string, error) {
		var lines []string
		shown := r.System + "\n" + r.Prompt
		for _, s := range r.Events {
			shown += "\n" + s.Text + "\n" + s.Input + "\n" + s.Reason
		}
		for l := range strings.Lines(shown) {
			for l = strings.TrimSpace(l); len(l) > 200; l = l[200:] {
				lines = append(lines, strings.ToValidUTF8(l[:200], ""))
			}
			lines = append(lines, l)
		}
		slices.Sort(lines)
		lines = slices.Compact(lines)
		half := len(lines) / 2
		return quoted(map[string]any{"mistakes": lines[:half], "fixes": lines[half:]}), nil
	}}
}

// knowing answers with what it was never shown: the secrets themselves.
func knowing(all []secret, f form) *asker {
	return &asker{name: "knowing", f: func(oracle.Request) (string, error) {
		var lines []string
		for _, s := range all {
			if !f.shaped || s.shaped {
				lines = append(lines, f.write(s))
			}
		}
		half := len(lines) / 2
		return quoted(map[string]any{"mistakes": lines[:half], "fixes": lines[half:]}), nil
	}}
}

// Of no family a secret reaches the history, the queue or an oracle, whatever
// form it has and wherever in the session it stands.
func TestNoSecretIsKept(t *testing.T) {
	all := secrets(t, rand.New(rand.NewPCG(21, 22)))
	envtest.FailIf(t, len(all) < 60, "%d families, want at least 60", len(all))
	t.Logf("%d families in %d forms", len(all), len(secretForms))
	for nth, f := range secretForms {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			noneKept(t, all, f, nth)
		})
	}
}

// noneKept is TestNoSecretIsKept for one form, the nth; in CI with one of the oracles, in turn.
func noneKept(t *testing.T, all []secret, f form, nth int) {
	t.Helper()
	w := watch{}
	s := plant(t, all, f, w)
	envtest.StopIf(t, len(w) == 0 || len(s.Events) < 100, "%d events, %d parts to watch for", len(s.Events), len(w))
	leaks := map[string]bool{}
	for i, o := range []*asker{asked(t, oracle.Rules), echo(), knowing(all, f)} {
		if i != nth%3 && !envtest.IsWhole() {
			continue
		}
		report := func(where string) func(string, string) {
			return func(whose, leaked string) {
				envtest.FailIf(t, !leaks[whose], "%s: leaked by %s into %s: %q", whose, o.name, where, leaked)
				leaks[whose] = true
			}
		}
		history, queue := keep(t, o, s)
		for _, r := range o.asked {
			w.find(fmt.Sprint(r.System, r.Prompt, r.Events), report("a request"))
		}
		w.find(queue, report("the queue"))
		w.find(history, report("the history"))
	}
}

// asked is an oracle that keeps what it was asked.
func asked(t *testing.T, o oracle.Oracle) *asker {
	return &asker{name: o.Name(), f: func(r oracle.Request) (string, error) { return o.Ask(t.Context(), r) }}
}

// keep queues a session as a hook does and reflects on it, while the root is
// held by another process, and returns what was queued and what the history then
// holds.
func keep(t *testing.T, o *asker, s *session.Session) (history, queue string) {
	t.Helper()
	root := newRoot(t)
	putOff(t, root, noon, s)
	r := reflect.Reflector{Oracles: []oracle.Oracle{o}, MaxLessons: 1 << 20}
	p, reason, err := r.ReflectOn(t.Context(), look(t, root), s, reflect.Options{Now: noon})
	envtest.StopIf(t, err != nil || p == nil, "%s learned nothing: %q, %v", o.name, reason, err)
	busy(t, root, func() {
		out, err := reflect.CommitPending(t.Context(), root, p)
		envtest.StopIf(t, err != nil || out.Queued == nil, "not queued: %+v, %v", out, err)
	})
	queue = privateFiles(t, root)
	_, err = root.Drain(t.Context(), reflect.JobKind, reflect.ReadJob, func(s string) { t.Error(s) })
	envtest.NoError(t, err)
	out, err := exec.Command("git", "-C", root.Path(), "log", "-p", "--all").Output()
	envtest.StopIf(t, err != nil || !strings.Contains(string(out), "Mem-Reflection"),
		"git log: %v, %d bytes", err, len(out))
	return string(out), queue
}

// privateFiles is all that lies in a root's own folder, the queue among it.
func privateFiles(t *testing.T, root *repo.Root) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(root.Path(), ".git", "mem", "*", "*"))
	envtest.NoError(t, err)
	var all strings.Builder
	for _, name := range files {
		if data, err := os.ReadFile(name); err == nil {
			all.Write(data)
		}
	}
	envtest.StopIf(t, !strings.Contains(all.String(), `"fixes"`) && !strings.Contains(all.String(), `"mistakes"`),
		"nothing in the queue: %q", files)
	return all.String()
}
