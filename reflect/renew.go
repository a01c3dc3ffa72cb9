package reflect

import (
	"slices"
	"time"

	"mem/guard"
	"mem/index"
	"mem/reflect/amend"
	"mem/reflect/answer"
	"mem/reflect/runs"
	"mem/repo"
	"mem/session"
)

// addSettings adds the settings that a session saw, if they say something of a lesson.
func (r Reflector) addSettings(p *Pending, settings []amend.Setting) {
	if p.Settings = settings; len(settings) == 0 || len(p.Fixes)+len(p.Mistakes) > 0 {
		return
	}
	p.Settings = nil
	if r.ViewRoot == nil {
		return
	}
	if m, err := r.ViewRoot(); err == nil && len(findOld(m.Index, settings, p.At)) > 0 {
		p.Settings = settings
	}
}

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

// findOld returns the places of lessons whose command has another value than the script of
// the project's own, by which it goes, has now.
func findOld(ix *index.Index, settings []amend.Setting, at time.Time) (places []int) {
	for i := range ix.Items {
		if it := &ix.Items[i]; mayRenew(it, at) && it.Remedy.Path != "" && amend.Renew(it.Text, it.Remedy.Path, settings) != it.Text {
			places = append(places, i)
		}
	}
	return places
}

// mayRenew reports whether what a session saw may change a lesson's words: what a person
// worded or pinned is left in place.
func mayRenew(it *index.Item, at time.Time) bool {
	return it.IsShown() && it.Status == index.Active && !it.Pinned && it.Remedy != nil && it.StampOf("text").IsZero() && !it.LastSeen.After(at)
}

// renewSettings gives known lessons the values of now.
func (p *Pending) renewSettings(m *repo.Memory) (changes []index.Change) {
	for _, i := range findOld(m.Index, p.Settings, p.At) {
		it := &m.Index.Items[i]
		text := guard.Line(amend.Renew(it.Text, it.Remedy.Path, p.Settings))
		if slices.ContainsFunc(m.Index.Items, func(o index.Item) bool { return o.Key == index.KeyOf(text) }) || !it.SetText(text) {
			continue
		}
		it.SetStamp(index.Spelling, it.NextStamp(m.Now()))
		changes = append(changes, index.Change{Pos: i})
		p.Fixes = append(slices.Clip(p.Fixes), answer.Lesson{Text: text})
	}
	return changes
}

// noteSources notes which lessons go by a script of the project's own: they have its values.
func (p *Pending) noteSources(m *repo.Memory) {
	for i := range m.Index.Items {
		it := &m.Index.Items[i]
		if !mayRenew(it, p.At) || it.Remedy.Path != "" {
			continue
		}
		if file := amend.FindSource(it.Text, p.Settings); file != "" {
			it.Change(m.Now(), func(o *index.Item) {
				remedy := *o.Remedy
				remedy.Path, o.Remedy = file, &remedy
			})
		}
	}
}
