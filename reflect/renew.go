package reflect

import (
	"slices"

	"mem/index"
	"mem/reflect/answer"
	"mem/reflect/runs"
	"mem/session"
)

// addAgain adds the known lessons whose failure came up in a session again.
func (r Reflector) addAgain(p *Pending, events []session.Event) {
	if r.ViewRoot == nil {
		return
	}
	m, err := r.ViewRoot()
	if err != nil {
		return
	}
	failed := runs.FindAgain(m.Index, events)
	for i := range m.Index.Items {
		it := &m.Index.Items[i]
		if !it.IsShown() || p.brings(it) {
			continue
		}
		if span := failed[it.ID]; span != "" {
			p.Fixes = append(p.Fixes, answer.Lesson{Text: it.Text, Origin: index.OriginTool, Span: span, Op: answer.Again, Of: it.ID})
		}
	}
}

// brings reports whether a reflection holds a known lesson already.
func (p *Pending) brings(it *index.Item) bool {
	return slices.ContainsFunc(slices.Concat(p.Fixes, p.Mistakes), func(l answer.Lesson) bool {
		return l.Of == it.ID || index.KeyOf(l.Text) == it.Key || index.KeyOf(index.AddAvoid(l.Text)) == it.Key
	})
}
