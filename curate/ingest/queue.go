package ingest

import (
	"errors"
	"fmt"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/diff"

	"mem/curate"
	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/oracle/heuristic/speech"
	"mem/recall"
	"mem/render"
	"mem/repo"
	"mem/topic"
	"mem/words"
)

// Queue holds the pending entries: all that the agent noted of how the person wants things done, and of the rest what
// reads like an order. Once a person approves an entry, sessions read it, and its first sentence becomes a lesson.
type Queue struct{}

func (e *entry) id() string { return e.kind + "-" + strings.TrimSuffix(path.Base(e.path), ".md") }

// ListPending lists the pending entries, feedback first, then by name.
func (Queue) ListPending(m *repo.Memory) (list []curate.Proposal, problems []curate.Problem, err error) {
	s, err := loadStore(m, m.ReadFile)
	if err != nil {
		return nil, nil, err
	}
	for _, e := range s.entries {
		if e.status == Pending {
			list = append(list, e.Proposal())
		}
	}
	return list, s.problems, nil
}

// maxDiff is how many lines of a difference are shown; 'mem review approve --dry-run' shows all.
const maxDiff = 40

// State returns the decision.
func (e *entry) State() string { return string(e.status) }

// Proposal returns the entry as it is listed.
func (e *entry) Proposal() curate.Proposal {
	s, name, about := e.s, nameOf(e.file), descriptionOf(e.file)
	p := curate.Proposal{
		ID: e.id(), Kind: curate.KindFeedback, Title: name, Text: strings.TrimSpace(e.file.Body()) + "\n", Files: []string{e.path},
		Domain: topic.Domain(e.file.Value("domain")), Tags: topic.Tags(e.file.List("tags")),
	}
	if e.file.Value(editedField) == "" {
		p.Since, _ = time.Parse(time.RFC3339, e.file.Value(atField))
	}
	if about != "" && about != name {
		p.Notes = append(p.Notes, "about: "+about)
	}
	for _, o := range e.origins {
		p.From = append(p.From, o.path)
	}
	p.Notes = append(p.Notes, "from: "+e.file.Value(cwdField))
	for _, order := range guard.Lint(name + "\n" + about + "\n" + e.file.Body()) {
		p.Notes = append(p.Notes, fmt.Sprintf("it reads like an order or an attack (%s): %s", order.Rule, render.Shorten(words.FoldSpace(order.Text), 60)))
	}
	old := s.findActive(e.group)
	if old != nil {
		p.Files = []string{old.path, e.path}
		p.Notes = append(p.Notes, fmt.Sprintf("it would replace %s:", old.path))
		was, is := strings.TrimSpace(old.file.Body()), strings.TrimSpace(e.file.Body())
		lines := strings.Split(strings.TrimSpace(string(diff.Diff(old.path, []byte(was+"\n"), e.path, []byte(is+"\n")))), "\n")
		p.Notes = append(p.Notes, lines[min(len(lines), 3):min(len(lines), maxDiff)]...) // without the names
	}
	said := index.Saying{Text: firstSentence(e.file.Body()), Seen: s.m.Now()}
	for _, o := range s.entries {
		if o != e && o != old && o.kind == e.kind && o.status == active &&
			index.FindOutdone([]index.Saying{said, {Text: firstSentence(o.file.Body())}})[1] == 0 {
			p.Notes = append(p.Notes, "it says the opposite of "+o.path)
		}
	}
	return p
}

// Find returns the entry with this id.
func (Queue) Find(m *repo.Memory, id string) (curate.Subject, error) {
	s, err := loadStore(m, m.ReadFile)
	if err != nil {
		return nil, err
	}
	for _, e := range s.entries {
		if e.kind != "" && e.id() == id {
			return e, nil
		}
	}
	return nil, fmt.Errorf("%s: %w", id, curate.ErrNoProposal)
}

// write writes the entry. The message says so with a verb, and marks the entry in its body.
func (e *entry) write(verb, mark string) (repo.Message, error) {
	err := e.s.m.KeepFile(e.path, e.file.Bytes())
	if errors.Is(err, repo.ErrSecret) {
		err = fmt.Errorf("%[2]w: %[1]w", curate.ErrInvalid, err)
	}
	return repo.Message{Subject: fmt.Sprintf("memory(%s): %s %s", e.kind, verb, nameOf(e.file)), Body: []string{mark + " " + e.path}}, err
}

// Reopen makes an entry pending again that was turned down.
func (e *entry) Reopen() (repo.Message, error) {
	e.file.Set(statusField, string(Pending))
	e.file.Delete(reasonField)
	return e.write("reopen", "~")
}

// Approve makes an entry one that sessions read. A new version takes the place of the old one.
func (e *entry) Approve() (repo.Message, error) {
	e.file.Set(statusField, string(active))
	verb, mark, from := "add", "+", e.path
	if old := e.s.findActive(e.group); old != nil {
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
func (e *entry) Reject(reason string) (repo.Message, error) {
	e.file.Set(statusField, string(Rejected))
	if reason = words.FoldSpace(reason); reason != "" {
		e.file.Set(reasonField, reason)
	}
	return e.write("reject", "-")
}

// Reword gives an entry another name or text. What a person reworded no later version replaces.
func (e *entry) Reword(d curate.Decision) (repo.Message, error) {
	before := string(e.file.Bytes())
	if d.Title != "" {
		e.file.Set("name", words.FoldSpace(d.Title))
	}
	if text := strings.TrimSpace(d.Text); text != "" && text != strings.TrimSpace(e.file.Body()) {
		e.file.SetBody("\n" + text + "\n")
	}
	data := e.file.Bytes()
	switch {
	case string(data) == before:
		return repo.Message{}, nil
	case len(data) > maxNote:
		return repo.Message{}, fmt.Errorf("it is larger than 256 KiB: %w", curate.ErrInvalid)
	}
	e.file.Set(editedField, timestamp(e.s.m.Now()))
	return e.write("edit", "~")
}

// lessonOf returns the lesson of an approved entry, one sentence. Its origin is the
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
		Source: index.Source{Trace: "memory:" + e.path, Session: sessionOf(e.file), Span: e.file.Value(pathField)},
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

// fitsLesson reports whether a sentence may be a lesson. One that ends in a colon only announces others.
func fitsLesson(s string) bool {
	return s != "" && utf8.RuneCountInString(s) <= maxText && !strings.HasSuffix(s, ":")
}

// firstSentence returns the first sentence of a text without marks of emphasis and its point.
func firstSentence(text string) string {
	text = strings.NewReplacer("**", "", "__", "").Replace(curate.FirstParagraph(recall.PlainLinks(guard.Scrub(text))))
	return strings.TrimRight(speech.FirstSentence(strings.TrimLeft(text, "-*+> ")), ".!?。！？")
}
