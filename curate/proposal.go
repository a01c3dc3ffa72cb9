package curate

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"mem/fault"
	"mem/render"
	"mem/repo"
)

// Errors that callers tell apart.
var (
	ErrNoProposal = fault.New(fault.Missing, "no pending proposal has this name", "'mem review' lists the pending proposals")
	ErrDecided    = fault.New(fault.Refused, "it has been decided already",
		"'mem review' lists pending proposals; what was rejected is proposed again after 'mem review reopen ID'")
	ErrInvalid = fault.New(fault.Refused, "it cannot be accepted as it is",
		"look at it with 'mem show ID'; give it other words with --title and --text, or with 'mem review edit ID'")
	ErrChanged = fault.New(fault.Later, "another program changed it meanwhile", "run the command again") // since the person saw it
)

// A Kind says what is proposed.
type Kind string

// The kinds, in the order in which people see them.
const (
	KindRule     Kind = "rule"        // a pattern among learnings, or more of one that is a rule already
	KindFeedback Kind = "feedback"    // what a person told another tool
	KindHeld     Kind = "quarantined" // a lesson that is held, or against which something speaks
)

// A Proposal is one thing that a person is asked to decide, in one form for all kinds: a rule, an imported memory, or a
// lesson that is held or contradicts another. Each kind has a Queue. Queues lists all that is pending, and carries out
// a decision, inside repo.Root.Settle.
type Proposal struct {
	ID    string   `json:"id"` // what commands take; it never changes and is never given again
	Kind  Kind     `json:"kind"`
	Title string   `json:"title"` // one line
	Text  string   `json:"text"`  // what would be agreed, as it would be kept
	Files []string `json:"files"` // of the memory that approving it would change, besides the index and the views
	From  []string `json:"from"`  // what it rests on: ids of lessons, paths of learnings or of foreign files
	Notes []string `json:"notes"` // what else speaks for it or against it, one line each

	Domain   string   `json:"domain"`
	Tags     []string `json:"tags"`
	Cohesion float64  `json:"cohesion"` // of a rule: the share of pairs of learnings that share tags; 0 if it has none

	Since  time.Time `json:"-"` // when it was proposed; zero if a person changed it or wanted it back
	Weight float64   `json:"-"` // what is shown first: how often its lessons were seen, and how lately
}

// patience is how long a proposal waits for a person.
const patience = 90 * 24 * time.Hour

// isFolded reports whether a proposal that was made at a time waited too long.
func isFolded(since, now time.Time) bool { return !since.IsZero() && now.Sub(since) > patience }

// A Verdict is a decision about a proposal.
type Verdict string

// The verdicts, in the words of what was done.
const (
	Approve Verdict = "approved"
	Reject  Verdict = "rejected" // for good
	Reopen  Verdict = "reopened" // what was rejected is pending again
	Edit    Verdict = "edited"   // it says something else, and is still pending
)

// A Decision is what a person decides about a proposal.
type Decision struct {
	ID     string
	Verb   Verdict
	Title  string    // of Approve and Edit: replaces the proposed one, unless it is ""
	Text   string    // the same of the text
	Domain string    // the same of the domain of a rule
	Reason string    // of Reject
	Seen   *Proposal // what the person saw; nothing else is approved or edited, unless it is nil
}

// A Problem is a file that was left alone, and why.
type Problem struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// A Queue holds the proposals of some kinds. Its methods are called inside Settle or on a view.
type Queue interface {
	// ListPending lists what is pending, in a fixed order.
	ListPending(m *repo.Memory) ([]Proposal, []Problem, error)
	// Find returns the proposal with an id. Of an id that is not its own the error wraps ErrNoProposal.
	Find(m *repo.Memory, id string) (Subject, error)
}

// Pending is the state of a subject that is not decided.
const Pending = "pending"

// A Subject is what a decision is about. Its methods change the memory in which it was found and return the message for
// the commit. Of a text that cannot be kept the error wraps ErrInvalid.
type Subject interface {
	// State is Pending, or what was decided: "rejected" or "retired" can be reopened.
	State() string
	// Proposal returns a pending one as it is listed.
	Proposal() Proposal
	// Reword gives it the title, text and domain of a decision. It is still pending. Without a
	// change the message is empty.
	Reword(d Decision) (repo.Message, error)
	// Approve makes what is proposed part of the rules, memories or lessons.
	Approve() (repo.Message, error)
	// Reject turns it down, for good.
	Reject(reason string) (repo.Message, error)
	// Reopen makes a rejected one pending again.
	Reopen() (repo.Message, error)
}

// Queues are several queues as one, in the order in which people see what waits.
// A decision goes to the queue that knows the id.
type Queues []Queue

// ListPending lists what waits in all queues, the weightiest of each first.
func (qs Queues) ListPending(m *repo.Memory) (list []Proposal, problems []Problem, err error) {
	for _, q := range qs {
		some, bad, err := q.ListPending(m)
		if err != nil {
			return nil, nil, err
		}
		slices.SortStableFunc(some, func(a, b Proposal) int { return cmp.Compare(b.Weight, a.Weight) })
		list, problems = append(list, some...), append(problems, bad...)
	}
	return list, problems, nil
}

