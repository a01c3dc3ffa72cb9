package reflect_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"mem/envtest"
	"mem/oracle"
	"mem/reflect"
	"mem/repo"
	"mem/session"
)

// The middle of a long text is left out, and the cut may go right through a
// secret: neither half may be shown to anybody.
func TestNoHalfOfASecretIsShown(t *testing.T) {
	for _, s := range secrets(t, rand.New(rand.NewPCG(23, 24))) {
		w := watch{}
		for _, h := range s.hidden {
			w.add(h, s.family)
		}
		c := newTranscript("claude", "clipped")
		c.user("Show me the log.")
		for _, eighths := range []int{1, 3, 6} {
			c.call("Bash", map[string]any{"command": "tail app.log"}, cutInside(s.text, eighths, false), false)
			c.call("Write", map[string]any{"file_path": "a.txt", "content": cutInside(s.text, eighths, true)}, "ok", false)
			c.call("Bash", map[string]any{"command": "tail app.log"}, cutInside(s.text, eighths, true), false)
		}
		o := saying(`{"lessons": []}`)
		r := reflect.Reflector{Oracles: []oracle.Oracle{o}}
		_, _, err := r.ReflectOn(t.Context(), repo.BlankMemory(noon, repo.Options{}), c.read(t), reflect.Options{Now: noon})
		envtest.StopIf(t, err != nil || len(o.asked) != 1, "%v %v", err, len(o.asked))
		shown := fmt.Sprint(o.asked[0].Prompt, o.asked[0].Events)
		envtest.StopIf(t, !strings.Contains(shown, "left out"), "%s: nothing was cut", s.family)
		w.find(shown, func(whose, leaked string) { t.Errorf("%s: half of it leaked: %q", whose, leaked) })
	}
}

// cutInside puts text into a log that is too long, so that the first half of
// what is left ends inside of it, or the second begins there: so many eighths
// of it come before the cut.
func cutInside(text string, eighths int, second bool) string {
	const line = "2026-02-03 12:00:00 INFO worker started and waits\n"
	const marker = len("\n[… 12345 bytes left out …]\n")
	lines := func(n int) string { return strings.Repeat(line, n/len(line)+1)[:n-1] + "\n" }
	half := (session.MaxText - marker) / 2
	before, after := half-len(text)*eighths/8, 6<<10+half
	if second {
		before, after = 6<<10+half, half-len(text)*(8-eighths)/8
	}
	return lines(before) + text + "\n" + lines(after)
}
