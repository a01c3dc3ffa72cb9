package purge

import (
	"bytes"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"

	"mem/envtest"
	"mem/index"
	"mem/repo"
)

func TestMain(m *testing.M) { envtest.M{M: m}.Run() }

// A letter is found as each letter that differs in case only, composed or not.
func TestFindLetters(t *testing.T) {
	for r := range rune(unicode.MaxRune) {
		if !utf8.ValidRune(r) || unicode.IsSpace(r) || unicode.SimpleFold(r) == r && norm.NFC.IsNormalString(string(r)) && norm.NFD.IsNormalString(string(r)) {
			continue
		}
		c := newCleaner(repo.Words{Texts: []string{"quokka" + string(r)}})
		for _, other := range []string{string(r), string(unicode.SimpleFold(r)), norm.NFC.String(string(r)), norm.NFD.String(string(r))} {
			envtest.Same(t, index.Gap, string(c.replace([]byte("Quokka"+other))), string(r), other)
		}
	}
}

// drawForm returns words as they may be written, too: with another case of each letter, composed,
// decomposed, or with their marks in another order.
func drawForm(t *rapid.T, words string) string {
	var b strings.Builder
	for _, r := range words {
		for range rapid.IntRange(0, 3).Draw(t, "case") {
			r = unicode.SimpleFold(r)
		}
		b.WriteRune(r)
	}
	composed, decomposed := norm.NFC.String(b.String()), norm.NFD.String(b.String())
	return rapid.SampledFrom([]string{b.String(), composed, decomposed, strings.ReplaceAll(decomposed, "\u0323\u0302", "\u0302\u0323")}).Draw(t, "form")
}

// However words are written, they are what goes: all else stays the same letters, be it text or not, and the same bytes in a text
// that is composed.
func TestReplaceForms(t *testing.T) {
	letters := rapid.SampledFrom([]rune("aäßẞﬅkKÅΩσς́ΐᾳМосệが각\u0323\u0302Ⱥⱥ😀.4"))
	around := rapid.Custom(func(t *rapid.T) []byte {
		if rapid.Bool().Draw(t, "isText") {
			return []byte(string(rapid.SliceOfN(letters, 0, 9).Draw(t, "text")))
		}
		return rapid.SliceOfN(rapid.Byte(), 0, 9).Draw(t, "bytes")
	})
	rapid.Check(t, func(t *rapid.T) {
		words := "q" + string(rapid.SliceOfN(letters, 5, 12).Draw(t, "words")) + "z"
		before, after := append(around.Draw(t, "before"), '|'), append([]byte("|"), around.Draw(t, "after")...)
		c := newCleaner(repo.Words{Texts: []string{words}})
		data := append(append(bytes.Clone(before), drawForm(t, words)...), after...)
		envtest.StopIf(t, !c.finds(data), "%q is not found in %q", words, data)
		cleaned := c.cleanText(data)
		want := string(before) + index.Gap + string(after)
		isSame := norm.NFD.String(string(cleaned)) == norm.NFD.String(want)
		isComposed := norm.NFC.IsNormal(data)
		envtest.FailIf(t, !isSame || isComposed && string(cleaned) != want, "clean(%q) = %q, want %q", data, cleaned, want)
		envtest.FailIf(t, c.finds(cleaned), "%q is found in %q", words, cleaned)
	})
}

// Only whole letters are words.
func TestReplaceWholeLetters(t *testing.T) {
	for _, c := range []struct{ words, text, want string }{
		{"tell Mu", "tell Mü, tell mu", "tell Mü, [purged]"},
		{"tell Mu", "tell MU\u0308", "tell MU\u0308"},
		{"say 가나가", "say 가나각 SAY 가나가", "say 가나각 [purged]"},
		{"Müller\u00a0zahlt spät", "- MÜLLER zahlt\n  SPA\u0308T", "- [purged]"},
		{"Müller zahlt immer viel zu spät", "mem: MU\u0308LLER zahlt immer…, Müller ZAHLT immer viel…", "mem: [purged], [purged]"},
		{"Müller", "M\xfcller \xffmÜller\xcc", "M\xfcller \xff[purged]\xcc"},
		{"abcdef\ndefghi", "ABCDEFGHI abcdefabcdef", "[purged] [purged][purged]"},
		{"한국 서울 부산 인천", "나라 한국… x, 한국 서울…", "나라 한국… x, 한국 서울…"},
		{"한국 서울 부산 인천", "한국 서울 부산…", "[purged]"},
	} {
		envtest.Same(t, c.want, string(newCleaner(repo.Words{Texts: strings.Split(c.words, "\n")}).cleanText([]byte(c.text))), c.words, c.text)
	}
}

// The words go however they are written: as a slug, which may be cut, over the end of a
// line, as JSON, or cut by three dots.
func TestReplace(t *testing.T) {
	c := newCleaner(repo.Words{Texts: []string{`Always use the zebra cache when building "prod" images of all our quokkas`}})
	for text, want := range map[string]string{
		`- always USE the zebra cache when building "prod" images of all our quokkas (×2)`:       "- [purged] (×2)",
		`{"a": "Always use the zebra cache when building \"prod\" images of all our quokkas"}`:   `{"a": "[purged]"}`,
		"learn(technical): always-use-the-zebra-cache-when-building-prod-images-of-all":          "learn(technical): [purged]",
		"avoid-always-use-the-zebra-cache-when-building-prod-images":                             "[purged]",
		"task: Always use the zebra cache when…":                                                 "task: [purged]",
		"> Always use the zebra\n> cache when building \"prod\"\n  images of all our quokkas.\n": "> [purged].\n",
		"Always use the zebra crossing":                                                          "Always use the zebra crossing",
	} {
		envtest.Same(t, want, string(c.cleanText([]byte(text))), text)
		envtest.FailIf(t, c.finds([]byte(want)), "the words are found in %q", want)
	}
	envtest.Same(t, "rules/purged.md", c.rename("rules/always-use-the-zebra-cache-when-building-prod-images-of-all.md"),
		"rename")
}
