package render_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"mem/render"

	"mem/envtest"
)

const nonce = "0123456789abcdef"

func TestFence(t *testing.T) {
	shape := regexp.MustCompile(`(?s)^<mem-notes ([0-9a-f]{16})>\ntext\n</mem-notes ([0-9a-f]{16})>\n$`)
	a := render.Fence("text\n", "seed")
	m := shape.FindStringSubmatch(a)
	envtest.StopIf(t, m == nil || m[1] != m[2], "Fence = %q", a)
	envtest.Same(t, a, render.Fence("text\n", "seed"), "the same text under the same seed has another fence")
	b := render.Fence("text\n", "other seed")
	envtest.FailIf(t, b == a, "another seed has the same fence")
	b = render.Fence("other\n", "seed")
	envtest.FailIf(t, strings.Contains(b, m[1]), "another text has the same fence")
}

func TestStripFenced(t *testing.T) {
	fence := render.Fence("- ours\n", "s")
	other := render.Fence("- ours, too\n", "s")
	for _, tt := range []struct{ name, in, want string }{
		{"nothing", "", ""},
		{"no fence", "text <mem-notes> </mem-notes x>", "text <mem-notes> </mem-notes x>"},
		{"alone", fence, ""},
		{"in the middle", "before\n" + fence + "after", "before\nafter"},
		{"twice", fence + "x" + fence + "y" + other + "z", "xyz"},
		{"nested", "a " + render.Fence("outer\n"+fence+"more\n", "s") + "b", "a b"},
		{"without its last newline", strings.TrimSuffix(fence, "\n") + "b", "b"},
		{"cut off", "before\n" + fence[:len(fence)-20], "before\n"},
		{"cut off in the closing tag", "before\n" + fence[:len(fence)-3], "before\n"},
		{"cut off in the opening tag", "before\n" + fence[:14], "before\n" + fence[:14]},
		{"closed by another fence", "a" + fence[:30] + "</mem-notes " + nonce + ">still ours", "a"},
		{"not a number", "<mem-notes zzzzzzzzzzzzzzzz>text</mem-notes zzzzzzzzzzzzzzzz>", "<mem-notes zzzzzzzzzzzzzzzz>text</mem-notes zzzzzzzzzzzzzzzz>"},
		{"a short number", "<mem-notes 0123>text</mem-notes 0123>", "<mem-notes 0123>text</mem-notes 0123>"},
		{"a false opening before ours", "<mem-notes <mem-notes x " + fence + "after", "<mem-notes <mem-notes x after"},
		{"without its beginning", "left of it\n" + fence[30:] + "after", "after"},
		{"without its beginning, after another", "a" + other + "left of it\n" + fence[30:] + "after" + other + "b", "afterb"},
		{"an end put together by removing", "x</mem-no" + fence + "tes " + nonce + ">after", "after"},
		{"put together by removing", "<mem-no" + fence + "tes " + nonce + ">x</mem-notes " + nonce + ">after", "after"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			envtest.Same(t, tt.want, render.StripFenced(tt.in), tt.in)
		})
	}
}

// fencePart draws pieces that a fence is made of.
var fencePart = rapid.SampledFrom([]string{
	"<mem-notes ", "</mem-notes ", nonce, ">", "\n", "text", " ", "<", render.Fence("inner\n", "s"), "mem-notes ", "fedcba9876543210",
})

func TestFenceLaws(t *testing.T) {
	text := rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(fencePart, 0, 10).Draw(t, "parts"), "") })
	plain := rapid.StringMatching(`[a-z <>/\n-]{0,30}`)
	rapid.Check(t, func(t *rapid.T) {
		x, seed := text.Draw(t, "x"), text.Draw(t, "seed")
		before, after := plain.Draw(t, "before"), plain.Draw(t, "after")
		fenced := render.Fence(x, seed)
		envtest.Same(t, before+after, render.StripFenced(before+fenced+after), before+fenced+after)
		envtest.Same(t, before+after, render.StripFenced(before+fenced+fenced+after), "repeated")
		// However it is cut, nothing of what was fenced is left.
		const head = len("<mem-notes " + nonce + ">")
		cut := rapid.IntRange(head, len(fenced)).Draw(t, "cut")
		envtest.Same(t, before, render.StripFenced(before+fenced[:cut]), cut)
		// No text closes the fence that is put around it.
		body := fenced[head:strings.LastIndex(fenced, "</mem-notes ")]
		envtest.FailIf(t, strings.Contains(body, "</mem-notes "+fenced[len("<mem-notes "):head]), "%q closes its own fence", x)
		once := render.StripFenced(x)
		envtest.Same(t, once, render.StripFenced(once), x)
	})
}

// Text made to be slow is not.
func TestStripFencedIsLinear(t *testing.T) {
	const n = 200_000
	start := time.Now()
	for _, s := range []string{
		strings.Repeat("<mem-notes ", n), strings.Repeat("<mem-notes "+nonce, n),
		strings.Repeat(render.Fence("x\n", "s"), n/4), strings.Repeat("<mem-notes x>", n),
	} {
		render.StripFenced(s)
	}
	took := time.Since(start)
	envtest.FailIf(t, took > 4*time.Minute, "took %v", took)
}

func FuzzStripFenced(f *testing.F) {
	f.Add("a" + render.Fence("x", "s") + "b")
	f.Add("<mem-no" + render.Fence("x", "s") + "tes " + nonce + ">")
	f.Fuzz(func(t *testing.T, s string) {
		once := render.StripFenced(s)
		envtest.Same(t, once, render.StripFenced(once), s)
		envtest.Same(t, "kl", render.StripFenced("k"+render.Fence(s, "seed")+"l"), s)
	})
}
