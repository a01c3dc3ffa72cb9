package curate

import (
	"slices"
	"strings"
	"time"

	"mem/curate/learning"
	"mem/curate/pattern"
	"mem/curate/proposal"
	"mem/index"
	"mem/repo"
	"mem/topic"
)

// A gathering is what was learned, as far as it may group: the units of each
// domain.
type gathering struct {
	units    map[string][]pattern.Unit
	problems []proposal.Problem
}

// gatherUnits returns the units of some domains; of all when none is named.
func gatherUnits(m *repo.Memory, domains ...string) gathering {
	g := gathering{units: map[string][]pattern.Unit{}}
	wanted := func(domain string) bool { return len(domains) == 0 || slices.Contains(domains, domain) }
	files := g.files(m, wanted)
	g.lessons(m, files, wanted)
	for _, f := range files {
		if f.out {
			continue
		}
		g.units[f.domain] = append(g.units[f.domain], f.Unit)
	}
	return g
}

// A fileUnit is a unit that is a file.
type fileUnit struct {
	pattern.Unit
	domain string
	status index.Status // of the lesson that says the same
	out    bool         // a person, or the guard, does not want it to count
}

// horizon is when lessons are compared: later than any, so that time alone
// does not change the order of those that a pattern names.
func horizon() time.Time { return time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC) }

// worth is what a learning without a lesson is ranked by.
func worth(l learning.Learning) float64 {
	day, err := time.Parse(time.DateOnly, l.Date)
	if err != nil {
		day = time.Time{} // the last of all
	}
	return (&index.Item{Score: 1, LastSeen: day}).Effective(horizon())
}

// files reads the learnings that are files. Those that cannot be read are
// problems.
func (g *gathering) files(m *repo.Memory, wanted func(string) bool) (list []fileUnit) {
	trouble := func(path string, err error) {
		g.problems = append(g.problems, proposal.Problem{Path: path, Why: err.Error()})
	}
	folders, err := m.Folders(learning.Folder)
	if err != nil {
		trouble(learning.Folder, err)
	}
	for _, folder := range folders {
		path := learning.Folder + "/" + folder
		if domain := topic.Domain(folder); path == learning.Archived || domain != "" && !wanted(domain) {
			continue
		}
		names, err := m.Texts(path)
		if err != nil {
			trouble(path, err)
		}
		for _, name := range names {
			data, err := m.Read(path + "/" + name)
			if err != nil {
				trouble(path+"/"+name, err)
				continue
			}
			l, err := learning.ParseFile(path+"/"+name, data)
			if err != nil {
				trouble(path+"/"+name, err)
				continue
			}
			if wanted(l.Domain) {
				u := pattern.Unit{ID: path + "/" + name, Text: learning.StatementOf(l.Text), Tags: l.Tags, Times: 1, Score: worth(l)}
				list = append(list, fileUnit{Unit: u, domain: l.Domain})
			}
		}
	}
	return list
}

// lessons adds the lessons of the index that have no file, and tells the files
// of those that say the same.
func (g *gathering) lessons(m *repo.Memory, files []fileUnit, wanted func(string) bool) {
	same := map[string][]int{} // files by key
	var lengths [256]bool      // of the keys; most lessons need no look-up
	for i := range files {
		key := index.Key(files[i].Text)
		if files[i].Text != "" && index.SaysAvoid(files[i].Text) {
			key = index.Key(index.Avoid(files[i].Text))
		}
		same[key] = append(same[key], i)
		lengths[len(key)%len(lengths)] = true
	}
	domainOf := domains()
	for i := range m.Index.Items {
		it := &m.Index.Items[i]
		domain := domainOf(it.Domain)
		if lengths[len(it.Key)%len(lengths)] {
			if at, ok := same[it.Key]; ok && matchFiles(files, at, it, domain) {
				continue
			}
		}
		if it.Status != index.Active || len(it.Tags) < pattern.MinShared || domain == "" || !wanted(domain) {
			continue
		}
		if tags := pattern.NormalTags(it.Tags); len(tags) >= pattern.MinShared {
			g.units[domain] = append(g.units[domain], pattern.Unit{
				ID: it.ID, Item: it.ID, Text: it.Text, Tags: tags, Times: timesLearned(it), Score: it.Effective(horizon()),
			})
		}
	}
}

