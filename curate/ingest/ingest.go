// Package ingest takes lessons out of files that people and other tools wrote:
// the LEARNINGS.md of Psi, lists such as those in AGENTS.md, CLAUDE.md and
// MEMORY.md, the rules in .claude/rules, and memories of pi-self-learning.
//
// The data flows: files → what each line or block says, with where it stands →
// lessons of the origin import, counted once for each file that has them. What
// reads like an order or an attack is held back. The files are never changed.
//
// Memories of Claude Code are not only read but moved; see package silo.
package ingest

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	slash "path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mem/curate/proposal"
	"mem/guard"
	"mem/index"
	"mem/index/codec"
	"mem/repo"
	"mem/topic"
)

// ErrFormat is wrapped when nothing in a file or a folder is recognised.
var ErrFormat = errors.New("nothing that mem can read lessons from")

// A Format is how lessons are written down.
type Format string

// The formats. The zero value is whatever the name and the content say.
const (
	Blocks Format = "learnings" // blocks between lines of ---, as in LEARNINGS.md
	List   Format = "list"      // items of lists, as in AGENTS.md
	Rules  Format = "rules"     // a list or paragraphs, as in .claude/rules
	Root   Format = "root"      // a memory, of mem or of pi-self-learning
)

// FormatNames returns all of them, for help and completion.
func FormatNames() []string {
	return []string{string(Blocks), string(List), string(Rules), string(Root)}
}

// A Text is something that a file says.
type Text struct {
	Text string
	File string // as it is shown
	Line int    // of its beginning, from 1
}

// An Import is what was read.
type Import struct {
	Files    []string // that lessons were found in, as they are shown
	Texts    []Text
	Records  []index.Item // of a memory
	Problems []proposal.Problem

	name  string // as it is shown
	share string // of the memory that the records are from
}

// Limits of what is read. MaxFile is in bytes.
const (
	MaxFile  = 1 << 20
	maxIndex = 64 << 20
	MaxFiles = 1000
)

// ReadPath reads a file or a folder. name is what it is called in the memory, which
// should be the same every time. The error wraps ErrFormat if nothing in it is
// recognised.
func ReadPath(path, name string, format Format, now time.Time) (*Import, error) {
	imp := &Import{name: name}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	switch {
	case info.IsDir() && (format == Root || format == "" && isFile(filepath.Join(path, repo.IndexPath))):
		err = imp.root(filepath.Join(path, repo.IndexPath), now)
	case info.IsDir():
		err = imp.folder(path, format)
	case format == Root || format == "" && filepath.Base(path) == "index.json":
		err = imp.root(path, now)
	default:
		err = imp.file(path, name, format, true)
	}
	if name == "." {
		imp.name = filepath.Base(path)
	}
	if err == nil && len(imp.Files) == 0 {
		err = fmt.Errorf("%s: %w", name, ErrFormat)
	}
	return imp, err
}

// ReadText reads what is no file, such as standard input.
func ReadText(data []byte, name string, format Format) (*Import, error) {
	imp := &Import{name: name}
	if format == Root || !isText(data) {
		return nil, fmt.Errorf("%s: %w", name, ErrFormat)
	}
	imp.content(string(data), name, formatOf(name, string(data), format))
	if len(imp.Files) == 0 {
		return nil, fmt.Errorf("%s: %w", name, ErrFormat)
	}
	return imp, nil
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// folder reads what is recognised in the folder of a project, or all of a
// folder of rules.
func (imp *Import) folder(path string, format Format) error {
	names := []string{"LEARNINGS.md", "AGENTS.md", "CLAUDE.md", "MEMORY.md"}
	rules := filepath.Join(path, ".claude", "rules")
	prefix := imp.name + "/.claude/rules"
	if filepath.Base(path) == "rules" || format == Rules {
		names, rules, prefix = nil, path, imp.name
	}
	for _, name := range names {
		if at := filepath.Join(path, name); isFile(at) {
			if err := imp.file(at, slash.Join(imp.name, name), format, false); err != nil {
				return err
			}
		}
	}
	return imp.rules(rules, prefix)
}

// rules reads all of a folder of rules, and of those in it.
func (imp *Import) rules(folder, name string) error {
	n := 0
	return filepath.WalkDir(folder, func(at string, e fs.DirEntry, err error) error {
		switch {
		case at == folder && errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return err
		case e.IsDir() || !strings.HasSuffix(e.Name(), ".md"):
			return nil
		case n == MaxFiles:
			imp.Problems = append(imp.Problems, proposal.Problem{Path: name, Why: fmt.Sprintf("only %d files are read", MaxFiles)})
			return fs.SkipAll
		}
		n++
		rel, err := filepath.Rel(folder, at)
		if err != nil {
			return err
		}
		return imp.file(at, slash.Join(name, filepath.ToSlash(rel)), Rules, false)
	})
}

// file reads one file. Unless it was named, trouble with it is only a problem.
func (imp *Import) file(path, name string, format Format, named bool) error {
	data, err := plainFile(path, MaxFile)
	if err != nil {
		if named {
			return fmt.Errorf("%s: %w", name, err)
		}
		imp.Problems = append(imp.Problems, proposal.Problem{Path: name, Why: err.Error()})
		return nil
	}
	imp.content(string(data), name, formatOf(path, string(data), format))
	return nil
}

// content takes in what a file says.
func (imp *Import) content(text, name string, format Format) {
	texts, problems := readTexts(text, name, format)
	imp.Problems = append(imp.Problems, problems...)
	if len(texts) > 0 || len(problems) > 0 {
		imp.Files = append(imp.Files, name)
	}
	imp.Texts = append(imp.Texts, texts...)
}

// isText reports whether the beginning of a file is text.
func isText(data []byte) bool { return !slices.Contains(data[:min(len(data), 8000)], 0) }

// plainFile reads a text file, through a link as well: nothing is written.
func plainFile(path string, limit int64) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("not a plain file")
	case info.Size() > limit:
		return nil, fmt.Errorf("larger than %d MiB", limit>>20)
	}
	data, err := os.ReadFile(path)
	if err == nil && !isText(data) {
		err = errors.New("not a text file")
	}
	return data, err
}

