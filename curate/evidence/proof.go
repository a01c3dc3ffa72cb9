// Package evidence proves lessons by the code they are about.
//
// Search counts the files of a code base that hold what a lesson names. A Proof joins the counts with the memory and
// says which lessons are proven, which no longer are, and where a thing to avoid still stands. Proof.Prove does it all:
// it commits that and removes what was proven from the LEARNINGS.md of an agent.
//
// The counts decide confidence, which says how true a lesson is, and never the score, which says how much it matters.
// Every run counts everything anew.
package evidence

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"mem/facts"
	"mem/guard"
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
	case files >= filesMedium:
		return "medium"
	}
	return "low"
}

// strongerOf returns the stronger of two levels. What is not a level is the weakest.
func strongerOf(a, b string) string {
	if slices.Index(levels, b) > slices.Index(levels, a) {
		return b
	}
	return a
}

// skillSync is the name of the origin LEARNINGS.md in Psi's list.
const skillSync = "skill_sync"

// A Proof is the result of looking in the code for the lessons of a memory and about those of a LEARNINGS.md.
type Proof struct {
	Code      Code // without Files and Commit, which Prove finds
	Survey    *Survey
	Learnings Learnings
	DryRun    bool // only find out what would change
}

// LessonsToProve returns the lessons to look for: the active ones of an index, and the blocks that may become one.
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
	Presence
	LearnedFrom string `json:"learnedFrom,omitzero"`
	Why         string `json:"why,omitzero"` // of a block that was left alone: the reason
}

// A Report lists the changes of a proof to a memory. Lessons are in the order of the
// index, blocks in that of their file.
type Report struct {
	Status   string    `json:"status"`       // "proved", "nothing", or "planned" in a dry run
	Codebase string    `json:"codebase"`     // that was searched
	Promoted []Verdict `json:"promoted"`     // proven now, and not before
	Kept     []Verdict `json:"kept"`         // proven before and now
	Demoted  []Verdict `json:"demoted"`      // proven before, and not now
	Unproven []Verdict `json:"unproven"`     // neither
	Present  []Verdict `json:"stillPresent"` // anti-patterns that the code still holds
	Left     []Verdict `json:"left"`         // blocks that are not imported whatever the code says
	Removed  []string  `json:"removed"`      // texts of the blocks that are proven and removed from the LEARNINGS.md

	Files   int    `json:"files"`  // searched
	Proven  bool   `json:"-"`      // the proof changed the memory
	Cut     int    `json:"-"`      // blocks removed from the LEARNINGS.md
	Commit  string `json:"commit"` // of the proof or, if that changed nothing, of a person's edits
	Subject string `json:"-"`      // of the commit

	gone    map[string]bool // keys of the blocks that are proven
	touched map[string]bool // ids of the lessons that changed
}

// Apply joins the counts with the memory as it is now, by key, and leaves alone what came into it since. It is a
// callback for repo.Root.Settle; the message has no subject if nothing changes.
//
// A confidence that a lesson had before is never lowered: what a person said comes back, as it was, when the evidence
// is gone.
func (p *Proof) Apply(m *repo.Memory) (Report, repo.Message, error) {
	r := Report{gone: map[string]bool{}, touched: map[string]bool{}}
	blocks, proven := p.judgeBlocks(m, r.touched), []*index.Item{}
	for it := range m.Index.All() {
		if f, looked := p.Survey.Findings[it.Key]; looked && it.Status == index.Active {
			was := isProven(it)
			it.Change(func(it *index.Item) {
				if p.judge(m, it, f) {
					r.touched[it.ID] = true
				}
			})
			r.addVerdict(it, f, was)
		}
		if it.Status == index.Active && isProven(it) {
			proven = append(proven, it)
		}
	}
	r.Left, r.Unproven, r.Present = blocks.Left, append(r.Unproven, blocks.Unproven...), append(r.Present, blocks.Present...)
	for _, b := range p.Learnings.Blocks {
		if b.Unfit == "" && slices.ContainsFunc(proven, func(it *index.Item) bool { return it.Key == b.Key }) {
			r.gone[b.Key] = true
			r.Removed = append(r.Removed, b.Text)
		}
	}
	changed, err := updateList(m, proven)
	if err != nil {
		return Report{}, repo.Message{}, err
	}
	if r.Proven = changed || len(r.touched) > 0; !r.Proven {
		return r, repo.Message{}, nil
	}
	return r, r.message(), nil
}

// judgeBlocks makes lessons of proven blocks that the memory does not have yet, and reports on
// those that do not become one. touched gets the ids of the lessons.
func (p *Proof) judgeBlocks(m *repo.Memory, touched map[string]bool) (r Report) {
	status := map[string]index.Status{}
	for _, it := range m.Index.Items {
		if s, known := status[it.Key]; !known || s != index.Active {
			status[it.Key] = it.Status
		}
	}
	for _, b := range p.Learnings.Blocks {
		f, why := p.Survey.Findings[b.Key], b.Unfit
		s, known := status[b.Key]
		if why == "" && known && s != index.Active {
			why = "the memory has it as " + string(s)
		}
		v := Verdict{Text: b.Text, Presence: f, LearnedFrom: skillSync}
		switch {
		case why != "":
			r.Left = append(r.Left, Verdict{Text: b.Text, Why: why})
		case known:
		case b.kind() == index.AntiPattern && f.Files > 0:
			r.Present = append(r.Present, v)
		case b.kind() == index.AntiPattern:
		case f.Files < filesMedium:
			r.Unproven = append(r.Unproven, v)
		default:
			domain, tags := topic.File(b.Text, false)
			for _, c := range m.Learn(facts.Fact{Fixes: []index.Lesson{{
				Text: b.Text, Origin: index.OriginImport, Guessed: true, Domain: domain, Tags: tags,
				Source: index.Source{Trace: skillSync + ":LEARNINGS.md"},
			}}}) {
				touched[m.Index.Items[c.Pos].ID] = true
			}
		}
	}
	return r
}

