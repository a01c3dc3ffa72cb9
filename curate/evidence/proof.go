package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"mem/index"
	"mem/render"
	"mem/repo"
)

// learnedFrom is where Psi's list says that lessons of a LEARNINGS.md come from.
const learnedFrom = "skill_sync"

// A Proof is what a look at the code says about the lessons of a memory and
// about those of a LEARNINGS.md.
type Proof struct {
	Survey *Survey
	Blocks []Block // of the LEARNINGS.md

	// File says where a block belongs that becomes a lesson: its domain and
	// tags. Without it they stay empty.
	File func(text string) (domain string, tags []string)
}

// LessonsToProve are those to look for: the active ones of an index, and the blocks that
// may become one.
func LessonsToProve(ix *index.Index, blocks []Block) (list []Lesson) {
	for i := range ix.Items {
		if it := &ix.Items[i]; it.Status == index.Active {
			list = append(list, Lesson{it.Key, it.Text, it.Kind})
		}
	}
	for _, b := range blocks {
		if b.Unfit == "" {
			list = append(list, b.asLesson())
		}
	}
	return list
}

func (b *Block) asLesson() Lesson {
	kind := index.Learning
	if index.SaysAvoid(b.Text) {
		kind = index.AntiPattern
	}
	return Lesson{b.Key, b.Text, kind}
}

// A Verdict is what became of one lesson.
type Verdict struct {
	ID          string   `json:"id"` // "" for a block that is in no memory
	Text        string   `json:"text"`
	Confidence  string   `json:"confidence"` // after it
	Files       int      `json:"files"`
	Terms       []string `json:"terms"`
	Paths       []string `json:"paths"`
	LearnedFrom string   `json:"learnedFrom,omitzero"`
	Why         string   `json:"why,omitzero"` // of a block that was left alone: the reason
}

// A Report is what a proof does to a memory. Lessons are in the order of the
// index, blocks in that of their file.
type Report struct {
	Promoted []Verdict `json:"promoted"`     // proven now, and not before
	Kept     []Verdict `json:"kept"`         // proven before and now
	Demoted  []Verdict `json:"demoted"`      // proven before, and not now
	Unproven []Verdict `json:"unproven"`     // neither
	Present  []Verdict `json:"stillPresent"` // what they say to avoid is still there; Files, Terms and Paths are about that
	Left     []Verdict `json:"left"`         // blocks that are not taken in whatever the code says
	Removed  []string  `json:"removed"`      // texts of the blocks that are proven and go from the LEARNINGS.md

	gone    map[string]bool // their keys
	touched map[string]bool // ids of the lessons that changed
}

// Apply joins the counts with the memory as it stands, by key. What came into
// it since the look is left as it is. It is a callback for repo.Root.Settle;
// the message has no subject if nothing changes.
//
// Three files or more prove a lesson; five give it high confidence. A confidence
// that it had before is never lowered: what a person said comes back, as it was,
// when the evidence is gone.
func (p *Proof) Apply(m *repo.Memory) (Report, repo.Message, error) {
	data, err := m.Read(ExpertisePath)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Report{}, repo.Message{}, err
	}
	list, err := readExpertise(data)
	if err != nil {
		return Report{}, repo.Message{}, fmt.Errorf("%s: %w", ExpertisePath, err)
	}
	r := Report{gone: map[string]bool{}, touched: map[string]bool{}}
	p.takeIn(m, &r)
	var proven []pattern
	known := map[string]bool{}
	for i := range m.Index.Items {
		it := &m.Index.Items[i]
		known[it.Key] = true
		if it.Status != index.Active {
			continue
		}
		p.judge(m, it, &r)
		if it.Kind == index.Learning && it.Evidence != nil && isProof(it.Evidence.Files) {
			proven = append(proven, patternOf(it))
			r.gone[it.Key] = true
		}
	}
	p.reportBlocks(&r)
	list.updatePatterns(proven, func(key string) bool { return known[key] }, m.Now())
	if len(r.touched) == 0 && !list.changed {
		return r, repo.Message{}, nil
	}
	if list.changed {
		if data, err = list.encodeYAML(); err == nil {
			err = m.Write(ExpertisePath, data)
		}
		if err != nil {
			return Report{}, repo.Message{}, fmt.Errorf("%s: %w", ExpertisePath, err)
		}
	}
	if m.Index.Version = max(m.Index.Version, index.Version); m.Now().After(m.Index.UpdatedAt) {
		m.Index.UpdatedAt = m.Now()
	}
	return r, r.message(), nil
}

// takeIn makes lessons of the blocks that the code proves and that the memory
// does not have yet.
func (p *Proof) takeIn(m *repo.Memory, r *Report) {
	status := map[string]index.Status{}
	for i := range m.Index.Items {
		it := &m.Index.Items[i]
		if was, again := status[it.Key]; !again || was != index.Active {
			status[it.Key] = it.Status
		}
	}
	for _, b := range p.Blocks {
		l := b.asLesson()
		f := p.Survey.Findings[b.Key]
		why := b.Unfit
		switch s, known := status[b.Key]; {
		case why == "" && known && s != index.Active:
			why = "the memory has it as " + string(s)
		case known:
		case why == "" && l.Kind == index.Learning && isProof(f.Files):
			l := index.Lesson{Text: b.Text, Origin: index.OriginImport, Guessed: true, Source: index.Source{Trace: learnedFrom + ":LEARNINGS.md"}}
			if p.File != nil {
				l.Domain, l.Tags = p.File(b.Text)
			}
			for _, c := range m.Learn(index.Reflection{Fixes: []index.Lesson{l}}) {
				r.touched[m.Index.Items[c.Pos].ID] = true
			}
			status[b.Key] = index.Active
		}
		if why != "" {
			r.Left = append(r.Left, Verdict{Text: b.Text, Why: why})
		}
	}
}

