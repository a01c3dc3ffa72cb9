package lesson

import (
	"cmp"
	"fmt"
	"strings"

	"mem/curate/lesson/similarity"
	"mem/curate/markdown"
	"mem/curate/proposal"
	"mem/guard"
	"mem/index"
	"mem/repo"
	"mem/words"
)

// A Guide is a file of the project's own instructions for agents, such as AGENTS.md.
type Guide struct{ Name, Text string }

// GuidePrefix begins the ids under which proven lessons are offered to a guide.
const GuidePrefix = "guide-"

func guideID(it *index.Item) string { return GuidePrefix + hashShort(it.ID) }

// mostGuided bounds what is offered to a guide at a time: it should stay short.
const mostGuided = 5

// A reading is what the guides have to do with the proven lessons.
type reading struct {
	said    map[string]bool   // by id: a guide says it, or the opposite
	against map[string]string // by id: which guide says the opposite, and how
}

// readGuides looks for what the guides say in the same words as a proven lesson, or
// the other way round.
func readGuides(guides []Guide, proven []*index.Item) reading {
	r := reading{map[string]bool{}, map[string]string{}}
	var list []similarity.Statement
	for _, it := range proven {
		list = append(list, statementOf(it))
	}
	type line struct{ guide, text string }
	var lines []line
	for _, g := range guides {
		fence := ""
		for text := range strings.Lines(g.Text) {
			if fence = markdown.FenceAfter(fence, strings.TrimSpace(text)); fence != "" {
				continue // what is code says nothing
			}
			text = emphasis.Replace(strings.TrimLeft(text, "> \t"))
			item, ok := markdown.ItemOf(text)
			if !ok {
				item = words.FoldSpace(text)
			}
			plain := index.StripAvoid(item)
			lines = append(lines, line{g.Name, item})
			list = append(list, similarity.Statement{Text: guard.Scrub(plain), Avoid: plain != item})
		}
	}
	for _, p := range similarity.FindPairs(list, func(a, b int) bool { return b < len(proven) || a >= len(proven) }) {
		it, l := proven[p.First], lines[p.Second-len(proven)]
		r.said[it.ID] = true
		if p.Opposite {
			r.against[it.ID] = fmt.Sprintf("%s says the opposite: “%s”", l.guide, l.text)
		}
	}
	return r
}

// emphasis leaves out what stands around a word that a guide stresses.
var emphasis = strings.NewReplacer("**", "", "__", "")

// listProven returns the active lessons that are proven, best first.
func listProven(m *repo.Memory) (list []*index.Item) {
	for _, pos := range m.Index.Rank(m.Now()) {
		if it := &m.Index.Items[pos]; it.IsProven() {
			list = append(list, it)
		}
	}
	return list
}

// guideProposals offers the first guide what is proven and none of them says.
func (q Queue) guideProposals(proven []*index.Item, r reading, kept map[string]bool) (list []proposal.Proposal) {
	for _, it := range proven {
		if len(q.Guides) == 0 || len(list) == mostGuided {
			break
		}
		if id := guideID(it); !r.said[it.ID] && !kept[id] {
			list = append(list, proposal.Proposal{
				ID: id, Kind: proposal.Instruction, Title: shortText(it.ShownText(), maxTitle), Text: guard.Line(it.ShownText()),
				Files: []string{DistinctPath}, From: []string{it.ID}, Domain: guard.Line(it.Domain), Tags: shownTags(it), Notes: []string{
					"approving it adds this line to " + q.Guides[0].Name + ", for you to commit",
					"to leave it out: reject, and it is not offered again",
				},
			})
		}
	}
	return list
}

// A guideLesson is proven, and no guide says it. Approving notes that it was told: the
// caller writes the line.
type guideLesson struct {
	heldLesson
}

func findGuided(m *repo.Memory, id string) (guideLesson, error) {
	it, err := findKept(m, id, guideID)
	return guideLesson{heldLesson{m, it}}, err
}

// Approve notes that the guide was told, so that it is not offered again.
func (g guideLesson) Approve(d proposal.Decision) (repo.Message, error) {
	if d.Title != "" {
		return repo.Message{}, errNameless
	}
	told := *g.Item
	told.Text = cmp.Or(words.FoldSpace(d.Text), told.ShownText())
	return keepFor(g.m, guideID(g.Item), "guide", "+ ", &told, d)
}

// Reject leaves the guides as they are, for good.
func (g guideLesson) Reject(d proposal.Decision) (repo.Message, error) {
	return keepFor(g.m, guideID(g.Item), "no guide", "= ", g.Item, d)
}

var errGuideDraft = fmt.Errorf("%w: it is not edited; approving it takes a text for the line", proposal.ErrInvalid)

// ReadDraft refuses: the lesson is not what is decided about.
func (guideLesson) ReadDraft() ([]byte, error) { return nil, errGuideDraft }

// ApplyEdit refuses: the lesson is not what is decided about.
func (guideLesson) ApplyEdit([]byte) (repo.Message, error) { return repo.Message{}, errGuideDraft }
