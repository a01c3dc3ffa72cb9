// Package evidence proves lessons by the code they are about.
//
// Package search counts the files of a code base that hold what a lesson names.
// A Proof joins the counts with the memory and says which lessons are proven,
// which no longer are, and where a thing to avoid still stands. Proof.CommitAndCut
// commits that and removes what was proven from the LEARNINGS.md of an agent.
//
// The counts decide confidence, which says how true a lesson is, and never the
// score, which says how much it matters. Every run counts everything anew.
package evidence

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"mem/curate/evidence/expertise"
	"mem/curate/evidence/search"
	"mem/facts"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/topic"
)

// How many files have to hold what a lesson names.
const (
	filesHigh   = 5
	filesMedium = 3
)

// levels are the levels of confidence as in the index, the weakest first.
var levels = []string{"low", "medium", "high"}

func confidenceFor(files int) string {
	switch {
	case files >= filesHigh:
		return "high"
	case isProof(files):
		return "medium"
	}
	return "low"
}

func isProof(files int) bool { return files >= filesMedium }

// strongerOf returns the stronger of two levels. What is not a level is the weakest.
func strongerOf(a, b string) string {
	if slices.Index(levels, b) > slices.Index(levels, a) {
		return b
	}
	return a
}

// skillSync is what Psi's list calls the origin of a LEARNINGS.md.
const skillSync = "skill_sync"

// A Proof is what a look at the code says about the lessons of a memory and
// about those of a LEARNINGS.md.
type Proof struct {
	Survey *search.Survey
	Blocks []Block // of the LEARNINGS.md
}

// LessonsToProve returns what to look for: the active lessons of an index, and
// the blocks that may become one.
func LessonsToProve(ix *index.Index, blocks []Block) []index.Item {
	list := slices.DeleteFunc(slices.Clone(ix.Items), func(it index.Item) bool { return it.Status != index.Active })
	for _, b := range blocks {
		if b.Unfit == "" {
			list = append(list, index.Item{Key: b.Key, Text: b.Text, Kind: b.kind()})
		}
	}
	return list
}

// A Verdict is the result for one lesson.
type Verdict struct {
	ID         string `json:"id"` // "" for a block that is in no memory
	Text       string `json:"text"`
	Confidence string `json:"confidence"` // after it
	search.Presence
	Avoided     search.Presence `json:"avoided,omitzero"` // of a proven lesson: where what it says to avoid is still there
	LearnedFrom string          `json:"learnedFrom,omitzero"`
	Why         string          `json:"why,omitzero"` // of a block that was left alone: the reason
}

// A Report is what a proof does to a memory. Lessons are in the order of the
// index, blocks in that of their file.
type Report struct {
	Promoted []Verdict `json:"promoted"`     // proven now, and not before
	Kept     []Verdict `json:"kept"`         // proven before and now
	Demoted  []Verdict `json:"demoted"`      // proven before, and not now
	Unproven []Verdict `json:"unproven"`     // neither
	Present  []Verdict `json:"stillPresent"` // not proven, and what they say to avoid is still there; Presence is about that
	Left     []Verdict `json:"left"`         // blocks that are not imported whatever the code says
	Removed  []string  `json:"removed"`      // texts of the blocks that are proven and removed from the LEARNINGS.md

	gone    map[string]bool // their keys
	left    map[string]bool // keys of the blocks in Left
	judged  map[string]bool // keys of the lessons that were looked for
	touched map[string]bool // ids of the lessons that changed
}

