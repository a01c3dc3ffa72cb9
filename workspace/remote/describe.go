package remote

import (
	"fmt"
	"strings"

	"mem/guard"
	"mem/index"
	"mem/render"
)

// describe says what came in.
func (s *session) describe(before *index.Index) error {
	m, err := s.root.View(s.w.Now)
	if err != nil {
		return err
	}
	known := map[string]bool{}
	for _, it := range before.Items {
		known[it.ID] = it.IsShown()
	}
	for _, it := range m.Index.Items {
		if it.IsShown() && !known[it.ID] {
			s.res.Lessons = append(s.res.Lessons, it.ShownText())
		}
	}
	s.res.Waiting = m.CountWaiting()
	if w := m.Waiting(); w != nil && s.opts.RequirePerson() == nil { // an agent is not shown it
		s.res.texts = w.Texts
	}
	return nil
}

// maxShown is how many lessons a person is shown.
const maxShown = 10

// Describe says for a person what a sync did.
func (r Result) Describe() string {
	var b strings.Builder
	switch r.Status {
	case offline:
		fmt.Fprintf(&b, "offline: %s\n", r.Reason)
		if !r.isForgotten {
			b.WriteString("what is new here goes with the next 'mem sync'\n")
		}
	case nothing:
		fmt.Fprintf(&b, "nothing new here or in %s\n", r.peer.show())
	default:
		fmt.Fprintf(&b, "synced with %s: %s received, %d sent\n", r.peer.show(), render.Count(r.Received, "commit", "commits"), r.Sent)
	}
	b.WriteString(guard.ListSome("  + ", r.Lessons, maxShown))
	if r.Waiting > 0 {
		fmt.Fprintf(&b, "%s for your approval: 'mem trust'\n", render.Count(r.Waiting, "lesson or file waits", "lessons or files wait"))
	}
	if r.Waiting > 0 && r.Received > 0 {
		b.WriteString(guard.ListSome("  ? ", r.texts, maxShown))
	}
	return b.String()
}
