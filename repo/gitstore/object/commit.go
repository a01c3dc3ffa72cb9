package object

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// An Identity is who a commit is by.
type Identity struct{ Name, Email string }

// A Commit is one step of the history.
type Commit struct {
	Hash     Hash
	Tree     Hash
	Parents  []Hash
	Author   Identity
	When     time.Time // of the committer, in UTC
	Authored time.Time // of the author; another time than When for one that git copied, as in a rebase
	Message  string
}

// Subject is the first line of the message.
func (c Commit) Subject() string {
	subject, _, _ := strings.Cut(c.Message, "\n")
	return subject
}

// Trailers returns the values of the "Key: value" lines in the last
// paragraph of the message, in order.
func (c Commit) Trailers() map[string][]string {
	message := strings.TrimRight(c.Message, "\n")
	last := message[strings.LastIndex(message, "\n\n")+1:]
	trailers := map[string][]string{}
	for line := range strings.Lines(last) {
		key, value, ok := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		if ok && key != "" && !strings.ContainsAny(key, " \t") {
			trailers[key] = append(trailers[key], value)
		}
	}
	return trailers
}

// EncodeCommit returns the content of a commit object. Its Hash and Authored do not count.
func EncodeCommit(c Commit) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	for _, p := range c.Parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	by := Signature(c.Author, c.When)
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", by, by, strings.TrimRight(c.Message, "\n")+"\n")
	return b.Bytes()
}

// Signature says who did something when. Git knows no time before 1970.
func Signature(who Identity, when time.Time) string {
	return fmt.Sprintf("%s <%s> %d +0000", who.Name, who.Email, max(0, when.Unix()))
}

// ParseCommit reads the content of the commit object h.
func ParseCommit(h Hash, data []byte) (Commit, error) {
	c := Commit{Hash: h}
	head, message, _ := strings.Cut(string(data), "\n\n")
	c.Message = message
	for line := range strings.Lines(head) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), " ")
		switch key {
		case "tree":
			c.Tree, _ = ParseHash(value)
		case "parent":
			parent, ok := ParseHash(value)
			if !ok {
				return Commit{}, fmt.Errorf("%w: commit %s has the parent %q", ErrDamaged, h, value)
			}
			c.Parents = append(c.Parents, parent)
		case "author":
			c.Author, c.Authored = parseSignature(value)
		case "committer":
			_, c.When = parseSignature(value)
		}
	}
	if c.Tree.IsZero() {
		return Commit{}, fmt.Errorf("%w: commit %s has no tree", ErrDamaged, h)
	}
	return c, nil
}

func parseSignature(s string) (Identity, time.Time) {
	name, rest, _ := strings.Cut(s, " <")
	email, date, _ := strings.Cut(rest, "> ")
	seconds, _, _ := strings.Cut(date, " ")
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return Identity{name, email}, time.Time{}
	}
	return Identity{name, email}, time.Unix(n, 0).UTC()
}
