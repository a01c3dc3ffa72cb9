package ingest

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"
	"unicode/utf8"

	"mem/curate"
	"mem/frontmatter"
	"mem/guard"
	"mem/repo/disk"
	"mem/words"
)

// lastChange returns when the text was written: as the file says, else as the disk says.
func (f *Item) lastChange() time.Time {
	if f.Note != nil {
		if at := modifiedOf(f.file); !at.IsZero() {
			return at
		}
	}
	return f.written
}

// readFolders lists the files in the folders; those that are recognised have no state yet.
func readFolders(folders []*Folder, opts Options) *Result {
	r := &Result{}
	for _, f := range folders {
		if f.why == "" {
			f.busy = opts.busyWith(f.real)
			if err := r.readFolder(f, opts); err != nil {
				f.why = "it cannot be read: " + err.Error()
			}
		}
		if f.why != "" {
			r.Problems = append(r.Problems, curate.Problem{Path: f.Dir, Why: f.why})
		}
		for _, note := range f.notes {
			r.Problems = append(r.Problems, curate.Problem{Path: f.Dir, Why: note})
		}
	}
	return r
}

func (r *Result) readFolder(f *Folder, opts Options) error {
	d, err := disk.Open(f.real)
	if err != nil {
		return err
	}
	defer d.Close()
	names, err := d.ListFolder(".")
	for _, name := range names {
		if strings.HasPrefix(name, ".") || name == listName {
			continue
		}
		it := Item{Folder: f, name: name, Path: filepath.Join(f.Dir, name), Slug: f.Slug}
		if err := cmp.Or(it.recognise(d, opts), it.choose(opts)); err != nil {
			it.State, it.Why = Left, err.Error()
		}
		if it.isForPerson == opts.ForPerson { // else the other run lists it
			r.Items = append(r.Items, it)
		}
	}
	return err
}

// recognise reads a file. The error says why it is left alone.
func (f *Item) recognise(d *disk.Dir, opts Options) error {
	if err := f.checkKind(d, opts); err != nil {
		return err
	}
	data, err := d.ReadFile(f.name, maxNote)
	switch {
	case errors.Is(err, disk.ErrTooLarge):
		return errors.New("larger than 256 KiB")
	case err != nil:
		return errors.New("it cannot be read: " + err.Error())
	}
	f.Note, err = parseNote(data)
	return err
}

// choose finds out where a file comes from, and so which memory it is for. The error says why it
// is left: nothing is taken away from sessions that would not read the imported copy.
func (f *Item) choose(opts Options) error {
	if f.Cwd = f.Slug; !opts.Quick {
		cwd, owners := f.findOrigin(opts)
		f.Cwd = cwd
		if opts.Here == nil {
			return nil
		}
		others := slices.DeleteFunc(slices.Clone(owners), opts.Here)
		f.IsOthers = len(others) > 0 && len(others) == len(owners)
		switch {
		case len(owners) == 0 && opts.Places.Dir != "": // which the person named
			f.isForPerson = opts.HasOwn && !opts.Whole && f.Note != nil && f.isPersonal()
			return nil
		case len(owners) == 0:
			return errors.New("it does not say which project it is of")
		case !f.IsOthers && len(others) > 0:
			return fmt.Errorf("it may be of %s, which shares this folder", others[0])
		}
	}
	if opts.Here == nil || f.Note == nil {
		return nil
	}
	forPerson := f.IsOthers || f.isPersonal() && !opts.Whole
	switch {
	case f.IsOthers && !opts.All:
		return errors.New("it is of another project, " + f.Cwd)
	case f.IsOthers && !opts.HasOwn:
		return fmt.Errorf("it is of another project, %s; 'mem init --global' makes a memory that its sessions read", f.Cwd)
	case forPerson && !opts.HasOwn:
		return errors.New("it is about you; 'mem init --global' makes a memory of your own for it, and --here takes it into this one")
	}
	f.isForPerson = forPerson
	return nil
}

func (f *Item) checkKind(d *disk.Dir, opts Options) error {
	info, err := d.Lstat(f.name)
	if err != nil {
		return errors.New("it cannot be read: " + err.Error())
	}
	f.written = time.Unix(0, info.ModTime().UnixNano()).UTC()
	why := opts.tooYoung(info.ModTime())
	switch {
	case info.IsDir():
		return errors.New("a folder")
	case info.Mode().Type() == os.ModeSymlink:
		return errors.New("a link")
	case !info.Mode().IsRegular():
		return errors.New("not a regular file")
	case !isMemoryName(f.name):
		return errors.New("not a Markdown file")
	case strings.ContainsFunc(f.Path, func(r rune) bool { return unicode.IsControl(r) || r == utf8.RuneError }): // no field holds it
		return errors.New("a name that cannot be written down")
	case cmp.Or(why, f.Folder.busy) != "":
		return errors.New(cmp.Or(why, f.Folder.busy))
	}
	return nil
}

// tooYoung says that a file was written just now, maybe before its line in the list;
// "" if it was not. A time beyond the near future is that of a wrong clock.
func (o Options) tooYoung(at time.Time) string {
	age := o.Moment.Sub(at)
	if o.MinAge <= 0 || age >= o.MinAge || age <= -o.MinAge {
		return ""
	}
	return fmt.Sprintf("written less than %s ago; it may not be finished", o.MinAge)
}

// The name of the lock of Claude Code's housekeeping, and how long it holds.
const (
	lockName = ".consolidate-lock"
	lockFor  = time.Hour
)

