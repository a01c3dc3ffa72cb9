package workspace

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"time"

	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/repo/disk"
)

// A Survey lists the contents of a memory root that no one has vouched for. It trusts none of them, and looking
// changes nothing.
type Survey struct {
	ID      string            // of the first commit; "" without a history
	Index   *index.Index      // empty if there is none
	Report  index.Report      // on the index
	Files   []string          // all but git's own, sorted
	Texts   map[string]string // texts that sessions would read besides lessons, by file
	Journal int               // files of days and months; the texts of the latest are in Texts
	Queued  int               // jobs
	Remotes map[string]string // addresses of the remotes that git fetched from, by name

	// Only for the person's own memory: pending changes that arrived by git.
	Brought []string
	Waiting *repo.Waiting
}

// Limits of a survey.
const (
	maxTexts = 5000    // files that sessions read
	maxNames = 200_000 // files
	maxIndex = 256 << 20
	maxText  = 256 << 10
	maxDated = 3 // days, and months
)

// surveyRoot looks at the root at a path. It wraps repo.ErrNoRoot if there is nothing.
func surveyRoot(at string, opts repo.Options, now time.Time) (s Survey, err error) {
	root, err := repo.Open(at, opts)
	if err == nil {
		s.ID, err = findID(root)
		remotes, err2 := root.ListRemoteTips()
		s.Remotes = map[string]string{}
		for name, r := range remotes {
			if r.URL != "" {
				s.Remotes[name] = r.URL
			}
		}
		err = errors.Join(err, err2, root.Close())
	}
	if err != nil && !errors.Is(err, repo.ErrNoRoot) {
		return s, err
	}
	d, err := disk.Open(at)
	if errors.Is(err, fs.ErrNotExist) {
		return s, fmt.Errorf("%s: %w", at, repo.ErrNoRoot)
	}
	if err != nil {
		return s, err
	}
	defer func() { err = errors.Join(err, d.Close()) }()
	jobs, err := d.ListFolder(repo.SharedDir)
	if err != nil {
		return s, err
	}
	s.Queued = len(jobs)
	if s.Files, err = listAll(at); err != nil {
		return s, err
	}
	read := slices.DeleteFunc(slices.Clone(s.Files), func(name string) bool { return !isRead(name) })
	if len(read) > maxTexts || len(s.Files) > maxNames { // what is not looked at cannot be vouched for
		return s, fmt.Errorf("%s holds too many files: %w", at, repo.ErrNotRoot)
	}
	for _, folder := range []string{"daily/", "monthly/"} {
		dated := slices.DeleteFunc(slices.Clone(s.Files), func(name string) bool { return !strings.HasPrefix(name, folder) })
		s.Journal += len(dated)
		read = append(read, dated[max(0, len(dated)-maxDated):]...)
	}
	s.Texts = map[string]string{}
	for _, name := range read {
		if data, err := d.ReadFile(name, maxText); err == nil { // otherwise sessions do not read it either
			s.Texts[name] = string(data)
		}
	}
	s.Index, s.Report, err = readIndex(d, now)
	return s, err
}

// findID returns the id of a root, which is that of its first commit; "" if it has
// no history.
func findID(root *repo.Root) (id string, err error) {
	err = root.WalkHistory(func(rev repo.Revision) bool { id = rev.Hash.String(); return true })
	return id, err
}

// isRead reports whether sessions read a file of a root besides its lessons and
// its journal.
func isRead(name string) bool {
	top, _, _ := strings.Cut(name, "/")
	return slices.Contains([]string{"rules", "context", "memories", "MEMORY.md", repo.ConfigPath}, top)
}

func readIndex(d *disk.Dir, now time.Time) (ix *index.Index, report index.Report, err error) {
	data, err := d.ReadFile(repo.IndexPath, maxIndex)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return &index.Index{}, report, nil
	case err != nil:
		return nil, report, err
	}
	if ix, report, err = index.Load(data, now); err != nil {
		err = repo.Unreadable("", fmt.Errorf("%s: %w", repo.IndexPath, err))
	}
	return ix, report, err
}

func listAll(at string) (names []string, err error) {
	err = fs.WalkDir(os.DirFS(at), ".", func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == ".git":
			return fs.SkipDir
		case len(names) > maxNames:
			return fs.SkipAll
		case e.Type().IsRegular() && (disk.IsPortable(name) || disk.IsPath(name) && isRead(name)):
			names = append(names, name)
		}
		return nil
	})
	return names, err
}

