package console_test

import (
	"fmt"
	"strings"
	"testing"

	"mem/cmd/mem/console"
	"mem/envtest"
	"mem/render"
)

// sample returns a page with so many proposals and lessons.
func sample(width, height, waits, lessons int) console.Page {
	d := console.PageData{Name: "shop", Week: []string{"This week: 2 lessons learned.", "Shown: 3 lessons, 7×."}, Folded: "4 older proposals are folded away"}
	for i := range waits {
		d.Waits = append(d.Waits, render.Row{ID: fmt.Sprintf("pattern-%03d", i+1), Kind: "rule", Text: "Wrap errors 包装错误 " + strings.Repeat("and more ", 30)})
	}
	for i := range lessons {
		d.Lessons = append(d.Lessons, render.Row{ID: fmt.Sprintf("m-%d", i), Kind: "watch-out", Seen: "×3", Age: "2d", Text: "Avoid: 猜测 guessing " + strings.Repeat("long ", 60)})
	}
	return console.Page{Width: width, Height: height}.Take(&d, "")
}

// press types keys, and returns the last wish.
func press(p console.Page, keys ...string) (console.Page, console.Wish) {
	var w console.Wish
	for _, key := range keys {
		p, w = p.Press(key)
	}
	return p, w
}

// TestView checks that the page fits on every screen, and that the chosen row is on it.
func TestView(t *testing.T) {
	text := "A lesson that is said in many words of which each is short enough for a line\n    > " + strings.Repeat("x", 300) + "\n" + strings.Repeat("more\n", 60)
	for _, size := range [][2]int{{80, 24}, {40, 10}, {200, 50}, {20, 5}, {1, 1}} {
		for _, counts := range [][2]int{{0, 0}, {3, 5}, {30, 900}} {
			empty := sample(size[0], size[1], counts[0], counts[1])
			deep, _ := press(empty, "end")
			search, _ := press(empty, "/", "n", "p")
			for name, p := range map[string]console.Page{"list": empty, "end": deep, "search": search, "text": empty.Open(text)} {
				lines := strings.Split(p.View(), "\n")
				envtest.Same(t, size[1], len(lines), size, counts, name, "lines")
				for _, line := range lines {
					if render.CellWidth(line) > size[0] {
						t.Errorf("%v %v %s: %d columns: %q", size, counts, name, render.CellWidth(line), line)
					}
				}
				if isList := name != "text" && counts[1] > 0 && size[0] > 1; isList && strings.Count(p.View(), "\n> ") != 1 {
					t.Errorf("%v %v %s: no row is chosen:\n%s", size, counts, name, p.View())
				}
			}
		}
	}
	want := `mem  shop   2 lessons, 1 waiting for you
This week: 2 lessons learned.
Shown: 3 lessons, 7×.
Waiting for you
> pattern-001  Wrap errors 包装错误 and…
  4 older proposals are folded away
Lessons
  m-0  Avoid: 猜测 guessing long long l…

enter show  a approve  ? keys  q quit`
	envtest.Same(t, want, sample(40, 10, 1, 2).View())
}

// TestPress checks what keys ask for, and where they lead.
func TestPress(t *testing.T) {
	for keys, want := range map[string]console.Wish{
		"enter":                    {Do: "show", What: "pattern-001"},
		"a":                        {Do: "approve", What: "pattern-001"},
		"j n":                      {Do: "reject", What: "pattern-002"},
		"down down up e":           {Do: "edit", What: "pattern-002"},
		"s a":                      {Do: "approve", What: "pattern-002"},
		"s s p":                    {Do: "pin", What: "m-0"},
		"j j x":                    {Do: "retire", What: "m-0"},
		"end p":                    {Do: "pin", What: "m-8"},
		"end pgup home x":          {},
		"G a":                      {},
		"u":                        {Do: "undo"},
		"q":                        {Do: "quit"},
		"ctrl-c":                   {Do: "quit"},
		"/ ctrl-c":                 {Do: "quit"},
		"/ q":                      {Do: "search", What: "q"},
		"/ n p backspace":          {Do: "search", What: "n"},
		"/ n esc":                  {Do: "search"},
		"/ n enter j enter":        {Do: "show", What: "m-1"},
		"/ n enter esc":            {Do: "search"},
		"? q":                      {},
		"? esc q":                  {Do: "quit"},
		"? j a":                    {Do: "approve", What: "pattern-001"},
		"/npm\n":                   {Do: "search", What: "npm"},
		"/\n npm\n":                {Do: "search", What: "npm"},
		"j\n \n":                   {Do: "show", What: "pattern-002"},
		"approve\n":                {},
		"pgdn pgdn pgdn pgdn pgup": {},
	} {
		_, got := press(sample(80, 24, 2, 9), strings.Split(keys, " ")...)
		envtest.FailIf(t, got != want, "%q asks for %+v, want %+v", keys, got, want)
	}
	p := sample(80, 24, 0, 3)
	p, _ = press(p, "j", "j")
	after := console.PageData{Lessons: []render.Row{{ID: "m-9"}, {ID: "m-2", Marks: "pinned"}}}
	if _, got := press(p.Take(&after, "pinned"), "p"); got != (console.Wish{Do: "unpin", What: "m-2"}) {
		t.Errorf("the chosen lesson is another one after a change: %+v", got)
	}
}

// TestPlain checks what a screen reader reads.
func TestPlain(t *testing.T) {
	p := sample(60, 0, 0, 3)
	first := p.Plain(console.Page{})
	next, _ := press(p, "j\n")
	said := next.Take(nil, "pinned m-1")
	help, _ := press(p, "?\n")
	for name, got := range map[string]bool{
		"all at first":    strings.Contains(first, "This week") && strings.Count(first, "m-") == 3 && strings.Contains(first, "q quit"),
		"one row":         strings.HasPrefix(next.Plain(p), "> m-1 ") && strings.Count(next.Plain(p), "\n") == 1,
		"what happened":   said.Plain(next) == "pinned m-1\n",
		"a text":          strings.HasPrefix(help.Plain(p), "Keys\n"),
		"no empty lines":  !strings.Contains(first+help.Plain(p), "\n\n"),
		"nothing steered": !strings.Contains(first, "\x1b"),
	} {
		if !got {
			t.Errorf("%s: wrong in\n%s\n%s\n%s", name, first, next.Plain(p), said.Plain(next))
		}
	}
}
