package curate

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
	"strings"

	"mem/repo"
)

// A catalogue is the patterns of a memory, by number.
type catalogue struct {
	m        *repo.Memory
	patterns []*Pattern        // all that can be read
	unread   map[string]string // the files of the others, in which a person may have decided, by path
	last     int               // the highest number given so far
	view     []byte            // patterns/index.md as it is; nil for none
	blocked  bool              // the folder cannot be read
	viewless bool              // patterns/index.md is not a file
	problems []Problem
}

func readPatterns(m *repo.Memory) *catalogue { return readCatalogue(m, m.ReadFile) }

func readCatalogue(m *repo.Memory, read func(path string) ([]byte, error)) *catalogue {
	c := &catalogue{m: m, unread: map[string]string{}}
	names, err := m.ListTexts(patternFolder)
	if err != nil {
		c.blocked = true
		c.addUnread(patternFolder, "", err)
		return c
	}
	for _, name := range names {
		at := patternFolder + "/" + name
		if id := strings.TrimSuffix(name, ".md"); numberOf(id) > 0 {
			data, err := read(at)
			c.readPattern(at, id, data, err)
		} else if at == patternIndex { // else it is a person's own
			data, err := read(at)
			if c.view = data; err != nil {
				c.viewless = true
				c.problems = append(c.problems, Problem{Path: at, Why: err.Error()})
			}
			c.last = max(c.last, cmp.Or(m.LastProposal(), lastNumber(data)))
		}
	}
	slices.SortFunc(c.patterns, func(a, b *Pattern) int { return numberOf(a.ID) - numberOf(b.ID) })
	return c
}

// readPattern adds the pattern in a file, which was read with an error or without.
func (c *catalogue) readPattern(at, id string, data []byte, err error) {
	n := numberOf(id)
	if c.last = max(c.last, n); n == maxNumber {
		c.problems = append(c.problems, Problem{Path: at, Why: "no number is left for a pattern after it, so that none is proposed"})
	}
	if err != nil {
		c.addUnread(at, "", err)
	} else if p, err := parsePattern(id, data); err != nil {
		c.addUnread(at, strings.ReplaceAll(string(data), "\r\n", "\n"), err)
	} else {
		c.patterns = append(c.patterns, p)
	}
}

func (c *catalogue) addUnread(path, text string, why error) {
	c.unread[path] = text
	c.problems = append(c.problems, Problem{Path: path, Why: why.Error()})
}

// withStatus returns the patterns with a status; of one domain, unless that is "".
func (c *catalogue) withStatus(status, domain string) []*Pattern {
	return slices.DeleteFunc(slices.Clone(c.patterns), func(p *Pattern) bool {
		return p.Status != status || domain != "" && p.OriginDomain() != domain
	})
}

// indexOf returns the place of the pattern with this id; -1 if there is none.
func (c *catalogue) indexOf(id string) int {
	return slices.IndexFunc(c.patterns, func(p *Pattern) bool { return p.ID == id })
}

func (c *catalogue) writePattern(p *Pattern) error {
	if at := c.indexOf(p.ID); at >= 0 {
		c.patterns[at] = p
	} else {
		c.patterns = append(c.patterns, p)
	}
	return c.m.WriteFile(p.Path(), p.Bytes())
}

func (c *catalogue) removePattern(p *Pattern) error {
	c.patterns = slices.DeleteFunc(slices.Clone(c.patterns), func(o *Pattern) bool { return o.ID == p.ID })
	return c.m.RemoveFile(p.Path())
}

// writeView writes the view of the patterns, and reports whether it changed.
func (c *catalogue) writeView() (bool, error) {
	view := renderPatterns(c.patterns, c.last)
	if c.last == 0 || c.viewless || bytes.Equal(view, c.view) {
		return false, nil
	}
	c.view = view
	return true, c.m.WriteFile(patternIndex, view)
}

// RenderViews writes the view of the patterns and the lists of rules, if they are not what these say.
func RenderViews(m *repo.Memory) error {
	_, err := readPatterns(m).writeView()
	return errors.Join(err, settleLists(m))
}

// writeBoth writes a pattern and the view of all.
func (c *catalogue) writeBoth(p *Pattern) error {
	err := c.writePattern(p)
	if err == nil {
		_, err = c.writeView()
	}
	return err
}