// root takes the active records of a memory.
func (imp *Import) root(path string, now time.Time) error {
	data, err := plainFile(path, maxIndex)
	if err != nil {
		return fmt.Errorf("%s: %w", imp.name, err)
	}
	ix, report, err := codec.Load(data, now)
	if err != nil { // which says nothing of the memory that mem works on
		return fmt.Errorf("%s: %w: %v", imp.name, ErrFormat, err)
	}
	if n := report.Dropped; n > 0 {
		imp.Problems = append(imp.Problems, proposal.Problem{Path: imp.name, Why: fmt.Sprintf("%d records cannot be read", n)})
	}
	sum := sha256.Sum256([]byte("import\x00" + imp.name))
	imp.share = hex.EncodeToString(sum[:3])
	for i := range ix.Items {
		it := ix.Items[i]
		switch it.Status {
		case index.Active, index.Quarantined:
		default:
			continue // it no longer holds there
		}
		if len(guard.Lint(it.Text)) > 0 {
			it.Status = index.Quarantined
		}
		if it.Domain == "" {
			it.Domain, it.Tags = topic.File(it.Text, it.Kind == index.AntiPattern)
		}
		it.Origin = index.OriginImport
		it.Sources = []index.Source{{Trace: "import:" + imp.name, Span: repo.IndexPath + "#" + it.ID, At: it.LastSeen}}
		imp.Records = append(imp.Records, it)
	}
	imp.Files = []string{imp.name}
	return nil
}

// A Report says what an import changed.
type Report struct {
	New      []index.Item
	Repeated []index.Item // that other sessions or files brought before
	Known    int          // that this file brought before
}

// Apply counts what is new in an import, for the commit of the message. Without
// a subject there is nothing new.
func (imp *Import) Apply(m *repo.Memory) (Report, repo.Message) {
	var rep Report
	var changes []index.Change
	all := len(imp.Records)
	if len(imp.Records) > 0 {
		changes = m.Join(imp.Records, imp.share)
	} else {
		changes, all = m.Learn(imp.fresh(m)), len(imp.keys())
	}
	rep.Known = all - len(changes)
	var msg repo.Message
	for _, c := range changes {
		it := m.Index.Items[c.Pos]
		if c.New {
			rep.New = append(rep.New, it)
			msg.Body = append(msg.Body, "+ "+it.Text)
		} else {
			rep.Repeated = append(rep.Repeated, it)
			msg.Body = append(msg.Body, fmt.Sprintf("×%d %s", it.Hits, it.Text))
		}
		msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Item", Value: it.ID})
	}
	if len(changes) > 0 {
		lessons := "lessons"
		if len(changes) == 1 {
			lessons = "lesson"
		}
		msg.Subject = fmt.Sprintf("ingest: %d %s from %s", len(changes), lessons, imp.name)
	}
	return rep, msg
}

// keys are those of the texts, each once.
func (imp *Import) keys() map[string]bool {
	keys := map[string]bool{}
	for _, t := range imp.Texts {
		keys[index.Key(t.Text)] = true
	}
	return keys
}

// fresh are the lessons that the file did not bring before, each once.
func (imp *Import) fresh(m *repo.Memory) index.Reflection {
	known := map[string]bool{}
	for i := range m.Index.Items {
		for _, s := range m.Index.Items[i].Sources {
			if strings.HasPrefix(s.Trace, "import:") {
				known[s.Trace+"\x00"+m.Index.Items[i].Key] = true
			}
		}
	}
	var r index.Reflection
	for _, t := range imp.Texts {
		trace := "import:" + t.File
		avoid := index.SaysAvoid(t.Text)
		key := trace + "\x00" + index.Key(t.Text)
		if known[key] {
			continue
		}
		known[key] = true
		domain, tags := topic.File(t.Text, avoid)
		r.Fixes = append(r.Fixes, index.Lesson{
			Text: t.Text, Origin: index.OriginImport, Held: len(guard.Lint(t.Text)) > 0, Domain: domain, Tags: tags,
			Source: index.Source{Trace: trace, Span: fmt.Sprintf("%s#%d", t.File, t.Line)},
		})
	}
	return r
}
