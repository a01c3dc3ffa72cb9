// Package guard keeps three things out of a memory: characters nobody sees,
// secrets, and text that tries to give orders.
//
//   - [Clean] removes invisible and terminal-controlling characters.
//   - [Redact] replaces secrets by [redacted:family].
//   - [Secretive] and [SecretiveCommand] name sources that are left out
//     whole, because redaction alone is not trusted with them.
//   - [Lint] names what makes a lesson read as an instruction to fetch, run,
//     hide or disable something.
//
// The order that works is Clean, then Redact, then Lint: a zero-width space
// inside a token hides it from Redact, and Clean takes it out.
//
// All of it is pure: no files, no network, no clock, and the same text gives
// the same answer. Guard leaves to its callers what happens next (a lesson
// with a problem is quarantined by reflect, a blob with a secret is refused by
// repo), who is trusted, and how long a text may be.
package guard
