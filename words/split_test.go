package words_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"mem/envtest"
	"mem/words"
)

func TestEachWord(t *testing.T) {
	for in, want := range map[string][]string{
		"":                       nil,
		"go test ./x_test.go":    {"go", "test", "x", "test", "go"},
		"readFile, HTTPServer2":  {"read", "File", "readFile", "HTTPServer2"},
		"Übergröße naïve":        {"Übergröße", "naïve"},
		"使用 pnpm install 而不是npm": {"使用", "pnpm", "install", "而不", "不是", "npm"},
	} {
		var got []string
		words.EachWord(in, func(w string, _ bool) { got = append(got, w) })
		envtest.Same(t, want, got, "EachWord", in)
	}
}

// TestStems: forms of a word have one stem; what is not a word of English is left.
func TestStems(t *testing.T) {
	for in, want := range map[string]string{
		"tests": "test", "Running": "run", "stopped": "stop", "deployment": "deploy", "migrations": "migrat", "migrate": "migrat",
		"use": "use", "uses": "use", "using": "use", "entry": "entri", "entries": "entri", "causes": "caus",
		"Größen": "größen", "v2s": "v2s", "read-only": "read-only", "": "", "\xffing": "\ufffding",
	} {
		envtest.Same(t, want, words.StemWord(in), "StemWord", in)
	}
}

func TestSets(t *testing.T) {
	for _, tt := range []struct {
		in            string
		align, speech map[string]bool
	}{
		{"Use `go.mod` not vendor/", set("mod", "vendor"), set("go.mod", "vendor")},
		{"Please run make CHECK first", set("please", "make", "check", "first"), set("run", "make", "check", "first")},
		{"テスト", set("テス", "スト"), set("テスト")},
		{"使用npm ไทย", set("使用", "npm", "ไท", "ทย"), set("使用npm", "ไทย")},
		{"", set(), set()},
	} {
		envtest.Same(t, tt.align, words.AlignWords(tt.in), "AlignWords", tt.in)
		envtest.Same(t, tt.speech, words.SpeechWords(tt.in), "SpeechWords", tt.in)
	}
}

func set(list ...string) map[string]bool {
	m := map[string]bool{}
	for _, w := range list {
		m[w] = true
	}
	return m
}

// Composed and decomposed letters make the same words.
func TestForms(t *testing.T) {
	for _, text := range []string{"Den Café-Endpunkt für CaféZoë", "한국어 테스트를 먼저", "ガイドを先に読む", "Việt Nam"} {
		list := func(text string) (list []string) {
			words.EachWord(text, func(word string, _ bool) { list = append(list, words.StemWord(word)) })
			return list
		}
		other := norm.NFD.String(text)
		diff := cmp.Diff(list(text), list(other))
		envtest.FailIf(t, diff != "" || words.Lower(text) != words.Lower(other), "words of %q (-NFC +NFD):\n%s", text, diff)
		envtest.Same(t, words.SpeechWords(text), words.SpeechWords(other), "words said in", text, "-NFC +NFD")
	}
}

func TestIsSearchStop(t *testing.T) {
	for w, want := range map[string]bool{"the": true, "use": true, "us": true, "before": true, "befor": true, "pnpm": false, "": false} {
		envtest.Same(t, want, words.IsSearchStop(w), "IsSearchStop", w)
	}
}

func TestIsCommon(t *testing.T) {
	for w, want := range map[string]bool{"keep": true, "settings": true, "configured": true, "Entries": true, "describing": true, "migration": false, "redis": false, "": false} {
		envtest.Same(t, want, words.IsCommon(w), "IsCommon", w)
	}
}
