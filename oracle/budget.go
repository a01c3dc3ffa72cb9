package oracle

import (
	"context"
	"fmt"
	"time"

	"github.com/go-json-experiment/json"
)

// A Budget counts what models are asked in a day (UTC), and limits it.
//
// The count is kept in a note; without one nothing is counted. Two processes at the same moment may both ask the last
// question: the limits keep a bill small, they are not exact.
type Budget struct {
	MaxCalls, MaxTokens int // in a day; 0 means no limit

	today string
	read  func() ([]byte, error)
	amend func(f func(old []byte) []byte) error // nil before KeepIn
}

// spending counts a day's questions to models. Its JSON is the note.
type spending struct {
	Day    string `json:"day"` // as 2006-01-02
	Calls  int    `json:"calls"`
	Tokens int    `json:"tokens"`
}

// Spent counts today's questions to models, for one memory, with the limits.
type Spent struct {
	Calls     int `json:"calls"`
	MaxCalls  int `json:"maxCalls"` // 0 is any number
	Tokens    int `json:"tokens"`
	MaxTokens int `json:"maxTokens"` // 0 is any number
}

// NewBudget returns the budget for the day of now. That is the time of the
// clock: a command that runs as if at another time costs money today.
func NewBudget(maxCalls, maxTokens int, now time.Time) *Budget {
	return &Budget{MaxCalls: maxCalls, MaxTokens: maxTokens, today: now.UTC().Format(time.DateOnly)}
}

// HasLimit reports whether there is a limit at all.
func (b *Budget) HasLimit() bool { return b.MaxCalls > 0 || b.MaxTokens > 0 }

// KeepIn counts in a note from now on. amend replaces the note by what f makes of it, or of nothing: for all processes that share it, also those
// that count at the same time.
func (b *Budget) KeepIn(read func() ([]byte, error), amend func(f func(old []byte) []byte) error) {
	b.read, b.amend = read, amend
}

// SpentToday returns today's count. A count that cannot be read is zero: it must not stop anyone from working.
func (b *Budget) SpentToday() Spent {
	var s spending
	if b.amend != nil {
		note, _ := b.read()
		s = b.decode(note)
	}
	return Spent{s.Calls, b.MaxCalls, s.Tokens, b.MaxTokens}
}

// decode returns the count in a note, if it is today's.
func (b *Budget) decode(note []byte) (s spending) {
	if json.Unmarshal(note, &s) != nil || s.Day != b.today {
		return spending{Day: b.today}
	}
	return s
}

// String says for people what was spent.
func (s Spent) String() string {
	of := func(n, limit int) string {
		if limit > 0 {
			return fmt.Sprintf("%d of %d", n, limit)
		}
		return fmt.Sprint(n)
	}
	calls := "calls"
	if s.MaxCalls == 0 && s.Calls == 1 {
		calls = "call"
	}
	return fmt.Sprintf("%s %s and about %s tokens today (UTC)", of(s.Calls, s.MaxCalls), calls, of(s.Tokens, s.MaxTokens))
}

// limitReached says which limit is reached, as "2 of 2 calls today", or returns "".
func (b *Budget) limitReached() string {
	s := b.SpentToday()
	switch {
	case b.MaxCalls > 0 && s.Calls >= b.MaxCalls:
		return fmt.Sprintf("%d of %d calls today", s.Calls, b.MaxCalls)
	case b.MaxTokens > 0 && s.Tokens >= b.MaxTokens:
		return fmt.Sprintf("about %d of %d tokens today", s.Tokens, b.MaxTokens)
	}
	return ""
}

// takeCall counts one question. Its error wraps ErrSpent when there may be no more.
func (b *Budget) takeCall() error {
	if why := b.limitReached(); why != "" {
		return fmt.Errorf("%s: %w", why, ErrSpent)
	}
	return b.add(1, 0)
}

func (b *Budget) add(calls, tokens int) error {
	if b.amend == nil {
		return nil
	}
	err := b.amend(func(old []byte) []byte {
		s := b.decode(old)
		s.Calls += calls
		s.Tokens += tokens
		note, err := json.Marshal(s)
		if err != nil {
			panic(err) // numbers and a date
		}
		return note
	})
	if err != nil && b.HasLimit() {
		return fmt.Errorf("the budget cannot be kept: %w", err)
	}
	return nil // without a limit the count is a convenience
}

// A budgeted oracle counts every question, and refuses it with an error that wraps ErrSpent once
// a limit is reached. Tokens are those that the oracle reports, or else estimated.
type budgeted struct {
	Oracle
	budget *Budget
}

// Ask counts the question before it sends it, so that one that never ends counts too.
func (o budgeted) Ask(ctx context.Context, r Request) (string, error) {
	if err := o.budget.takeCall(); err != nil {
		return "", fmt.Errorf("not asked: %w", err)
	}
	tokens := 0
	r.Report = func(n int) { tokens += n }
	answer, err := o.Oracle.Ask(ctx, r)
	if tokens == 0 && err == nil { // a question that failed without a report is taken to have cost nothing
		tokens = Estimate(r.Text()) + Estimate(answer)
	}
	if tokens > 0 {
		_ = o.budget.add(0, tokens) // they were spent even if they cannot be counted
	}
	return answer, err
}
