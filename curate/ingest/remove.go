package ingest

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"mem/curate"
	"mem/frontmatter"
	"mem/lazy"
	"mem/repo/disk"
)

// asidePrefix starts the names that only mem gives to files in a folder of Claude Code: after it come the sum of the
// file, a tilde, and its name. No memory has such a name.
const asidePrefix = ".mem-gone-"

const maxList = 1 << 20

type remover struct {
	*Folder
	dir  *disk.Dir
	has  map[string][]string // see readCommitted
	opts Options
}

func (f *Folder) change(opts Options, has map[string][]string, do func(*remover) error) (err error) {
	d, err := disk.Files{Fault: opts.Fault}.Open(f.real)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	return do(&remover{f, d, has, opts})
}

// finishAll finishes or takes back what an interrupted run left: files that were
// set aside, and lists that were being written.
func (r *remover) finishAll() error {
	if err := r.dir.SweepBeside(listName); err != nil {
		return err
	}
	names, err := r.dir.ListFolder(".")
	if err != nil {
		return err
	}
	found := false
	for _, name := range names {
		rest, isAside := strings.CutPrefix(name, asidePrefix)
		sum, file, ok := strings.Cut(rest, "~")
		if !isAside || !ok || !isMemoryName(file) {
			continue
		}
		found = true
		err := r.finish(file, sum)
		if errors.Is(err, errLeft) {
			r.notes = append(r.notes, err.Error())
		} else if err != nil {
			return err
		}
	}
	if !found {
		return nil
	}
	return r.dir.SyncDirs(".")
}

const changedMeanwhile = "it was changed meanwhile; the next run looks at it again"

var errLeft = errors.New("left in place")

// finish removes a file that was set aside, if it still is what the last commit holds, and otherwise puts it back under
// its name. The error wraps errLeft if neither can be done now.
func (r *remover) finish(file, sum string) error {
	d, aside := r.dir, asidePrefix+sum+"~"+file
	data, err := d.ReadFile(aside, maxNote)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && sumOf(data) == sum && slices.Contains(r.has[filepath.Join(r.Dir, file)], sum) {
		return d.Remove(aside)
	}
	// A rename would replace what the agent wrote under the name meanwhile.
	err = d.Link(aside, file)
	switch {
	case err == nil, d.SameFile(aside, file): // both names, if a run died between the two steps
		return d.Remove(aside)
	case d.Exists(file):
		return fmt.Errorf("%s and %s are both there: %w", aside, file, errLeft)
	case errors.Is(err, fs.ErrPermission), errors.Is(err, errors.ErrUnsupported): // a disk without second names
		return d.Rename(aside, file)
	}
	return err
}

// removeFiles removes from the folder what the last commit holds. The lines of the list go first: an interrupted run
// then leaves a file without a line, which the next run finds, rather than a line without a file.
func (r *remover) removeFiles(res *Result) error {
	going := map[string]*Item{} // by name: what the commit holds as it is
	var ready []*Item
	for i := range res.Items {
		if it := &res.Items[i]; it.Folder == r.Folder && it.State == Ready {
			ready = append(ready, it)
		}
	}
	leave := func(why string) {
		for _, it := range ready {
			it.Why = why
		}
		res.Problems = append(res.Problems, curate.Problem{Path: r.Dir, Why: why + "; run the command again later"})
	}
	if info, err := r.dir.Lstat(listName); err == nil && r.opts.tooYoung(info.ModTime()) != "" {
		if len(ready) > 0 {
			leave(listName + " was " + r.opts.tooYoung(info.ModTime()))
		}
		return nil
	}
	for _, it := range ready {
		if !slices.Contains(r.has[it.Path], it.sum) {
			continue
		}
		if data, err := r.dir.ReadFile(it.name, maxNote); err != nil || sumOf(data) != it.sum {
			it.Why = changedMeanwhile
			continue
		}
		going[it.name] = it
	}
	linked, err := r.editList(func(name string) bool { return going[name] != nil || r.isGone(name) })
	if errors.Is(err, disk.ErrChanged) || errors.Is(err, errList) {
		leave(err.Error())
		return nil
	}
	if err != nil {
		return err
	}
	for _, name := range linked {
		res.Problems = append(res.Problems, curate.Problem{
			Path: filepath.Join(r.Dir, listName), Why: "a line that says more than where " + name + " is was left",
		})
	}
	return r.removeEach(going)
}

// isGone reports whether a file was imported earlier and is no longer there: the
// agent may have written its line only afterwards.
func (r *remover) isGone(name string) bool {
	return isMemoryName(name) && filepath.Base(name) == name && r.has[filepath.Join(r.Dir, name)] != nil && !r.dir.Exists(name)
}

