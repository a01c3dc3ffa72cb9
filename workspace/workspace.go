// Package workspace holds what a command works on: the memories, the configuration in force, how memories are
// opened and closed, the one Change that every writing command uses, and a person's decisions (decide.go).
//
// It knows neither flags nor output. Commands hand in a World and print what they get back.
package workspace

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"mem/config"
	"mem/curate"
	"mem/fault"
	"mem/oracle"
	"mem/project"
	"mem/repo"
	"mem/repo/disk"
	"mem/trace"
)

// A World is the process around a workspace, as far as it needs it.
type World struct {
	Environ
	Dir     string           // working directory
	Clock   func() time.Time // the real time, regardless of --now
	Version string           // of mem, for commits
	MayAsk  bool             // a person is there to answer

	Ask           func(ctx context.Context, question string) (string, error) // returns the person's answer, in lower case
	Confirm       func(ctx context.Context, question, doing string) error    // asks a yes-or-no question; a no is an error
	OpenEditor    func(ctx context.Context, path string) error               // opens a file in the person's editor, and waits
	RequirePerson func(dryRun bool) error                                    // an error for an agent, unless nothing is written

	Fault disk.Fault // see repo.Options

	// Note tells the person something that is not the result.
	Note func(format string, args ...any)

	OpenSession func(path string) (trace.Document, error)                  // reads one session file
	Progress    func(what string) (show func(done, all int), clear func()) // shows how far something is, and clears that again

	// Detach starts mem itself, with other arguments, in a process that outlives this one; nil if that is not possible.
	Detach func(dir string, args ...string) error
}

// An Environ holds variables as "KEY=value".
type Environ []string

// Getenv returns a variable; "" when it is not set. If it is there twice the first one counts, as for os.Getenv.
func (e Environ) Getenv(key string) string {
	for _, kv := range e {
		if v, ok := strings.CutPrefix(kv, key+"="); ok {
			return v
		}
	}
	return ""
}

// Home is the person's home; "" when it is not known.
func (e Environ) Home() string {
	if home := e.Getenv("HOME"); home != "" {
		return home
	}
	return e.Getenv("USERPROFILE")
}

// Options are the choices of a command line about its workspace.
type Options struct {
	Root     string         // the memory to work on; "" for MEM_ROOT, else the project's
	Now      time.Time      // the time that the command runs as if at
	Settings *config.Source // of a memory that has no file of its own yet
}

// A Workspace is the memory that a command works on, and how. Nothing is opened
// before it is asked for; LeaveRoots closes what was.
type Workspace struct {
	World
	Now      time.Time
	At       project.Location
	Purging  bool // see repo.Options
	IsNamed  bool // At is, by the command line or the environment
	Config   *config.Loaded
	Budget   *oracle.Budget   // limits requests to models
	Detector *curate.Detector // of patterns in what is learned

	// Adopted is the outcome for a memory that this command adopted; nil without one.
	Adopted *Adopted

	root    *repo.Root // nil while it is not open
	own     *repo.Root // the person's own memory, opened beside the project's
	drained bool
	warned  []string // notes that the person was shown, including those of a memory opened twice

	verdict      // on the memory; with a doubt it is not opened
	agreed  bool // the person was asked, and vouched for it
	circle  circle
}

// New finds the memory that a command works on and reads the configuration. There may be no memory yet.
func New(world World, opts Options) (*Workspace, error) {
	w := &Workspace{World: world, Now: opts.Now, Detector: &curate.Detector{Now: opts.Now}}
	w.IsNamed = cmp.Or(opts.Root, world.Getenv("MEM_ROOT")) != ""
	var err error
	if w.At, err = LocateRoot(world, opts.Root); err != nil {
		return nil, err
	}
	if err := w.loadConfig(opts.Settings); err != nil {
		return nil, err
	}
	w.Budget = oracle.NewBudget(w.Config.Oracle.MaxCalls, w.Config.Oracle.MaxTokens, world.Clock())
	return w, nil
}

// loadConfig reads the configuration, and that of the memory only if it is the person's.
func (w *Workspace) loadConfig(settings *config.Source) error {
	user, err := readConfig(w.UserConfig())
	if err != nil {
		return err
	}
	if w.Config, err = config.Load(user, settings, w.Environ); err != nil {
		return err
	}
	if w.verdict, err = w.judge(w.At.Root); err != nil || w.doubt != nil {
		return err
	}
	root, err := w.readShownConfig()
	if err == nil && root != nil {
		if w.Config, err = config.Load(user, root, w.Environ); err == nil {
			for _, unknown := range w.Config.Unknown {
				w.warnPerson(unknown)
			}
		}
	}
	return err
}

