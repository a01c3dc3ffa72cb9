// Package gitstore keeps commits durable in the git repository of a memory
// root: it writes objects, moves the branch, appends to the reflog and
// updates git's index, each with git's own lock protocol and each flushed to
// the disk in the order that a crash at any moment demands.
//
// go-git encodes and reads objects. Its own ways of writing are not used:
// they flush nothing, replace files in place and take none of git's locks.
// No other package of mem imports go-git.
package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/format/config"
	"github.com/go-git/go-git/v5/storage/filesystem"

	"mem/repo/disk"
)

// Errors that callers tell apart.
var (
	// ErrUnsupported is wrapped when the repository is of a kind that mem
	// does not write to. Nothing was changed.
	ErrUnsupported = errors.New("unsupported repository")
	// ErrBusy is wrapped when a person is in the middle of something: a
	// merge, a rebase, another branch. Nothing was changed.
	ErrBusy = errors.New("repository is busy")
	// ErrDamaged is wrapped when git's own data cannot be believed.
	ErrDamaged = errors.New("damaged repository")
	// ErrLost is wrapped when somebody else moved the branch first.
	ErrLost = errors.New("branch was moved by somebody else")
)

// Folders inside the repository.
const (
	gitDir = ".git"
	memDir = gitDir + "/mem" // what mem keeps beside git's own files

	// TempDir holds temporary files, which belong to the holder of the lock.
	TempDir = memDir + "/tmp"
	// LockPath is the file whose lock admits one writer at a time.
	LockPath = memDir + "/lock"
	// QueueDir holds reflections that wait to be applied.
	QueueDir = memDir + "/spool"
	// RescueDir holds what would otherwise have been overwritten.
	RescueDir = memDir + "/rescue"
	// ReplicaPath names this clone; it is never committed.
	ReplicaPath = memDir + "/replica"
	// PrivateDir holds what is never committed.
	PrivateDir = memDir
	// WorkerPath is the file whose lock admits one worker at a time.
	WorkerPath = memDir + "/worker"
	// BranchPath names the branch that mem commits to.
	BranchPath = memDir + "/branch"

	journalPath   = memDir + "/journal"
	indexPath     = gitDir + "/index"
	indexLockPath = gitDir + "/index.lock"
)

// maxSmall bounds the small text files of a repository.
const maxSmall = 1 << 20

// A Hash names an object. The zero value names none.
type Hash = plumbing.Hash

// A Store is the repository of one memory root. It is used by one goroutine;
// writers must hold the lock at LockPath.
type Store struct {
	d       *disk.Dir
	objects *filesystem.ObjectStorage
	trees   map[Hash][]treeEntry // read or made so far
	warn    func(string)
}

// Open opens the repository in the folder d. It refuses what mem cannot write
// to safely; nothing is changed. warn is told what a person should know but
// need not act on; it may be nil.
func Open(d *disk.Dir, warn func(string)) (*Store, error) {
	info, err := d.Lstat(gitDir)
	if err != nil {
		return nil, fmt.Errorf("open repository: %w", err)
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%w: .git is not a folder but a link, a linked work tree or a submodule", ErrUnsupported)
	}
	if err := checkOwner(d); err != nil {
		return nil, err
	}
	if warn == nil {
		warn = func(string) {}
	}
	s := &Store{d: d, trees: map[Hash][]treeEntry{}, warn: warn}
	if err := s.checkFormat(); err != nil {
		return nil, err
	}
	storage := filesystem.NewStorage(osfs.New(filepath.Join(d.Path(), gitDir)), cache.NewObjectLRU(cache.MiByte))
	s.objects = &storage.ObjectStorage
	return s, nil
}

// checkFormat refuses repositories whose files mean something else than mem
// thinks.
func (s *Store) checkFormat() error {
	c, err := s.readConfig(gitDir + "/config")
	if err != nil {
		return err
	}
	own, err := s.readConfig(gitDir + "/config.worktree") // which counts only with an extension
	if err != nil {
		return err
	}
	for _, core := range []*config.Section{c.Section("core"), own.Section("core")} {
		if core.HasOption("bare") && !slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(core.Option("bare"))) {
			return fmt.Errorf("%w: it is bare, memory needs a work tree", ErrUnsupported)
		}
		if core.Option("worktree") != "" {
			return fmt.Errorf("%w: core.worktree points elsewhere", ErrUnsupported)
		}
	}
	core := c.Section("core")
	if v := core.Option("repositoryformatversion"); v != "" && v != "0" && v != "1" {
		return fmt.Errorf("%w: format version %s", ErrUnsupported, v)
	}
	for _, o := range c.Section("extensions").Options {
		switch name, value := strings.ToLower(o.Key), strings.ToLower(o.Value); {
		case name == "noop", name == "preciousobjects", name == "worktreeconfig":
		case name == "objectformat" && value == "sha1", name == "refstorage" && value == "files":
		default:
			return fmt.Errorf("%w: extension %s=%s", ErrUnsupported, o.Key, o.Value)
		}
	}
	if s.d.Exists(gitDir + "/objects/info/alternates") {
		return fmt.Errorf("%w: it borrows objects from another repository", ErrUnsupported)
	}
	return nil
}

