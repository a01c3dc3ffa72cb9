package guard

import (
	"mem/guard/secret"
	"mem/words"
)

// Scrub returns s as it may be kept and shown: without characters that a person
// cannot see, and with a mark in place of each secret. It is the one gate that
// every text passes, because the order matters: an invisible character inside a
// secret hides it.
func Scrub(s string) string {
	s, _ = secret.Redact(Clean(s))
	return s
}

// Line is Scrub on one line: what a value goes through that is printed in a
// list, a table or a sentence.
func Line(s string) string { return words.FoldSpace(Scrub(s)) }

// CountSecrets returns how many secrets Scrub would take out of s.
func CountSecrets(s string) int {
	_, n := secret.Redact(Clean(s))
	return n
}
