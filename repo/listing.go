package repo

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"mem/facts"
	"mem/topic"
)

// ListTexts returns the names of the Markdown files in a folder of the root, in
// order, with what was written and without what was removed since. A missing
// folder has none.
func (m *Memory) ListTexts(folder string) ([]string, error) {
	all, err := m.listNames(folder)
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, name := range all {
		has[name] = true
	}
	for path, w := range m.staged {
		if name, ok := strings.CutPrefix(path, folder+"/"); ok && !strings.Contains(name, "/") {
			has[name] = w.data != nil
		}
	}
	maps.DeleteFunc(has, func(name string, there bool) bool {
		return !there || !strings.HasSuffix(name, ".md") || strings.HasPrefix(name, ".")
	})
	return slices.Sorted(maps.Keys(has)), nil
}

// ListRules returns the paths of the texts in a folder, in order: in the place of a list of rules those of the
// rules, once these have files.
func (m *Memory) ListRules(folder string) (paths []string, err error) {
	paths, err = m.listPaths(folder)
	for _, list := range topic.RuleFiles {
		if path.Dir(list) != folder {
			continue
		}
		own, err2 := m.listPaths(topic.RuleFolder(list))
		if err = errors.Join(err, err2); len(own) > 0 {
			paths = append(slices.DeleteFunc(paths, func(at string) bool { return at == list }), own...)
		}
	}
	slices.Sort(paths)
	return paths, err
}

// listPaths is ListTexts with the folder before each name.
func (m *Memory) listPaths(folder string) ([]string, error) {
	names, err := m.ListTexts(folder)
	for i, name := range names {
		names[i] = folder + "/" + name
	}
	return names, err
}

// ListFolders returns the names of the folders in a folder of the root, in order.
// Links do not count. A missing folder has none.
func (m *Memory) ListFolders(folder string) ([]string, error) {
	all, err := m.listNames(folder)
	if err != nil {
		return nil, err
	}
	has := map[string]bool{}
	for _, name := range all {
		has[name] = m.tx.IsFolder(folder+"/"+name, m.atTip)
	}
	for path, w := range m.staged {
		rest, inside := strings.CutPrefix(path, folder+"/")
		if name, _, deeper := strings.Cut(rest, "/"); inside && deeper && w.data != nil {
			has[name] = true
		}
	}
	maps.DeleteFunc(has, func(name string, is bool) bool { return !is || strings.HasPrefix(name, ".") })
	return slices.Sorted(maps.Keys(has)), nil
}

// listNames returns the names in a folder, without what waits: of the work tree or, for a reader, of the last commit.
func (m *Memory) listNames(folder string) ([]string, error) {
	if m.tx == nil {
		return nil, nil
	}
	names, err := m.tx.ListNames(folder, m.atTip)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", folder, err)
	}
	return names, nil
}

// ListDays returns the dates of the journal files whose name starts with prefix,
// such as "2026-02", oldest first.
func (m *Memory) ListDays(prefix string) ([]string, error) {
	return m.listDates("daily", prefix)
}

// ListMonths returns the months that have a rollup, oldest first.
func (m *Memory) ListMonths() ([]string, error) { return m.listDates("monthly", "") }

// listDates returns the names in a folder that are dates. A person may keep other notes there.
func (m *Memory) listDates(folder, prefix string) ([]string, error) {
	all, err := m.listNames(folder)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, name := range all {
		if date, isDate := facts.DateOf(folder + "/" + name); isDate && strings.HasPrefix(date, prefix) {
			names = append(names, date)
		}
	}
	return names, nil
}
