package imported

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
	"mem/guard"
	"mem/index"
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
	s, err := LoadStore(m)
	if err != nil {
		return nil, nil, err
	}
	for _, kind := range Types {
		for _, path := range slices.Sorted(maps.Keys(s.entries)) {
			if e := s.entries[path]; e.kind == kind && e.status == Pending {
				list = append(list, s.proposalOf(e))
			}
		}
	}
	return list, s.Problems, nil
}

// maxDiff is how many lines of a difference are shown; 'mem review approve --dry-run' shows all.
const maxDiff = 40

func (s *Store) proposalOf(e *entry) proposal.Proposal {
	name, about := e.name(), descriptionOf(e.file)
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
	p.Notes = append(p.Notes, warningsIn(name+"\n"+about+"\n"+e.file.Body())...)
	old := s.replacedBy(e)
	if old != nil {
		p.Files = []string{old.path, e.path}
		p.Notes = append(p.Notes, fmt.Sprintf("it would replace %s:", old.path))
		was, is := strings.TrimSpace(old.file.Body()), strings.TrimSpace(e.file.Body())
		lines := strings.Split(strings.TrimSpace(string(diff.Diff(old.path, []byte(was+"\n"), e.path, []byte(is+"\n")))), "\n")
		p.Notes = append(p.Notes, lines[min(len(lines), 3):min(len(lines), maxDiff)]...) // without the names
	}
	p.Notes = append(p.Notes, s.contradicts(e, old)...)
	return p
}

// replacedBy returns the active entry that e is a new version of; nil if there
// is none.
func (s *Store) replacedBy(e *entry) *entry {
	for _, o := range s.versions[e.group] {
		if o != e && o.status == Active {
			return o
		}
	}
	return nil
}

// contradicts names the active entries of the same type that say the very opposite of e.
func (s *Store) contradicts(e, old *entry) (notes []string) {
	said := index.Saying{Text: firstSentence(e.file.Body()), Seen: s.m.Now()}
	for _, path := range slices.Sorted(maps.Keys(s.entries)) {
		o := s.entries[path]
		if o != e && o != old && o.kind == e.kind && o.status == Active && index.FindOutdone([]index.Saying{said, {Text: firstSentence(o.file.Body())}})[1] == 0 {
			notes = append(notes, "it says the opposite of "+o.path)
		}
	}
	return notes
}

type pendingEntry struct {
	*entry
	s *Store
}

// State returns what was decided.
func (p pendingEntry) State() string { return p.status }

// Proposal returns the entry as it is listed.
func (p pendingEntry) Proposal() proposal.Proposal { return p.s.proposalOf(p.entry) }

// Find returns the entry with this id.
func (Queue) Find(m *repo.Memory, id string) (proposal.Subject, error) {
	s, err := LoadStore(m)
	if err != nil {
		return nil, err
	}
	for _, e := range s.entries {
		if e.kind != "" && e.id() == id {
			return pendingEntry{e, s}, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", id, proposal.ErrUnknown)
}

// write writes the entry. The message says so with a verb, and marks the entry in
// its body.
func (p pendingEntry) write(verb, mark string) (repo.Message, error) {
	err := p.s.m.KeepFile(p.path, p.file.Bytes())
	if errors.Is(err, repo.ErrSecret) {
		err = fmt.Errorf("%w: %w", err, proposal.ErrInvalid)
	}
	return repo.Message{Subject: fmt.Sprintf("memory(%s): %s %s", p.kind, verb, p.name()), Body: []string{mark + " " + p.path}}, err
}

// Reopen makes an entry pending again that was turned down.
func (p pendingEntry) Reopen() (repo.Message, error) {
	p.file.Set(statusField, Pending)
	p.file.Delete(reasonField)
	return p.write("reopen", "~")
}

// Approve makes an entry one that sessions read. A new version takes the place
// of the old one.
func (p pendingEntry) Approve() (repo.Message, error) {
	p.file.Set(statusField, Active)
	p.file.Delete(revisesField)
	verb, mark, from := "add", "+", p.path
	if old := p.s.replacedBy(p.entry); old != nil {
		if err := p.s.m.RemoveFile(p.path); err != nil {
			return repo.Message{}, err
		}
		verb, mark = "replace", "~"
		p.path, p.origins = old.path, append(p.origins, old.origins...)
		p.listOrigins()
	}
	msg, err := p.write(verb, mark)
	if err != nil {
		return repo.Message{}, err
	}
	if p.path != from {
		msg.Body = append(msg.Body, "- "+from)
	}
	if p.kind == feedbackType {
		for _, change := range p.s.m.Learn(lessonOf(p.entry)) {
			msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Item", Value: p.s.m.Index.Items[change.Pos].ID})
		}
	}
	return msg, nil
}

// Reject keeps an entry as one that was turned down: the same text is not
// proposed again. Claude Code's file is left in place.
func (p pendingEntry) Reject(reason string) (repo.Message, error) {
	p.file.Set(statusField, Rejected)
	if reason = words.FoldSpace(reason); reason != "" {
		p.file.Set(reasonField, reason)
	}
	return p.write("reject", "-")
}

// Reword gives an entry another name or text. What a person reworded no later version replaces.
func (p pendingEntry) Reword(d proposal.Decision) (repo.Message, error) {
	before := string(p.file.Bytes())
	if d.Title != "" {
		p.file.Set("name", words.FoldSpace(d.Title))
	}
	if text := strings.TrimSpace(d.Text); text != "" && text != strings.TrimSpace(p.file.Body()) {
		p.file.SetBody("\n" + text + "\n")
	}
	data := p.file.Bytes()
	switch {
	case string(data) == before:
		return repo.Message{}, nil
	case len(data) > MaxNote:
		return repo.Message{}, fmt.Errorf("it is larger than 256 KiB: %w", proposal.ErrInvalid)
	}
	p.file.Set(editedField, timestamp(p.s.m.Now()))
	return p.write("edit", "~")
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
	text = guard.Scrub(text)
	var paragraph []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" && len(paragraph) > 0 {
			break
		}
		if line != "" && !strings.HasPrefix(line, "#") && strings.Trim(line, "-=_* ") != "" {
			paragraph = append(paragraph, line)
		}
	}
	text = words.FoldSpace(strings.NewReplacer("**", "", "__", "").Replace(strings.Join(paragraph, " ")))
	return strings.TrimRight(learning.FirstSentence(strings.TrimLeft(text, "-*+> ")), ".!?。！？")
}
