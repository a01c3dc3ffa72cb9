package claude

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"mem/curate/learning"
	"mem/curate/proposal"
	"mem/facts"
	"mem/frontmatter"
	"mem/guard"
	"mem/index"
	"mem/recall/opposite"
	"mem/repo"
	"mem/topic"
	"mem/words"
)

// Queue holds the pending entries: all that the agent noted of how the person
// wants things done, and of the rest what reads like an order. Once a person
// approves an entry, sessions read it, and its first sentence becomes a lesson.
type Queue struct{}

func (e *entry) id() string { return e.kind + "-" + strings.TrimSuffix(path.Base(e.path), ".md") }

// ListPending lists the pending entries, feedback first, then by name.
func (Queue) ListPending(m *repo.Memory) (list []proposal.Proposal, problems []proposal.Problem, err error) {
	s, err := loadStore(m)
	if err != nil {
		return nil, nil, err
	}
	for _, kind := range types {
		for _, path := range slices.Sorted(maps.Keys(s.entries)) {
			if e := s.entries[path]; e.kind == kind && e.status == Pending {
				list = append(list, e.Proposal())
			}
		}
	}
	return list, s.problems, nil
}

// Proposal returns the entry as it is listed.
func (e *entry) Proposal() proposal.Proposal {
	s, name, about := e.s, nameOf(e.file), descriptionOf(e.file)
	p := proposal.Proposal{
		ID: e.id(), Kind: proposal.Feedback, Title: name, Text: strings.TrimSpace(e.file.Body()) + "\n", Files: []string{e.path},
		Domain: topic.Domain(e.file.Value("domain")), Tags: topic.Tags(e.file.List("tags")),
	}
	if about != "" && about != name {
		p.Notes = append(p.Notes, "about: "+about)
	}
	for _, o := range e.origins {
		p.From = append(p.From, o.path)
	}
	p.Notes = append(p.Notes, "from: "+e.file.Value(cwdField))
	p.Notes = append(p.Notes, listWarnings(name+"\n"+about+"\n"+e.file.Body())...)
	old := s.replacedBy(e)
	if old != nil {
		p.Files = []string{old.path, e.path}
		p.Notes = append(p.Notes, fmt.Sprintf("it would replace %s:", old.path))
		p.Notes = append(p.Notes, diffLines(old.file.Body(), e.file.Body())...)
	}
	said := opposite.Lesson{Text: firstSentence(e.file.Body()), Seen: s.m.Now()}
	for _, path := range slices.Sorted(maps.Keys(s.entries)) {
		if o := s.entries[path]; o != old && o.kind == e.kind && o.status == active &&
			len(opposite.Find([]opposite.Lesson{said, {Text: firstSentence(o.file.Body())}})) > 0 {
			p.Notes = append(p.Notes, "it says the opposite of "+o.path)
		}
	}
	return p
}

// replacedBy returns the active entry that e is a new version of; nil if there
// is none.
func (s *store) replacedBy(e *entry) *entry {
	for _, o := range s.versions[e.group] {
		if o != e && o.status == active {
			return o
		}
	}
	return nil
}

// Find returns the pending entry with this id.
func (Queue) Find(m *repo.Memory, id string) (proposal.Pending, error) {
	p, err := findEntry(m, id)
	if err == nil && p.status != Pending {
		err = fmt.Errorf("%s is %s: %w", id, p.status, proposal.ErrDecided)
	}
	return p, err
}