// holdsMemory reports whether a folder has content that a root opened or made there would adopt: anything
// beyond what repo.Create makes before the first commit. The error is as for peek.
func holdsMemory(at string) (holds bool, err error) {
	err = peek(at, func(d *disk.Dir) error {
		made := map[string][]string{ // names, by folder; a hidden one in another is being written
			"core": nil, ".git/refs/heads": nil, repo.SharedDir: nil,
			".git/objects": {"info", "pack"}, ".git/objects/info": nil, ".git/objects/pack": nil,
		}
		if d.Exists(path.Dir(repo.SharedDir)) { // else a folder with other names in it is not opened
			made["."] = []string{".git", "core"}
		}
		for folder, own := range made {
			names, err := d.ListFolder(folder)
			if err != nil || slices.ContainsFunc(names, func(name string) bool {
				isTemp := strings.HasPrefix(name, ".mem-") || folder != "." && strings.HasPrefix(name, ".")
				return !isTemp && !slices.Contains(own, name)
			}) {
				holds = true
				return err
			}
		}
		for _, file := range []string{render.LongTermPath, ".git/packed-refs"} {
			if _, err := d.Lstat(file); err == nil || disk.IsExhausted(err) {
				holds = true
				return err
			}
		}
		return nil
	})
	return holds, err
}

// peek calls f with the folder at path, if there is one. An error means that the folder is not as mem makes it.
// An error that is disk.IsExhausted is different: nothing could be read, and nothing is known.
func peek(at string, f func(*disk.Dir) error) error {
	d, err := disk.Open(at)
	if err == nil {
		err = f(d)
		_ = d.Close() // only read
	}
	if disk.IsExhausted(err) {
		return fmt.Errorf("look at %s: %w", at, err)
	}
	return nil
}

// SortLessons returns the texts of the lessons: those that read like an order, which
// will be held, and the others, with their status. It counts the pinned ones.
func (s *Survey) SortLessons() (orders, others []string, pinned int) {
	for it := range s.Index.All() {
		if it.Pinned {
			pinned++
		}
		switch {
		case it.IsShown() && len(guard.Lint(it.ShownText())) > 0:
			orders = append(orders, guard.Line(it.Text))
		case it.Status == index.Active:
			others = append(others, it.Text)
		default:
			others = append(others, it.Text+" ("+string(it.Status)+")")
		}
	}
	return orders, others, pinned
}

// How much of a memory a person is shown before they approve it.
const (
	maxListed = 40  // lessons, or lines of a file
	maxColumn = 160 // characters
)

// Describe shows people what is in the root at this path, the worst first.
func (s *Survey) Describe(root string) string {
	var b strings.Builder
	orders, others, pinned := s.SortLessons()
	fmt.Fprintf(&b, "memory   %s\n", guard.Line(root))
	if s.ID != "" {
		fmt.Fprintf(&b, "id       %s\n", s.ID)
	}
	fmt.Fprintf(&b, "lessons  %d, %d pinned\n", len(s.Index.Items), pinned)
	if s.Journal > 0 {
		fmt.Fprintf(&b, "journal  %s; the latest follow\n", render.Count(s.Journal, "day or month", "days and months"))
	}
	if s.Queued > 0 {
		fmt.Fprintf(&b, "queue    %s to be learned\n", render.Count(s.Queued, "entry", "entries"))
	}
	for _, name := range slices.Sorted(maps.Keys(s.Remotes)) {
		fmt.Fprintf(&b, "remote   %s; approving covers what it brings from now on\n", guard.Line(name+" "+s.Remotes[name]))
	}
	if len(s.Brought) > 0 { // show all of it: a yes approves all
		b.WriteString("\ngit brought, and no session is shown yet:\n")
		for _, text := range s.Brought {
			indent := "  "
			for line := range strings.Lines(text) {
				fmt.Fprintf(&b, "%s%s\n", indent, guard.Line(line))
				indent = "    "
			}
		}
		return b.String()
	}
	hidden := s.Index.Withheld()
	b.WriteString(listLines("These read like orders, and will be held:", orders) + listLines("Lessons:", others))
	for _, name := range slices.Sorted(maps.Keys(s.Texts)) {
		b.WriteString(listLines(guard.Line(name)+":", strings.Split(hidden.Mark(s.Texts[name]), "\n")))
	}
	return b.String()
}

// listLines lists the first lines that say something below a title, and how many more there are.
func listLines(title string, lines []string) string {
	var said []string
	for _, line := range lines {
		if line = guard.Line(line); line != "" {
			said = append(said, render.Shorten(line, maxColumn))
		}
	}
	if len(said) == 0 {
		return ""
	}
	return "\n" + title + "\n" + guard.ListSome("  ", said, maxListed)
}