// readShownConfig reads the configuration of the memory, without what git brought and waits for the person.
func (w *Workspace) readShownConfig() (*config.Source, error) {
	path := filepath.Join(w.At.Root, repo.ConfigPath)
	info, err := os.Lstat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxConfig) { // such as a device without an end
		return nil, fmt.Errorf("%w: %s is not a regular file of at most 1 MiB", config.ErrInvalid, path)
	}
	source, err := readConfig(path)
	if source == nil || w.named {
		return source, err
	}
	opts := w.rootOptions()
	opts.Warn = nil
	root, err := repo.Open(w.At.Root, opts)
	if err != nil {
		return source, nil // the command that opens it says why
	}
	defer root.Close()
	if source.Data, err = root.ReadConfig(); err != nil {
		return nil, nil // it was not there, or no one can tell
	}
	return source, nil
}

// LocateRoot finds the memory: the one named by root, by MEM_ROOT, or the project's.
func LocateRoot(world World, root string) (project.Location, error) {
	at, err := project.LocateRoot(world.Dir, world.Person())
	if root = cmp.Or(root, world.Getenv("MEM_ROOT")); root == "" {
		return at, err
	}
	root = world.AbsPath(root)
	if errors.Is(err, project.ErrNoFolder) && filepath.IsAbs(root) {
		at, err = project.LocateRoot(filepath.Dir(root), world.Person())
	}
	if err != nil {
		return project.Location{}, err
	}
	_, err = os.Stat(root)
	at.Root, at.Exists = root, err == nil
	return at, nil
}

func (w *Workspace) rootOptions() repo.Options {
	return repo.Options{
		Project: w.At.Project, MaxCoreItems: w.Config.MaxCoreItems, Version: w.Version, Fault: w.Fault,
		Warn:    w.warnPerson,
		Learned: w.Detector.AfterLearning, Follow: curate.Follow, Views: curate.RenderViews,
		AnyOwner: w.isNamedByPath(w.At.Root), Keys: w.keysFor(w.named), Environ: w.Environ, Purging: w.Purging, MayAsk: w.MayAsk,
		Queue: w.queueIn(w.At.Root),
	}
}

func (w *Workspace) warnPerson(s string) {
	if !slices.Contains(w.warned, s) {
		w.warned = append(w.warned, s)
		w.Note("%s", s)
	}
}

// OpenRoot opens the memory, which must exist and be the person's. Called again, it returns the same one.
func (w *Workspace) OpenRoot() (*repo.Root, error) {
	if w.root != nil {
		return w.root, nil
	}
	if err := w.Untrusted(); err != nil {
		return nil, err
	}
	return w.keep(repo.Open(w.At.Root, w.rootOptions()))
}

// OpenRootIfAny is OpenRoot for a command that can do without a memory: nil if there is none.
func (w *Workspace) OpenRootIfAny() (*repo.Root, error) {
	root, err := w.OpenRoot()
	if errors.Is(err, repo.ErrNoRoot) {
		return nil, nil
	}
	return root, err
}

// CreateRoot opens the memory and makes it if there is none. One that exists but
// was not opened yet is checked for what a crash may have left half made.
func (w *Workspace) CreateRoot(ctx context.Context) (*repo.Root, error) {
	if w.root != nil {
		return w.root, nil
	}
	if err := w.Untrusted(); err != nil && !w.agreed {
		return nil, err
	}
	root, err := repo.Open(w.At.Root, w.rootOptions())
	if err == nil {
		err = root.Close()
	}
	if err != nil && !errors.Is(err, repo.ErrNoRoot) {
		return nil, err
	}
	if err := w.CheckNew(); err != nil {
		return nil, err
	}
	if w.marked || w.named && err == nil {
		return w.keep(repo.Create(ctx, w.At.Root, w.rootOptions()))
	}
	mark, err := w.keyring().sign(newID())
	if err != nil { // the next command would not recognize it as the person's
		return nil, err
	}
	if root, err = w.keep(repo.Create(ctx, w.At.Root, w.rootOptions())); err != nil {
		return nil, err
	}
	return root, w.makeOwn(ctx, root, mark)
}

