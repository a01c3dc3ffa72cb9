// Package guard keeps three things out of a memory: characters that a person
// cannot see, secrets, and text that tries to give orders.
//
//   - [Scrub] is the one gate for text: it removes invisible characters, then
//     replaces secrets by [redacted:family]. [Line] does so on one line.
//   - [HoldsSecrets] and [PrintsSecrets] name sources that are left out
//     whole, because redaction alone is not trusted with them.
//   - [Lint] names what makes a lesson read as an instruction to fetch, run,
//     hide or disable something.
//
// All of it is pure: no files, no network, no clock, and the same text gives
// the same answer. Guard leaves to its callers what happens next (a lesson
// with a problem is quarantined by reflect, a blob with a secret is refused by
// repo), whom to trust, and how long a text may be.
package guard
