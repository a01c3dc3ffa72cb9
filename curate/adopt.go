package curate

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/topic"
	"mem/words"
)

// AsideFolder holds what was in a memory that another person may have written, and what no session is to read.
const AsideFolder = "imported"

// An Adoption counts what was taken in of a memory that another person may have written.
type Adoption struct {
	Lessons int // in all
	Held    int // that read like an order
	Rules   int // that wait for review
	Aside   int // other files
}

// AdoptMemory takes in a memory that another person may have written, in a callback for Settle. files are all its
// files.
//
// Lessons count as an import: what its writer said of them, that they are pinned, proven, sure or part of a rule, is
// dropped. Its rules wait for review, and what else sessions would read, or mem would go by, is set aside. If a secret
// is in the way the error wraps repo.ErrSecret.
//
// A memory with a history of its own is the person's from another machine as far as can be known, and keeps its
// decisions and files, so that both can still be merged. Lessons that read like an order are held; what does so in its
// files no session is shown, as of any memory.
func AdoptMemory(m *repo.Memory, files []string, hasHistory bool) (Adoption, repo.Message, error) {
	a := Adoption{Lessons: len(m.Index.Items)}
	for it := range m.Index.All() {
		if !hasHistory {
			it.Origin, it.Pinned, it.Confidence, it.Severity = index.OriginImport, false, "", ""
			it.Evidence, it.Violations, it.Recurred = nil, 0, 0
			if it.Status == index.Compiled { // into a rule that is not agreed here
				it.Status = index.Active
			}
		}
		if it.IsShown() && len(guard.Lint(it.ShownText())) > 0 {
			it.Change(func(it *index.Item) { it.Status, it.Pinned = index.Quarantined, false })
			a.Held++
		}
	}
	if hasHistory {
		if a.Held == 0 {
			return a, repo.Message{}, nil // left in place, unchanged
		}
		files = nil
	}
	var rules []string
	files = slices.DeleteFunc(slices.Clone(files), func(name string) bool { return topic.RuleFolder(path.Dir(name)+".md") != "" })
	for _, name := range files { // a list says what its rules do
		text := findForeign(m, name)
		if guard.CountSecrets(text) > 0 { // Settle would leave the file where it is
			return a, repo.Message{}, fmt.Errorf("%s: %w", name, repo.ErrSecret)
		}
		if text != "" && (strings.HasPrefix(name, "rules/") || strings.HasPrefix(name, "context/")) {
			rules = append(rules, name)
		} else if text != "" {
			a.Aside++
			if err := m.MoveFile(name, AsideFolder+"/"+name, []byte(text)); err != nil {
				return a, repo.Message{}, err
			}
		}
	}
	if err := a.proposeRules(m, rules); err != nil {
		return a, repo.Message{}, err
	}
	msg := repo.Message{Subject: fmt.Sprintf("ingest: %s from a memory that was here", render.Count(a.Lessons, "lesson", "lessons"))}
	if hasHistory {
		msg.Subject = "ingest: hold what reads like an order"
	}
	msg.Body = []string{fmt.Sprintf("%d held, %s for review, %d other files set aside", a.Held, render.Count(a.Rules, "rule", "rules"), a.Aside)}
	return a, msg, nil
}

// findForeign returns the text of a file that must not stay where it is; "" for
// one that may, and for one that mem does not read.
func findForeign(m *repo.Memory, name string) string {
	top, _, _ := strings.Cut(name, "/")
	own := []string{repo.IndexPath, repo.TracesPath, render.CorePath, render.LongTermPath, repo.ReadmePath}
	if top == AsideFolder || slices.Contains(own, name) {
		return ""
	}
	data, err := m.ReadFile(name)
	isJournal := (top == "daily" || top == "monthly") && path.Ext(name) == ".md"
	if err != nil || isJournal && len(guard.Lint(string(data))) == 0 {
		return ""
	}
	return string(data)
}

// proposeRules makes proposals of files of rules. What was there of proposals is set aside, so that they are the first.
func (a *Adoption) proposeRules(m *repo.Memory, files []string) error {
	c := &catalogue{m: m}
	for _, name := range files {
		data, err := m.ReadFile(name)
		if err != nil {
			return err
		}
		for _, r := range splitRules(name, data) {
			domain := topic.Domain(strings.TrimSuffix(path.Base(name), ".md"))
			if domain == "" {
				domain, _ = topic.File(r.Name+". "+r.Text, false)
			}
			c.last++ // it rests on nothing but its words
			p := &Pattern{ID: formatID(c.last), Status: Pending, Domain: domain, Title: render.Shorten(words.FoldSpace(r.Name), 79), Text: r.Text}
			p.Key = domain + "/" + p.ID
			if err := c.writePattern(p); err != nil {
				return err
			}
		}
		if err := removeRules(m, name); err != nil {
			return err
		}
	}
	a.Rules = c.last
	return nil
}

// removeRules removes a file of rules, and those that it lists: they may have been made of it just now.
func removeRules(m *repo.Memory, name string) error {
	if folder := topic.RuleFolder(name); folder != "" {
		own, _ := m.ListTexts(folder) // else it has none
		for _, name := range own {
			if err := m.RemoveFile(folder + "/" + name); err != nil {
				return err
			}
		}
	}
	return m.RemoveFile(name)
}
