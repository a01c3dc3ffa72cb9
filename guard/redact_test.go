package guard

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mem/envtest"
)

func TestFamiliesAreWellFormed(t *testing.T) {
	d := sharedDetector()
	name := regexp.MustCompile(`^[a-z-]+$`)
	names := map[string]bool{}
	for rank, f := range d.families {
		envtest.FailIf(t, !name.MatchString(f.name),
			"family %q: a name has lower-case letters and hyphens only, or its mark is no mark", f.name)
		names[f.name] = true
		envtest.FailIf(t, f.expr != "" && f.look != nil, "family %s has an expression and a function", f.name)
		if f.expr != "" {
			d.exprs[rank].Get()
		}
		for word := range strings.FieldsSeq(f.keys) {
			envtest.FailIf(t, len(word) < window, "family %s: key %q is too short to be found", f.name, word)
			for other := range strings.FieldsSeq(f.keys) {
				if i := strings.Index(strings.ToLower(word), strings.ToLower(other)); i > 0 && i+len(other) < len(word) {
					t.Errorf("family %s: key %q is inside of key %q, which is found first", f.name, other, word)
				}
			}
		}
	}
	envtest.FailIf(t, len(names) < 60, "%d families, want at least 60", len(names))
	t.Logf("%d families in %d lines", len(names), len(d.families))
}

// forms are the ways in which a text is written down.
var forms = []struct {
	name   string
	tokens bool // only promised for what is known by its own shape
	write  func(e example) (text string, left []string)
}{
	{"plain", false, func(e example) (string, []string) { return e.text, []string{e.secret} }},
	{"JSON", false, func(e example) (string, []string) {
		return asJSON("line\n" + e.text + "\nmore \"quoted\""), []string{e.secret, inJSON(e.secret)}
	}},
	{"JSON in JSON", false, func(e example) (string, []string) {
		return asJSON(asJSON("line\n" + e.text + "\nmore")), []string{e.secret, inJSON(inJSON(e.secret))}
	}},
	{"JSON with code points", false, func(e example) (string, []string) {
		return `{"a":"` + codePoints(e.text) + `"}`, []string{codePoints(e.secret)}
	}},
	{"URL-encoded", false, func(e example) (string, []string) {
		return "x=" + url.PathEscape(" "+e.text), []string{e.secret, url.PathEscape(e.secret)}
	}},
	{"split by a line break", true, split("\n")},
	{"split by an indented line break", true, split("\r\n    ")},
	{"split by a continuation", true, split("\\\n")},
	{"split by a concatenation", true, split(`" + "`)},
	{"split by a concatenation over lines", true, split("\" +\n\t\"")},
	{"split in JSON", true, func(e example) (string, []string) {
		text, left := split("\n")(e)
		return asJSON(text), left
	}},
	{"base64", true, func(e example) (string, []string) {
		s := base64.StdEncoding.EncodeToString([]byte("token is " + e.text))
		return s, []string{s, s[len(s)/2:]}
	}},
	{"base64 for URLs", true, func(e example) (string, []string) {
		s := base64.RawURLEncoding.EncodeToString([]byte(e.text + "\n"))
		return "data/" + s, []string{s, s[len(s)/2:]}
	}},
}

// split breaks the secret in the middle; neither half may be left.
func split(by string) func(e example) (string, []string) {
	return func(e example) (string, []string) {
		n := len(e.secret) / 2
		a, b := e.secret[:n], e.secret[n:]
		return strings.Replace(e.text, e.secret, a+by+b, 1), []string{a, b}
	}
}

func asJSON(s string) string {
	b, err := json.Marshal(map[string]string{"text": s})
	if err != nil {
		panic(err)
	}
	return string(b)
}

func inJSON(s string) string {
	b, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return strings.Trim(string(b), `"`)
}

func codePoints(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, `\u%04x`, s[i])
	}
	return b.String()
}