func findEntry(m *repo.Memory, id string) (*entry, error) {
	s, err := loadStore(m)
	if err != nil {
		return nil, err
	}
	for _, e := range s.entries {
		if e.kind != "" && e.id() == id {
			return e, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", id, proposal.ErrUnknown)
}

// write writes the entry. The message says so with a verb, and marks the entry in
// its body.
func (e *entry) write(verb, mark string) (repo.Message, error) {
	err := e.s.m.KeepFile(e.path, e.file.Bytes())
	if errors.Is(err, repo.ErrSecret) {
		err = fmt.Errorf("%w: %w", err, proposal.ErrInvalid)
	}
	return repo.Message{Subject: fmt.Sprintf("memory(%s): %s %s", e.kind, verb, nameOf(e.file)), Body: []string{mark + " " + e.path}}, err
}

// Reopen makes an entry pending again that was turned down. A pending one is
// left as it is.
func (Queue) Reopen(m *repo.Memory, id string) (repo.Message, error) {
	p, err := findEntry(m, id)
	switch {
	case err != nil || p.status == Pending:
		return repo.Message{}, err
	case p.status != Rejected:
		return repo.Message{}, fmt.Errorf("%s is %s: %w", id, p.status, proposal.ErrDecided)
	}
	p.file.Set(statusField, string(Pending))
	p.file.Delete(reasonField)
	return p.write("reopen", "~")
}

// Approve makes an entry one that sessions read. A new version takes the place
// of the old one.
func (e *entry) Approve(d proposal.Decision) (repo.Message, error) {
	if d.Title != "" {
		e.file.Set("name", words.FoldSpace(d.Title))
	}
	if strings.TrimSpace(d.Text) != "" {
		e.file.SetBody("\n" + strings.TrimSpace(d.Text) + "\n")
	}
	e.file.Set(statusField, string(active))
	verb, mark, from := "add", "+", e.path
	if old := e.s.replacedBy(e); old != nil {
		if err := e.s.m.RemoveFile(e.path); err != nil {
			return repo.Message{}, err
		}
		verb, mark = "replace", "~"
		e.path = old.path
		e.addOrigins(old.origins...)
	}
	msg, err := e.write(verb, mark)
	if err != nil {
		return repo.Message{}, err
	}
	if e.path != from {
		msg.Body = append(msg.Body, "- "+from)
	}
	if e.kind == feedbackType {
		for _, change := range e.s.m.Learn(lessonOf(e)) {
			msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Item", Value: e.s.m.Index.Items[change.Pos].ID})
		}
	}
	return msg, nil
}

// Reject keeps an entry as one that was turned down: the same text is not
// proposed again. Claude Code's file is left in place.
func (e *entry) Reject(d proposal.Decision) (repo.Message, error) {
	e.file.Set(statusField, string(Rejected))
	if reason := words.FoldSpace(d.Reason); reason != "" {
		e.file.Set(reasonField, reason)
	}
	return e.write("reject", "-")
}

// ReadDraft returns the file of the entry.
func (e *entry) ReadDraft() ([]byte, error) { return e.file.Bytes(), nil }

// ApplyEdit takes the edited file of the entry back. Its type cannot be edited, nor
// what says where it came from.
func (e *entry) ApplyEdit(draft []byte) (repo.Message, error) {
	f, err := checkDraft(e, draft)
	if err != nil {
		return repo.Message{}, fmt.Errorf("%w: %w", err, proposal.ErrInvalid)
	}
	f.Set(editedField, timestamp(e.s.m.Now()))
	e.file = f
	return e.write("edit", "~")
}

// checkDraft reads an edited file. The error says why it cannot be the file of
// an entry.
func checkDraft(e *entry, draft []byte) (*frontmatter.File, error) {
	f, err := frontmatter.Parse(draft)
	if err != nil {
		return nil, err
	}
	kind, err := typeOf(f)
	switch {
	case err != nil:
		return nil, err
	case nameOf(f) == "":
		return nil, errors.New("it has no name")
	case len(draft) > maxNote:
		return nil, errors.New("it is larger than 256 KiB")
	case kind != e.kind:
		return nil, fmt.Errorf("its type was %s", e.kind)
	}
	for _, name := range ownFields {
		was, had := e.file.Get(name)
		if is, has := f.Get(name); is != was || has != had {
			return nil, fmt.Errorf("the field %s says where it came from", name)
		}
	}
	return f, nil
}

// maxLesson is how long a lesson may be, in characters.
const maxLesson = 240

// lessonOf returns what an approved entry says in one sentence. Its origin is the
// person, who said it to the agent and approved how the agent put it.
func lessonOf(e *entry) facts.Fact {
	said := firstSentence(e.file.Body())
	if !fitsLesson(said) {
		said = firstSentence(descriptionOf(e.file))
	}
	if !fitsLesson(said) {
		return facts.Fact{}
	}
	text := words.TurnNegation(said)
	no := text != said
	l := index.Lesson{
		Text: text, Origin: index.OriginUser,
		Domain: topic.Domain(e.file.Value("domain")), Tags: topic.Tags(e.file.List("tags")),
		Source: index.Source{Trace: "memory:" + e.path, Session: fieldOf(e.file, "originSessionId"), Span: e.file.Value(pathField)},
	}
	if domain, tags := topic.File(text, no); l.Domain == "" {
		l.Domain = domain
		if len(l.Tags) == 0 {
			l.Tags = tags
		}
	}
	if no {
		return facts.Fact{Mistakes: []index.Lesson{l}}
	}
	return facts.Fact{Fixes: []index.Lesson{l}}
}

// fitsLesson reports whether a sentence may be a lesson. One that ends in a colon
// only announces others.
func fitsLesson(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= maxLesson && !strings.HasSuffix(s, ":")
}

// firstSentence returns the first sentence of a text without marks of emphasis and its
// point.
func firstSentence(text string) string {
	text = strings.NewReplacer("**", "", "__", "").Replace(learning.FirstParagraph(guard.Scrub(text)))
	return strings.TrimRight(learning.FirstSentence(strings.TrimLeft(text, "-*+> ")), ".!?。！？")
}

// maxDiff is how many lines of a difference are shown.
const maxDiff = 40

// diffLines shows the lines that a new text takes out and adds.
func diffLines(from, to string) (list []string) {
	clean := func(s string) []byte { return []byte(strings.TrimSpace(strings.ReplaceAll(s, "\r", "")) + "\n") }
	_, text, _ := strings.Cut(string(diff.Diff("", clean(from), "", clean(to))), "\n@@")
	for line := range strings.Lines(text) {
		if line[0] == '-' || line[0] == '+' {
			list = append(list, line[:1]+" "+strings.TrimRight(line[1:], "\n"))
		}
	}
	if more := len(list) - maxDiff; more > 0 {
		list = append(list[:maxDiff], fmt.Sprintf("and %d more lines", more))
	}
	return list
}