// judge gives a lesson its evidence, or takes back what an earlier run gave it.
func (p *Proof) judge(m *repo.Memory, it *index.Item, r *Report) {
	f, looked := p.Survey.Findings[it.Key]
	if !looked {
		return
	}
	old := it.Evidence
	was := old != nil && isProof(old.Files)
	before := it.Confidence
	if old != nil && it.Confidence == strongerOf(old.Before, confidenceFor(old.Files)) {
		before = old.Before // otherwise a person has said something since
	}
	if it.Kind == index.Learning && isProof(f.Files) {
		e := &index.Evidence{Files: f.Files, Terms: f.Terms, Paths: f.Paths, Commit: p.Survey.Commit, At: m.Now(), Before: before}
		confidence := strongerOf(before, confidenceFor(f.Files))
		if old != nil {
			e.Unknown = old.Unknown
		}
		if !sameEvidence(old, e) || it.Confidence != confidence {
			it.Evidence, it.Confidence = e, confidence
			r.touched[it.ID] = true
		}
		if was {
			r.Kept = append(r.Kept, verdict(it, f))
		} else {
			r.Promoted = append(r.Promoted, verdict(it, f))
		}
	} else {
		if old != nil {
			it.Evidence, it.Confidence = nil, before
			r.touched[it.ID] = true
		}
		if was && it.Kind == index.Learning {
			r.Demoted = append(r.Demoted, verdict(it, f))
		} else if it.Kind == index.Learning {
			r.Unproven = append(r.Unproven, verdict(it, f))
		}
	}
	if it.Violations != f.Avoided.Files {
		it.Violations = f.Avoided.Files
		r.touched[it.ID] = true
	}
	if it.Violations > 0 {
		r.Present = append(r.Present, present(verdict(it, f), f))
	}
}

// sameEvidence reports whether two runs found the same. The earlier one stands
// then, with the commit and the time at which it can be seen again.
func sameEvidence(a, b *index.Evidence) bool {
	return a != nil && a.Files == b.Files && a.Before == b.Before && slices.Equal(a.Terms, b.Terms) && slices.Equal(a.Paths, b.Paths)
}

// reportBlocks reports on the blocks: those that are proven go, and those that are in
// no memory are not proven.
func (p *Proof) reportBlocks(r *Report) {
	left := map[string]bool{}
	for _, v := range r.Left {
		left[index.Key(v.Text)] = true
	}
	judged := map[string]bool{}
	for _, list := range [][]Verdict{r.Kept, r.Promoted, r.Demoted, r.Unproven, r.Present} {
		for _, v := range list {
			judged[index.Key(v.Text)] = true
		}
	}
	gone := map[string]bool{}
	for _, b := range p.Blocks {
		f := p.Survey.Findings[b.Key]
		v := Verdict{Text: b.Text, Files: f.Files, Terms: f.Terms, Paths: f.Paths, LearnedFrom: learnedFrom}
		switch l := b.asLesson(); {
		case left[b.Key]:
		case r.gone[b.Key]:
			gone[b.Key] = true
			r.Removed = append(r.Removed, b.Text)
		case judged[b.Key]:
		case l.Kind == index.Learning:
			r.Unproven = append(r.Unproven, v)
			fallthrough
		default:
			if f.Avoided.Files > 0 {
				r.Present = append(r.Present, present(v, f))
			}
		}
	}
	r.gone = gone
}

func verdict(it *index.Item, f Finding) Verdict {
	return Verdict{
		ID: it.ID, Text: it.Text, Confidence: it.Confidence, Files: f.Files, Terms: f.Terms, Paths: f.Paths, LearnedFrom: origin(it),
	}
}

// present is a verdict about what is to be avoided.
func present(v Verdict, f Finding) Verdict {
	v.Files, v.Terms, v.Paths = f.Avoided.Files, f.Avoided.Terms, f.Avoided.Paths
	return v
}

// origin is what first brought a lesson: the kind of its trace, else whose
// words it rests on.
func origin(it *index.Item) string {
	if len(it.Sources) > 0 {
		if kind, _, ok := strings.Cut(it.Sources[0].Trace, ":"); ok && kind != "" {
			return kind
		}
	}
	if it.Origin != "" {
		return string(it.Origin)
	}
	return string(index.OriginAgent)
}

func patternOf(it *index.Item) pattern {
	return pattern{
		ID: it.ID, Text: it.Text, Confidence: it.Confidence, Files: it.Evidence.Files, Evidence: evidenceText(it.Evidence.Paths),
		LearnedFrom: origin(it), At: it.Evidence.At,
	}
}

// message is what the commit says.
func (r *Report) message() repo.Message {
	msg := repo.Message{Subject: fmt.Sprintf("chore(memory): recount %s in the code", render.Count(len(r.touched), "lesson", "lessons"))}
	if n := len(r.Promoted); n > 0 {
		msg.Subject = fmt.Sprintf("chore(memory): prove %s in the code", render.Count(n, "lesson", "lessons"))
	}
	ids := map[string]bool{}
	for _, part := range []struct {
		mark, found string
		list        []Verdict
	}{{"+", "found", r.Promoted}, {"-", "found", r.Demoted}, {"~", "found", r.Kept}, {"!", "still present", r.Present}} {
		for _, v := range part.list {
			if !r.touched[v.ID] {
				continue
			}
			msg.Body = append(msg.Body, fmt.Sprintf("%s %s (%s in %s)", part.mark, v.Text, part.found, render.Count(v.Files, "file", "files")))
			if !ids[v.ID] {
				ids[v.ID] = true
				msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Item", Value: v.ID})
			}
		}
	}
	return msg
}
