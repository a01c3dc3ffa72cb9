package main

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"mem/curate/ingest"
	"mem/curate/proposal"
	"mem/guard"
	"mem/index"
	"mem/repo"
	"mem/workspace"
)

// importResult is the JSON of mem ingest FILE.
type importResult struct {
	Root     string             `json:"root"`
	Files    []string           `json:"files"` // that lessons were read from
	New      []lessonResult     `json:"new"`
	Repeated []lessonResult     `json:"repeated"` // known, but not from these files
	Known    int                `json:"known"`    // lessons that these files brought before
	Problems []proposal.Problem `json:"problems"`
	DryRun   bool               `json:"dryRun"`
	Commit   string             `json:"commit"`
}

// runImport runs mem ingest FILE.
func runImport(ctx context.Context, env Env, g *globals, path string, opts ingestOptions) error {
	if opts.Format != "" && !slices.Contains(ingest.FormatNames(), opts.Format) {
		return usagef("--format is one of %s, not %q", strings.Join(ingest.FormatNames(), ", "), opts.Format)
	}
	return withWork(env, g, func(w *work) error {
		imp, err := w.readImport(ctx, path, ingest.Format(opts.Format))
		if err != nil {
			return err
		}
		var rep ingest.Report
		commit, err := w.Change(ctx, opts.DryRun, func(m *repo.Memory) (msg repo.Message, err error) {
			rep, msg = imp.Apply(m)
			return msg, nil
		})
		if err != nil {
			return err
		}
		res := importResult{
			Root: w.At.Root, Files: imp.Files, New: lessonsJSON(rep.New), Repeated: lessonsJSON(rep.Repeated), Known: rep.Known,
			Problems: imp.Problems, DryRun: opts.DryRun,
		}
		if len(rep.New)+len(rep.Repeated) > 0 { // otherwise a commit holds a person's edits
			res.Commit = commit.Commit
		}
		if opts.JSON {
			return printJSON(env, res)
		}
		printImport(w, res)
		return nil
	})
}

// readImport reads what is to be imported; "-" is standard input.
func (w *work) readImport(ctx context.Context, path string, format ingest.Format) (*ingest.Import, error) {
	if path == "-" {
		text, err := w.env.readText(ctx, "standard input", ingest.MaxFile+1)
		if err != nil {
			return nil, err
		}
		if len(text) > ingest.MaxFile {
			return nil, usagef("standard input has more than %d MiB", ingest.MaxFile>>20)
		}
		return ingest.ReadText([]byte(text), "standard input", format)
	}
	at := w.AbsPath(path)
	// The memory may be named by its index, too.
	if workspace.IsSameFolder(w.At.Root, at) || workspace.IsSameFolder(w.At.Root, filepath.Dir(filepath.Dir(at))) {
		return nil, usagef("%s is the memory itself", w.ShowPath(at))
	}
	if _, err := os.Stat(at); errors.Is(err, fs.ErrNotExist) {
		return nil, usagef("there is no file or folder %s", path)
	}
	return ingest.ReadPath(at, w.StablePath(at), format, w.Now)
}

func printImport(w *work, res importResult) {
	env := w.env
	env.Printf("read    %s\n", guard.Line(strings.Join(res.Files, ", ")))
	held := 0
	for _, it := range res.New {
		if it.Status == string(index.Quarantined) {
			held++
		}
	}
	env.Printf("learned %d new, %d repeated", len(res.New), len(res.Repeated))
	if res.Known > 0 {
		env.Printf(", %d known from there", res.Known)
	}
	if held > 0 {
		env.Printf("; %d of the new ones held back until they are confirmed", held)
	}
	env.Printf("\n")
	for _, it := range res.New {
		env.Printf("  + %s\n", guard.Line(it.Text))
	}
	for _, it := range res.Repeated {
		env.Printf("  ×%d %s\n", it.Hits, guard.Line(it.Text))
	}
	for _, p := range res.Problems {
		env.Printf("left alone: %s: %s\n", guard.Line(p.Path), guard.Line(p.Why))
	}
	if res.Commit != "" {
		env.Printf("in      %s\ncommit  %.12s\n", w.indexFile(), res.Commit)
	}
}
