package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"mem/config"
	"mem/curate"
	"mem/oracle"
	"mem/reflect"
	"mem/render"
	"mem/repo"
)

// A workspace is the memory that a command works on and how.
type workspace struct {
	env Env
	now time.Time
	at  repo.Location
	cfg *config.Loaded

	budget   *oracle.Budget   // of what models are asked
	detector *curate.Detector // of patterns in what is learned
}

// workspace finds the memory for this command and reads the configuration.
// flags are configuration keys that the command line sets.
func (g *globals) workspace(env Env, flags map[string]string) (*workspace, error) {
	now, err := g.time(env)
	if err != nil {
		return nil, err
	}
	w := &workspace{env: env, now: now, detector: &curate.Detector{}}
	if w.at, err = g.locate(env); err != nil {
		return nil, err
	}
	user, err := source(w.userConfig())
	if err != nil {
		return nil, err
	}
	own, err := ownSource(filepath.Join(w.at.Root, repo.ConfigPath))
	if err != nil {
		return nil, err
	}
	if w.cfg, err = config.Load(user, own, env.Environ, flags); err != nil {
		return w, err
	}
	w.budget = oracle.NewBudget(w.cfg.Oracle.MaxCalls, w.cfg.Oracle.MaxTokens, env.Now())
	return w, nil
}

// open finds the memory for this command, and opens it: it must exist. The
// command ends with leave.
func (g *globals) open(env Env) (*workspace, *repo.Root, error) {
	w, err := g.workspace(env, nil)
	if err != nil {
		return nil, nil, err
	}
	root, err := w.open()
	return w, root, err
}

// locate finds the memory: the flag, the variable, else the project's.
func (g *globals) locate(env Env) (repo.Location, error) {
	for _, root := range []string{g.Root, env.Getenv("MEM_ROOT")} {
		if root == "" {
			continue
		}
		if !filepath.IsAbs(root) {
			root = filepath.Join(env.Dir, root)
		}
		at, err := repo.Locate(env.Dir, env.Home())
		if errors.Is(err, repo.ErrNoFolder) && filepath.IsAbs(root) {
			at, err = repo.Locate(filepath.Dir(root), env.Home())
		}
		if err != nil {
			return repo.Location{}, err
		}
		_, err = os.Stat(root)
		return repo.Location{Project: at.Project, Root: root, Exists: err == nil}, nil
	}
	return repo.Locate(env.Dir, env.Home())
}

// userConfig is the person's configuration file.
func (w *workspace) userConfig() string {
	if xdg := w.env.Getenv("XDG_CONFIG_HOME"); xdg != "" {
		return filepath.Join(xdg, "mem", "config.toml")
	}
	if home := w.env.Home(); home != "" {
		return filepath.Join(home, ".config", "mem", "config.toml")
	}
	return ""
}

// maxOwnConfig bounds the configuration of a memory, which may come from
// somebody else.
const maxOwnConfig = 1 << 20

// ownSource reads the configuration file of a memory. One that leads elsewhere,
// such as to a device without an end, is not read.
func ownSource(path string) (*config.Source, error) {
	info, err := os.Lstat(path)
	if err == nil && (!info.Mode().IsRegular() || info.Size() > maxOwnConfig) {
		return nil, fmt.Errorf("%w: %s is not a plain file of at most 1 MiB", config.ErrInvalid, path)
	}
	return source(path)
}

// source reads a configuration file; a missing one is nil.
func source(path string) (*config.Source, error) {
	if path == "" {
		return nil, nil
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) || errors.Is(err, syscall.ENOTDIR) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w", err)
	}
	return &config.Source{Name: path, Data: data}, nil
}

func (w *workspace) options() repo.Options {
	return repo.Options{
		Home: w.env.Home(), XDG: w.env.Getenv("XDG_CONFIG_HOME"),
		MaxCoreItems: w.cfg.MaxCoreItems, Version: version(),
		Warn:    func(s string) { w.env.Note("%s", s) },
		Learned: w.detector.Learned,
	}
}

// open opens the memory, which must exist.
func (w *workspace) open() (*repo.Root, error) { return w.metered(repo.Open(w.at.Root, w.options())) }

// openAny is open for a command that can do without a memory: nil if there is
// none.
func (w *workspace) openAny() (*repo.Root, error) {
	root, err := w.open()
	if errors.Is(err, repo.ErrNoRoot) {
		return nil, nil
	}
	return root, err
}

// metered keeps the budget for models in a memory just opened.
func (w *workspace) metered(root *repo.Root, err error) (*repo.Root, error) {
	if err == nil {
		w.budget.KeepIn(oracle.Store{
			Read:  func() ([]byte, error) { return root.Kept(repo.NoteCount) },
			Amend: func(f func([]byte) []byte) error { return root.Amend(repo.NoteCount, f) },
		})
	}
	return root, err
}

// create opens the memory and makes it if there is none.
func (w *workspace) create(ctx context.Context) (*repo.Root, error) {
	root, err := w.open()
	if err == nil {
		err = root.Close()
	}
	if err != nil && !errors.Is(err, repo.ErrNoRoot) {
		return nil, err
	}
	return w.metered(repo.Create(ctx, w.at.Root, w.options()))
}

// drain counts what waits in the queue. blocked says why the memory cannot be
// changed now; other trouble must not keep the command from its own work.
func (w *workspace) drain(ctx context.Context, root *repo.Root) (blocked error) {
	warn := func(s string) { w.env.Note("%s", s) }
	if err := w.drainCaptures(ctx, root); reflect.Postponed(err) {
		return err
	} else if err != nil {
		warn(fmt.Sprintf("the queue could not be emptied: %v", err))
	}
	n, err := reflect.Drain(ctx, root, warn)
	if n > 0 {
		w.env.Note("%d queued %s counted", n, render.Plural(n, "reflection was", "reflections were"))
	}
	switch {
	case reflect.Postponed(err):
		return err
	case err != nil:
		w.env.Note("the queue could not be emptied: %v", err)
	}
	if err := w.kick(root); err != nil {
		w.env.Note("sessions wait in the queue: %v", err)
	}
	return nil
}

// show shortens a path that is below the working directory, for people.
func (w *workspace) show(path string) string {
	if rel, err := filepath.Rel(w.env.Dir, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// printJSON writes v as the result.
func printJSON(env Env, v any) error {
	e := json.NewEncoder(env.Out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(v); err != nil {
		return fmt.Errorf("write result: %w", err)
	}
	return nil
}

// short is a commit id for people.
func short(id string) string { return id[:min(12, len(id))] }
