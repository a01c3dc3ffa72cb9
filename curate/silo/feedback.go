package silo

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"mem/curate/proposal"
	"mem/frontmatter"
	"mem/index"
	"mem/repo"
	"mem/topic"
	"mem/words"
)

// Feedback is the desk of what was copied out of silos and waits for a yes:
// all that the agent noted of how the person wants things done, and of the rest
// what reads like an order. Approving it makes the entry one that sessions
// read, and its first sentence a lesson.
type Feedback struct{}

var _ proposal.Desk = Feedback{}

// id is what an entry waits under.
func (c *copied) id() string {
	return c.kind + "-" + strings.TrimSuffix(c.path[strings.LastIndexByte(c.path, '/')+1:], ".md")
}

// Pending lists what waits, feedback first, then by name.
func (Feedback) Pending(m *repo.Memory) (list []proposal.Proposal, problems []proposal.Problem, err error) {
	s, err := load(m)
	if err != nil {
		return nil, nil, err
	}
	for _, kind := range Types() {
		for _, path := range slices.Sorted(maps.Keys(s.all)) {
			if c := s.all[path]; c.kind == kind && c.status == pending {
				list = append(list, s.proposal(c))
			}
		}
	}
	return list, s.problems, nil
}

// proposal shows an entry that waits.
func (s *shelf) proposal(c *copied) proposal.Proposal {
	name, about := line(c.file, "name"), line(c.file, "description")
	p := proposal.Proposal{
		ID: c.id(), Kind: proposal.Feedback, Title: name, Text: strings.TrimSpace(c.file.Body()) + "\n", Files: []string{c.path},
		Domain: topic.Domain(first(c.file, "domain")), Tags: topic.Tags(c.file.List("tags")),
	}
	if about != "" && about != name {
		p.Notes = append(p.Notes, "about: "+about)
	}
	for _, from := range c.seen {
		p.From = append(p.From, from.path)
	}
	p.Notes = append(p.Notes, "from: "+first(c.file, fieldCwd))
	p.Notes = append(p.Notes, doubts(name+"\n"+about+"\n"+c.file.Body())...)
	old := s.revised(c)
	if old != nil {
		p.Files = []string{old.path, c.path}
		p.Notes = append(p.Notes, fmt.Sprintf("it would replace %s:", old.path))
		p.Notes = append(p.Notes, diff(old.file.Body(), c.file.Body())...)
	}
	p.Notes = append(p.Notes, s.near(c, old)...)
	return p
}

// revised is the active entry that c is a new version of; nil if there is none.
func (s *shelf) revised(c *copied) *copied {
	for _, o := range s.same[c.family()] {
		if o != c && o.status == active {
			return o
		}
	}
	return nil
}

// maxNear is how many entries are shown beside one that waits.
const maxNear = 3

// near names the active entries of the same type that a person should look at
// before saying yes: the very opposite, and those that have two tags, or two
// terms in code, in common.
func (s *shelf) near(c, old *copied) (notes []string) {
	text, no := opening(c.file.Body())
	for _, path := range slices.Sorted(maps.Keys(s.all)) {
		o := s.all[path]
		if o == c || o == old || o.kind != c.kind || o.status != active {
			continue
		}
		other, otherNo := opening(o.file.Body())
		switch {
		case text != "" && no != otherNo && index.Key(text) == index.Key(other):
			notes = append([]string{"it says the opposite of " + o.path}, notes...)
		case common(topic.Tags(c.file.List("tags")), topic.Tags(o.file.List("tags"))) >= 2, common(code(c.file.Body()), code(o.file.Body())) >= 2:
			notes = append(notes, "it may be about the same as "+o.path+": "+line(o.file, "name"))
		}
	}
	return notes[:min(len(notes), maxNear)]
}

// code returns what stands between backticks in a text, each once.
func code(text string) (terms []string) {
	for i, part := range strings.Split(text, "`") {
		if part = strings.TrimSpace(part); i%2 == 1 && part != "" && !strings.Contains(part, "\n") && !slices.Contains(terms, part) {
			terms = append(terms, part)
		}
	}
	return terms
}

func common(a, b []string) (n int) {
	for _, t := range a {
		if slices.Contains(b, t) {
			n++
		}
	}
	return n
}

// waiting returns the entry with this id, and the status that it must have.
func (s *shelf) waiting(id, status string) (*copied, error) {
	for _, c := range s.all {
		if c.kind == "" || c.id() != id {
			continue
		}
		if c.status != status {
			return nil, fmt.Errorf("%s is %s: %w", id, c.status, proposal.ErrDecided)
		}
		return c, nil
	}
	return nil, fmt.Errorf("%s: %w", id, proposal.ErrUnknown)
}

// decide loads the entry with this id, lets f change it, and writes it.
func decide(m *repo.Memory, id, status string, f func(*shelf, *copied) error) (*copied, error) {
	s, err := load(m)
	if err != nil {
		return nil, err
	}
	c, err := s.waiting(id, status)
	if err != nil {
		return nil, err
	}
	if err := f(s, c); err != nil {
		return nil, err
	}
	return c, keep(m, c)
}