// A Head is where the repository stands.
type Head struct {
	Ref string // "refs/heads/main"; "" when detached
	Tip Hash   // zero when there is no commit yet
}

// Head reads where HEAD points. A branch without a commit is no error, but
// one whose ref is damaged is, and so is one that had commits before:
// neither may be mistaken for a new repository.
func (s *Store) Head() (Head, error) {
	text, err := s.d.Read(gitDir+"/HEAD", maxSmall)
	if err != nil {
		return Head{}, fmt.Errorf("%w: HEAD: %w", ErrDamaged, err)
	}
	target, symbolic := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: ")
	if !symbolic {
		tip, ok := parseHash(target)
		if !ok {
			return Head{}, fmt.Errorf("%w: HEAD holds neither a branch nor a commit", ErrDamaged)
		}
		return Head{Tip: tip}, nil
	}
	target = strings.TrimSpace(target)
	if !validRef(target) {
		return Head{}, fmt.Errorf("%w: HEAD points to %q", ErrDamaged, target)
	}
	tip, err := s.ref(target)
	return Head{Ref: target, Tip: tip}, err
}

// validRef reports whether name may be the full name of a branch.
func validRef(name string) bool { return strings.HasPrefix(name, "refs/") && disk.Clean(name) }

// ref reads a ref, loose or packed; zero means that it was never born.
func (s *Store) ref(name string) (Hash, error) {
	tip, err := s.tip(name)
	if err != nil || !tip.IsZero() {
		return tip, err
	}
	if log, err := s.d.Read(gitDir+"/logs/"+name, 64*maxSmall); err != nil || len(log) == 0 {
		return Hash{}, nil
	}
	// Perhaps it was born since: the log is written after the ref.
	if tip, err = s.tip(name); err == nil && tip.IsZero() {
		err = fmt.Errorf("%w: %s is gone; %s", ErrDamaged, name, s.lastKnown(name))
	}
	return tip, err
}

// tip is ref without a word about one that is gone.
func (s *Store) tip(name string) (Hash, error) {
	text, err := s.d.Read(gitDir+"/"+name, maxSmall)
	if err == nil {
		if tip, ok := parseHash(strings.TrimSpace(string(text))); ok {
			return tip, nil
		}
		return Hash{}, fmt.Errorf("%w: %s holds no commit; %s", ErrDamaged, name, s.lastKnown(name))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return Hash{}, fmt.Errorf("read %s: %w", name, err)
	}
	packed, err := s.d.Read(gitDir+"/packed-refs", 16*maxSmall)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return Hash{}, fmt.Errorf("read packed-refs: %w", err)
	}
	for line := range strings.Lines(string(packed)) {
		if h, ref, ok := strings.Cut(strings.TrimSpace(line), " "); ok && ref == name {
			if tip, ok := parseHash(h); ok {
				return tip, nil
			}
		}
	}
	return Hash{}, nil
}

// lastKnown says where a ref last pointed, from its reflog.
func (s *Store) lastKnown(name string) string {
	log, err := s.d.Read(gitDir+"/logs/"+name, 64*maxSmall)
	if err == nil {
		lines := strings.Split(strings.TrimSpace(string(log)), "\n")
		if f := strings.Fields(lines[len(lines)-1]); len(f) > 1 && plumbing.IsHash(f[1]) {
			return "its log says that it pointed to " + f[1]
		}
	}
	return "its log is gone too"
}

// busy reports, as an error that wraps ErrBusy, what a person is in the
// middle of, given where HEAD stands and the branch that mem commits to.
func (s *Store) busy(head Head, branch string) error {
	for _, state := range []struct{ path, what string }{
		{"MERGE_HEAD", "a merge"},
		{"rebase-merge", "a rebase"},
		{"rebase-apply", "a rebase"},
		{"CHERRY_PICK_HEAD", "a cherry-pick"},
		{"REVERT_HEAD", "a revert"},
		{"BISECT_LOG", "a bisect"},
	} {
		if s.d.Exists(gitDir + "/" + state.path) {
			return fmt.Errorf("%w: %s is under way", ErrBusy, state.what)
		}
	}
	switch {
	case head.Ref == "":
		return fmt.Errorf("%w: HEAD is detached", ErrBusy)
	case branch != "" && head.Ref != branch:
		return fmt.Errorf("%w: on branch %s, memory lives on %s", ErrBusy, short(head.Ref), short(branch))
	}
	return nil
}

func short(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }

func parseHash(s string) (Hash, bool) {
	if !plumbing.IsHash(s) || len(s) != 40 {
		return Hash{}, false
	}
	return plumbing.NewHash(s), true
}