// FoldOld returns the proposals that wait for a person, without those that have waited too long, and says how many these
// are; "" for none.
func FoldOld(list []Proposal, now time.Time) (waiting []Proposal, folded string) {
	waiting = slices.DeleteFunc(slices.Clone(list), func(p Proposal) bool { return isFolded(p.Since, now) })
	if n := len(list) - len(waiting); n > 0 {
		folded = render.Count(n, "older proposal is", "older proposals are") + " folded away: 'mem review --all'"
	}
	return waiting, folded
}

// find returns what has an id, in whatever state.
func (qs Queues) find(m *repo.Memory, id string) (Subject, error) {
	for _, q := range qs {
		if found, err := q.Find(m, id); !errors.Is(err, ErrNoProposal) {
			return found, err
		}
	}
	return nil, fmt.Errorf("%q: %w", id, ErrNoProposal)
}

// findPending returns the pending proposal with this id. If it is already decided the error wraps ErrDecided.
func (qs Queues) findPending(m *repo.Memory, id string) (Subject, error) {
	s, err := qs.find(m, id)
	if err == nil && s.State() != Pending {
		err = fmt.Errorf("%s is %s: %w", id, s.State(), ErrDecided)
	}
	return s, err
}

// FindPending returns the pending proposal with an id, as ListPending lists it.
func (qs Queues) FindPending(m *repo.Memory, id string) (Proposal, error) {
	s, err := qs.findPending(m, id)
	if err != nil {
		return Proposal{}, err
	}
	return s.Proposal(), nil
}

// Decide finds a proposal and carries out a person's decision. Reopening a pending one does nothing.
func (qs Queues) Decide(m *repo.Memory, d Decision) (msg repo.Message, err error) {
	if d.Verb == Reopen {
		switch s, err := qs.find(m, d.ID); {
		case err != nil || s.State() == Pending:
			return msg, err
		case s.State() == "rejected" || s.State() == "retired":
			return s.Reopen()
		}
	}
	s, err := qs.findPending(m, d.ID)
	switch {
	case err != nil:
		return msg, err
	case d.Verb == Reject:
		return s.Reject(d.Reason)
	case d.Seen != nil && !d.Seen.isSame(s.Proposal()):
		return msg, fmt.Errorf("%s: %w", d.ID, ErrChanged)
	case d.Title+d.Text+d.Domain != "":
		msg, err = s.Reword(d)
	}
	if err != nil || d.Verb == Edit {
		return msg, err
	}
	return s.Approve()
}

func (p *Proposal) isSame(o Proposal) bool {
	return p.Text == o.Text && p.Title == o.Title && p.Domain == o.Domain && slices.Equal(p.From, o.From)
}

const (
	draftDomain = "domain: "
	draftEnd    = "<!-- Only what is above this line is kept. -->"
)

// Draft returns the part that a person may edit, as Markdown: the domain of a rule, its title if it
// has one of its own, and its text. The arguments for and against it follow below.
func (p *Proposal) Draft() []byte {
	draft := strings.TrimSpace(p.Text) + "\n\n" + draftEnd + "\n\n" + p.ID + "\n" + strings.Join(p.Notes, "\n") + "\n"
	if p.Kind != KindHeld {
		draft = "# " + p.Title + "\n\n" + draft
	}
	if p.Kind == KindRule {
		draft = draftDomain + p.Domain + "\n\n" + draft
	}
	return []byte(draft)
}

// ReadDraft returns the decision to say what an edited draft says. The error wraps ErrInvalid.
func (p *Proposal) ReadDraft(draft []byte) (Decision, error) {
	d := Decision{ID: p.ID, Verb: Edit, Seen: p}
	text, _, hasEnd := strings.Cut(strings.ReplaceAll(string(draft), "\r\n", "\n"), draftEnd)
	text, hasTitle := strings.TrimSpace(text), true
	if p.Kind == KindRule {
		d.Domain, text, _ = strings.Cut(strings.TrimPrefix(text, draftDomain), "\n")
		d.Domain = strings.TrimSpace(d.Domain)
	}
	if p.Kind != KindHeld {
		text, hasTitle = strings.CutPrefix(strings.TrimSpace(text), "# ")
		d.Title, text, _ = strings.Cut(text, "\n")
		d.Title = strings.TrimSpace(d.Title)
		hasTitle = hasTitle && d.Title != ""
	}
	d.Text = strings.TrimSpace(text)
	if !hasTitle || d.Text == "" || !hasEnd || strings.Contains(p.Text, draftEnd) || !utf8.ValidString(text) {
		return d, fmt.Errorf("a draft has the title in a heading, a text, and the line %q after it: %w", draftEnd, ErrInvalid)
	}
	return d, nil
}
