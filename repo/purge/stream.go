package purge

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"mem/facts"
	"mem/lazy"
)

// area is where the new refs are until all of them are there. A tag gets its prefix in its name.
const (
	area     = "refs/mem-purge/"
	tagStart = "mem-purge/"
)

// reCommit matches the id of a commit in a message.
var reCommit = lazy.New(`\b[0-9a-f]{40}\b`)

// A filter rewrites what git fast-export says for git fast-import, and takes words out. See
// git-fast-import(1) for the form.
type filter struct {
	cleaner
	in   *bufio.Reader
	out  *bufio.Writer
	said *bufio.Reader // what git fast-import answers

	held    map[string]bool   // marks of files that held the words
	facts   map[string]string // what facts are called without the words, by their marks
	moved   map[string]string // and by what they were called
	marks   map[string]string // of commits and files, by their ids
	commits []string          // their ids
	head    bytes.Buffer      // of the commit or tag that is being read; its message decides about it
	kind    string            // of the data that comes next
	mark    string
}

// copyStream copies the stream to its end.
func (f *filter) copyStream() error {
	for {
		line, err := f.in.ReadString('\n')
		if err == io.EOF && line == "" {
			return f.out.Flush()
		}
		if err != nil {
			return fmt.Errorf("read history: %w", err)
		}
		if err := f.copyLine(line); err != nil {
			return err
		}
	}
}

func (f *filter) copyLine(line string) error {
	word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
	switch word {
	case "blob", "commit", "tag", "reset":
		f.kind, f.mark = word, ""
		return f.hold(f.rename(word, rest))
	case "mark":
		f.mark = rest
	case "original-oid":
		f.note(rest)
		return nil
	case "data":
		n, err := strconv.Atoi(rest)
		if err != nil {
			return fmt.Errorf("git fast-export says %q", line)
		}
		return f.copyData(n)
	case "M":
		line = f.cleaner.rename(f.drop(f.move(line, rest), rest))
	case "D":
		line = f.cleaner.rename("D " + cmp.Or(f.moved[rest], rest) + "\n")
	}
	return f.hold(line)
}

// note notes the mark of what has this id now.
func (f *filter) note(id string) {
	if f.kind != "tag" {
		f.marks[id] = f.mark
	}
	if f.kind == "commit" {
		f.commits = append(f.commits, id)
	}
}

// move gives a fact that held the words its other name.
func (f *filter) move(line, rest string) string {
	fields := strings.SplitN(rest, " ", 3)
	if len(fields) != 3 || f.facts[fields[1]] == "" || !strings.HasPrefix(fields[2], facts.Folder+"/") {
		return line
	}
	f.moved[fields[2]] = f.facts[fields[1]]
	return "M " + fields[0] + " " + fields[1] + " " + f.moved[fields[2]] + "\n"
}

// drop lets a file that is about a lesson go.
func (f *filter) drop(line, rest string) string {
	fields := strings.SplitN(rest, " ", 3)
	if len(f.ids) > 0 && len(fields) == 3 && f.held[fields[1]] && strings.HasPrefix(fields[2], "learnings/") {
		return "D " + fields[2] + "\n"
	}
	return line
}

// rename lets a command set a ref of the area.
func (f *filter) rename(word, rest string) string {
	switch word {
	case "commit", "reset":
		return word + " " + area + strings.TrimPrefix(rest, "refs/") + "\n"
	case "tag":
		return "tag " + tagStart + rest + "\n"
	}
	return word + "\n"
}

// hold writes a line, or keeps it until the message of its commit is known.
func (f *filter) hold(line string) (err error) {
	if f.kind == "commit" {
		f.head.WriteString(line)
		return nil
	}
	_, err = f.out.WriteString(line)
	return err
}

// copyData copies the content of a file, or a message.
func (f *filter) copyData(n int) error {
	data := make([]byte, n)
	if _, err := io.ReadFull(f.in, data); err != nil {
		return fmt.Errorf("read history: %w", err)
	}
	cleaned := data
	switch f.kind {
	case "blob":
		if f.facts[f.mark], cleaned = f.cleanFact(data); f.facts[f.mark] == "" {
			cleaned = f.clean(data)
		}
		f.held[f.mark] = !bytes.Equal(cleaned, data)
	case "commit":
		var err error
		if cleaned, err = f.translate(f.replace(data)); err != nil {
			return err
		}
	default:
		cleaned = f.replace(data)
	}
	_, _ = f.out.Write(f.head.Bytes())
	f.head.Reset()
	if f.kind == "commit" {
		f.kind = "files"
	}
	fmt.Fprintf(f.out, "data %d\n", len(cleaned))
	_, err := f.out.Write(cleaned)
	return err
}

// translate gives the commits that a message names their new ids.
func (f *filter) translate(message []byte) ([]byte, error) {
	var failed error
	return reCommit.Get().ReplaceAllFunc(message, func(id []byte) []byte {
		mark, known := f.marks[string(id)]
		if !known || failed != nil {
			return id
		}
		fmt.Fprintf(f.out, "get-mark %s\n", mark)
		if failed = f.out.Flush(); failed != nil {
			return id
		}
		answer, err := f.said.ReadString('\n')
		if failed = err; err != nil {
			return id
		}
		return []byte(strings.TrimSpace(answer))
	}), failed
}