func TestRedactKeepsWhatSurroundsASecret(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	tok := "gh" + "p_" + opaque(r, 36)
	long := "sk-" + "ant-api03-" + opaque(r, 60)
	key := pem("RSA ", opaque(r, 64)+"\n"+opaque(r, 40)+"=")
	pw := "hunter" + "2"
	tests := []struct{ in, want string }{
		{"use " + tok + " here", "use [redacted:github-token] here"},
		{tok + "\nexport FOO=1", "[redacted:github-token]\nexport FOO=1"},
		{long + "\nsha256 of it", "[redacted:anthropic-key]\nsha256 of it"},
		{long + "\nexport", "[redacted:anthropic-key]\nexport"},
		{"\"" + long[:30] + "\" +\n  \"" + long[30:] + "\"", `"[redacted:anthropic-key]"`},
		{"a\n" + key + "\nb", "a\n[redacted:private-key]\nb"},
		{"+" + strings.ReplaceAll(key, "\n", "\n+") + "\n b", "+[redacted:private-key]\n b"},
		{key[:110] + "\n\nand then prose follows", "[redacted:private-key]\n\nand then prose follows"},
		{"left out\n" + key[40:] + "\nb", "left out\n[redacted:private-key]\nb"},
		{asJSON(key), `{"text":"[redacted:private-key]"}`},
		{`{"password":"` + pw + `","user":"bob"}`, `{"password":"[redacted:password]","user":"bob"}`},
		{`{\"password\":\"` + pw + `\",\"user\":\"bob\"}`, `{\"password\":\"[redacted:password]\",\"user\":\"bob\"}`},
		{"password: " + pw + " # old", "password: [redacted:password] # old"},
		{"login(user, password='" + pw + "')", "login(user, password='[redacted:password]')"},
		{"<password>" + pw + "</password>", "<password>[redacted:password]</password>"},
		{`os.Setenv("API_KEY", "` + tok[4:] + `")`, `os.Setenv("API_KEY", "[redacted:api-key]")`},
		{"Server=db;User Id=sa;Password=" + pw + ";Encrypt=true", "Server=db;User Id=sa;Password=[redacted:password];Encrypt=true"},
		{"https://api.x.io/v1?token=" + tok[4:] + "&page=2", "https://api.x.io/v1?token=[redacted:token]&page=2"},
		{"redis://:" + pw + "@cache:6379/0", "redis://:[redacted:url-password]@cache:6379/0"},
		{"git clone https://" + tok + "@github.com/o/r", "git clone https://[redacted:github-token]@github.com/o/r"},
		{`curl -H "Authorization: Bearer ` + tok[4:] + `" https://x.io`, `curl -H "Authorization: Bearer [redacted:authorization]" https://x.io`},
		{`{"headers":{"authorization":"Basic ` + tok[8:20] + `"}}`, `{"headers":{"authorization":"Basic [redacted:authorization]"}}`},
		{"Cookie: sid=" + tok[4:] + "; theme=dark\nAccept: */*", "Cookie: [redacted:cookie]\nAccept: */*"},
		{"mysql -h db -u root -p" + pw + " app", "mysql -h db -u root -p[redacted:command-password] app"},
		{"curl -u bob:" + pw + " https://x.io", "curl -u bob:[redacted:command-password] https://x.io"},
		{"machine x.io login bob password " + pw + "\n", "machine x.io login bob password [redacted:netrc-password]\n"},
		{"AWS_SECRET_ACCESS_KEY=" + tok[4:] + "/+ab", "AWS_SECRET_ACCESS_KEY=[redacted:aws-secret-key]"},
		{"DB_PASS=sword" + "fish\nDB_HOST=db", "DB_PASS=[redacted:password]\nDB_HOST=db"},
		{`const token: string = "` + tok[4:] + `";`, `const token: string = "[redacted:token]";`},
	}
	for _, tt := range tests {
		got, n := Redact(tt.in)
		diff := cmp.Diff(tt.want, got)
		envtest.FailIf(t, diff != "" || n != 1, "Redact(%q) found %d, want 1 (-want +got):\n%s", tt.in, n, diff)
	}
}

func TestRedactLeavesOrdinaryText(t *testing.T) {
	for _, s := range []string{
		"password := os.Getenv(\"DB_PASSWORD\")", "token := parser.Next()", "max_tokens=4096", "token = strings.TrimSpace(tok)",
		"password: string", "secret: ${{ secrets.GITHUB_TOKEN }}", "api_key = config.get(\"api_key\")", "tokenizer: gpt2-large-v1",
		"if password == \"\" {", "PWD=/home/bob/project1", "the secret is to run tests first", "password is required",
		"Authorization: Bearer <token>", "Authorization: Bearer $TOKEN", "curl -H \"Authorization: Bearer ${TOKEN}\"",
		"https://user:${PASS}@host/x", "http://localhost:8080/path@v2", "import \"github.com/x/y@v1.2.3\"",
		"the token bucket refills 100 per second", "primary_key: id", "cacheKey := \"deps-v1-linux\"", "key: value1234567890",
		"it starts with -----BEGIN PRIVATE KEY----- and ends so", "bypass=verify1", "compass: north42",
		"docker run -p 8080:80 nginx", "ssh -p 2222 host", "secretName: app-tls-v2", "password=[redacted:password]",
		"--token \"$GITHUB_TOKEN\"", "git config user.password prompt", "csrf_token = generate_csrf_token(v2)", "sk-cube-grid sk-folding-cube-animation1",
		"together with commit 3f2a9c1d4e5f60718293a4b5c6d7e8f901234567", "heroku release 550e8400-e29b-41d4-a716-446655440000",
		"tokens: [1, 2, 3]", "passwords are hashed with bcrypt", "password123 is weak", "next_page_token: None", "public_key: ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIB",
		"Cookie: a small piece of data", "the bearer authentication-middleware2 module", "const tokenPattern = /[a-z]+/", "eyJhbGciOiJ is how they begin",
		"password := args[3]", "Certificates[0].PrivateKey = testRSA2048PrivateKey", `encodeUserPassword: "encodeUserPassword"`,
		"block := &LineBlock{Token: stmt.Token[:1]}", "nextToken := p.tokens[p.curr+3].Type", `{"Action":"pass","Package":"mem/guard2"}`,
		"\tAT\n\tB\n\tBFI\n\tBFM\n\tBFXIL\n\tBIC\n\tBICS\n\tBIF\n\tBIT\n\tBL\n\tBLR\n\tBR\n\tBRK", "login    string\n\tpassword string\n",
		"client login with password only must fail", "http://<username>:<password>@proxy-host",
		"pass: 12 fail: 0", "--- PASS: TestPasswordReset2 (0.00s)", "PASS: 12345678 tests", "FAIL pass=120 skip=3",
	} {
		got, n := Redact(s)
		envtest.FailIf(t, got != s || n != 0, "Redact(%q) = %q, %d, want it unchanged", s, got, n)
	}
}

