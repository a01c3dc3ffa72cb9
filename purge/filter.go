package purge

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"mem/facts"
	"mem/lazy"
	"mem/repo"
)

var reCommit = lazy.New(`\b[0-9a-f]{40}\b`)

// A filter copies a stream from git fast-export to git fast-import and removes words on the way. See
// git-fast-import(1) for the format.
type filter struct {
	cleaner
	in   *bufio.Reader
	out  *bufio.Writer
	said *bufio.Reader // what git fast-import answers

	changed map[string]string   // changed files by mark: the new path of a fact, "" for any other file
	moved   map[string]string   // new paths of facts, by old path
	marks   map[string]string   // of commits and files, by their ids
	parents map[string][]string // the marks of commits that commits build on, by their ids
	commit  string              // the id of the latest
	head    bytes.Buffer        // of the commit that is being read; its message decides about it
	kind    string              // of the data that comes next
	mark    string

	ids     map[string]string // new ids of commits and files, by old id
	renamed int               // how many of these are commits
	first   []string          // old ids of those commits that build on none of the others
}

func (f *filter) copyStream() error {
	for {
		line, err := f.in.ReadString('\n')
		if err == io.EOF && line == "" {
			return f.out.Flush()
		}
		if err == nil {
			err = f.copyLine(line)
		}
		if err != nil {
			return fmt.Errorf("rewrite history: %w", err)
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
		if f.kind != "tag" {
			f.marks[rest] = f.mark
		}
		if f.kind == "commit" {
			f.commit, f.parents[rest] = rest, nil
		}
		return nil
	case "author", "committer", "tagger":
		name, rest, _ := strings.Cut(rest, "<")
		mail, at, _ := strings.Cut(rest, ">")
		line = fmt.Sprintf("%s %s<%s>%s\n", word, f.replace([]byte(name)), f.replace([]byte(mail)), at)
	case "data":
		return f.copyData(rest)
	case "from", "merge":
		if f.kind == "files" {
			f.parents[f.commit] = append(f.parents[f.commit], rest)
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

// putFile writes a file's line: a changed fact gets its new name, and a file about the lesson alone is deleted.
func (f *filter) putFile(rest string) string {
	fields := strings.SplitN(rest, " ", 3) // mode, mark, name
	name := fields[2]
	switch to, isChanged := f.changed[fields[1]]; {
	case to != "" && strings.HasPrefix(name, facts.Folder+"/"):
		f.moved[name], name = to, to
	case isChanged && f.drops(name):
		return "D " + name + "\n"
	}
	return "M " + fields[0] + " " + fields[1] + " " + f.rename(name) + "\n"
}

func (f *filter) copyData(size string) error {
	n, err := strconv.Atoi(size)
	data := make([]byte, n)
	if _, err2 := io.ReadFull(f.in, data); errors.Join(err, err2) != nil {
		return errors.Join(err, err2)
	}
	cleaned, to := data, ""
	switch f.kind {
	case "blob":
		if to, cleaned, err = f.clean(data); !bytes.Equal(cleaned, data) {
			f.changed[f.mark] = to
		}
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
func (f *filter) translate(message []byte) (_ []byte, err error) {
	message = reCommit.Get().ReplaceAllFunc(message, func(id []byte) []byte {
		if mark := f.marks[string(id)]; mark != "" && err == nil {
			fmt.Fprintf(f.out, "get-mark %s\n", mark)
			if err = f.out.Flush(); err == nil {
				id, err = f.said.ReadBytes('\n')
			}
		}
		return bytes.TrimSpace(id)
	})
	return message, err
}

// compare records which ids changed, given the ids that the marks have now.
func (f *filter) compare(now map[string]string) {
	isNew := map[string]bool{}
	for id, mark := range f.marks {
		if now[mark] != id {
			f.ids[id], isNew[mark] = now[mark], true
		}
	}
	for id, parents := range f.parents {
		if isNew[f.marks[id]] {
			f.renamed++
			if !slices.ContainsFunc(parents, func(mark string) bool { return isNew[mark] }) {
				f.first = append(f.first, id)
			}
		}
	}
}

// nameFirst adds names with the commits that first held the purged words.
func (f *filter) nameFirst(words *repo.Words) *repo.Words {
	for _, name := range words.Names {
		if _, commit := repo.CutPurged(name); commit == "" {
			for _, id := range f.first {
				words.Names = append(words.Names, name+"-"+id)
			}
		}
	}
	return words
}
