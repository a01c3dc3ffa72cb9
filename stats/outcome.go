// Package stats says whether lessons help: it holds what sessions were told against
// what came of it in them.
//
// The data flows: an agent's session → moments, which are its actions and what the
// person said → for each lesson and session an outcome: the lesson mattered, the mistake
// came again, the remedy was used → a Report, which counts them. A lesson matters where
// the command, the error or the file that it names comes up, understood as the hooks
// understand it; nothing is guessed from likeness, and nothing here changes a rank.
//
// It is pure.
package stats

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/recall"
	"mem/render"
	"mem/session"
)

// A lesson is one that names when it matters.
type lesson struct {
	item    *index.Item
	cues    []index.CueKey // it matters
	mistake []index.CueKey // what it warns of; nil if a session does not show that
	remedy  recall.Remedy
	files   []index.CueKey // of the remedy
	cure    string         // the command of the remedy, as a person may say it
}

// newLesson is a lesson of an index; false if it does not name when it matters. With an
// error, that is the mistake. A command or a file that is to be avoided is the mistake by
// itself, and what is to be done instead shows that it was avoided; another command is
// one when it fails.
func newLesson(it *index.Item) (l lesson, ok bool) {
	if it.Cue == nil {
		return l, false
	}
	l.item = it
	c, r := it.Cue, it.Remedy
	if r != nil {
		l.cure = strings.ToLower(r.Command)
		l.remedy, l.files = recall.NewRemedy(r.Command, index.CommandKey(c.Command)), index.PathKeys(r.Path)
	}
	if l.cues = index.PathKeys(c.Path); c.Command != "" {
		l.cues = append(l.cues, index.CommandKey(c.Command))
	}
	switch {
	case c.Error != "":
		l.mistake = []index.CueKey{index.ErrorKey(c.Error)}
		l.cues = append(l.cues, l.mistake...)
	case it.Kind == index.AntiPattern:
		l.mistake = l.cues
		l.cues = slices.Concat(l.cues, l.remedy.Keys, l.files)
	case c.Command != "":
		l.mistake = []index.CueKey{index.FailureKey(c.Command)}
	}
	return l, len(l.cues) > 0
}

// A moment is one thing that an agent did, or that the person said.
type moment struct {
	at   time.Time
	does []index.CueKey // what it is about
	runs []index.CueKey // the commands of it, as they stand
	line string         // the command line that it ran
	dir  string         // where the agent was
	ends []index.CueKey // how it ended
	ran  bool
	said string // by the person, in small letters
}

// keyOf returns a key for an event; 0 if it cannot be told from others.
func keyOf(e session.Event) uint64 {
	if e.ID == "" || e.Time.IsZero() {
		return 0
	}
	h := fnv.New64a()
	fmt.Fprint(h, e.ID, e.Time.UnixNano(), e.Kind)
	return h.Sum64()
}

// listMoments returns the moments of a session, in order, but for those of an earlier one.
// What a tool answered belongs to the moment of its call.
func listMoments(s *session.Session, earlier map[uint64]bool) (list []moment) {
	calls := map[string]int{} // by id: the moment
	inputs := map[string]session.Event{}
	for _, e := range s.Events {
		switch {
		case earlier[keyOf(e)]:
		case e.Kind == session.ToolCall:
			calls[e.CallID], inputs[e.CallID] = len(list), e
			call := recall.Call{Tool: e.Tool, Input: e.Input}
			list = append(list, moment{at: e.Time, does: recall.ListKeys(call, s.CWD, ""), runs: call.RunKeys(), line: call.Line(), dir: s.CWD})
		case e.Kind == session.ToolResult:
			if i, ok := calls[e.CallID]; ok {
				list[i].end(s, inputs[e.CallID], e)
			}
		case e.Kind == session.UserText && e.Origin == session.Human:
			list = append(list, moment{at: e.Time, said: strings.ToLower(e.Text)})
		}
	}
	return list
}

func (m *moment) end(s *session.Session, call, result session.Event) {
	m.ran = result.Cause == session.OK || result.Cause == session.Failed
	if m.ran {
		m.ends = recall.ListKeys(recall.Call{
			Tool: call.Tool, Input: call.Input, Output: render.StripFenced(result.Text), Over: true,
			Failed: result.Cause == session.Failed, Unsure: s.Agent == "codex",
		}, s.CWD, "")
	}
}