func TestRedactHasTheLawsOfAProjection(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.StringOfN(rapid.RuneFrom([]rune("ab1_-=:\"'\\ \n/@.{}[]$%<>+é")), 0, 40, -1).Draw(t, "before")
		all := examples(&testing.T{}, r)
		for range rapid.IntRange(0, 4).Draw(t, "secrets") {
			s += all[rapid.IntRange(0, len(all)-1).Draw(t, "family")].text
			s += rapid.StringOfN(rapid.RuneFrom([]rune("ab1_-=:\"'\\ \n/@.{}[]$%<>+é")), 0, 12, -1).Draw(t, "between")
		}
		once, _ := Redact(s)
		twice, n := Redact(once)
		envtest.StopIf(t, n != 0 || once != twice, "Redact(Redact(%q)) = %q, %d, want %q, 0", s, twice, n, once)
	})
}

// hostile texts are full of beginnings that lead nowhere.
var hostile = []string{
	"sk-", "-eyJaaaaaaaa", "-eyJaaaaaaaa.", "://a:", "password=", "token=", "-----BEGIN PRIVATE KEY-----\n", "token", "\\u0067", "%2525",
	`" + "`, "Z2hw", "mysql -p", "a\n", "Authorization: Bearer ", "[redacted:token]", "MTAAAAAAAAAAAAAAAAAAAAAA.AAAAAA.", "xoxb-\n",
	"cookie: a=bbbb;", "[redacted:", `\\`, "login a password ", "secret='", "private-lines: 1 ", "azure key ", "ghp_\n", "pass is ",
	"-----END PRIVATE KEY-----\n", "AAAAAAAAAAAAAAAAAAA1\n-----END PRIVATE KEY", "?a=b+%2", "variable \"a_key\" {",
	"/mysql", "mysql -p", "mysql -pab1c ", "sudo -S ", "echo a1b2c3 | sudo -S ", "vault write a=b1c2d3e4 ", "secrets set ", "password:\n", "pw ", "a:b1@", "| password | a1 |\n",
	"s.aaaaaaaaaaaaaaaaaaaaaaaa", "1111111111111111|", "otp is ", "1/1", "key X1", "\n1 a", "seed phrase: abc ", "token or \"",
}

// A quadratic Redact makes this run into the time limit of go test.
func TestRedactOfHostileTextEnds(t *testing.T) {
	for _, unit := range hostile {
		s := strings.Repeat(unit, (64<<10)/len(unit))
		once, _ := Redact(s)
		twice, n := Redact(once)
		envtest.FailIf(t, twice != once || n != 0, "Redact of repeated %q is not idempotent", unit)
	}
}

func BenchmarkRedactHostile(b *testing.B) {
	for _, unit := range hostile {
		for _, size := range []int{16 << 10, 512 << 10} {
			s := strings.Repeat(unit, size/len(unit))
			b.Run(fmt.Sprintf("%q/%d", unit, size), func(b *testing.B) {
				b.SetBytes(int64(len(s)))
				for b.Loop() {
					Redact(s)
				}
			})
		}
	}
}

func FuzzRedact(f *testing.F) {
	r := rand.New(rand.NewPCG(7, 8))
	for _, e := range examples(f, r) {
		f.Add(e.text)
	}
	f.Add("password=[redacted:password]x1y2z3")
	f.Fuzz(func(t *testing.T, s string) {
		once, _ := Redact(s)
		twice, n := Redact(once)
		envtest.FailIf(t, n != 0 || twice != once, "Redact(Redact(%q)) = %q, %d, want %q, 0", s, twice, n, once)
	})
}
