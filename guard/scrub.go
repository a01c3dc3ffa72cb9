package guard

import "mem/words"

// Scrub returns s as it may be kept and shown: free of characters that a person
// cannot see, then of secrets. It is the one gate that every text passes, because
// the order matters: an invisible character inside a secret hides it from Redact.
func Scrub(s string) string {
	s, _ = Clean(s)
	s, _ = Redact(s)
	return s
}

// Line is Scrub on one line: what a value goes through that is printed in a
// list, a table or a sentence.
func Line(s string) string { return words.FoldSpace(Scrub(s)) }

// CountSecrets returns how many secrets Scrub would take out of s.
func CountSecrets(s string) int {
	s, _ = Clean(s)
	_, n := Redact(s)
	return n
}
