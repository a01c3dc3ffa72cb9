// Package ingest takes in what other tools and people noted: Claude Code's memories, which are moved ([Run]), and
// lessons in files, which are only read ([ReadPath]).
//
// Claude Code writes its memories below each project's folder, where no other agent reads them and its own housekeeping
// deletes them without asking. The data flows: folders on this machine → files that are recognised, and where each
// comes from → entries in memories/ of a memory root, in one commit → only then, and only what that commit holds,
// removed from Claude Code's folders. Feedback, and what reads like an order, waits in the [Queue] for approval. The
// last commit and the folders are the whole state; there is no ledger. So a run that was interrupted anywhere is
// finished by the next one. Claude Code knows of no locks and may write at any moment: every step looks again at what
// it is about to change.
//
// Files are the LEARNINGS.md and the expertise.yaml of Psi, the learnings of PAI, lists such as those in AGENTS.md,
// CLAUDE.md and MEMORY.md, the rules in .claude/rules, and memories of pi-self-learning. The data flows: files → what
// each line or block says, with where it stands → lessons of the origin import, counted once for each file that has
// them. What reads like an order or an attack is held back.
package ingest

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	slash "path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mem/curate"
	"mem/facts"
	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/topic"
	"mem/words"
)

// ErrFormat is wrapped when nothing in a file or a folder is recognised.
var ErrFormat = fault.New(fault.Input, "nothing that mem can read lessons from",
	"mem reads LEARNINGS.md, expertise.yaml, learnings of PAI, lists as in AGENTS.md, .claude/rules and memories; --format says which it is")

// A Format is a way to write lessons down.
type Format string

// The formats. With the zero value, the name and content of a file decide.
const (
	Blocks   Format = "learnings" // blocks between lines of ---, as in LEARNINGS.md
	List     Format = "list"      // items of lists, as in AGENTS.md
	Rules    Format = "rules"     // a list or paragraphs, as in .claude/rules
	Protocol Format = "pai"       // a learning, as in the folders of PAI
	Patterns Format = "expertise" // patterns with their evidence, as in expertise.yaml
	Root     Format = "root"      // a memory, of mem or of pi-self-learning

	view Format = "view" // CORE.md and long-term-memory.md
)

// Formats are all formats, for help and completion.
var Formats = []Format{Blocks, List, Rules, Protocol, Patterns, Root}

// A Text is a lesson that a file has.
type Text struct {
	index.Lesson
	Line int // of its beginning in the file, from 1

	id   string                                // that a memory has for it, as mem wrote it; this memory's own are no news
	keep func(*repo.Memory, *index.Item) error // keeps what else the file says of the lesson, once it is learned; nil for nothing
}

// An Import holds the lessons that were read.
type Import struct {
	Files    []string // that lessons were found in, as they are shown
	Texts    []Text
	Records  []index.Item // of a memory
	Problems []curate.Problem

	name  string // as it is shown
	share string // of the memory that the records are from

	isProject bool // the folder is a project's, which may have other things called learnings
}

// Limits of reading. MaxFile is in bytes.
const (
	MaxFile  = 1 << 20
	maxIndex = 64 << 20
	maxFiles = 1000
)

// ReadPath reads a file or a folder. name is what it is called in the memory, which should be the same every time. The
// error wraps ErrFormat if nothing in it is recognised.
func ReadPath(path, name string, format Format, now time.Time) (*Import, error) {
	imp := &Import{name: name}
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	root := path
	if info.IsDir() {
		root = filepath.Join(path, repo.IndexPath)
	}
	rootInfo, rootErr := os.Stat(root)
	isRoot := filepath.Base(root) == filepath.Base(repo.IndexPath) && rootErr == nil && rootInfo.Mode().IsRegular()
	switch {
	case format == Root || format == "" && isRoot:
		err = imp.readRoot(root, now)
	case info.IsDir():
		err = imp.readFolder(path, format)
	default:
		var data []byte
		if data, err = readTextFile(os.DirFS(filepath.Dir(path)), filepath.Base(path), MaxFile); err == nil {
			imp.addText(data, path, name, format)
		} else {
			err = fmt.Errorf("%s: %w", name, err)
		}
	}
	if name == "." {
		imp.name = filepath.Base(path)
	}
	if err == nil {
		err = imp.check(name)
	}
	return imp, err
}