// matchFiles tells files of a lesson that says what they say, and reports whether
// they stand for it. Of several lessons an active one counts. What is not to
// be shown does not count as learned either.
func matchFiles(files []fileUnit, at []int, it *index.Item, domain string) (stand bool) {
	for _, i := range at {
		f := &files[i]
		if domain != "" && domain != f.domain {
			continue
		}
		stand = true
		if f.Item != "" && (f.status == index.Active || it.Status != index.Active) {
			continue
		}
		f.Item, f.status, f.Score = it.ID, it.Status, it.Effective(horizon())
		f.out = it.Status != index.Active && it.Status != index.Compiled
	}
	return stand
}

// domains returns a function that knows the domain of a record: people and
// other programs may have spelled it in their way.
func domains() func(string) string {
	known := map[string]string{}
	return func(name string) string {
		switch name { // there may be a hundred thousand, nearly all of them spelled like this
		case "", topic.Technical, topic.Process, topic.Mistake, topic.Coding, topic.Communications, topic.Scheduling, topic.Finance, topic.Learning, topic.General:
			return name
		}
		d, ok := known[name]
		if !ok {
			d = topic.Domain(name)
			known[name] = d
		}
		return d
	}
}

// timesLearned is how often a lesson was learned: once for each session that brought
// it. A source without a session is one of its own.
func timesLearned(it *index.Item) int {
	n := 0
	for i, s := range it.Sources {
		if s.Session == "" || !slices.ContainsFunc(it.Sources[:i], func(o index.Source) bool { return o.Session == s.Session }) {
			n++
		}
	}
	return max(1, n)
}

// A fact is what a lesson that was just learned may be alike to.
type fact struct {
	domain string
	tags   []string
}

// mayGroup returns the domains in which a lesson that was just learned is like
// some other: only there can a pattern have changed. It is one pass over the
// index and, where there are files of learnings, over those of the domain.
func mayGroup(m *repo.Memory, changes []index.Change) []string {
	var fresh []fact
	changed := map[int]bool{}
	var found []string
	for _, c := range changes {
		it := &m.Index.Items[c.Pos]
		domain, tags := topic.Domain(it.Domain), pattern.NormalTags(it.Tags)
		if it.Status != index.Active && it.Status != index.Compiled || domain == "" || len(tags) < pattern.MinShared {
			continue
		}
		if it.Status == index.Active && timesLearned(it) > 1 && !slices.Contains(found, domain) {
			found = append(found, domain) // it may be enough by itself
		}
		changed[c.Pos] = true
		fresh = append(fresh, fact{domain, tags})
	}
	if len(fresh) == 0 {
		return nil
	}
	for i, f := range fresh {
		if !slices.Contains(found, f.domain) && slices.ContainsFunc(fresh[:i], func(o fact) bool { return o.domain == f.domain && pattern.ShareTags(o.tags, f.tags) }) {
			found = append(found, f.domain)
		}
	}
	domainOf := domains()
	for i := range m.Index.Items {
		it := &m.Index.Items[i]
		if len(it.Tags) < pattern.MinShared || it.Status != index.Active || changed[i] {
			continue
		}
		domain := domainOf(it.Domain)
		for _, f := range fresh {
			if f.domain == domain && !slices.Contains(found, domain) && pattern.ShareTags(f.tags, it.Tags) {
				found = append(found, domain)
			}
		}
	}
	for _, f := range fresh {
		if !slices.Contains(found, f.domain) && filesAlike(m, f) {
			found = append(found, f.domain)
		}
	}
	slices.Sort(found)
	return found
}

// filesAlike reports whether two files of learnings may be like a lesson: its
// own is one of them.
func filesAlike(m *repo.Memory, f fact) bool {
	var g gathering
	n := 0
	for _, u := range g.files(m, func(domain string) bool { return domain == f.domain }) {
		if pattern.ShareTags(f.tags, u.Tags) {
			n++
		}
	}
	return n > 1
}

// statementIn is the text of the file of a learning, as a lesson; "" if it cannot
// be read.
func statementIn(path string, data []byte) string {
	l, err := learning.ParseFile(path, data)
	if err != nil {
		return strings.TrimPrefix(path, learning.Folder+"/")
	}
	return learning.StatementOf(l.Text)
}