// busyWith says that Claude Code's housekeeping is at work in a folder; "" if it is not.
func (o Options) busyWith(dir string) string {
	path := filepath.Join(dir, lockName)
	info, err := os.Lstat(path)
	if err != nil || o.Moment.Sub(info.ModTime()) >= lockFor {
		return ""
	}
	data, _ := disk.Files{}.ReadShared(path)
	first, _, _ := strings.Cut(strings.TrimSpace(string(data)), "\n")
	pid, err := strconv.Atoi(strings.TrimSpace(first))
	if err != nil || pid <= 0 || !isAlive(pid) {
		return ""
	}
	return fmt.Sprintf("process %d of Claude Code is tidying up there", pid)
}

func isAlive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	if runtime.GOOS == "windows" { // which has no signal to ask with
		return p.Release() == nil
	}
	err = p.Signal(syscall.Signal(0))
	return err == nil || errors.Is(err, syscall.EPERM)
}

// The types of memories that the code tells apart.
const (
	feedbackType = "feedback"
	userType     = "user"
)

// types are the types of memories, in the order in which people see them. Each type has a folder of its own.
var types = []string{feedbackType, userType, "project", "reference"}

// maxNote is how large a file may be, in bytes.
const maxNote = 256 << 10

// A Note is one memory as Claude Code wrote it.
type Note struct {
	Name        string `json:"name,omitzero"`
	Description string `json:"description,omitzero"`
	Type        string `json:"type,omitzero"`

	sum  string // SHA-256 of the file, in hexadecimal digits
	file *frontmatter.File
}

// parseNote reads one of Claude Code's files, of at most maxNote bytes. The error says why the file is not a memory.
func parseNote(data []byte) (*Note, error) {
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		return nil, errors.New("not UTF-8 text")
	}
	f, err := frontmatter.Parse(data)
	switch {
	case errors.Is(err, frontmatter.ErrNone):
		return nil, errors.New("no fields between lines of ---")
	case err != nil:
		return nil, errors.New("the line of --- that ends the fields is missing")
	}
	n := &Note{Name: nameOf(f), Description: descriptionOf(f), sum: sumOf(data), file: f}
	if n.Name == "" {
		return nil, errors.New("no name")
	}
	if n.Type, err = typeOf(f); err != nil {
		return nil, err
	}
	for _, name := range ownFields {
		if f.HasLinesBelow(name) { // it could not be kept under another name
			return nil, fmt.Errorf("its field %s is one that mem writes itself", name)
		}
	}
	if guard.CountSecrets(string(data)) > 0 {
		return nil, errors.New("it holds what looks like a secret, which would stay in the history for ever")
	}
	return n, nil
}

func sumOf(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }

func nameOf(f *frontmatter.File) string        { return words.FoldSpace(f.Value("name")) }
func descriptionOf(f *frontmatter.File) string { return words.FoldSpace(f.Value("description")) }

// fieldOf returns a field from the top level, where older versions of Claude Code put it, or from below metadata.
func fieldOf(f *frontmatter.File, name string) string {
	value := f.Value(name)
	if value == "" {
		value, _ = f.Under("metadata", name)
	}
	return strings.TrimSpace(value)
}

// sessionOf and modifiedOf return which session wrote a text, and when, as far as it says so.
func sessionOf(f *frontmatter.File) string     { return fieldOf(f, "originSessionId") }
func modifiedOf(f *frontmatter.File) time.Time { return timeOf(fieldOf(f, "modified")) }

// timeOf reads a time of a field; the zero time if it is not one.
func timeOf(value string) time.Time {
	at, _ := time.Parse(time.RFC3339Nano, value)
	return at.UTC()
}

func typeOf(f *frontmatter.File) (string, error) {
	flat := f.Value("type")
	below, _ := f.Under("metadata", "type")
	t := fieldOf(f, "type")
	switch {
	case flat != "" && below != "" && flat != below:
		return "", fmt.Errorf("two types, %q and %q", words.FoldSpace(flat), words.FoldSpace(below))
	case t == "":
		return "", errors.New("no type")
	case !slices.Contains(types, t):
		return "", fmt.Errorf("its type %q is none of %s", words.FoldSpace(t), strings.Join(types, ", "))
	}
	return t, nil
}

// nameKey is the same for names that differ only in case, or in which of space,
// underscore and hyphen stands between their words.
func nameKey(name string) string {
	parts := strings.FieldsFunc(strings.ToLower(words.FoldSpace(name)), func(r rune) bool { return r == ' ' || r == '_' || r == '-' })
	return strings.Join(parts, "-")
}

// textKey is the same for entries and notes whose texts differ only in line ends and in white space at the ends.
func textKey(f *frontmatter.File) string {
	return descriptionOf(f) + "\x00" + strings.TrimSpace(strings.ReplaceAll(f.Body(), "\r\n", "\n"))
}

// isPersonal reports whether a note is about the person, wherever it comes from.
func (n *Note) isPersonal() bool { return n.Type == userType || n.Type == feedbackType }

// needsApproval reports whether a person has to look at a note before a session reads it: all that
// says how they want things done, and what reads like an order. Of what is about a project only
// the name and the description are ever shown.
func (n *Note) needsApproval() bool {
	text := n.Name + "\n" + n.Description
	if n.isPersonal() {
		text += "\n" + n.file.Body()
	}
	return n.Type == feedbackType || len(guard.Lint(text)) > 0
}
