package lesson

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"
	"unicode/utf8"

	"mem/curate/lesson/similarity"
	"mem/curate/proposal"
	"mem/guard"
	"mem/index"
	"mem/lazy"
	"mem/render"
	"mem/repo"
	"mem/words"
)

const pairPrefix = "pair-"

const mostPairs = 50

// pairID returns the id of a pair, whichever lesson is named first.
func pairID(a, b string) string {
	sum := sha256.Sum256([]byte(min(a, b) + "\n" + max(a, b)))
	return fmt.Sprintf("%s%x", pairPrefix, sum[:4])
}

// A pair is two active lessons. Approving it keeps the first: of a pair that says
// the same the lesson that ranks better, of one that says the opposite the one
// seen last.
type pair struct {
	m          *repo.Memory
	id         string
	keep, drop *index.Item
	opposite   bool
}

// listPairs returns all pairs of active lessons but those marked as distinct, the
// most similar first.
func listPairs(m *repo.Memory, distinct map[string]bool) (list []pair) {
	ix := m.Index
	ranked := ix.Rank(m.Now())
	statements := make([]similarity.Statement, len(ranked))
	for i, pos := range ranked {
		it := &ix.Items[pos]
		statements[i] = statementOf(it)
	}
	at := func(rank int) *index.Item { return &ix.Items[ranked[rank]] }
	skip := func(first, second int) bool {
		return len(distinct) > 0 && distinct[pairID(at(first).ID, at(second).ID)]
	}
	for _, f := range similarity.FindPairs(statements, skip) {
		p := pair{m: m, keep: at(f.First), drop: at(f.Second), opposite: f.Opposite}
		p.id = pairID(p.keep.ID, p.drop.ID)
		if p.opposite && p.drop.LastSeen.After(p.keep.LastSeen) {
			p.keep, p.drop = p.drop, p.keep
		}
		list = append(list, p)
	}
	return list
}

func statementOf(it *index.Item) similarity.Statement {
	return similarity.Statement{Text: index.StripAvoid(guard.Clean(it.Text)), Avoid: it.Kind == index.AntiPattern}
}

// pairProposals returns the proposals for pairs. A lesson that is similar to
// several others is proposed with one of them at a time.
func pairProposals(m *repo.Memory, distinct map[string]bool) (list []proposal.Proposal) {
	dropped := map[*index.Item]bool{}
	count := map[bool]int{}
	for _, p := range listPairs(m, distinct) {
		if dropped[p.drop] || count[p.opposite] == mostPairs {
			continue
		}
		dropped[p.drop] = true
		count[p.opposite]++
		list = append(list, p.asProposal())
	}
	return list
}

func (p pair) asProposal() proposal.Proposal {
	keep, drop := p.keep, p.drop
	out := proposal.Proposal{
		ID: p.id, Kind: proposal.Duplicate, Title: shortText(keep.Text, maxTitle), Text: guard.Line(keep.Text),
		From: []string{keep.ID, drop.ID}, Domain: guard.Line(keep.Domain), Tags: shownTags(keep),
	}
	why := "it ranks better"
	if p.opposite {
		out.Kind, why = proposal.Contradiction, "it was seen last"
	}
	out.Notes = []string{describeLesson("stays", keep) + "; " + why, describeLesson("is superseded", drop)}
	if isOwnID(keep.ID) && isOwnID(drop.ID) {
		out.Notes = append(out.Notes, fmt.Sprintf("the other way round: mem supersede %s %s", keep.ID, drop.ID))
	}
	out.Notes = append(out.Notes, "to keep both: reject, and the two are not offered again")
	return out
}

// isOwnID reports whether an id has the form that mem gives ids, and so may stand
// in a command: any program may have written the index.
func isOwnID(id string) bool { return lessonName.Get().FindString(id) == id && id != "" }

func describeLesson(what string, it *index.Item) string {
	times := render.Plural(max(1, it.Hits), "once", fmt.Sprintf("%d times", it.Hits))
	return fmt.Sprintf("%s: %s %s (seen %s, last %s)", what, guard.Line(it.ID), guard.Line(it.Text), times, it.LastSeen.UTC().Format(time.DateOnly))
}

func findPair(m *repo.Memory, id string) (pair, error) {
	distinct, problem := readDistinct(m)
	if problem != nil {
		return pair{}, fmt.Errorf("%w: %s %s", proposal.ErrInvalid, problem.Path, problem.Why)
	}
	if distinct[id] {
		return pair{}, fmt.Errorf("%s: both stay: %w", id, proposal.ErrDecided)
	}
	for _, p := range listPairs(m, distinct) {
		if p.id == id {
			return p, nil
		}
	}
	for i := range m.Index.Items {
		if it := &m.Index.Items[i]; it.SupersededBy != "" && pairID(it.ID, it.SupersededBy) == id {
			return pair{}, fmt.Errorf("%s: %s supersedes %s: %w", id, it.SupersededBy, it.ID, proposal.ErrDecided)
		}
	}
	return pair{}, fmt.Errorf("%q: %w", id, proposal.ErrUnknown)
}

// reopenPair takes a pair out of what is marked to stay. What is pending is left as it is.
func reopenPair(m *repo.Memory, id string) (repo.Message, error) {
	if distinct, problem := readDistinct(m); problem != nil || !distinct[id] {
		_, err := findPair(m, id)
		return repo.Message{}, err
	}
	lines, err := removeDistinct(m, id)
	return repo.Message{Subject: "reopen: " + id, Body: lines}, err
}

