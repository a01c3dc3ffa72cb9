package guard

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mem/envtest"
)

// ordinary makes n identifiers of the kinds that fill transcripts, the same
// ones each time. Nothing in them is secret.
func ordinary(n int) []string {
	kinds := identifiers(rand.New(rand.NewPCG(11, 12)))
	out := make([]string, n)
	for i := range out {
		out[i] = kinds[i%len(kinds)]()
	}
	return out
}

// vocabulary is what identifiers are made of: many of the words are keys of a
// family or nearly so.
var vocabulary = strings.Fields(`user token key secret password auth session cache index parser lexer handler server client
		request response config render memory agent reflect oracle trace guard redact clean store commit branch merge
		build deploy cluster node pod service ingress volume secretary tokenizer keyboard passport author cookie bearer
		github docker azure heroku vault stripe slack notion linear vercel test should return when empty invalid after`)

// A maker makes parts of identifiers.
type maker struct{ *rand.Rand }

func (m maker) word() string { return vocabulary[m.IntN(len(vocabulary))] }

func (m maker) title() string {
	w := m.word()
	return strings.ToUpper(w[:1]) + w[1:]
}

func (m maker) hex(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "0123456789abcdef"[m.IntN(16)]
	}
	return string(b)
}

// identifiers returns one maker for each kind.
func identifiers(r *rand.Rand) []func() string {
	m := maker{r}
	return []func() string{
		func() string { return m.hex(40) },
		func() string { return m.hex(7 + r.IntN(6)) },
		func() string { return m.hex(64) },
		func() string { return "sha256:" + m.hex(64) },
		func() string { return m.hex(8) + "-" + m.hex(4) + "-" + m.hex(4) + "-" + m.hex(4) + "-" + m.hex(12) },
		func() string { return "/" + m.word() + "/" + m.word() + "/" + m.word() + "_" + m.word() + ".go" },
		func() string {
			return "src/" + m.word() + "s/" + m.title() + m.title() + ".tsx:" + fmt.Sprint(r.IntN(900))
		},
		func() string { return m.word() + m.title() + m.title() + fmt.Sprint(r.IntN(10)) },
		func() string { return m.title() + m.title() + "Factory" + m.title() },
		func() string { return strings.ToUpper(m.word() + "_" + m.word() + "_" + m.word()) },
		func() string { return m.word() + "_" + m.word() + "_" + fmt.Sprint(r.IntN(100)) },
		func() string { return "sha512-" + base64.StdEncoding.EncodeToString(noise(r, 64)) },
		func() string { return "sha1-" + base64.StdEncoding.EncodeToString(noise(r, 20)) },
		func() string { return "h1:" + base64.StdEncoding.EncodeToString(noise(r, 32)) },
		func() string { return "#" + m.hex(6) },
		func() string {
			return fmt.Sprintf("v%d.%d.%d-rc.%d+%s", r.IntN(9), r.IntN(30), r.IntN(30), r.IntN(5), m.hex(7))
		},
		func() string { return "github.com/" + m.word() + "/" + m.word() + "-" + m.word() + "/v2/" + m.word() },
		func() string { return m.word() + "-" + m.word() + "-" + m.hex(10) + "-" + base36(r, 5) },
		func() string {
			return "Test" + m.title() + m.title() + "Returns" + m.title() + "When" + m.title() + "Is" + m.title() + fmt.Sprint(r.IntN(50))
		},
		func() string { return m.word() + "." + m.word() + "." + m.word() + "()" },
		func() string {
			return fmt.Sprintf("2026-%02d-%02dT%02d:00:00Z", 1+r.IntN(12), 1+r.IntN(28), r.IntN(24))
		},
		func() string {
			return "https://" + m.word() + ".example.com/" + m.word() + "/" + m.hex(8) + "?page=" + fmt.Sprint(r.IntN(99))
		},
		func() string { return "ghcr.io/" + m.word() + "/" + m.word() + "@sha256:" + m.hex(64) },
		func() string {
			return "github.com/" + m.word() + "/" + m.word() + "@v0.0.0-20260102030405-" + m.hex(12)
		},
		func() string { return m.word() + "-" + m.word() + "-v" + fmt.Sprint(r.IntN(9)) + ".tar.gz" },
		func() string {
			return "arn:aws:iam::" + fmt.Sprint(100000000000+r.Int64N(800000000000)) + ":role/" + m.word() + "-" + m.word()
		},
		func() string { return "--" + m.word() + "-" + m.word() + "=" + m.word() },
		func() string { return "m-" + m.hex(8) },
		func() string { return fmt.Sprintf("0x%s", m.hex(16)) },
		func() string {
			return fmt.Sprintf("10.%d.%d.%d:%d", r.IntN(255), r.IntN(255), r.IntN(255), 1024+r.IntN(60000))
		},
		func() string { return m.word() + "[" + fmt.Sprint(r.IntN(99)) + "]." + m.word() + m.title() },
		func() string { return "W/\"" + base64.RawURLEncoding.EncodeToString(noise(r, 15)) + "\"" },
		func() string { return m.word() + ": " + m.word() + m.title() },
		func() string { return m.word() + "=" + m.word() },
		func() string { return m.word() + " = " + m.word() + "." + m.title() + "()" },
		func() string { return strings.ToUpper(base36(r, 26)) },
	}
}

func noise(r *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

func base36(r *rand.Rand, n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "0123456789abcdefghijklmnopqrstuvwxyz"[r.IntN(36)]
	}
	return string(b)
}

func TestRedactTouchesFewOrdinaryIdentifiers(t *testing.T) {
	ids := ordinary(5000)
	around := [][2]string{
		{"", ""}, {"fix ", " in main"}, {"`", "`"}, {"\"", "\","}, {"see ", ".\n"}, {"\"id\": \"", "\""}, {"(", ")"},
		{"  \"integrity\": \"", "\",\n"}, {"commit ", "\nAuthor: someone\n"}, {"x := ", "\n"},
	}
	touched := 0
	for i, id := range ids {
		a := around[i%len(around)]
		s := a[0] + id + a[1]
		if got, n := Redact(s); n > 0 {
			touched++
			t.Logf("Redact(%q) = %q", s, got)
		}
	}
	_, all := Redact(strings.Join(ids, "\n"))
	t.Logf("%d of %d touched one by one (%.3f %%), %d as one text", touched, len(ids), 100*float64(touched)/float64(len(ids)), all)
	envtest.FailIf(t, touched > 5 || all > 5,
		"touched %d of %d identifiers and %d in one text, want at most 5", touched, len(ids), all)
}

// transcript is ordinary text with a little of everything.
func transcript() string {
	var b strings.Builder
	for i, id := range ordinary(4000) {
		fmt.Fprintf(&b, "%d\tif err := %s(ctx, \"%s\"); err != nil { // see the docs\n", i, "store.Commit", id)
		b.WriteString("The tests failed because the fixture was rendered before the index had been loaded; run them again.\n")
	}
	return b.String()
}

func BenchmarkRedact(b *testing.B) {
	prose := strings.Repeat("The tests failed because the fixture was rendered before the index had been loaded.\n", 12000)
	texts := []struct{ name, text string }{
		{"prose", prose}, {"transcript", transcript()}, {"json", asJSON(transcript())}, {"identifiers", strings.Join(ordinary(20000), "\n")},
	}
	for _, tt := range texts {
		b.Run(tt.name, func(b *testing.B) {
			b.SetBytes(int64(len(tt.text)))
			b.ReportAllocs()
			for b.Loop() {
				Redact(tt.text)
			}
		})
	}
}
