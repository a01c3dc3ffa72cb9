package guard

import (
	"encoding/base64"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mem/envtest"
)

// mostTouched is how many of the ordinary texts may be taken for secrets: one
// in a thousand.
const mostTouched = 0.001

// touched redacts each text and fails if too many of them change.
func touched(t *testing.T, what string, texts []string) {
	t.Helper()
	n := 0
	for _, s := range texts {
		if got, found := Redact(s); found > 0 {
			if n++; n <= 20 {
				t.Logf("Redact(%q) = %q", s, got)
			}
		}
	}
	rate := float64(n) / float64(len(texts))
	t.Logf("%s: %d of %d touched (%.3f %%)", what, n, len(texts), 100*rate)
	envtest.FailIf(t, rate > mostTouched,
		"%s: touched %d of %d (%.3f %%), want at most %.1f %%", what, n, len(texts), 100*rate, 100*mostTouched)
}

// assignments are code in which a name that says secret gets no secret.
func assignments(m maker) []func() string {
	secretName := func() string {
		return []string{"token", "secret", "password", "apiKey", "api_key", "passwd", "accessToken", "client_secret", "authToken", "key"}[m.IntN(10)]
	}
	return []func() string{
		func() string { return secretName() + " := parse" + m.title() + "(" + m.word() + ")" },
		func() string {
			return secretName() + ` = os.Getenv("` + strings.ToUpper(m.word()+"_"+secretName()) + `")`
		},
		func() string { return `"key": "` + m.word() + "_id\"" },
		func() string { return secretName() + " = " + m.word() + "." + m.title() + "()" },
		func() string { return "const " + secretName() + " = process.env." + strings.ToUpper(secretName()) },
		func() string { return secretName() + ": ${{ secrets." + strings.ToUpper(m.word()) + "_TOKEN }}" },
		func() string { return "if " + secretName() + " == nil { return err" + m.title() + " }" },
		func() string { return secretName() + ": string;" },
		func() string { return "self." + secretName() + " = " + secretName() },
		func() string { return secretName() + "=$" + strings.ToUpper(m.word()) },
		func() string { return "func " + secretName() + m.title() + "(s string) (" + secretName() + " string)" },
		func() string { return `label: "` + m.title() + " " + secretName() + `"` },
		func() string { return secretName() + " = config[\"" + m.word() + "." + m.word() + "\"]" },
		func() string { return "tokens: " + fmt.Sprint(m.IntN(100000)) + ", cache_key: " + m.word() },
		func() string { return "pass: " + fmt.Sprint(m.IntN(1000)) + " fail: " + fmt.Sprint(m.IntN(10)) },
	}
}

// notations are the short ordinary things that ordinary has none of.
func notations(m maker) []func() string {
	r := m.Rand
	return []func() string{
		func() string { return fmt.Sprintf("%s-%d", strings.ToUpper(m.word()[:3]), r.IntN(20000)) },
		func() string {
			return "." + m.word() + "__" + m.word() + "--" + m.word() + "-" + fmt.Sprint(r.IntN(12))
		},
		func() string {
			return fmt.Sprintf("rgba(%d, %d, %d, 0.%d)", r.IntN(256), r.IntN(256), r.IntN(256), r.IntN(10))
		},
		func() string { return base64.StdEncoding.EncodeToString([]byte(m.word() + " " + m.word())) },
		func() string { return m.word() + "." + m.hex(8) + ".chunk.js" },
		func() string { return "^" + fmt.Sprintf("%d.%d.%d", r.IntN(20), r.IntN(20), r.IntN(20)) },
		func() string {
			return "css-" + base36(r, 6) + " hover:bg-" + m.word() + "-" + fmt.Sprint(100*r.IntN(9))
		},
		func() string {
			return m.word() + strings.Repeat("Of"+m.title()+"And"+m.title(), 1+r.IntN(4))
		},
		func() string {
			return strings.Join([]string{m.word(), m.word(), m.word(), m.word(), m.word(), fmt.Sprint(r.IntN(99))}, "_")
		},
		func() string { return "image: app/" + m.word() + "-svc:1.2@sha256:" + m.hex(64) },
		func() string {
			return fmt.Sprintf("%s %s/go.mod h1:%s=", "golang.org/x/"+m.word()+"kit", "v0.3.1", base64.RawStdEncoding.EncodeToString(noise(r, 32)))
		},
		func() string { return "index " + m.hex(7) + ".." + m.hex(7) + " 100644" },
		func() string { return fmt.Sprintf("at %s.%s (%s.js:%d:%d)", m.title(), m.word(), m.word(), 3, 14) },
		func() string { return fmt.Sprintf("goroutine %d [running]: %s(0x%s)", r.IntN(99), m.word(), m.hex(10)) },
	}
}

func TestRedactTouchesFewNotations(t *testing.T) {
	m := maker{rand.New(rand.NewPCG(13, 14))}
	for what, kinds := range map[string][]func() string{"notations": notations(m), "assignments": assignments(m)} {
		texts := make([]string, 5000)
		for i := range texts {
			texts[i] = kinds[i%len(kinds)]()
		}
		touched(t, what, texts)
	}
}

// library returns the identifiers that the standard library declares or uses,
// and lines of its code that have to do with secrets.
func library(t *testing.T) (names, lines []string) {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	root := filepath.Join(strings.TrimSpace(string(out)), "src")
	if files, _ := filepath.Glob(filepath.Join(root, "net", "http", "*.go")); err != nil || len(files) == 0 {
		t.Skip("the sources of the standard library are not here")
	}
	seen := map[string]bool{}
	for _, dir := range []string{"net/http", "crypto/tls", "crypto/x509", "go/parser", "go/token", "text/template", "encoding/json", "net/url", "database/sql", "os"} {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(dir), "*.go"))
		envtest.NoError(t, err)
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue // tests have keys in them, made up but whole
			}
			set := token.NewFileSet()
			f, err := parser.ParseFile(set, name, nil, parser.SkipObjectResolution)
			envtest.NoError(t, err)
			ast.Inspect(f, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.Ident:
					seen[n.Name] = true
				case *ast.BasicLit:
					if n.Kind == token.STRING && len(n.Value) < 80 {
						seen["x := "+n.Value] = true
					}
				}
				return true
			})
		}
	}
	for s := range seen {
		if strings.HasPrefix(s, "x := ") {
			lines = append(lines, s)
			continue
		}
		names = append(names, s)
		lines = append(lines, "token := "+s, "Password: "+s+".Value,", "passwd := "+s+"()", "secret = append(secret, "+s+"...)", "return "+s+"(key)")
	}
	slices.Sort(names)
	slices.Sort(lines)
	return names, lines
}

func TestRedactTouchesFewOfTheLibrary(t *testing.T) {
	names, lines := library(t)
	touched(t, "names", names)
	touched(t, "lines", lines)
}
