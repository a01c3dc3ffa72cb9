package imported

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"mem/curate/proposal"
	"mem/frontmatter"
	"mem/index"
	"mem/repo"
	"mem/topic"
	"mem/words"
)

// Queue holds the pending entries: all that the agent noted of how the person
// wants things done, and of the rest what reads like an order. Once a person
// approves an entry, sessions read it, and its first sentence becomes a lesson.
type Queue struct{}

var _ proposal.Queue = Queue{}

// id returns the id of the proposal of an entry.
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

// proposalOf shows a pending entry.
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
		p.Notes = append(p.Notes, diffLines(old.file.Body(), e.file.Body())...)
	}
	p.Notes = append(p.Notes, s.similarTo(e, old)...)
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

// maxSimilar is how many entries are shown beside a pending one.
const maxSimilar = 3

// similarTo names the active entries of the same type that a person should look
// at before approving e: one that says the very opposite first, then those that
// have two tags, or two terms in code, in common with it.
func (s *Store) similarTo(e, old *entry) (notes []string) {
	text, no := openingOf(e.file.Body())
	for _, path := range slices.Sorted(maps.Keys(s.entries)) {
		o := s.entries[path]
		if o == e || o == old || o.kind != e.kind || o.status != Active {
			continue
		}
		other, otherNo := openingOf(o.file.Body())
		switch {
		case text != "" && no != otherNo && index.Key(text) == index.Key(other):
			notes = append([]string{"it says the opposite of " + o.path}, notes...)
		case countCommon(topic.Tags(e.file.List("tags")), topic.Tags(o.file.List("tags"))) >= 2,
			countCommon(codeTerms(e.file.Body()), codeTerms(o.file.Body())) >= 2:
			notes = append(notes, "it may be about the same as "+o.path+": "+o.name())
		}
	}
	return notes[:min(len(notes), maxSimilar)]
}

// codeTerms returns what stands between backticks in a text, each once.
func codeTerms(text string) (terms []string) {
	for i, part := range strings.Split(text, "`") {
		if part = strings.TrimSpace(part); i%2 == 1 && part != "" && !strings.Contains(part, "\n") && !slices.Contains(terms, part) {
			terms = append(terms, part)
		}
	}
	return terms
}

func countCommon(a, b []string) (n int) {
	for _, t := range a {
		if slices.Contains(b, t) {
			n++
		}
	}
	return n
}

// findByID returns the entry with this id, which must have this status.
func (s *Store) findByID(id, status string) (*entry, error) {
	for _, e := range s.entries {
		if e.kind == "" || e.id() != id {
			continue
		}
		if e.status != status {
			return nil, fmt.Errorf("%s is %s: %w", id, e.status, proposal.ErrDecided)
		}
		return e, nil
	}
	return nil, fmt.Errorf("%s: %w", id, proposal.ErrUnknown)
}

// decide lets f change the entry with this id, and writes it. The message says
// so with a verb, and marks the entry in its body.
func decide(m *repo.Memory, id, status string, f func(*Store, *entry) (verb, mark string, err error)) (*entry, repo.Message, error) {
	s, err := LoadStore(m)
	if err != nil {
		return nil, repo.Message{}, err
	}
	e, err := s.findByID(id, status)
	if err != nil {
		return nil, repo.Message{}, err
	}
	verb, mark, err := f(s, e)
	if err != nil {
		return nil, repo.Message{}, err
	}
	if err := m.Keep(e.path, e.file.Bytes()); errors.Is(err, repo.ErrSecret) {
		return nil, repo.Message{}, fmt.Errorf("%w: %w", err, proposal.ErrInvalid)
	} else if err != nil {
		return nil, repo.Message{}, err
	}
	return e, repo.Message{Subject: fmt.Sprintf("memory(%s): %s %s", e.kind, verb, e.name()), Body: []string{mark + e.path}}, nil
}

