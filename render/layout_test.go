package render

import (
	"regexp"
	"strings"
	"testing"

	"mem/envtest"
)

// What a terminal of 40 columns shows: colours are written as <33> here, and ends of them as <0>.
func TestLayout(t *testing.T) {
	const text = `m-1c4ef328  Run the tests of the package with rtk before a push
  watch-out, seen 2 times
  state: active since 2026-02-03 04:05 UTC, or so it is said
a:b  is no id of a lesson
recurred below a label of three letters
changed  today

# A heading
- a list that has so many words that they do not fit, and -c
--- a/x
+++ b/x
@@ -1,2 +1,2 @@
-was so long that the line of it had to be broken
+is short
 as ever in m-1c4ef328
+ not in the diff, commit 0123456789ab
averyveryverylongwordthatnolineofthisterminalcanhold ends
`
	const want = `<33>m-1c4ef328  <0>Run the tests of the package
            with rtk before a push
  watch-out, seen 2 times
<2>  state:<0> active since 2026-02-03 04:05
    UTC, or so it is said
<2>a:b  <0>is no id of a lesson
recurred below a label of three letters
<2>changed  <0>today

<1># A heading<0>
- a list that has so many words that
  they do not fit, and -c
<1>--- a/x<0>
<1>+++ b/x<0>
<36>@@ -1,2 +1,2 @@<0>
<31>-was so long that the line of it had to<0>
 <31>be broken<0>
<32>+is short<0>
 as ever in<33> m-1c4ef328<0>
+ not in the diff, commit<33> 0123456789ab<0>
averyveryverylongwordthatnolineofthisterminalcanhold
ends
`
	mark, marks := regexp.MustCompile("\x1b\\[(\\d+)m"), regexp.MustCompile(`<\d+>`)
	for colour, want := range map[bool]string{true: want, false: marks.ReplaceAllString(want, "")} {
		l, got := Layout{Terminal: Terminal{Width: 40, Colour: colour}}, []string{}
		for line := range strings.SplitSeq(text, "\n") {
			got = append(got, l.Fit(line))
		}
		envtest.Same(t, want, mark.ReplaceAllString(strings.Join(got, "\n"), "<$1>"), colour)
	}
	const painted = "\x1b[31mpainted\x1b[0m before, and longer than the line"
	envtest.Same(t, painted, (&Layout{Terminal: Terminal{Width: 40}}).Fit(painted), "Fit")
}