// ReadText reads what is not a file, such as standard input.
func ReadText(data []byte, name string, format Format) (*Import, error) {
	imp := &Import{name: name}
	if format != Root && isText(data) {
		imp.addText(data, name, name, format)
	}
	return imp, imp.check(name)
}

func (imp *Import) check(name string) error {
	if len(imp.Files) == 0 && len(imp.Problems) > 0 {
		return fmt.Errorf("%s: %w; %s: %s", name, ErrFormat, imp.Problems[0].Path, imp.Problems[0].Why)
	}
	if len(imp.Files) == 0 {
		return fmt.Errorf("%s: %w", name, ErrFormat)
	}
	return nil
}

// A place is a file or a folder of Markdown in the folder of a project.
type place struct {
	at     string
	format Format // "" for what its name suggests
}

var projectPlaces = []place{
	{"LEARNINGS.md", ""}, {"AGENTS.md", ""}, {"CLAUDE.md", ""}, {"MEMORY.md", ""}, {".claude/skills/learned/resources/expertise.yaml", ""},
	{".claude/rules", Rules}, {curate.LearningFolder, Protocol},
}

// readFolder reads all known files in a project's folder, or in a folder of rules or learnings. It does not
// follow links that lead out of it: another person may own the folder, and must not choose what is read.
func (imp *Import) readFolder(path string, format Format) error {
	folder, err := os.OpenRoot(path)
	if err != nil {
		return err
	}
	defer folder.Close()
	name, places := imp.name, projectPlaces
	switch {
	case filepath.Base(path) == "rules" || format == Rules:
		places = []place{{".", Rules}}
	case filepath.Base(path) == curate.LearningFolder || filepath.Base(filepath.Dir(path)) == curate.LearningFolder || format == Protocol: // of PAI
		places = []place{{".", Protocol}}
		if name == "." { // the folders that a person works in say the domain, too
			name = slash.Join(filepath.Base(filepath.Dir(path)), filepath.Base(path))
		}
	default:
		imp.isProject = true
	}
	for _, p := range places {
		if err := imp.readPlace(folder.FS(), path, name, place{p.at, cmp.Or(p.format, format)}); err != nil {
			return err
		}
	}
	return nil
}

// readPlace reads a file, or those in a folder and below it, whose errors are only problems.
func (imp *Import) readPlace(files fs.FS, path, name string, p place) error {
	n := 0
	return fs.WalkDir(files, p.at, func(at string, e fs.DirEntry, err error) error {
		shown := slash.Join(name, at)
		addProblem := func(why string) { imp.Problems = append(imp.Problems, curate.Problem{Path: shown, Why: why}) }
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			addProblem("its folder cannot be read, or a link leads out of it")
			return nil
		case e.IsDir() || at != p.at && !strings.HasSuffix(at, ".md"):
			return nil
		case n == maxFiles:
			addProblem(fmt.Sprintf("only %d files are read", maxFiles))
			return fs.SkipAll
		}
		n++
		data, err := readTextFile(files, at, MaxFile)
		if err != nil {
			addProblem(err.Error())
			return nil
		}
		imp.addText(data, filepath.Join(path, filepath.FromSlash(at)), shown, p.format)
		return nil
	})
}

func isText(data []byte) bool { return !slices.Contains(data[:min(len(data), 8000)], 0) }

// readTextFile reads a text file, also through a link that stays among the files.
func readTextFile(files fs.FS, name string, limit int64) ([]byte, error) {
	info, err := fs.Stat(files, name)
	if link, errLink := fs.Lstat(files, name); err != nil && errLink == nil && link.Mode()&fs.ModeSymlink != 0 {
		return nil, errors.New("a link that leads nowhere, or out of the folder")
	}
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, errors.New("not a regular file")
	case info.Size() > limit:
		return nil, fmt.Errorf("larger than %d MiB", limit>>20)
	}
	data, err := fs.ReadFile(files, name)
	if err == nil && !isText(data) {
		err = errors.New("not a text file")
	}
	return data, err
}

