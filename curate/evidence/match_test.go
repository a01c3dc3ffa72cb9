package evidence

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"pgregory.net/rapid"

	"mem/envtest"
	"mem/words"
)

// found returns which of the terms stand in a text, in order.
func found(terms []term, text string) (list []int) {
	needles := map[string][]term{}
	for _, t := range terms {
		needles[longestWord(t.text)] = append(needles[longestWord(t.text)], t)
	}
	all := findTerms([]byte(text), needles)
	for i, t := range terms {
		if slices.Contains(all, t) {
			list = append(list, i)
		}
	}
	return list
}

// naive looks for one term as its definition says.
func naive(t term, text string) bool {
	if t.isWord {
		words := strings.FieldsFunc(text, words.IsBetween)
		return slices.ContainsFunc(words, func(w string) bool { return strings.ToLower(w) == t.text })
	}
	first, _ := utf8.DecodeRuneInString(t.text)
	last, _ := utf8.DecodeLastRuneInString(t.text)
	for i := range text {
		if !strings.HasPrefix(text[i:], t.text) {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(t.text):])
		if (words.IsBetween(first) || words.IsBetween(before)) && (words.IsBetween(last) || words.IsBetween(after)) {
			return true
		}
	}
	return false
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		term, text string
		weak, want bool
	}{
		{"fmt.Errorf", "x := fmt.Errorf(\"\")", false, true},
		{"fmt.Errorf", "x := myfmt.Errorf(\"\")", false, false},
		{"fmt.Errorf", "Errorf fmt.Errorf", false, true},
		{"foo()", "foo()x", false, true},
		{"go test", "go testing, then go test", false, true},
		{"errors", "Errors", true, true},
		{"errors", "my_errors", true, false},
		{"größe", "“Größe”", true, true},
	} {
		envtest.Same(t, tt.want, len(found([]term{{tt.term, tt.weak}}, tt.text)) > 0, tt.term, tt.text)
	}
}

// TestMatchLikeDefinition holds the matcher of all terms against one that looks for each of them as it is defined.
func TestMatchLikeDefinition(t *testing.T) {
	parts := rapid.SampledFrom([]string{"a", "B", "_", "x1", ".", " ", "é", "É", "—", "(", "日", "aa", "ab", "`"})
	texts := rapid.Custom(func(t *rapid.T) string {
		return strings.Join(rapid.SliceOfN(parts, 1, 12).Draw(t, "parts"), "")
	})
	rapid.Check(t, func(t *rapid.T) {
		var terms []term
		for _, s := range rapid.SliceOfN(texts, 1, 6).Draw(t, "terms") {
			if weak := strings.ToLower(s); !strings.ContainsFunc(weak, words.IsBetween) && rapid.Bool().Draw(t, "weak") {
				terms = append(terms, term{weak, true})
			} else if s = strings.TrimFunc(s, unicode.IsSpace); s != "" {
				terms = append(terms, term{s, false})
			}
		}
		text := strings.Join(rapid.SliceOfN(parts, 0, 60).Draw(t, "text"), "")
		var want []int
		for i, s := range terms {
			if naive(s, text) {
				want = append(want, i)
			}
		}
		got := found(terms, text)
		envtest.StopIf(t, !slices.Equal(got, want), "found %v of %v in %q, want %v", got, terms, text, want)
	})
}