// An outcome is the effect of a lesson in a session, or in the part of one from when it
// was told, or until then.
type outcome struct {
	ID       string
	Told     recall.ReceiptKind // at which moment; "" for not
	Late     bool               // it mattered before it was told, too
	Occasion bool               // it mattered
	Repeated bool               // the mistake was made
	Followed bool               // the remedy was used, before the person named it
}

// judge returns the outcomes of a lesson in a session, given the receipts of what the session was shown.
func (l lesson) judge(s *session.Session, all []moment, receipts []recall.Receipt) (list []outcome) {
	if len(l.item.Sources) > 0 && s.ID != "" && l.item.Sources[0].Session == s.ID {
		return nil // it is from there
	}
	// What came before the lesson teaches nothing about it.
	from := slices.IndexFunc(all, func(m moment) bool { return m.at.IsZero() || m.at.After(l.item.FirstSeen) })
	if from < 0 {
		from = len(all)
	}
	o, place := l.findTelling(all, receipts)
	place = max(from, place)
	before := outcome{ID: o.ID}
	before.look(l, all, from, place)
	if before.Occasion {
		list = append(list, before)
	}
	if o.Told == "" {
		return list
	}
	o.Late = before.Occasion
	o.look(l, all, place, len(all))
	return append(list, o)
}

// findTelling returns how a session was told of a lesson, and from which moment on.
func (l lesson) findTelling(all []moment, receipts []recall.Receipt) (o outcome, place int) {
	o.ID, place = l.item.ID, len(all)
	for _, r := range receipts {
		if slices.Contains(r.Items, o.ID) || slices.Contains(r.Global, o.ID) {
			place, o.Told = min(place, l.placeOf(r, all)), cmp.Or(o.Told, r.Kind)
		}
	}
	return o, place
}

// placeOf returns the moment from which on a session knew what a receipt is for.
func (l lesson) placeOf(r recall.Receipt, all []moment) int {
	if r.Kind == recall.AtAction {
		for i, m := range slices.Backward(all) {
			if !m.at.After(r.At) && l.isAbout(m) {
				if r.Over {
					return i + 1
				}
				return i
			}
		}
	}
	i := slices.IndexFunc(all, func(m moment) bool { return m.at.IsZero() || !m.at.Before(r.At) })
	if i < 0 {
		return len(all)
	}
	return i
}

func (l lesson) isAbout(m moment) bool {
	return l.finds(l.cues, m.does, m) || l.finds(l.cues, m.ends, m)
}

// finds reports whether one of the keys of the lesson is among those of what was done, and the
// lesson is about it.
func (l lesson) finds(keys, done []index.CueKey, m moment) bool {
	return slices.ContainsFunc(keys, func(k index.CueKey) bool {
		return slices.Contains(done, k) && recall.IsAbout(l.item.Text, m.line, k)
	})
}

// look notes what some of the moments of a session show of a lesson.
func (o *outcome) look(l lesson, all []moment, from, to int) {
	named := false
	for i, m := range all[:to] {
		named = named || l.cure != "" && strings.Contains(m.said, l.cure)
		if i < from {
			continue
		}
		cured := l.finds(l.files, m.does, m) || l.remedy.IsIn(m.line, m.runs, m.dir)
		o.Occasion = o.Occasion || l.isAbout(m)
		o.Repeated = o.Repeated || l.finds(l.mistake, m.ends, m) || !cured && l.finds(l.mistake, m.does, m)
		o.Followed = o.Followed || cured && m.ran && !named
	}
}

// FindNeedless returns the lessons that a session, with these receipts, was shown right before a command which then worked
// without the remedy. What has no remedy, or shows no mistake, cannot be judged so.
func FindNeedless(ix *index.Index, s *session.Session, receipts []recall.Receipt) (ids []string) {
	all := listMoments(s, nil)
	for it := range ix.All() {
		l, ok := newLesson(it)
		wasTold := func(r recall.Receipt) bool { return slices.Contains(r.Items, l.item.ID) }
		if !ok || l.mistake == nil || l.cure == "" || !slices.ContainsFunc(receipts, wasTold) {
			continue
		}
		for _, o := range l.judge(s, all, receipts) {
			if o.Told == recall.AtAction && o.Occasion && !o.Late && !o.Repeated && !o.Followed {
				ids = append(ids, o.ID)
			}
		}
	}
	return ids
}
