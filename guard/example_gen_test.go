package guard

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"mem/envtest"
	"mem/words"
)

// letters are what generated secrets are made of where anything goes.
const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"

// opaque returns n random characters with a digit, a capital and a small
// letter among them. Sources hold no literal secret: scanners read them too.
func opaque(r *rand.Rand, n int) string {
	for {
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		if s := string(b); n < 8 || words.IsRandom(s) {
			return s
		}
	}
}

// An example is a text with a secret in it.
type example struct {
	family, text, secret string
}

// examples returns one example per family, made from its expression, and those
// of the families that are found by code.
func examples(t testing.TB, r *rand.Rand) []example {
	t.Helper()
	d := sharedDetector()
	var all []example
	for rank, f := range d.families {
		if f.expr == "" {
			made := byHand[f.name]
			envtest.StopIf(t, made == nil, "family %s has neither an expression nor an example in byHand", f.name)
			text, secret := made(r)
			all = append(all, example{f.name, text, secret})
			continue
		}
		all = append(all, generated(t, r, rank))
	}
	return all
}

// generated makes an example from the expression of a family.
func generated(t testing.TB, r *rand.Rand, rank int) example {
	t.Helper()
	f := sharedDetector().families[rank]
	tree, err := syntax.Parse(f.expr, syntax.Perl)
	envtest.StopIf(t, err != nil, "family %s: %v", f.name, err)
	whole := regexp.MustCompile(`\A(?:` + f.expr + `)\z`)
	for range 500 {
		var b strings.Builder
		write(&b, r, tree)
		text := b.String()
		m := whole.FindStringSubmatch(text)
		isTried := slices.ContainsFunc(strings.Fields(f.keys), func(key string) bool {
			return strings.Contains(strings.ToLower(text), strings.ToLower(strings.ReplaceAll(key, "␣", " ")))
		})
		if m == nil || f.keys != "" && !isTried {
			continue
		}
		secret := m[len(m)-1]
		envtest.StopIf(t, len(m) > 2, "family %s has %d groups, want at most one", f.name, len(m)-1)
		if len(secret) < 3 || f.only != nil && !f.only(secret) {
			continue
		}
		return example{f.name, text, secret}
	}
	t.Fatalf("family %s: no example of %s", f.name, f.expr)
	return example{}
}

// write appends a text that re matches to b.
func write(b *strings.Builder, r *rand.Rand, re *syntax.Regexp) {
	switch re.Op {
	case syntax.OpLiteral:
		b.WriteString(string(re.Rune))
	case syntax.OpAnyCharNotNL, syntax.OpAnyChar:
		b.WriteByte('_')
	case syntax.OpCharClass:
		b.WriteByte(member(r, re.Rune))
	case syntax.OpCapture, syntax.OpConcat:
		for _, sub := range re.Sub {
			write(b, r, sub)
		}
	case syntax.OpAlternate:
		write(b, r, re.Sub[r.IntN(len(re.Sub))])
	case syntax.OpQuest:
		repeat(b, r, re.Sub[0], 0, 1)
	case syntax.OpStar:
		repeat(b, r, re.Sub[0], 0, 6)
	case syntax.OpPlus:
		repeat(b, r, re.Sub[0], 1, 6)
	case syntax.OpRepeat:
		most := re.Max
		if most < 0 {
			most = re.Min + 6
		}
		repeat(b, r, re.Sub[0], re.Min, most)
	}
}

func repeat(b *strings.Builder, r *rand.Rand, re *syntax.Regexp, least, most int) {
	for range least + r.IntN(most-least+1) {
		write(b, r, re)
	}
}

// member draws a character from a class: a letter or digit if there are any.
func member(r *rand.Rand, class []rune) byte {
	in := func(c rune) bool {
		for i := 0; i < len(class); i += 2 {
			if class[i] <= c && c <= class[i+1] {
				return true
			}
		}
		return false
	}
	var some []byte
	for c := '0'; c <= 'z'; c++ {
		if in(c) && words.IsAlnum(byte(c)) {
			some = append(some, byte(c))
		}
	}
	for c := '!'; c <= '~' && len(some) == 0; c++ {
		if in(c) {
			some = append(some, byte(c))
		}
	}
	if len(some) == 0 {
		return ' '
	}
	return some[r.IntN(len(some))]
}

// byHand makes the examples of families that are found by code.
var byHand = map[string]func(r *rand.Rand) (text, secret string){
	"private-key": func(r *rand.Rand) (string, string) {
		kind := []string{"", "RSA ", "EC ", "OPENSSH ", "ENCRYPTED "}[r.IntN(5)]
		body := opaque(r, 64) + "\n" + opaque(r, 64) + "\n" + opaque(r, 31) + "="
		return pem(kind, body), body[:64]
	},
	"jwt": func(r *rand.Rand) (string, string) {
		s := "ey" + "J" + opaque(r, 33) + "." + opaque(r, 60) + "." + opaque(r, 43)
		return s, s
	},
	"url-password": func(r *rand.Rand) (string, string) {
		s := opaque(r, 12)
		return "postgres://app:" + s + "@db.internal:5432/app?sslmode=require", s
	},
	"command-password": func(r *rand.Rand) (string, string) {
		s := opaque(r, 14)
		return fmt.Sprintf([]string{"mysql -u root -p%s app", "vault kv put secret/db pw=%s", "echo %s | docker login --password-stdin"}[r.IntN(3)], s), s
	},
	"one-time-code": func(r *rand.Rand) (string, string) {
		s := fmt.Sprint(100000 + r.IntN(900000))
		return []string{"npm publish --otp ", "OTP: ", "verification code is "}[r.IntN(3)] + s, s
	},
	"password": func(r *rand.Rand) (string, string) {
		s := opaque(r, 10)
		return []string{"password=", "DB_PASSWORD=", "passwd: ", `"password": "`, "--password ", "userPassword = '"}[r.IntN(6)] + s, s
	},
	"secret": func(r *rand.Rand) (string, string) {
		s := opaque(r, 24)
		return []string{"secret: ", "CLIENT_SECRET=", `clientSecret: "`, "--client-secret "}[r.IntN(4)] + s, s
	},
	"api-key": func(r *rand.Rand) (string, string) {
		s := opaque(r, 24)
		return []string{"api_key = ", "apiKey: ", "X-Api-Key: ", "MY_SERVICE_KEY="}[r.IntN(4)] + s, s
	},
	"token": func(r *rand.Rand) (string, string) {
		s := opaque(r, 24)
		return []string{"token: ", "ACCESS_TOKEN=", "authToken = ", "--token ", "//registry/:_authToken="}[r.IntN(5)] + s, s
	},
}

// pem returns a private key block.
func pem(kind, body string) string {
	dashes := strings.Repeat("-", 5)
	return dashes + "BEGIN " + kind + "PRIVATE KEY" + dashes + "\n" + body + "\n" + dashes + "END " + kind + "PRIVATE KEY" + dashes
}
