// Package curate makes rules of what was learned.
//
//	a learning, or a lesson of a reflection
//	  → a pattern, when three similar ones have come together
//	  → a person's approval
//	  → a rule that every session reads
//
// A Capture keeps one learning. A Detector looks for patterns whenever something
// was learned; a scan of everything finds what that missed. RuleQueue holds the
// pending patterns. All of it runs inside repo.Root.Settle, so that a rule, the
// learnings behind it and the changelog are one commit. No model is asked.
package curate

import (
	"bytes"
	"errors"
	"maps"
	"path"
	"slices"
	"strings"
	"time"

	"mem/curate/pattern"
	"mem/curate/proposal"
	"mem/repo"
	"mem/repo/union"
)

// A catalogue is the patterns of a memory.
type catalogue struct {
	list     []*pattern.Pattern // by number
	unread   map[string]string  // what is in the files that cannot be read as patterns, by path
	last     int                // the highest number given so far
	view     []byte             // patterns/index.md as it is; nil for none
	blocked  bool               // the folder cannot be read
	viewless bool               // patterns/index.md is not a file
	problems []proposal.Problem
	apart    map[string]string // files that are to be written: two patterns had one number
}

func readPatterns(m *repo.Memory) catalogue { return readCatalogue(m, m.ReadFile) }

func readCatalogue(m *repo.Memory, read func(path string) ([]byte, error)) catalogue {
	c := catalogue{unread: map[string]string{}}
	names, err := m.ListTexts(pattern.Folder)
	if err != nil {
		c.blocked = true
		c.addUnread(pattern.Folder, "", err)
		return c
	}
	files := map[string]string{}
	for _, name := range names {
		path := pattern.Folder + "/" + name
		n := numberIn(path)
		if n == 0 && path != pattern.IndexPath { // a person's own
			continue
		}
		if n == pattern.MaxNumber {
			c.addProblem(path, errLastNumber)
		}
		data, err := read(path)
		files[path] = string(data)
		switch {
		case err != nil && n > 0:
			c.addUnread(path, "", err)
		case err != nil:
			c.viewless = true
			c.addProblem(path, err)
		case n == 0:
			c.view, c.last = data, pattern.LastNumber(data)
		}
	}
	c.readFiles(files)
	return c
}

// readFiles reads the patterns in files, by path.
func (c *catalogue) readFiles(files map[string]string) {
	c.apart = union.SeparatePatterns(files)
	maps.Copy(files, c.apart)
	for _, path := range slices.Sorted(maps.Keys(files)) {
		n := numberIn(path)
		c.last = max(c.last, n)
		if _, bad := c.unread[path]; bad || n == 0 {
			continue
		}
		p, err := pattern.ParsePattern(idIn(path), []byte(files[path]))
		if err != nil {
			c.addUnread(path, strings.ReplaceAll(files[path], "\r\n", "\n"), err)
			continue
		}
		c.list = append(c.list, p)
	}
	slices.SortFunc(c.list, func(a, b *pattern.Pattern) int { return pattern.NumberOf(a.ID) - pattern.NumberOf(b.ID) })
}

func idIn(at string) string { return strings.TrimSuffix(path.Base(at), ".md") }

func numberIn(at string) int { return pattern.NumberOf(idIn(at)) }

func (c *catalogue) addProblem(path string, why error) {
	c.problems = append(c.problems, proposal.Problem{Path: path, Why: why.Error()})
}

func (c *catalogue) addUnread(path, text string, why error) {
	c.unread[path] = text
	c.addProblem(path, why)
}

var errLastNumber = errors.New("no number is left for a pattern after it, so that none is proposed")

// CountPending counts the pending patterns of a memory.
func CountPending(m *repo.Memory) int {
	c := readPatterns(m)
	return len(c.withStatus(pattern.Pending))
}

func (c *catalogue) withStatus(status pattern.Status) []*pattern.Pattern {
	return slices.DeleteFunc(slices.Clone(c.list), func(p *pattern.Pattern) bool { return p.Status != status })
}

// indexOf returns the place of the pattern with this id; -1 if there is none.
func (c *catalogue) indexOf(id string) int {
	return slices.IndexFunc(c.list, func(p *pattern.Pattern) bool { return p.ID == id })
}

func (c *catalogue) removePattern(m *repo.Memory, p *pattern.Pattern) error {
	delete(c.apart, p.Path())
	c.list = slices.DeleteFunc(slices.Clone(c.list), func(o *pattern.Pattern) bool { return o.ID == p.ID })
	return m.RemoveFile(p.Path())
}

func (c *catalogue) writePattern(m *repo.Memory, p *pattern.Pattern) error {
	if at := c.indexOf(p.ID); at >= 0 {
		c.list[at] = p
	} else {
		c.list = append(c.list, p)
	}
	delete(c.apart, p.Path())
	return m.WriteFile(p.Path(), p.Bytes())
}

// writeView writes the view of the patterns, and reports whether it changed.
func (c *catalogue) writeView(m *repo.Memory) (bool, error) {
	for path, text := range c.apart {
		if err := m.WriteFile(path, []byte(text)); err != nil {
			return false, err
		}
	}
	view := pattern.RenderView(c.list, c.last)
	if c.last == 0 || c.viewless || bytes.Equal(view, c.view) {
		return false, nil
	}
	c.view = view
	return true, m.WriteFile(pattern.IndexPath, view)
}

// RenderPatterns writes the view of the patterns, if it is not what they say.
func RenderPatterns(m *repo.Memory) error {
	c := readPatterns(m)
	_, err := c.writeView(m)
	return err
}

// writeBoth writes a pattern and the view of all.
func (c *catalogue) writeBoth(m *repo.Memory, p *pattern.Pattern) error {
	err := c.writePattern(m, p)
	if err == nil {
		_, err = c.writeView(m)
	}
	return err
}

func today(m *repo.Memory) string { return m.Now().UTC().Format(time.DateOnly) }
