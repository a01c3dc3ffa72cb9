// Package lazy holds regular expressions that are compiled when they are first
// used. Most runs of mem need none of them, and a hook must start fast.
package lazy

import (
	"regexp"
	"sync"
)

// A Regexp is a regular expression that may not be compiled yet.
type Regexp struct{ compiled func() *regexp.Regexp }

// New returns the expression expr without compiling it. In a variable of a
// package it costs nothing at start.
func New(expr string) *Regexp {
	return &Regexp{sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(expr) })}
}

// Get returns the compiled expression. It panics if the expression is wrong.
func (r *Regexp) Get() *regexp.Regexp { return r.compiled() }

// Matches reports whether the expression matches a part of text.
func (r *Regexp) Matches(text string) bool { return r.Get().MatchString(text) }
