package curate

import (
	"slices"

	"mem/curate/pattern"
	"mem/repo"
)

// ProposeRule makes a pending pattern of a rule that another memory agreed to, and returns
// its id. One with the same words is not proposed again, whatever was decided about it.
func ProposeRule(m *repo.Memory, domain, title, text string) (id string, isNew bool, err error) {
	c := readPatterns(m)
	at := slices.IndexFunc(c.list, func(p *pattern.Pattern) bool { return p.Text == text })
	if at >= 0 {
		return c.list[at].ID, false, nil
	}
	c.last++
	p := pattern.NewPattern(c.last, domain, title, text)
	return p.ID, true, c.writeBoth(m, p)
}
