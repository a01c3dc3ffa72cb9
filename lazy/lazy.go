// Package lazy holds regular expressions that are compiled when they are first
// used. Most runs of mem need none of them, and a hook must start fast.
package lazy

import (
	"regexp"
	"sync"
)

// A Regexp is a regular expression that may not be compiled yet.
type Regexp struct {
	expr     string
	once     sync.Once
	re       *regexp.Regexp
	parsed   sync.Once
	literals []string // one of which is in each match, in small letters; nil if that is not known
}

// New returns the expression expr without compiling it. In a variable of a
// package it costs nothing at start.
func New(expr string) *Regexp { return &Regexp{expr: expr} }

// Get returns the compiled expression. It panics on the first call if the
// expression is wrong.
func (r *Regexp) Get() *regexp.Regexp {
	r.once.Do(func() { r.re = regexp.MustCompile(r.expr) })
	return r.re
}

// Matches reports whether the expression matches a part of text.
func (r *Regexp) Matches(text string) bool { return r.MatchesLowered(text, Lower(text)) }

// MatchesLowered is Matches for a text of which Lower(text) is known already.
func (r *Regexp) MatchesLowered(text, lower string) bool {
	return r.mayMatch(lower) && r.Get().MatchString(text)
}
