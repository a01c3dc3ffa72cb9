// Package doctor examines a memory and says what is wrong with it, what that means, and what
// can be done. It repairs only what is derived from the rest; whatever a person may have written
// is left to the person.
package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"mem/curate"
	"mem/guard"
	"mem/repo"
	"mem/workspace"
	"mem/workspace/overview"
)

// A Level says how much a finding matters.
type Level string

// The levels, the worst first.
const (
	Broken Level = "broken" // something does not work, or is lost
	Odd    Level = "odd"    // it works, and should not stay so
	Note   Level = "note"   // good to know
)

// A Finding is one thing that the doctor found.
type Finding struct {
	Check string `json:"check"` // which check found it
	Level Level  `json:"level"`
	What  string `json:"what"`         // what is so
	Means string `json:"means"`        // what follows from it
	Fix   string `json:"fix,omitzero"` // what --fix does about it; "" for nothing
	Do    string `json:"do,omitzero"`  // what the person can do
	names []string
}

// A Patient is a memory that is examined.
type Patient struct {
	*workspace.Workspace
	Overview func() (overview.Overview, error)
	Explain  func(error) string // the hint for an error
	Deep     bool               // read every object and every file

	root  *repo.Root
	view  *repo.Memory
	seen  overview.Overview
	found []Finding
}

// Examine returns all findings, the worst first. A memory that cannot be opened has one finding
// that says why, beside those that need no memory. Without any, the error wraps repo.ErrNoRoot.
func (p *Patient) Examine(ctx context.Context) ([]Finding, error) {
	p.found = nil
	if err := p.Untrusted(); err != nil {
		p.addIf(true, Finding{Check: "trust", Level: Broken, What: workspace.DescribeError(err), Means: "No session reads this memory, and no command changes it.", Do: p.Explain(err)})
		return p.found, nil
	}
	root, err := p.OpenRoot()
	if errors.Is(err, repo.ErrNoRoot) {
		return nil, err
	}
	p.checkLeft()
	if err := p.checkObjects(ctx); err != nil {
		return nil, err
	}
	if p.root = root; err == nil {
		p.view, err = p.ViewForCaller(root, p.Now)
	}
	if err == nil {
		p.seen, err = p.Overview()
	}
	if err != nil {
		p.addIf(true, Finding{Check: "open", Level: Broken, What: workspace.DescribeError(err), Means: "No command can read this memory as it stands. Nothing was changed.", Do: p.Explain(err)})
	} else {
		for _, check := range []func(){p.checkWork, p.checkIndex, p.checkFiles, p.checkEvidence, p.checkBeat, p.checkSize} {
			check()
		}
	}
	levels := []Level{Broken, Odd, Note}
	slices.SortStableFunc(p.found, func(a, b Finding) int { return slices.Index(levels, a.Level) - slices.Index(levels, b.Level) })
	return p.found, nil
}

// addIf adds a finding if it is so.
func (p *Patient) addIf(is bool, f Finding) {
	if is {
		p.found = append(p.found, f)
	}
}

// IsIll reports whether something is to be done.
func IsIll(list []Finding) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Level != Note })
}

// CanFix reports whether --fix does anything about the findings.
func CanFix(list []Finding) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Fix != "" })
}

// Write shows the findings to a person.
func Write(w io.Writer, list []Finding) {
	for i, f := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%-7s %s: %s\n", f.Level, f.Check, guard.Line(f.What))
		for _, name := range f.names[:min(len(f.names), mostNames)] {
			fmt.Fprintf(w, "          %s\n", guard.Line(name))
		}
		if more := len(f.names) - mostNames; more > 0 {
			fmt.Fprintf(w, "          and %d more\n", more)
		}
		fmt.Fprintf(w, "        %s\n", guard.Line(f.Means))
		if f.Fix != "" {
			fmt.Fprintf(w, "        --fix %s\n", guard.Line(f.Fix))
		}
		if f.Do != "" {
			fmt.Fprintf(w, "        hint: %s\n", guard.Line(f.Do))
		}
	}
}

// mostNames is how many names a finding lists.
const mostNames = 5

// Fix repairs what is derived from the rest: the views, the list of patterns, and what a Settle
// puts in order by itself. It commits what a person edited as it is.
func (p *Patient) Fix(ctx context.Context, dryRun bool) (workspace.Changed, error) {
	return p.Change(ctx, dryRun, func(m *repo.Memory) (repo.Message, error) {
		if err := m.LookAtJournal(); err != nil {
			return repo.Message{}, err
		}
		return repo.Message{Subject: "chore(memory): render what is derived"}, curate.RenderPatterns(m)
	})
}
