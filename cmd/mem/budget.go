package main

import (
	"encoding/json"
	"fmt"
	"time"

	"mem/oracle"
	"mem/repo"
)

// A meter counts what is asked of models for one memory in a day (UTC), and
// stops at the configured limits.
//
// The count is in the memory's private folder, read anew for every question.
// Two processes at the same moment may both ask the last question: the limits
// are there to keep a bill small, not to be exact. Before there is a memory the
// count is in this process alone, until use.
type meter struct {
	calls, tokens int // limits; 0 is none
	today         string
	root          *repo.Root // nil before there is one
	waiting       dayCount   // not yet in a root
}

// A dayCount is what was asked in a day.
type dayCount struct {
	Day    string `json:"day"`
	Calls  int    `json:"calls"`
	Tokens int    `json:"tokens"`
}

// newMeter returns the meter for now, the time of the clock: a command that
// runs as if at another time costs money today.
func newMeter(calls, tokens int, now time.Time) *meter {
	return &meter{calls: calls, tokens: tokens, today: now.UTC().Format(time.DateOnly)}
}

// limited reports whether there is a limit at all.
func (m *meter) limited() bool { return m.calls > 0 || m.tokens > 0 }

// use keeps the count in root from now on.
func (m *meter) use(root *repo.Root) {
	m.root = root
	if root != nil && (m.waiting.Calls > 0 || m.waiting.Tokens > 0) {
		add := m.waiting
		m.waiting = dayCount{}
		m.add(add.Calls, add.Tokens)
	}
}

// read returns what was asked today. A count that cannot be read is none: it
// must not keep anybody from working.
func (m *meter) read() dayCount {
	if m.root == nil {
		return dayCount{m.today, m.waiting.Calls, m.waiting.Tokens}
	}
	data, err := m.root.Kept(repo.NoteCount)
	if err != nil {
		data = nil
	}
	return m.decode(data)
}

// decode returns the count in a note, if it is today's.
func (m *meter) decode(note []byte) dayCount {
	var c dayCount
	if json.Unmarshal(note, &c) != nil || c.Day != m.today {
		return dayCount{Day: m.today}
	}
	return c
}

// spent says which limit is reached, or "".
func (m *meter) spent() string {
	c := m.read()
	switch {
	case m.calls > 0 && c.Calls >= m.calls:
		return fmt.Sprintf("%d of %d calls today", c.Calls, m.calls)
	case m.tokens > 0 && c.Tokens >= m.tokens:
		return fmt.Sprintf("about %d of %d tokens today", c.Tokens, m.tokens)
	}
	return ""
}

// Take counts one question.
func (m *meter) Take() error {
	if why := m.spent(); why != "" {
		return fmt.Errorf("%s: %w", why, oracle.ErrSpent)
	}
	return m.add(1, 0)
}

// Spend counts tokens. What cannot be counted was spent all the same.
func (m *meter) Spend(tokens int) { _ = m.add(0, tokens) }

func (m *meter) add(calls, tokens int) error {
	if m.root == nil {
		m.waiting.Calls += calls
		m.waiting.Tokens += tokens
		return nil
	}
	err := m.root.Amend(repo.NoteCount, func(old []byte) []byte {
		c := m.decode(old)
		c.Calls += calls
		c.Tokens += tokens
		data, err := json.Marshal(c)
		if err != nil {
			panic(err) // numbers and a date
		}
		return data
	})
	if err != nil && m.limited() {
		return fmt.Errorf("the budget cannot be kept: %w", err)
	}
	return nil // without a limit the count is a convenience
}