// Apply joins the counts with the memory as it is now, by key, and leaves alone
// what came into it since. It is a callback for repo.Root.Settle; the message has
// no subject if nothing changes.
//
// A confidence that a lesson had before is never lowered: what a person said comes
// back, as it was, when the evidence is gone.
func (p *Proof) Apply(m *repo.Memory) (Report, repo.Message, error) {
	data, err := m.ReadFile(expertise.Path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Report{}, repo.Message{}, err
	}
	list, err := expertise.ReadList(data)
	if err != nil {
		return Report{}, repo.Message{}, fmt.Errorf("%s: %w", expertise.Path, err)
	}
	r := Report{gone: map[string]bool{}, left: map[string]bool{}, judged: map[string]bool{}, touched: map[string]bool{}}
	p.importProven(m, &r)
	var proven []expertise.Pattern
	known := map[string]bool{}
	for i := range m.Index.Items {
		it := &m.Index.Items[i]
		known[it.Key] = true
		if it.Status != index.Active {
			continue
		}
		it.Change(func(it *index.Item) { p.judge(m, it, &r) })
		if wasProven(it) {
			proven = append(proven, patternOf(it))
			r.gone[it.Key] = true
		}
	}
	p.reportBlocks(&r)
	list.Update(proven, func(key string) bool { return known[key] }, m.Now())
	if len(r.touched) == 0 && !list.Changed {
		return r, repo.Message{}, nil
	}
	if list.Changed {
		if data, err = list.Encode(); err == nil {
			err = m.WriteFile(expertise.Path, data)
		}
		if err != nil {
			return Report{}, repo.Message{}, fmt.Errorf("%s: %w", expertise.Path, err)
		}
	}
	return r, r.message(), nil
}

// importProven makes lessons of proven blocks that the memory does not have yet.
func (p *Proof) importProven(m *repo.Memory, r *Report) {
	status := map[string]index.Status{}
	for i := range m.Index.Items {
		it := &m.Index.Items[i]
		if was, again := status[it.Key]; !again || was != index.Active {
			status[it.Key] = it.Status
		}
	}
	for _, b := range p.Blocks {
		s, known := status[b.Key]
		why := b.Unfit
		if why == "" && known && s != index.Active {
			why = "the memory has it as " + string(s)
		}
		if why != "" {
			r.Left = append(r.Left, Verdict{Text: b.Text, Why: why})
			r.left[b.Key] = true
		} else if !known && b.kind() == index.Learning && isProof(p.Survey.Findings[b.Key].Files) {
			for _, c := range m.Learn(facts.Fact{Fixes: []index.Lesson{lessonOf(b)}}) {
				r.touched[m.Index.Items[c.Pos].ID] = true
			}
			status[b.Key] = index.Active
		}
	}
}

func lessonOf(b Block) index.Lesson {
	domain, tags := topic.File(b.Text, false)
	return index.Lesson{
		Text: b.Text, Origin: index.OriginImport, Guessed: true, Domain: domain, Tags: tags,
		Source: index.Source{Trace: skillSync + ":LEARNINGS.md"},
	}
}

func wasProven(it *index.Item) bool {
	return it.IsLearning() && it.Evidence != nil && isProof(it.Evidence.Files)
}

// judge gives a lesson its evidence, or takes back what an earlier run gave it.
func (p *Proof) judge(m *repo.Memory, it *index.Item, r *Report) {
	f, looked := p.Survey.Findings[it.Key]
	if !looked {
		return
	}
	r.judged[it.Key] = true
	was, had := wasProven(it), it.Evidence != nil
	before := withoutEvidence(it)
	switch is := it.IsLearning() && isProof(f.Files); {
	case is:
		p.giveEvidence(m, it, f, before, r)
	case had && f.Files == 0 && it.CountFiles() == 0: // that was noted before
	case had:
		it.Evidence, it.Confidence = nil, before
		if f.Files == 0 && was { // what it names is gone, which a review offers
			it.Evidence = &index.Evidence{Terms: f.Terms, Commit: p.Survey.Commit, At: m.Now()}
		}
		r.touched[it.ID] = true
	}
	v := newVerdict(it, f.Presence)
	r.noteAvoided(it, &v, f.Avoided)
	r.addVerdict(it, v, was)
}

// noteAvoided notes where what a lesson says to avoid is still there: with what proves it,
// or as a verdict of its own.
func (r *Report) noteAvoided(it *index.Item, v *Verdict, avoided search.Presence) {
	if it.Violations != avoided.Files {
		it.Violations = avoided.Files
		r.touched[it.ID] = true
	}
	switch {
	case avoided.Files == 0:
	case wasProven(it):
		v.Avoided = avoided
	default:
		r.Present = append(r.Present, newVerdict(it, avoided))
	}
}

