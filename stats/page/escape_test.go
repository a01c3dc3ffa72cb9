package page

import (
	"bytes"
	"encoding/xml"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"mem/envtest"
	"mem/index"
	"mem/stats"
)

// hostile are texts that would become more than text on a page that forgets to escape.
var hostile = []string{
	"</script><script>alert(1)</script>", `"><img src=x onerror=alert(1)>`, "</style><style>*{display:none}", `' onmouseover='alert(1)`, "<!--", "-->", "]]>", "<svg/onload=alert(1)>",
	"javascript:alert(1)", "`<b>`", "``", "` <i> `x`", "&lt;script&gt;", "</title><base href=//evil>", "a\u202eb\u2066c\u200fd", "nul\x00 esc\x1b[31m", "</li></ol></section>", "\xff\xfe<b>",
	"ghp_" + strings.Repeat("Ab3dE6gH9j", 4)[:36],
}

// hostilePage has each of the texts in each of its fields.
func hostilePage() Page {
	at := time.Date(2026, 2, 3, 4, 5, 6, 0, time.UTC)
	p := Page{Name: strings.Join(hostile, " "), Now: now, Stats: stats.Report{Sessions: 1}}
	for i, s := range hostile {
		p.Lessons = append(p.Lessons, Lesson{Item: &index.Item{
			ID: s, Text: s, Status: index.Status(s), Domain: s, Tags: []string{s}, Hits: 2, Kind: []index.Kind{index.AntiPattern, index.Learning}[i%2], FirstSeen: at, LastSeen: at,
			Sources: []index.Source{{At: at}, {At: at.AddDate(0, 0, i)}},
		}})
		l := &p.Lessons[len(p.Lessons)-1]
		l.Told, l.Agents, l.Why, l.Sessions = 1, []string{s, s}, s, i
		l.Cue, l.Remedy = &index.Literals{Tool: s, Command: s, Error: s, Path: s}, &index.Literals{Command: s}
		l.Seen = []Sighting{{At: at, Agent: s, Session: s, Words: []string{s, s}, Network: true}}
		l.Commits = []Change{{Commit: s, Subject: s, At: at}}
		p.Needs = append(p.Needs, Need{s, s})
		p.Rules = append(p.Rules, Rule{Name: s, About: s, File: s, Text: s + "\n" + s, Lessons: []string{s}})
		p.Stats.NeverMattered = append(p.Stats.NeverMattered, stats.Entry{ID: s, Text: s})
	}
	return p
}

// element is the beginning or end of one, with its attributes.
var element = regexp.MustCompile(`<(/?)([a-zA-Z][a-zA-Z0-9]*|!doctype|!--)([^<>]*)>?`)

// attribute is one as this room writes them.
var attribute = regexp.MustCompile(`^ ([a-zA-Z-]+)(="[^"<>]*")?`)

// TestEscape holds that no text of a memory becomes an element, an attribute, or a
// character that turns others around: all elements and attributes are those that the room knows.
func TestEscape(t *testing.T) {
	page := strings.NewReplacer(string(style), "", string(script), "").Replace(string(Render(hostilePage())))
	allowed := map[string]bool{}
	for _, name := range strings.Fields("!doctype html head meta title style body header main footer section article nav h1 h2 h3 p ul ol li a b i em small code div span time blockquote svg g rect path circle title figure figcaption details summary table thead tbody tr th td dl dt dd form label input select option output button script") {
		allowed[name] = true
	}
	for _, tag := range element.FindAllStringSubmatch(page, -1) {
		envtest.FailIf(t, !allowed[strings.ToLower(tag[2])], "the page has an element %q", tag[0])
		rest := tag[3]
		for rest != "" && rest != "/" && tag[2] != "!doctype" {
			at := attribute.FindStringSubmatch(rest)
			if at == nil || strings.HasPrefix(strings.ToLower(at[1]), "on") || at[1] == "style" || at[1] == "src" || at[1] == "href" && !strings.HasPrefix(at[2], `="#`) {
				t.Errorf("%q has an attribute that the room does not write: %q", tag[0], rest)
				break
			}
			rest = rest[len(at[0]):]
		}
	}
	envtest.Same(t, 1, strings.Count(page, "<script>"), "scripts")
	for _, bad := range []string{"\u202e", "\u2066", "\x00", "\x1b", "\xff", "ghp_", "http:", "https:", "//evil\""} {
		envtest.FailIf(t, strings.Contains(page, bad), "the page has %q", bad)
	}
	for _, policy := range []string{"default-src 'none'", "script-src 'sha256-", "style-src 'sha256-", "base-uri 'none'", "form-action 'none'"} {
		envtest.FailIf(t, !strings.Contains(page, policy), "the policy of the page does not have %q", policy)
	}
}