// CheckPlace returns an error that wraps project.ErrPassing if git can throw away the folder that the memory is in, or would be.
func (w *Workspace) CheckPlace() error { return project.CheckLasting(w.At.Root, w.Home()) }

// CheckNew is CheckPlace where no memory is yet.
func (w *Workspace) CheckNew() error {
	if holds, err := holdsMemory(w.At.Root); err != nil || holds {
		return nil // opening it says what is wrong
	}
	if _, err := os.Stat(filepath.Dir(w.At.Root)); err != nil && w.At.IsCode && !w.IsNamed { // a memory would make it anew
		return fault.New(fault.Missing, "the repository of this work tree is not there: "+filepath.Dir(w.At.Root),
			"if it was moved, 'git worktree repair' in it leads here again; or name another folder with --root")
	}
	return w.CheckPlace()
}

func (w *Workspace) keep(root *repo.Root, err error) (*repo.Root, error) {
	if err != nil {
		return nil, err
	}
	w.root = root
	w.Budget.KeepIn(func() ([]byte, error) { return root.ReadNote(repo.NoteCount) },
		func(f func([]byte) []byte) error { return root.AmendNote(repo.NoteCount, f) })
	return root, nil
}

// ViewRoot returns the memory as it stands; a blank one if there is none.
func (w *Workspace) ViewRoot() (*repo.Memory, error) {
	root, err := w.OpenRootIfAny()
	switch {
	case err != nil:
		return nil, err
	case root == nil:
		return repo.BlankMemory(w.Now, w.rootOptions()), nil
	}
	return root.View(w.Now)
}

// LeaveRoots is CloseRoots after a command. It also starts a background worker if git changed something: a
// starting session must not wait for that. A nil Workspace has no roots.
func (w *Workspace) LeaveRoots() error {
	if w == nil {
		return nil
	}
	for _, root := range []*repo.Root{w.own, w.root} {
		if root != nil && root.IsUnseen() && w.mayDetach() {
			if err := w.startDetached(root); err != nil {
				w.Note("git did something that mem has not looked at: %v", err)
			}
		}
	}
	return w.CloseRoots()
}

// CloseRoots closes the memories that are open.
func (w *Workspace) CloseRoots() error {
	var errs []error
	for _, root := range []*repo.Root{w.own, w.root} {
		if root != nil {
			errs = append(errs, root.Close())
		}
	}
	w.own, w.root = nil, nil
	return errors.Join(errs...)
}

func (w *Workspace) mayDetach() bool {
	return w.Detach != nil && w.Config.Enabled && w.Config.Hook.Worker && w.Getenv("MEM_CHILD") == ""
}

func (w *Workspace) startDetached(root *repo.Root) error {
	if err := w.Detach(root.Path(), "worker", "--root", root.Path()); err != nil {
		return fmt.Errorf("start worker: %w", err)
	}
	return nil
}

// UserConfig is the person's configuration file; "" if there is no home for it.
func (w *Workspace) UserConfig() string {
	if folder := w.findOwn("XDG_CONFIG_HOME", ".config"); folder != "" {
		return filepath.Join(folder, "config.toml")
	}
	return ""
}

// maxConfig bounds a configuration; that of a memory may come from another person.
const maxConfig = 1 << 20

// readConfig reads a configuration file; a missing one is nil.
func readConfig(path string) (*config.Source, error) {
	if path == "" {
		return nil, nil
	}
	data, err := disk.ReadRegular(path, maxConfig)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", config.ErrInvalid, err)
	}
	return &config.Source{Name: path, Data: data}, nil
}

// FindSession returns the file of the project's session that was written last, of those in which a person spoke.
func (w *Workspace) FindSession(places trace.Places) (string, error) {
	places.Programs, places.Headless = true, w.Config.Headless == config.HeadlessPerson
	l, err := trace.FindLatest(places, w.SessionFilter())
	return l.Path, err
}

// ReadSession reads one of many sessions, as TakeHeadless takes it.
func (w *Workspace) ReadSession(path string) (trace.Document, error) {
	return w.TakeHeadless(w.OpenSession(path))
}

// TakeHeadless treats the prompts of a headless run as a person's, if the person configured that.
func (w *Workspace) TakeHeadless(doc trace.Document, err error) (trace.Document, error) {
	if doc.Session != nil && w.Config.Headless == config.HeadlessPerson {
		doc.Session.TrustHeadless()
	}
	return doc, err
}
