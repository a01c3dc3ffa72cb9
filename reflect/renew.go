package reflect

import (
	"slices"

	"mem/index"
	"mem/reflect/amend"
	"mem/reflect/answer"
	"mem/reflect/runs"
	"mem/session"
)

// addAgain adds the known lessons that a session brings again without being a lesson by
// itself: those of a person's that they say again, and those whose failure came up.
func (r Reflector) addAgain(p *Pending, events []session.Event) {
	if r.ViewRoot == nil {
		return
	}
	m, err := r.ViewRoot()
	if err != nil {
		return
	}
	said, failed := amend.Runs{}, runs.FindAgain(m.Index, events)
	for _, e := range events {
		if e.Kind == session.UserText && e.Origin == session.Human {
			said.Add(e.Text, e.ID)
		}
	}
	for i := range m.Index.Items {
		it := &m.Index.Items[i]
		if !it.IsShown() || p.brings(it) {
			continue
		}
		l := answer.Lesson{Text: it.Text, Origin: index.OriginTool, Span: failed[it.ID], Op: answer.Again, Of: it.ID}
		if it.Origin == index.OriginUser && len(said) > 0 {
			if span := said.FindAgain(it.Text); span != "" {
				l.Origin, l.Span = index.OriginUser, span
			}
		}
		if l.Span != "" {
			p.Fixes = append(p.Fixes, l)
		}
	}
}

// brings reports whether a reflection holds a known lesson already.
func (p *Pending) brings(it *index.Item) bool {
	return slices.ContainsFunc(slices.Concat(p.Fixes, p.Mistakes), func(l answer.Lesson) bool {
		return l.Of == it.ID || index.KeyOf(l.Text) == it.Key || index.KeyOf(index.AddAvoid(l.Text)) == it.Key
	})
}
