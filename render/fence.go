package render

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// The fence around what mem gives a session to read. It carries a hash of the
// text, so that no text can hold the tag that closes its own fence.
const (
	fenceOpen  = "<mem-notes "
	fenceClose = "</mem-notes "
)

// Fence wraps text for a session. The same text under the same seed gives the same fence. A seed that is known, such as
// the paths of the memories, is enough: the hash covers the text itself.
func Fence(text, seed string) string {
	sum := sha256.Sum256([]byte(seed + "\x00" + text))
	nonce := hex.EncodeToString(sum[:nonceLen/2])
	return fenceOpen + nonce + ">\n" + text + fenceClose + nonce + ">\n"
}

// StripFenced removes what Fence wrapped, wherever it stands in s, so that mem never learns from its own words. A fence
// without its end, because the text was cut, reaches to the end of s; one without its beginning reaches from the start.
func StripFenced(s string) string {
	if !strings.Contains(s, fenceOpen) && !strings.Contains(s, fenceClose) {
		return s
	}
	b := []byte(s)
	kept, next := 0, 0 // b[:kept] is kept, b[next:] is still to be looked at
	for {
		i := bytes.IndexByte(b[next:], '<')
		if i < 0 {
			break
		}
		kept += copy(b[kept:], b[next:next+i])
		next += i
		switch rest := b[next:]; {
		case tagged(rest, fenceOpen):
			end := bytes.Index(rest, []byte(fenceClose+string(rest[len(fenceOpen):len(fenceOpen)+nonceLen])+">"))
			if next += end; end < 0 {
				next = len(b)
			} else {
				next += tagLen(rest[end:], fenceClose)
			}
		case tagged(rest, fenceClose):
			kept = 0
			next += tagLen(rest, fenceClose)
		default:
			b[kept] = '<'
			kept, next = kept+1, next+1
			continue
		}
		// What is kept may make another tag with what follows.
		back := min(kept, len(fenceClose)+nonceLen)
		copy(b[next-back:next], b[kept-back:kept])
		kept, next = kept-back, next-back
	}
	kept += copy(b[kept:], b[next:])
	return string(b[:kept])
}

const nonceLen = 16

func tagged(b []byte, tag string) bool {
	if !bytes.HasPrefix(b, []byte(tag)) || len(b) <= len(tag)+nonceLen || b[len(tag)+nonceLen] != '>' {
		return false
	}
	_, err := hex.Decode(make([]byte, nonceLen/2), b[len(tag):len(tag)+nonceLen])
	return err == nil
}

// tagLen is the length of the tag that b starts with and of its line end.
func tagLen(b []byte, tag string) int {
	n := len(tag) + nonceLen + len(">")
	if n < len(b) && b[n] == '\n' {
		n++
	}
	return n
}
