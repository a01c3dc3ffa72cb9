package gitstore

// This is the form of git's objects: how blobs, trees and commits are named, encoded and read.
//
// go-git names objects. Its own trees and commits are not used: a tree that it has read and writes
// again may have other modes, and with its commits comes all that checks their signatures.

import (
	"bytes"
	"cmp"
	"crypto"
	"crypto/sha1"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/hash"

	"mem/fault"
)

// ErrDamaged is wrapped when git's own data is not what git would have written.
var ErrDamaged = fault.New(fault.Damaged, "damaged repository",
	"copy the folder; then restore what 'git --git-dir=.git fsck' in the memory names from another copy, "+
		"or let 'git --git-dir=.git reset --mixed' take the branch to the last whole commit: it leaves all files as they are")

// A Kind is what an object is.
type Kind = plumbing.ObjectType

// The kinds of objects that mem writes.
const (
	KindBlob   = plumbing.BlobObject
	KindTree   = plumbing.TreeObject
	KindCommit = plumbing.CommitObject
)

// A Hash names an object. The zero value names none.
type Hash [sha1.Size]byte

// String returns the hash as 40 hex digits.
func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// MarshalText is String, for JSON.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText reads what MarshalText wrote; anything else names no object.
func (h *Hash) UnmarshalText(text []byte) error {
	*h, _ = ParseHash(string(text))
	return nil
}

// IsZero reports whether h names no object.
func (h Hash) IsZero() bool { return h == Hash{} }

// ParseHash reads 40 hex digits.
func ParseHash(s string) (h Hash, ok bool) {
	if !plumbing.IsHash(s) {
		return h, false
	}
	return Hash(plumbing.NewHash(s)), true
}

// Only mem and the person choose the contents, so the plain hash does: to detect collisions takes five
// times as long.
var _ = hash.RegisterHash(crypto.SHA1, sha1.New)

// HashOf returns the name of an object with this content.
func HashOf(kind Kind, content []byte) Hash { return Hash(plumbing.ComputeHash(kind, content)) }

// An Identity is who a commit is by.
type Identity struct{ Name, Email string }

// By says who a commit is by.
type By struct{ Author, Committer Identity }

// A Commit is one step of the history.
type Commit struct {
	Hash    Hash
	Tree    Hash
	Parents []Hash
	By
	When    time.Time // of the committer, in UTC
	Message string
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

func encodeCommit(c Commit) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "tree %s\n", c.Tree)
	for _, p := range c.Parents {
		fmt.Fprintf(&b, "parent %s\n", p)
	}
	fmt.Fprintf(&b, "author %s\ncommitter %s\n\n%s", Signature(c.Author, c.When), Signature(c.Committer, c.When), strings.TrimRight(c.Message, "\n")+"\n")
	return b.Bytes()
}

// Signature says who did something when. Git knows no time before 1970.
func Signature(who Identity, when time.Time) string {
	return fmt.Sprintf("%s <%s> %d +0000", who.Name, who.Email, max(0, when.Unix()))
}

func parseCommit(h Hash, data []byte) (Commit, error) {
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
			c.Author, _ = parseSignature(value)
		case "committer":
			c.Committer, c.When = parseSignature(value)
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

// The modes of the entries that mem writes or looks for.
const (
	modeFile = "100644"
	modeTree = "40000"
)

type entry struct {
	Mode string
	Name string
	Hash Hash
}

func (e entry) isTree() bool { return e.Mode == modeTree }

// isFile reports whether the entry is a regular file, executable or not.
func (e entry) isFile() bool { return strings.HasPrefix(e.Mode, "100") }

// sortName is what git sorts by: folders as if they ended in a slash.
func (e entry) sortName() string {
	if e.isTree() {
		return e.Name + "/"
	}
	return e.Name
}

// parseTree reads the entries of a tree object, which git keeps sorted. Names
// that git itself refuses to check out are damage. A journal folder may hold
// thousands of entries, so parseTree does only what every entry needs.
func parseTree(data []byte) ([]entry, error) {
	entries := make([]entry, 0, len(data)/32)
	for len(data) > 0 {
		space := bytes.IndexByte(data, ' ')
		zero := bytes.IndexByte(data, 0)
		if space < 0 || zero < space || len(data) < zero+21 {
			return nil, fmt.Errorf("%w: tree object", ErrDamaged)
		}
		e := entry{Mode: string(data[:space]), Name: string(data[space+1 : zero])}
		if !isValidName(e.Name) {
			return nil, fmt.Errorf("%w: a tree has an entry named %q", ErrDamaged, e.Name)
		}
		copy(e.Hash[:], data[zero+1:])
		entries = append(entries, e)
		data = data[zero+21:]
	}
	return entries, nil
}

// isValidName reports whether a tree entry may have this name: one step of a path
// that leads neither out of the tree nor into git's own folder.
func isValidName(name string) bool {
	return name != "" && name != "." && name != ".." && !strings.Contains(name, "/") && !strings.EqualFold(name, ".git")
}

func encodeTree(entries []entry) []byte {
	var out bytes.Buffer
	for _, e := range entries {
		fmt.Fprintf(&out, "%s %s\x00%s", e.Mode, e.Name, e.Hash[:])
	}
	return out.Bytes()
}

// setEntry puts e in its place, replacing the entry of that name; with a zero
// hash it removes it. An executable bit is kept. entries may be changed.
func setEntry(entries []entry, e entry) []entry {
	if i := slices.IndexFunc(entries, func(o entry) bool { return o.Name == e.Name }); i >= 0 {
		if old := entries[i]; !e.isTree() && old.isFile() {
			e.Mode = old.Mode
		}
		entries = slices.Delete(entries, i, i+1)
	}
	if e.Hash.IsZero() {
		return entries
	}
	i, _ := slices.BinarySearchFunc(entries, e, func(a, b entry) int { return cmp.Compare(a.sortName(), b.sortName()) })
	return slices.Insert(entries, i, e)
}
