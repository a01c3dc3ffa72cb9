// Package curate makes rules of what was learned.
//
//	a learning, or a lesson of a reflection
//	  → a pattern, when three that are alike have come together
//	  → a person's yes
//	  → a rule that every session reads
//
// A Capture keeps one learning. A Detector looks for patterns whenever
// something was learned, and a scan of everything finds what that missed.
// RuleQueue holds the pending patterns. All of it runs inside
// repo.Root.Settle, so that a rule, the learnings behind it and the changelog
// are one commit. No model is asked.
package curate

import (
	"bytes"
	"slices"
	"strings"
	"time"

	"mem/curate/pattern"
	"mem/curate/proposal"
	"mem/repo"
)

// A catalogue is the patterns of a memory.
type catalogue struct {
	list     []*pattern.Pattern
	unread   []string // what stands in files that cannot be read as patterns
	last     int      // the highest number given so far
	view     []byte   // patterns/index.md as it is; nil for none
	blocked  bool     // the folder cannot be read
	viewless bool     // patterns/index.md is no file
	problems []proposal.Problem
}

// readPatterns reads the patterns of a memory.
func readPatterns(m *repo.Memory) catalogue {
	var c catalogue
	names, err := m.Texts(pattern.Folder)
	if err != nil {
		return catalogue{blocked: true, problems: []proposal.Problem{{Path: pattern.Folder, Why: err.Error()}}}
	}
	for _, name := range names {
		id, path := strings.TrimSuffix(name, ".md"), pattern.Folder+"/"+name
		n := pattern.NumberOf(id)
		if n == 0 && path != pattern.IndexPath {
			continue // a person's own
		}
		if c.last = max(c.last, n); n == pattern.MaxNumber {
			c.problems = append(c.problems, proposal.Problem{Path: path, Why: "no number is left for a pattern after it, so that none is proposed"})
		}
		data, err := m.Read(path)
		if err != nil {
			c.problems = append(c.problems, proposal.Problem{Path: path, Why: err.Error()})
			c.viewless = c.viewless || n == 0
			continue
		}
		if n == 0 {
			c.view, c.last = data, max(c.last, pattern.LastNumber(data))
			continue
		}
		p, err := pattern.ParsePattern(id, data)
		if err != nil {
			c.unread = append(c.unread, strings.ReplaceAll(string(data), "\r\n", "\n"))
			c.problems = append(c.problems, proposal.Problem{Path: path, Why: err.Error()})
			continue
		}
		c.list = append(c.list, p)
	}
	slices.SortFunc(c.list, func(a, b *pattern.Pattern) int { return pattern.NumberOf(a.ID) - pattern.NumberOf(b.ID) })
	return c
}

// countPending is how many of them wait.
func (c *catalogue) countPending() (n int) {
	for _, p := range c.list {
		if p.Status == pattern.Pending {
			n++
		}
	}
	return n
}

// findPattern returns the pattern with this id; nil if there is none.
func (c *catalogue) findPattern(id string) *pattern.Pattern {
	for _, p := range c.list {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// removePattern takes a pattern out of the memory.
func (c *catalogue) removePattern(m *repo.Memory, p *pattern.Pattern) error {
	c.list = slices.DeleteFunc(slices.Clone(c.list), func(o *pattern.Pattern) bool { return o.ID == p.ID })
	return m.Remove(p.Path())
}

// writePattern writes a pattern, and says whether it changed.
func (c *catalogue) writePattern(m *repo.Memory, p *pattern.Pattern) (bool, error) {
	data := p.Bytes()
	if at := slices.IndexFunc(c.list, func(o *pattern.Pattern) bool { return o.ID == p.ID }); at < 0 {
		c.list = append(c.list, p)
	} else {
		c.list[at] = p
		if old, err := m.Read(p.Path()); err == nil && bytes.Equal(old, data) {
			return false, nil
		}
	}
	return true, m.Write(p.Path(), data)
}

// writeView writes the view of the patterns, and says whether it changed.
func (c *catalogue) writeView(m *repo.Memory) (bool, error) {
	view := pattern.RenderView(c.list, c.last)
	if c.last == 0 || c.viewless || bytes.Equal(view, c.view) {
		return false, nil
	}
	c.view = view
	return true, m.Write(pattern.IndexPath, view)
}

func today(m *repo.Memory) string { return m.Now().UTC().Format(time.DateOnly) }
