package curate

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/repo"
	"mem/topic"
)

// A learned is a learning that may join a group: its file, with what the index says of its lesson.
type learned struct {
	unit
	domain string
	status index.Status // of the lesson that says the same
	hidden bool         // that lesson is not shown, and so does not count
}

// horizon is when lessons are compared: later than any, so that time alone does
// not change the order of those that a pattern names.
var horizon = time.Date(2200, 1, 1, 0, 0, 0, 0, time.UTC)

func gatherUnits(m *repo.Memory, domains []string) map[string][]unit {
	wanted := func(domain string) bool { return slices.Contains(domains, domain) }
	files, _ := readLearnings(m, wanted)
	units := gatherLessons(m, files, wanted)
	for _, f := range files {
		if !f.hidden {
			units[f.domain] = append(units[f.domain], f.unit)
		}
	}
	return units
}

func readLearnings(m *repo.Memory, wanted func(string) bool) (list []*learned, problems []Problem) {
	active, _, problems := learningFiles(m)
	for _, file := range active {
		if domain := topic.Domain(path.Base(path.Dir(file))); domain != "" && !wanted(domain) {
			continue
		}
		l, err := readLearning(m, file)
		switch {
		case err != nil:
			problems = append(problems, Problem{Path: file, Why: err.Error()})
		case wanted(l.Domain):
			day, _ := time.Parse(time.DateOnly, l.Date) // without a date it is the last of all
			score := (&index.Item{Score: 1, LastSeen: day}).EffectiveScore(horizon)
			list = append(list, &learned{unit: unit{ID: file, Text: l.Lesson(), Tags: l.Tags, Score: score, Since: day, Seen: day}, domain: l.Domain})
		}
	}
	return list, problems
}

func readLearning(m *repo.Memory, file string) (Learning, error) {
	data, err := m.ReadFile(file)
	if err != nil {
		return Learning{}, err
	}
	return ParseLearning(file, data)
}

// learningFiles returns the paths of the files of learnings, and of those that
// are archived, in order. A folder that cannot be read is a problem.
func learningFiles(m *repo.Memory) (active, archived []string, problems []Problem) {
	folders, err := m.ListFolders(LearningFolder)
	if err != nil {
		problems = append(problems, Problem{Path: LearningFolder, Why: err.Error()})
	}
	for _, folder := range folders {
		folder = LearningFolder + "/" + folder
		names, err := m.ListTexts(folder)
		if err != nil {
			problems = append(problems, Problem{Path: folder, Why: err.Error()})
		}
		list := &active
		if folder == ArchivedFolder {
			list = &archived
		}
		for _, name := range names {
			*list = append(*list, folder+"/"+name)
		}
	}
	return active, archived, problems
}

// FindLearning returns the file of a learning by its path, its path before it was archived, or its name with or
// without the date. Of several with one name it returns the newest. If there is none the error wraps fs.ErrNotExist.
func FindLearning(m *repo.Memory, name string) (found string, l Learning, err error) {
	active, archived, _ := learningFiles(m)
	if strings.HasPrefix(name, LearningFolder+"/") {
		name = strings.TrimSuffix(path.Base(name), ".md")
	}
	for _, file := range slices.Concat(archived, active) {
		stem := strings.TrimSuffix(path.Base(file), ".md")
		slug := stem[min(len(stem), len(time.DateOnly+"-")):]
		if (stem == name || slug == name) && path.Base(file) >= path.Base(found) {
			found = file
		}
	}
	if found == "" {
		return "", l, fmt.Errorf("learning %q: %w", name, fs.ErrNotExist)
	}
	l, err = readLearning(m, found)
	return found, l, err
}

// gatherLessons returns the lessons of the index that have no file, and notes in the files which lessons say the same.
func gatherLessons(m *repo.Memory, files []*learned, wanted func(string) bool) map[string][]unit {
	units, byKey := map[string][]unit{}, map[string][]*learned{}
	for _, f := range files {
		key := index.KeyOf(index.FoldAvoid(f.Text))
		byKey[key] = append(byKey[key], f)
	}
	for it := range m.Index.All() {
		domain := topic.Domain(it.Domain)
		if noteLesson(byKey[it.Key], it, domain) || it.Status != index.Active || !wanted(domain) {
			continue
		}
		if tags := topic.Tags(it.Tags); len(tags) >= minShared {
			units[domain] = append(units[domain], unit{
				ID: it.ID, Item: it.ID, Text: it.Text, Tags: tags, Score: it.EffectiveScore(horizon), Found: true, Since: it.FirstSeen, Seen: it.LastSeen,
			})
		}
	}
	return units
}

// noteLesson notes in files a lesson that says what they say, and reports whether
// they stand for it. Of several lessons an active one counts.
func noteLesson(files []*learned, it *index.Item, domain string) (stand bool) {
	for _, f := range files {
		if domain != "" && domain != f.domain {
			continue
		}
		stand = true
		if f.Item != "" && (f.status == index.Active || it.Status != index.Active) {
			continue
		}
		f.Item, f.status, f.Score, f.Since, f.Seen = it.ID, it.Status, it.EffectiveScore(horizon), it.FirstSeen, it.LastSeen
		f.hidden = !it.IsShown()
	}
	return stand
}

// changedDomains returns the domains of lessons that were just learned, if these may join a group.
func changedDomains(m *repo.Memory, changes []index.Change) (domains []string) {
	for _, c := range changes {
		it := &m.Index.Items[c.Pos]
		domain := topic.Domain(it.Domain)
		if it.IsShown() && domain != "" && len(topic.Tags(it.Tags)) >= minShared {
			domains = append(domains, domain)
		}
	}
	slices.Sort(domains)
	return slices.Compact(domains)
}