// withoutEvidence returns the confidence that a lesson has without its evidence: the one before
// it, unless a person gave another since. A mem that knew no limit for what is to be
// avoided gave more.
func withoutEvidence(it *index.Item) string {
	e := it.Evidence
	if e == nil {
		return it.Confidence
	}
	isOld := !it.StampOf("confidence").After(it.StampOf("evidence")) && it.Confidence == strongerOf(e.Before, confidenceFor(e.Files))
	if isOld || it.Confidence == strongerOf(e.Before, limit(confidenceFor(e.Files), it.Violations)) {
		return e.Before
	}
	return it.Confidence
}

// limit returns the confidence of a lesson of which so many files do what it says to
// avoid: that is as good a proof that it does not hold throughout.
func limit(confidence string, avoided int) string {
	if isProof(avoided) && confidence == "high" {
		return "medium"
	}
	return confidence
}

// giveEvidence notes what proves a lesson. If an earlier run found the same, that
// stands, with the commit and the time at which it can be seen again.
func (p *Proof) giveEvidence(m *repo.Memory, it *index.Item, f search.Finding, before string, r *Report) {
	old := it.Evidence
	confidence := strongerOf(before, limit(confidenceFor(f.Files), f.Avoided.Files))
	same := old != nil && old.Files == f.Files && old.Before == before && slices.Equal(old.Terms, f.Terms) && slices.Equal(old.Paths, f.Paths)
	if same && it.Confidence == confidence {
		return
	}
	e := &index.Evidence{Files: f.Files, Terms: f.Terms, Paths: f.Paths, Commit: p.Survey.Commit, At: m.Now(), Before: before}
	if old != nil {
		e.Unknown = old.Unknown
	}
	it.Evidence, it.Confidence = e, confidence
	r.touched[it.ID] = true
}

// addVerdict reports on a lesson; was says whether it was proven before.
func (r *Report) addVerdict(it *index.Item, v Verdict, was bool) {
	switch is := wasProven(it); {
	case !it.IsLearning():
	case is && was:
		r.Kept = append(r.Kept, v)
	case is:
		r.Promoted = append(r.Promoted, v)
	case was:
		r.Demoted = append(r.Demoted, v)
	default:
		r.Unproven = append(r.Unproven, v)
	}
}

// reportBlocks reports on the blocks: the proven ones are removed from the file,
// and those that are in no memory are not proven.
func (p *Proof) reportBlocks(r *Report) {
	gone := map[string]bool{}
	for _, b := range p.Blocks {
		switch {
		case r.left[b.Key]:
		case r.gone[b.Key]:
			gone[b.Key] = true
			r.Removed = append(r.Removed, b.Text)
		case !r.judged[b.Key]:
			r.addUnproven(b, p.Survey.Findings[b.Key])
		}
	}
	r.gone = gone
}

func (r *Report) addUnproven(b Block, f search.Finding) {
	v := Verdict{Text: b.Text, Presence: f.Presence, LearnedFrom: skillSync}
	if b.kind() == index.Learning {
		r.Unproven = append(r.Unproven, v)
	}
	if f.Avoided.Files > 0 {
		v.Presence = f.Avoided
		r.Present = append(r.Present, v)
	}
}

func newVerdict(it *index.Item, f search.Presence) Verdict {
	return Verdict{ID: it.ID, Text: it.Text, Confidence: it.Confidence, Presence: f, LearnedFrom: learnedFrom(it)}
}

// learnedFrom returns the kind of the trace that brought a lesson, else its origin.
func learnedFrom(it *index.Item) string {
	if len(it.Sources) > 0 {
		if kind, _, ok := strings.Cut(it.Sources[0].Trace, ":"); ok && kind != "" {
			return kind
		}
	}
	return string(cmp.Or(it.Origin, index.OriginAgent))
}

func patternOf(it *index.Item) expertise.Pattern {
	return expertise.Pattern{
		ID: it.ID, Text: it.Text, Confidence: it.Confidence, Files: it.Evidence.Files, Evidence: strings.Join(it.Evidence.Paths, ", "),
		LearnedFrom: learnedFrom(it), At: it.Evidence.At,
	}
}

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