// readRoot reads the records of a memory that hold there.
func (imp *Import) readRoot(path string, now time.Time) error {
	data, err := readTextFile(os.DirFS(filepath.Dir(path)), filepath.Base(path), maxIndex)
	if err != nil {
		return fmt.Errorf("%s: %w", imp.name, err)
	}
	ix, report, err := index.Load(data, now)
	if err != nil { // which says nothing of the memory that mem works on
		return fmt.Errorf("%s: %w: %v", imp.name, ErrFormat, err)
	}
	if n := report.Dropped; n > 0 {
		imp.Problems = append(imp.Problems, curate.Problem{Path: imp.name, Why: fmt.Sprintf("%d records cannot be read", n)})
	}
	sum := sha256.Sum256([]byte("import\x00" + imp.name))
	imp.share = fmt.Sprintf("%x", sum[:3])
	for i := range ix.Items {
		it := ix.Items[i]
		if it.Status != index.Active && it.Status != index.Quarantined || words.SaysNothing(index.StripAvoid(it.Text)) {
			continue
		}
		if len(guard.Lint(it.ShownText())) > 0 {
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

// A Report lists the lessons that an import changed.
type Report struct {
	New      []index.Item
	Repeated []index.Item // that other sessions or files brought before
	Known    int          // that this file brought before
}

// Apply counts what is new in an import, for the commit of the message. Without a subject there is nothing new.
func (imp *Import) Apply(m *repo.Memory) (rep Report, msg repo.Message, err error) {
	var changes []index.Change
	all := len(imp.Records)
	if all > 0 {
		changes = m.JoinRecords(imp.Records, imp.share)
	} else {
		var fresh facts.Fact
		fresh, all = imp.freshLessons(m)
		changes = m.Learn(fresh)
		if err := imp.keepForms(m, changes); err != nil {
			return rep, msg, err
		}
	}
	rep.Known = all - len(changes)
	for _, c := range changes {
		it := m.Index.Items[c.Pos]
		if c.New {
			rep.New = append(rep.New, it)
		} else {
			rep.Repeated = append(rep.Repeated, it)
		}
		msg.Body = append(msg.Body, render.MarkSeen(c.New, it.Hits)+" "+it.Text)
		msg.Trailers = append(msg.Trailers, repo.Trailer{Key: "Mem-Item", Value: it.ID})
	}
	if len(changes) > 0 {
		msg.Subject = fmt.Sprintf("ingest: %s from %s", render.Count(len(changes), "lesson", "lessons"), imp.name)
	}
	return rep, msg, nil
}

// freshLessons returns the lessons that are new in the file, and counts all of them.
// The id is that of the files: what was undone and is imported again counts as before.
func (imp *Import) freshLessons(m *repo.Memory) (r facts.Fact, all int) {
	known := map[string]bool{} // by file and key
	for it := range m.Index.All() {
		for _, s := range it.Sources {
			if strings.HasPrefix(s.Trace, "import:") {
				known[s.Trace+"\x00"+it.Key] = true
			}
		}
	}
	keys := map[string]bool{}
	for _, t := range imp.Texts {
		keys[index.KeyOf(t.Text)] = true
		key := t.Source.Trace + "\x00" + index.KeyOf(t.Text)
		if known[key] || m.Index.ByID(t.id) >= 0 {
			continue
		}
		known[key] = true
		if id := " " + t.Source.Trace; !strings.HasSuffix(r.ID, id) {
			r.ID += id
		}
		if t.Source.At.After(m.Now()) {
			t.Source.At = time.Time{}
		}
		r.Fixes = append(r.Fixes, t.Lesson)
	}
	return r, len(keys)
}
