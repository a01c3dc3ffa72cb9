package render

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// The fence around what mem gives a session to read. It carries a number that
// nobody who wrote the text could know, so that no text can close it.
const (
	fenceOpen  = "<mem-notes "
	fenceClose = "</mem-notes "
)

// Fence wraps text for a session. The same text under the same seed, such as
// the session's id and the time, gives the same fence.
func Fence(text, seed string) string {
	sum := sha256.Sum256([]byte(seed + "\x00" + text))
	nonce := hex.EncodeToString(sum[:8])
	return fenceOpen + nonce + ">\n" + text + fenceClose + nonce + ">\n"
}

// StripFenced removes what Fence wrapped, wherever it stands in s, so that
// mem never learns from its own words. A fence that is not closed, because
// the text was cut, reaches to the end.
func StripFenced(s string) string {
	for {
		start := strings.Index(s, fenceOpen)
		if start < 0 {
			return s
		}
		rest := s[start+len(fenceOpen):]
		nonce, body, ok := strings.Cut(rest, ">")
		if !ok || !isNonce(nonce) {
			// Not ours: step over it, keeping the text.
			return s[:start+len(fenceOpen)] + StripFenced(rest)
		}
		_, after, closed := strings.Cut(body, fenceClose+nonce+">")
		if !closed {
			return s[:start]
		}
		s = s[:start] + strings.TrimPrefix(after, "\n")
	}
}

func isNonce(s string) bool {
	b, err := hex.DecodeString(s)
	return err == nil && len(b) == 8
}