// Approve makes an entry one that sessions read. A new version takes the place
// of the old one.
func (Queue) Approve(m *repo.Memory, id string, d proposal.Decision) (repo.Message, error) {
	from := ""
	e, msg, err := decide(m, id, Pending, func(s *Store, e *entry) (verb, mark string, err error) {
		if d.Title != "" {
			e.file.Set("name", words.FoldSpace(d.Title))
		}
		if strings.TrimSpace(d.Text) != "" {
			e.file.SetBody("\n" + strings.TrimSpace(d.Text) + "\n")
		}
		e.file.Set(statusField, Active)
		e.file.Delete(revisesField)
		old := s.replacedBy(e)
		if old == nil {
			return "add", "+ ", nil
		}
		if err := m.Remove(e.path); err != nil {
			return "", "", err
		}
		from, e.path, e.origins = e.path, old.path, append(e.origins, old.origins...)
		e.listOrigins()
		return "replace", "~ ", nil
	})
	if err != nil {
		return repo.Message{}, err
	}
	if from != "" {
		msg.Body = append(msg.Body, "- "+from)
	}
	if e.kind == feedbackType {
		for _, change := range m.Learn(lessonOf(e)) {
			msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Item", Value: m.Index.Items[change.Pos].ID})
		}
	}
	return msg, nil
}

// Reject keeps an entry as one that was turned down: the same text is not
// proposed again. Claude Code's file is left in place.
func (Queue) Reject(m *repo.Memory, id string, d proposal.Decision) (repo.Message, error) {
	_, msg, err := decide(m, id, Pending, func(_ *Store, e *entry) (verb, mark string, err error) {
		e.file.Set(statusField, Rejected)
		if reason := words.FoldSpace(d.Reason); reason != "" {
			e.file.Set(reasonField, reason)
		}
		return "reject", "- ", nil
	})
	return msg, err
}

// Reopen makes an entry pending again that was turned down. A pending one is
// left as it is.
func (q Queue) Reopen(m *repo.Memory, id string) (repo.Message, error) {
	if _, err := q.ReadDraft(m, id); err == nil {
		return repo.Message{}, nil
	}
	_, msg, err := decide(m, id, Rejected, func(_ *Store, e *entry) (verb, mark string, err error) {
		e.file.Set(statusField, Pending)
		e.file.Delete(reasonField)
		return "reopen", "~ ", nil
	})
	return msg, err
}

// ReadDraft returns the file of a pending entry.
func (Queue) ReadDraft(m *repo.Memory, id string) ([]byte, error) {
	s, err := LoadStore(m)
	if err != nil {
		return nil, err
	}
	e, err := s.findByID(id, Pending)
	if err != nil {
		return nil, err
	}
	return e.file.Bytes(), nil
}

// ApplyEdit takes the edited file of a pending entry back. Its type cannot be edited,
// nor what says where it came from.
func (Queue) ApplyEdit(m *repo.Memory, id string, draft []byte) (repo.Message, error) {
	_, msg, err := decide(m, id, Pending, func(_ *Store, e *entry) (verb, mark string, err error) {
		f, err := checkDraft(e, draft)
		if err != nil {
			return "", "", fmt.Errorf("%w: %w", err, proposal.ErrInvalid)
		}
		f.Set(editedField, timestamp(m.Now()))
		e.file = f
		return "edit", "~ ", nil
	})
	return msg, err
}

// checkDraft reads an edited file. The error says why it cannot be the file of
// an entry.
func checkDraft(e *entry, draft []byte) (*frontmatter.File, error) {
	f, err := frontmatter.Parse(draft)
	if err != nil {
		return nil, err
	}
	switch kind, err := typeOf(f); {
	case nameOf(f) == "":
		return nil, errors.New("it has no name")
	case len(draft) > MaxNote:
		return nil, errors.New("it is larger than 256 KiB")
	case err != nil:
		return nil, err
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