func isProven(it *index.Item) bool {
	return it.IsLearning() && it.Evidence != nil && it.Evidence.Files >= filesMedium
}

// judge sets a lesson's evidence, or withdraws that of an earlier run, and reports whether that
// changes the lesson. If an earlier run found the same, its evidence stays, with the commit and the
// time to check it again. For things to avoid it only counts files.
func (p *Proof) judge(m *repo.Memory, it *index.Item, f Presence) (changed bool) {
	avoided := f.Files
	if it.IsLearning() {
		avoided = 0
	}
	changed, it.Violations = it.Violations != avoided, avoided
	was, old, before := isProven(it), it.Evidence, withoutEvidence(it)
	e := &index.Evidence{Files: f.Files, Terms: f.Terms, Paths: f.Paths, Commit: p.Code.Commit, At: m.Now(), Before: before}
	switch {
	case it.IsLearning() && f.Files >= filesMedium:
		confidence := strongerOf(before, confidenceFor(f.Files))
		isSame := old != nil && old.Files == f.Files && old.Before == before && slices.Equal(old.Terms, f.Terms) && slices.Equal(old.Paths, f.Paths)
		if isSame && it.Confidence == confidence {
			return changed
		}
		if old != nil {
			e.Unknown = old.Unknown
		}
		it.Evidence, it.Confidence = e, confidence
	case old == nil || f.Files == 0 && it.CountFiles() == 0: // that was noted before
		return changed
	default:
		it.Evidence, it.Confidence = nil, before
		if f.Files == 0 && was { // what it names is gone, which sessions are told
			e.Before, it.Evidence = "", e
		}
	}
	return true
}

// withoutEvidence returns the confidence that a lesson has without its evidence: the one before
// it, unless a person gave another since.
func withoutEvidence(it *index.Item) string {
	if e := it.Evidence; e != nil && it.Confidence == strongerOf(e.Before, confidenceFor(e.Files)) {
		return e.Before
	}
	return it.Confidence
}

func (r *Report) addVerdict(it *index.Item, f Presence, was bool) {
	v := Verdict{ID: it.ID, Text: it.Text, Confidence: it.Confidence, Presence: f, LearnedFrom: learnedFrom(it)}
	is := isProven(it)
	list := &r.Unproven
	switch {
	case !it.IsLearning() && f.Files == 0:
		return
	case !it.IsLearning():
		list = &r.Present
	case is && was:
		list = &r.Kept
	case is:
		list = &r.Promoted
	case was:
		list = &r.Demoted
	}
	*list = append(*list, v)
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

func (r *Report) message() repo.Message {
	msg := repo.Message{Subject: fmt.Sprintf("chore(memory): recount %s in the code", render.Count(len(r.touched), "lesson", "lessons"))}
	if n := len(r.Promoted); n > 0 {
		msg.Subject = fmt.Sprintf("chore(memory): prove %s in the code", render.Count(n, "lesson", "lessons"))
	}
	for _, part := range []struct {
		mark, found string
		list        []Verdict
	}{{"+", "found", r.Promoted}, {"-", "found", r.Demoted}, {"~", "found", r.Kept}, {"!", "still present", r.Present}} {
		for _, v := range part.list {
			if r.touched[v.ID] {
				msg.Body = append(msg.Body, fmt.Sprintf("%s %s (%s in %s)", part.mark, v.Text, part.found, render.Count(v.Files, "file", "files")))
				msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Item", Value: v.ID})
			}
		}
	}
	return msg
}

// mostKept is how many lessons that stay proven are named.
const mostKept = 10

// Describe says what a proof did, or would do, in lines for a person. learnings is the name of the LEARNINGS.md.
func (r *Report) Describe(learnings string) string {
	var b strings.Builder
	for _, part := range []struct {
		mark  string
		list  []Verdict
		found string
	}{{"+", r.Promoted, "found"}, {"=", r.Kept, "found"}, {"-", r.Demoted, "no longer proven: found"}, {"!", r.Present, "still present"}} {
		for i, v := range part.list {
			if part.mark == "=" && i == mostKept {
				fmt.Fprintf(&b, "= and %d more\n", len(r.Kept)-i)
				break
			}
			found := part.found
			if found == "found" {
				found = v.Confidence + ": found"
			}
			if found += " in " + render.Count(v.Files, "file", "files"); len(v.Paths) > 0 {
				found += " (" + strings.Join(v.Paths, ", ") + ")"
			}
			fmt.Fprintf(&b, "%s %s\n    %s\n", part.mark, guard.Line(v.Text), guard.Line(found))
		}
	}
	looked := len(r.Promoted) + len(r.Kept) + len(r.Demoted) + len(r.Unproven)
	fmt.Fprintf(&b, "%s searched for in %s: %d promoted, %d kept, %d demoted, %d not proven\n", render.Count(looked, "lesson", "lessons"),
		render.Count(r.Files, "file", "files"), len(r.Promoted), len(r.Kept), len(r.Demoted), len(r.Unproven))
	if n := len(r.Removed); n > 0 {
		would := map[bool]string{false: "would be "}[r.Status == "proved"]
		fmt.Fprintf(&b, "%s %sremoved from %s\n", render.Count(n, "block", "blocks"), would, learnings)
	}
	switch {
	case r.Status == "nothing":
		b.WriteString("nothing to change\n")
	case r.Commit != "":
		fmt.Fprintf(&b, "commit %.12s %s\n", r.Commit, r.Subject)
	}
	return b.String()
}