// TestWellFormed holds that each element ends where it should, and that the card is XML, whatever the memory says.
func TestWellFormed(t *testing.T) {
	for _, p := range []Page{hostilePage(), makePage(0), makePage(2), makePage(50), {Now: now, Tip: "x", Lessons: make([]Lesson, 0)}} {
		var open []string
		text := strings.NewReplacer(string(style), "", string(script), "").Replace(string(Render(p)))
		for _, tag := range element.FindAllStringSubmatch(text, -1) {
			switch name := strings.ToLower(tag[2]); {
			case slices.Contains([]string{"!doctype", "meta", "input"}, name), strings.HasSuffix(tag[3], "/"):
			case tag[1] == "":
				open = append(open, name)
			case len(open) == 0 || open[len(open)-1] != name:
				t.Fatalf("%q ends in %v", tag[0], open)
			default:
				open = open[:len(open)-1]
			}
		}
		envtest.FailIf(t, len(open) > 0, "%v do not end", open)
		card := RenderCard(p)
		for d := xml.NewDecoder(bytes.NewReader(card)); ; {
			if _, err := d.Token(); err == io.EOF {
				break
			} else if err != nil {
				t.Fatalf("%v: %s", err, card)
			}
		}
		n := bytes.Count(card, []byte("<script")) + bytes.Count(card, []byte("ghp_")) + bytes.Count(card, []byte("\u202e"))
		envtest.FailIf(t, n > 0, "the card says what it must not: %s", card)
		envtest.FailIf(t, !bytes.Equal(card, RenderCard(p)), "the same card has other bytes the second time")
	}
}

// TestMarkup holds that nothing but the functions of markup.go makes markup of a string,
// so that every text of a memory goes through one of them.
func TestMarkup(t *testing.T) {
	files, err := os.ReadDir(".")
	envtest.NoError(t, err)
	allowed := []string{"page.go: markup(base64.StdEncoding.EncodeToString(sum[:]))"}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".go") || strings.HasSuffix(f.Name(), "_test.go") || f.Name() == "markup.go" {
			continue
		}
		text := envtest.Read(t, f.Name())
		set := token.NewFileSet()
		file, err := parser.ParseFile(set, f.Name(), text, 0)
		envtest.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok {
				return true
			}
			if name, ok := call.Fun.(*ast.Ident); ok && name.Name == "markup" && !isLiteral(call.Args[0]) {
				said := f.Name() + ": " + text[set.Position(call.Pos()).Offset:set.Position(call.End()).Offset]
				envtest.FailIf(t, !slices.ContainsFunc(allowed, func(a string) bool { return strings.HasPrefix(said, a) }),
					"%s makes markup of a string", said)
			}
			return true
		})
	}
}

// TestCode holds what becomes code in a text.
func TestCode(t *testing.T) {
	for text, want := range map[string]markup{
		"": "", "`": "`", "``": "``", "a `b` c": "a <code>b</code> c", "`a``b`": "<code>a</code><code>b</code>", "a `b": "a `b", "`a` `b": "<code>a</code> `b",
		"`a\nb`": "`a\nb`", "x\n`y`\n": "x\n<code>y</code>\n",
	} {
		envtest.Same(t, want, code(markup(text)), "code", text)
	}
}

func isLiteral(e ast.Expr) bool {
	_, ok := e.(*ast.BasicLit)
	return ok
}