// removeEach removes files, in the order of their names: each is set aside first and looked at once more.
func (r *remover) removeEach(going map[string]*Item) error {
	if len(going) == 0 {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(going)) {
		it := going[name]
		err := r.dir.Rename(name, asidePrefix+it.sum+"~"+name)
		if errors.Is(err, fs.ErrNotExist) {
			it.Why = "another program removed it"
			continue
		}
		if err == nil {
			err = r.finish(name, it.sum)
		}
		switch {
		case errors.Is(err, errLeft):
			it.Why = err.Error()
		case err != nil:
			return err
		case r.dir.Exists(name):
			it.Why = changedMeanwhile
		default:
			it.State = Removed
		}
	}
	return r.dir.SyncDirs(".")
}

var errList = errors.New(listName + " cannot be edited")

// editList takes the items of what is gone out of the list of the folder. It
// returns the names that other lines link to.
func (r *remover) editList(isGone func(string) bool) (linked []string, err error) {
	was, err := r.dir.EditFile(listName, maxList, func(old []byte) (kept []byte) {
		kept, linked = removeItems(old, isGone)
		return kept
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, disk.ErrLink), errors.Is(err, disk.ErrTooLarge):
		return nil, fmt.Errorf("%w: %w", errList, err)
	case err == nil && was != nil: // or the next run would take this for the agent's, and wait
		_ = r.dir.Backdate(listName, was.ModTime())
	}
	return linked, err
}

// removeItems takes the items out of a list all of whose links lead to files that are gone. An item is a line of a list
// with the lines below it that are indented more. Every other byte stays: prose, and an item that also leads elsewhere.
// A block of code has no items. linked are names of files that are gone and that the rest still links to.
func removeItems(data []byte, gone func(name string) bool) (kept []byte, linked []string) {
	text := strings.TrimPrefix(string(data), "\ufeff")
	start := string(data[:len(data)-len(text)])
	lines := slices.Collect(strings.Lines(text))
	var out strings.Builder
	fence := ""
	for i := 0; i < len(lines); i++ {
		was := fence
		if fence = frontmatter.FenceAfter(fence, lines[i]); was == "" && fence == "" {
			if end := itemEnd(lines, i); isGone(lines[i:end], gone) {
				i = end - 1
				continue
			}
			for _, name := range linksOf(lines[i]) {
				if gone(name) && !slices.Contains(linked, name) {
					linked = append(linked, name)
				}
			}
		}
		out.WriteString(lines[i])
	}
	rest := out.String()
	if len(rest) < len(text) && !strings.HasSuffix(text, "\n") { // nor does what is left end in one
		rest = strings.TrimSuffix(strings.TrimSuffix(rest, "\n"), "\r")
	}
	return []byte(start + rest), linked
}

// itemEnd returns the line after the item that begins at line i; i if none does.
func itemEnd(lines []string, i int) int {
	if !isItem(lines[i]) {
		return i
	}
	end := i + 1
	for end < len(lines) && strings.TrimSpace(lines[end]) != "" && indentOf(lines[end]) > indentOf(lines[i]) {
		end++
	}
	return end
}

// isGone reports whether every link of an item leads to a file that is gone, and
// its own text, without the items below it, has a link.
func isGone(item []string, gone func(string) bool) bool {
	own, nested := 0, false
	for i, line := range item {
		nested = nested || i > 0 && isItem(line)
		for _, name := range linksOf(line) {
			if !gone(name) {
				return false
			}
			if !nested {
				own++
			}
		}
	}
	return own > 0
}

func isItem(line string) bool {
	_, ok := frontmatter.ItemOf(line)
	return ok
}

// indentOf returns how far in a line begins. A tab counts as four.
func indentOf(line string) int {
	space := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
	return len(space) + 3*strings.Count(space, "\t")
}

// linkTo matches what leads elsewhere: [Text](name "title"), [Text](<name>) and [[name|text]].
var linkTo = lazy.New(`\]\(\s*(?:<([^>\n]*)|((?:[^()\n]|\([^()\n]*\))*))|\[\[([^\]|\n]*)`)

// linksOf returns the targets of the links of a line: the name of a file beside
// the list, or something that is not one, such as an address.
func linksOf(line string) (list []string) {
	for _, m := range linkTo.Get().FindAllStringSubmatch(line, -1) {
		name, _, _ := strings.Cut(m[2], ` "`)
		name, _, _ = strings.Cut(name, ` '`)
		name, _, _ = strings.Cut(strings.TrimSpace(m[1]+name+m[3]), "#")
		if plain, err := url.PathUnescape(name); err == nil {
			name = plain
		}
		if name = strings.TrimPrefix(name, "./"); m[3] != "" {
			name = strings.TrimSuffix(name, ".md") + ".md"
		}
		list = append(list, name)
	}
	return list
}