// Approve supersedes one lesson by the other.
func (p pair) Approve(d proposal.Decision) (repo.Message, error) {
	if d.Title != "" {
		return repo.Message{}, errNameless
	}
	if d.Keep != "" && d.Keep == p.drop.ID {
		p.keep, p.drop = p.drop, p.keep
	}
	_, msg, err := Change{Verb: Supersede, IDs: []string{p.drop.ID}, By: p.keep.ID, Reason: d.Reason}.Apply(p.m)
	if err != nil {
		return repo.Message{}, fmt.Errorf("supersede %s: %w", p.drop.ID, err)
	}
	if d.Text == "" {
		return msg, nil
	}
	if err := rewordAs(p.m.Index, p.keep, d); err != nil {
		return repo.Message{}, err
	}
	msg.Body = append(msg.Body, "reworded "+p.keep.Text)
	return msg, nil
}

// Reject marks the two lessons as distinct: both stay.
func (p pair) Reject(d proposal.Decision) (repo.Message, error) {
	a, b := p.keep, p.drop
	first, second := a, b
	if b.ID < a.ID {
		first, second = b, a
	}
	if err := addDistinct(p.m, p.id, d.Reason, first, second); err != nil {
		return repo.Message{}, err
	}
	msg := repo.Message{
		Subject: "distinct: " + shortText(a.Text, maxTitle), Body: []string{"= " + a.Text, "= " + b.Text},
		Trailers: []repo.Trailer{{Key: "Mem-Item", Value: a.ID}, {Key: "Mem-Item", Value: b.ID}},
	}
	if d.Reason != "" {
		msg.Body = append(msg.Body, "because "+d.Reason)
	}
	return msg, nil
}

var errPairDraft = fmt.Errorf("%w: a pair is not edited; approving it takes a text for the lesson that stays", proposal.ErrInvalid)

// ReadDraft refuses: a pair has no text of its own.
func (p pair) ReadDraft() ([]byte, error) { return nil, errPairDraft }

// ApplyEdit refuses: a pair has no text of its own.
func (p pair) ApplyEdit([]byte) (repo.Message, error) { return repo.Message{}, errPairDraft }

// DistinctPath is the file that lists pairs of similar lessons that are to stay.
const DistinctPath = "patterns/distinct.md"

const distinctHead = `# Distinct

Lessons that look alike, and that a person said are not the same. They are not offered
in a review again. Take a line out, and they are; a line with the ids of two lessons is all it takes to add one.

`

const maxDistinct = 8 << 20

// The names in a line of the file. Of an older mem it has lines about one lesson.
var (
	pairName   = lazy.New(`\b(?:pair|old|severe|guide)-[0-9a-f]{8}\b`)
	lessonName = lazy.New(`\bm-[0-9a-f]{8,}\b`)
)

// readDistinct returns the ids of the pairs that are marked as distinct. A file
// that cannot be read is a problem, for a person to look at.
func readDistinct(m *repo.Memory) (map[string]bool, *proposal.Problem) {
	data, err := m.ReadFile(DistinctPath)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	problem := func(why string) *proposal.Problem { return &proposal.Problem{Path: DistinctPath, Why: why} }
	switch {
	case err != nil:
		return nil, problem("cannot be read: " + err.Error())
	case len(data) > maxDistinct:
		return nil, problem("is too large")
	case !utf8.Valid(data):
		return nil, problem("is not a text")
	}
	distinct := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		if id := keptIn(line); id != "" {
			distinct[id] = true
		}
	}
	return distinct, nil
}

// keptIn returns the id of what a line is about: the one that it names, else that of
// the pair of the first two lessons in it; "" if it is about none.
func keptIn(line string) string {
	if line = strings.TrimSpace(line); !strings.HasPrefix(line, "-") && !strings.HasPrefix(line, "*") {
		return "" // not an item of the list
	}
	if id := pairName.Get().FindString(line); id != "" {
		return id
	}
	if names := lessonName.Get().FindAllString(line, 2); len(names) == 2 {
		return pairID(names[0], names[1])
	}
	return ""
}

func addDistinct(m *repo.Memory, id, reason string, lessons ...*index.Item) error {
	data, err := m.ReadFile(DistinctPath)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	text := cmp.Or(string(data), distinctHead)
	if !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	end := words.LineEnd(text)
	var names []string
	for _, it := range lessons {
		names = append(names, it.ID+" “"+guard.Line(it.Text)+"”")
	}
	text += "- " + id + ": " + strings.Join(names, ", ")
	if reason = guard.Line(reason); reason != "" {
		text += ": " + reason
	}
	return m.WriteFile(DistinctPath, []byte(text+end))
}

// removeDistinct takes the lines about an id out and returns them.
func removeDistinct(m *repo.Memory, id string) (lines []string, err error) {
	data, err := m.ReadFile(DistinctPath)
	if err != nil {
		return nil, err
	}
	var kept strings.Builder
	for line := range strings.Lines(string(data)) {
		if keptIn(line) == id {
			lines = append(lines, line)
		} else {
			kept.WriteString(line)
		}
	}
	return lines, m.WriteFile(DistinctPath, []byte(kept.String()))
}