func keep(m *repo.Memory, c *copied) error {
	err := m.Keep(c.path, c.file.Bytes())
	if errors.Is(err, repo.ErrSecret) {
		err = fmt.Errorf("%w: %w", err, proposal.ErrInvalid)
	}
	return err
}

// Approve makes an entry one that sessions read. A new version takes the place
// of the old one.
func (Feedback) Approve(m *repo.Memory, id string, d proposal.Decision) (repo.Message, error) {
	var name, from string
	c, err := decide(m, id, pending, func(s *shelf, c *copied) error {
		if d.Title != "" {
			c.file.Set("name", words.FoldSpace(d.Title))
		}
		if strings.TrimSpace(d.Text) != "" {
			c.file.SetBody("\n" + strings.TrimSpace(d.Text) + "\n")
		}
		c.file.Set(fieldStatus, active)
		c.file.Delete(fieldRevises)
		name, from = line(c.file, "name"), c.path
		if old := s.revised(c); old != nil {
			if err := m.Remove(c.path); err != nil {
				return err
			}
			c.seen, c.path = append(c.seen, old.seen...), old.path
			c.list()
		}
		return nil
	})
	if err != nil {
		return repo.Message{}, err
	}
	msg := repo.Message{Subject: fmt.Sprintf("memory(%s): add %s", c.kind, name), Body: []string{"+ " + c.path}}
	if c.path != from {
		msg.Subject = fmt.Sprintf("memory(%s): replace %s", c.kind, name)
		msg.Body = []string{"~ " + c.path, "- " + from}
	}
	if c.kind == "feedback" {
		for _, change := range m.Learn(lesson(c)) {
			msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Item", Value: m.Index.Items[change.Pos].ID})
		}
	}
	return msg, nil
}

// Reject keeps an entry as one that was turned down: the same text is not
// proposed again. The file in the silo stays.
func (Feedback) Reject(m *repo.Memory, id string, d proposal.Decision) (repo.Message, error) {
	c, err := decide(m, id, pending, func(_ *shelf, c *copied) error {
		c.file.Set(fieldStatus, rejected)
		if reason := words.FoldSpace(d.Reason); reason != "" {
			c.file.Set(fieldReason, reason)
		}
		return nil
	})
	if err != nil {
		return repo.Message{}, err
	}
	return repo.Message{Subject: fmt.Sprintf("memory(%s): reject %s", c.kind, line(c.file, "name")), Body: []string{"- " + c.path}}, nil
}

// Reopen lets an entry that was turned down wait again. One that waits is left
// as it is.
func (Feedback) Reopen(m *repo.Memory, id string) (repo.Message, error) {
	if _, err := (Feedback{}).Draft(m, id); err == nil {
		return repo.Message{}, nil
	}
	c, err := decide(m, id, rejected, func(_ *shelf, c *copied) error {
		c.file.Set(fieldStatus, pending)
		c.file.Delete(fieldReason)
		return nil
	})
	if err != nil {
		return repo.Message{}, err
	}
	return repo.Message{Subject: fmt.Sprintf("memory(%s): reopen %s", c.kind, line(c.file, "name")), Body: []string{"~ " + c.path}}, nil
}

// Draft returns the file of an entry that waits.
func (Feedback) Draft(m *repo.Memory, id string) ([]byte, error) {
	s, err := load(m)
	if err != nil {
		return nil, err
	}
	c, err := s.waiting(id, pending)
	if err != nil {
		return nil, err
	}
	return c.file.Bytes(), nil
}

// Edit takes the edited file of an entry that waits back. What says where it
// came from cannot be edited, nor its type.
func (Feedback) Edit(m *repo.Memory, id string, draft []byte) (repo.Message, error) {
	c, err := decide(m, id, pending, func(_ *shelf, c *copied) error {
		f, err := frontmatter.Parse(draft)
		if err != nil {
			return fmt.Errorf("%w: %w", err, proposal.ErrInvalid)
		}
		switch kind, err := typeOf(f); {
		case line(f, "name") == "":
			return fmt.Errorf("it has no name: %w", proposal.ErrInvalid)
		case len(draft) > maxEntry:
			return fmt.Errorf("it is larger than 256 KiB: %w", proposal.ErrInvalid)
		case err != nil:
			return fmt.Errorf("%w: %w", err, proposal.ErrInvalid)
		case kind != c.kind:
			return fmt.Errorf("its type was %s: %w", c.kind, proposal.ErrInvalid)
		}
		for _, name := range ownFields() {
			was, had := c.file.Get(name)
			if is, has := f.Get(name); is != was || has != had {
				return fmt.Errorf("the field %s says where it came from: %w", name, proposal.ErrInvalid)
			}
		}
		f.Set(fieldEdited, stamp(m.Now()))
		c.file = f
		return nil
	})
	if err != nil {
		return repo.Message{}, err
	}
	return repo.Message{Subject: fmt.Sprintf("memory(%s): edit %s", c.kind, line(c.file, "name")), Body: []string{"~ " + c.path}}, nil
}
