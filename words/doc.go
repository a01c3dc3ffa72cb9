// Package words knows how people write: which characters are white space, which
// words say nothing by themselves, how a word ends, and where one ends and the
// next begins. Scoring, aligning, comparing and filing lessons build on it.
//
// It is one home, not yet one behaviour. Where two readers of the same text
// differ, each variant says who uses it and why it is not the other one.
//
// The package is pure, imports nothing of mem, and may be imported by all of it.
package words
