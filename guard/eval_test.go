package guard_test

import (
	"encoding/base64"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"mem/envtest"
	"mem/guard"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

// The figures that must hold: trust.md M1.
const (
	mostLeakedForms   = 0.02 // of fixtures/eval/secrets.txt
	mostLeakedUnknown = 0.10 // of families that the table does not have, after a name or in a header
)

// forms reads fixtures/eval/secrets.txt: section -> lines.
func readForms(t *testing.T) map[string][]string {
	t.Helper()
	data := envtest.Read(t, "../fixtures/eval/secrets.txt")
	sections, name := map[string][]string{}, ""
	for line := range strings.Lines(data) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "== "):
			name = line[3:]
		case name != "" && line != "":
			sections[name] = append(sections[name], strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\\`, `\`).Replace(line))
		}
	}
	return sections
}

var blank = regexp.MustCompile(`\{([abdhkpqstuw]?)(\d*)\}`)

// fill puts something drawn by lot in each blank of a form.
func fill(r *rand.Rand, form string) (text string, planted []string) {
	text = blank.ReplaceAllStringFunc(form, func(s string) string {
		m := blank.FindStringSubmatch(s)
		if m[1]+m[2] == "" {
			return s
		}
		n, _ := strconv.Atoi(m[2])
		value := draw(r, m[1], n)
		planted = append(planted, value)
		return value
	})
	return text, planted
}

func draw(r *rand.Rand, kind string, n int) string {
	from := func(alphabet string, n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = alphabet[r.IntN(len(alphabet))]
		}
		return string(b)
	}
	switch kind {
	case "a":
		return from("abcdefghijklmnopqrstuvwxyz0123456789", n)
	case "h":
		return from("0123456789abcdef", n)
	case "d":
		return from("0123456789", n)
	case "u":
		return from("0123456789abcdef", 8) + "-" + from("0123456789abcdef", 4) + "-4abc-9abc-" + from("0123456789abcdef", 12)
	case "p":
		return from("abcdefghijklmnopqrstuvwxyz", 3) + from("#!%*+@", 1) + from("ABCDEFGHJKLMNPQRSTUVWXYZ", 2) + from("23456789", 2) + from("abcdefghijklmnopqrstuvwxyz", 2)
	case "q": // a person's own, with what a shell or a URL would end a word at
		return from("ABCDEFGHJKLMNPQRSTUVWXYZ", 1) + from("abcdefghijkmnopqrstuvwxyz", 1) + from("0123456789", 1) + from("abcdefghijkmnopqrstuvwxyz", 3) + "&" + from("23456789", 1) + from("abcdefghijkmnopqrstuvwxyz", 2) + "!"
	case "b":
		return from("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", n)
	case "t":
		return from("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", n)
	case "k": // a word and digits, and the same with a capital and a sign
		return draw(r, "w", 1) + from("23456789", 2)
	case "s":
		word := draw(r, "w", 1)
		return strings.ToUpper(word[:1]) + word[1:] + from("0123456789", 4) + from("!?#$", 1)
	case "w":
		words := strings.Fields("ability bamboo cactus damage eagle fabric gadget habit iceberg jacket kangaroo label machine napkin oblige paddle quality rabbit saddle table umbrella vacuum wagon yellow")
		r.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		return strings.Join(words[:n], " ")
	}
	return guard.Opaque(r, n)
}

// TestEvalForms prints how many of the forms in which people and programs write
// secrets down are found, and how many of the ordinary lines change (trust.md
// M1, p3).
func TestEvalForms(t *testing.T) {
	const rounds = 20
	r := rand.New(rand.NewPCG(21, 22))
	sections := readForms(t)
	for _, name := range []string{"words", "code", "commands"} {
		tried, leaked := 0, 0
		for _, form := range sections[name] {
			n := 0
			for range rounds {
				text, planted := fill(r, form)
				got := guard.Scrub(text)
				tried++
				for _, p := range planted {
					if strings.Contains(got, p) || len(p) > 8 && strings.Contains(got, p[len(p)-4:]) {
						n++
						break
					}
				}
			}
			if leaked += n; n > 0 {
				t.Logf("leaks %d of %d: %q", n, rounds, form)
			}
		}
		t.Logf("== secrets in %-8s %4d of %d leak (%d forms)", name+":", leaked, tried, len(sections[name]))
		envtest.FailIf(t, float64(leaked) > mostLeakedForms*float64(tried),
			"%s: %d of %d secrets leak", name, leaked, tried)
	}
}

// TestEvalOrdinary prints how many ordinary strings change: lines made to look like
// the forms above, generated identifiers and code, and what this repository says
// and tests with.
func TestEvalOrdinary(t *testing.T) {
	made := readForms(t)["ordinary"]
	for what, lines := range map[string][]string{"lines": made, "identifiers": guard.Ordinary(5000), "documents": repositoryLines(t)} {
		touched := 0
		for _, line := range lines {
			if got, n := guard.Redact(line); n > 0 {
				touched++
				t.Logf("Redact(%q) = %q", line, got)
			}
		}
		t.Logf("== ordinary %-12s %4d of %d touched", what+":", touched, len(lines))
		if limit := 0.001 * float64(len(lines)); float64(touched) > limit {
			t.Errorf("ordinary %s: %d of %d touched, want at most %.0f", what, touched, len(lines), limit)
		}
	}
}

// repositoryLines returns the different lines of the documents and of the sessions
// that tests read, but for those that are there to be redacted.
func repositoryLines(t *testing.T) []string {
	t.Helper()
	seen := map[string]bool{}
	for _, pattern := range []string{"*.md", "docs/*.md", "fixtures/eval/tuned.txt", "fixtures/eval/blind.txt", "fixtures/retrieval/*", "fixtures/traces/*/*", "fixtures/silos/*/*", "fixtures/prove/*"} {
		files, err := filepath.Glob("../" + pattern)
		envtest.NoError(t, err)
		for _, name := range files {
			data, err := os.ReadFile(name)
			if err != nil {
				continue // a folder
			}
			for line := range strings.Lines(string(data)) {
				seen[line] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(seen))
}

// wrappings are the ways in which a token reaches a text.
var wrappings = []struct {
	name string
	wrap func(token string) string
}{
	{"bare", func(s string) string { return s }},
	{"quoted", func(s string) string { return `"` + s + `"` }},
	{"in backticks", func(s string) string { return "use `" + s + "`." }},
	{"assigned", func(s string) string { return "export X=" + s + "\necho done" }},
	{"JSON", func(s string) string { return `{"a": [{"b": ` + strconv.Quote(s) + `}]}` }},
	{"JSON in JSON", func(s string) string {
		return strconv.Quote(`{"out": ` + strconv.Quote("line\n"+s+"\nnext") + `}`)
	}},
	{"in a URL", func(s string) string { return "https://x.example/p?a=1&b=" + url.QueryEscape(s) + "&c=2" }},
	{"user of a URL", func(s string) string { return "https://" + url.QueryEscape(s) + "@git.example/r.git" }},
	{"base64", func(s string) string { return base64.StdEncoding.EncodeToString([]byte("the token is " + s)) }},
	{"Basic", func(s string) string {
		return "Authorization: Basic " + base64.StdEncoding.EncodeToString([]byte("bob:"+s))
	}},
	{"table", func(s string) string { return "| name | " + s + " |" }},
	{"diff", func(s string) string { return "@@ -1 +1 @@\n-x\n+" + s + "\n" }},
	{"concatenated", func(s string) string { return `x = "` + s[:len(s)/2] + `" + "` + s[len(s)/2:] + `"` }},
	{"continued", func(s string) string { return s[:len(s)/2] + "\\\n" + s[len(s)/2:] }},
	{"wrapped", func(s string) string { return "  " + s[:len(s)/2] + "\n  " + s[len(s)/2:] + "\n" }},
	{"numbered lines, arrow", func(s string) string {
		return "     9→x\n    10→" + s[:len(s)/2] + "\n    11→" + s[len(s)/2:] + "\n    12→y"
	}},
	{"numbered lines, tab", func(s string) string {
		return "    99\t" + s[:len(s)/2] + "\n   100\t" + s[len(s)/2:] + "\n   101\ty"
	}},
	{"numbered lines, colon", func(s string) string { return "7:" + s[:len(s)/2] + "\n8:" + s[len(s)/2:] + "\n" }},
	{"ANSI colours", func(s string) string {
		return "\x1b[31m" + s[:len(s)/2] + "\x1b[0m\x1b[32m" + s[len(s)/2:] + "\x1b[0m"
	}},
	{"zero width", func(s string) string { return s[:6] + "\u200b" + s[6:] }},
}

// TestEvalWrappings plants a token of each family in every wrapping.
func TestEvalWrappings(t *testing.T) {
	const rounds = 5
	r := rand.New(rand.NewPCG(23, 24))
	leaked, tried, families := 0, 0, map[string]bool{}
	for range rounds {
		for _, e := range guard.Tokens(t, r) {
			families[e.Family] = true
			for _, w := range wrappings {
				tried++
				got := guard.Scrub(w.wrap(e.Secret))
				half := len(e.Secret) / 2
				if containsAny(got, []string{e.Secret, e.Secret[:half], e.Secret[half:], url.QueryEscape(e.Secret)}) {
					leaked++
					t.Errorf("%s, %s: Scrub(%q) = %q", e.Family, w.name, w.wrap(e.Secret), got)
				}
			}
		}
	}
	t.Logf("== known tokens:        %4d of %d leak (%d families, %d wrappings)", leaked, tried, len(families), len(wrappings))
}

// named are the ways in which a token is assigned or sent in a header.
var named = []string{
	"API_TOKEN=%s", "export SERVICE_KEY=%s", `"token": "%s"`, `api_key: %s`, `apiKey: '%s',`, `const token = "%s";`, "secret = %s", `client_secret="%s"`,
	"access_token: %s", "--token %s", "Authorization: Bearer %s", `-H "Authorization: token %s"`, "X-Api-Key: %s", `headers={"x-auth-token": "%s"}`, "?api_key=%s&page=2",
}

// TestEvalUnknown takes each family out of the table in turn and plants its
// tokens where they are assigned or stand in a header: what the table does not
// know is found by its context and because it looks drawn by lot.
func TestEvalUnknown(t *testing.T) {
	r := rand.New(rand.NewPCG(25, 26))
	leaked, tried, worst := 0, 0, map[string]int{}
	for _, e := range guard.Tokens(t, r) {
		redact := guard.Without(e.Family)
		for _, form := range named {
			tried++
			if got := redact(fmt.Sprintf(form, e.Secret)); strings.Contains(got, e.Secret) || strings.Contains(got, e.Secret[len(e.Secret)/2:]) {
				leaked++
				if worst[e.Family]++; worst[e.Family] == 1 {
					t.Logf("without %s: %q", e.Family, got)
				}
			}
		}
	}
	rate := float64(leaked) / float64(tried)
	t.Logf("== unknown tokens:      %4d of %d leak after a name or in a header (%.1f %%)", leaked, tried, 100*rate)
	envtest.FailIf(t, rate > mostLeakedUnknown, "%.1f %% leak, want at most %.0f %%", 100*rate, 100*mostLeakedUnknown)
}
