package purge

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mem/facts"
	"mem/lazy"
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

	held    map[string]bool     // marks of files that held the words
	facts   map[string]string   // what facts are called without the words, by their marks
	moved   map[string]string   // and by what they were called
	marks   map[string]string   // of commits and files, by their ids
	parents map[string][]string // the marks of commits that commits build on, by their ids
	commits []string            // their ids, parents first
	head    bytes.Buffer        // of the commit that is being read; its message decides about it
	kind    string              // of the data that comes next
	mark    string
}

func newFilter(c cleaner, in io.Reader, out io.Writer, said io.Reader) *filter {
	return &filter{
		cleaner: c, in: bufio.NewReaderSize(in, 1<<20), out: bufio.NewWriterSize(out, 1<<20), said: bufio.NewReader(said),
		held: map[string]bool{}, facts: map[string]string{}, moved: map[string]string{}, marks: map[string]string{}, parents: map[string][]string{},
	}
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

func (f *filter) copyLine(line string) (err error) {
	word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
	switch word {
	case "blob", "commit", "tag", "reset":
		f.kind, f.mark = word, ""
	case "mark":
		f.mark = rest
	case "original-oid":
		f.note(rest)
		return nil
	case "author", "committer", "tagger":
		name, rest, _ := strings.Cut(rest, "<")
		mail, at, _ := strings.Cut(rest, ">")
		line = fmt.Sprintf("%s %s<%s>%s\n", word, f.replace([]byte(name)), f.replace([]byte(mail)), at)
	case "data":
		n, err := strconv.Atoi(rest)
		if err != nil {
			return fmt.Errorf("git fast-export says %q", line)
		}
		return f.copyData(n)
	case "from", "merge":
		if n := len(f.commits); f.kind == "files" {
			f.parents[f.commits[n-1]] = append(f.parents[f.commits[n-1]], rest)
		}
	case "M":
		line = f.putFile(rest)
	case "D":
		line = "D " + f.rename(cmp.Or(f.moved[rest], rest)) + "\n"
	}
	if f.kind == "commit" {
		f.head.WriteString(line)
		return nil
	}
	_, err = f.out.WriteString(line)
	return err
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

// putFile puts a file where it belongs: a fact that held the words has another name, and what is about a lesson alone goes.
func (f *filter) putFile(rest string) string {
	fields := strings.SplitN(rest, " ", 3) // mode, mark, name
	mark, name := fields[1], fields[2]
	switch to := f.facts[mark]; {
	case to != "" && strings.HasPrefix(name, facts.Folder+"/"):
		f.moved[name] = to
		name = to
	case f.held[mark] && f.drops(name):
		return "D " + name + "\n"
	}
	return "M " + fields[0] + " " + mark + " " + f.rename(name) + "\n"
}

// copyData copies the content of a file, or a message.
func (f *filter) copyData(n int) error {
	data := make([]byte, n)
	if _, err := io.ReadFull(f.in, data); err != nil {
		return fmt.Errorf("read history: %w", err)
	}
	var cleaned []byte
	var err error
	switch f.kind {
	case "blob":
		if f.facts[f.mark], cleaned, err = f.cleanFact(data); f.facts[f.mark] == "" {
			cleaned = f.clean(data)
		}
		f.held[f.mark] = !bytes.Equal(cleaned, data)
	case "commit":
		cleaned, err = f.translate(f.replace(data))
		f.kind = "files"
	default:
		cleaned = f.replace(data)
	}
	if err != nil {
		return err
	}
	_, _ = f.head.WriteTo(f.out)
	fmt.Fprintf(f.out, "data %d\n", len(cleaned))
	_, err = f.out.Write(cleaned)
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

// compare returns, of the ids that marks have now, those that are others than before, by the old ones; which commits are the first
// of these; and how many they are.
func (f *filter) compare(now map[string]string) (ids map[string]string, first []string, commits int) {
	ids, isNew := map[string]string{}, map[string]bool{}
	for id, mark := range f.marks {
		if now[mark] != id {
			ids[id], isNew[mark] = now[mark], true
		}
	}
	for _, id := range f.commits {
		if ids[id] == "" {
			continue
		}
		if commits++; !slices.ContainsFunc(f.parents[id], func(mark string) bool { return isNew[mark] }) {
			first = append(first, id)
		}
	}
	return ids, first, commits
}
