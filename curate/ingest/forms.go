package ingest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	slash "path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mem/curate"
	"mem/curate/evidence"
	"mem/frontmatter"
	"mem/guard"
	"mem/index"
	"mem/lazy"
	"mem/repo"
	"mem/topic"
)

// isLearning reports whether a file holds a learning that is not a rule yet, by its folder or its
// fields. Other folder names in a store do not matter.
func isLearning(path, text string) bool {
	isArchived := slices.Contains(strings.Split(slash.Dir(path), "/"), slash.Base(curate.ArchivedFolder)) || fieldsOf(text).Value("archived_to") != ""
	return !isArchived && (below(path) != "" || len(fieldsOf(text).List("tags")) > 0)
}

func fieldsOf(text string) *frontmatter.File {
	f, _ := frontmatter.Parse([]byte(text)) // else there are none
	return f
}

// domainIn returns the domain that a folder below that of learnings stands for.
func domainIn(path string) string {
	for part := range strings.SplitSeq(below(path), "/") {
		if domain := topic.Domain(part); domain != "" {
			return domain
		}
	}
	return ""
}

// below returns the folders of a file below that of learnings.
func below(path string) string {
	_, folders, _ := strings.Cut("/"+slash.Dir(path)+"/", "/"+curate.LearningFolder+"/")
	return folders
}

// readLearning reads the file of a learning. Where it does not say that it belongs, its words say so.
func (r reader) readLearning(text string) {
	l, err := curate.ParseLearning(slash.Join(domainIn(r.name), slash.Base(r.name)), []byte(text))
	switch {
	case !isLearning(r.name, text):
		return
	case r.isProject && domainIn(r.name) == "" && len(fieldsOf(text).List("tags")) == 0:
		r.addProblem(1, "neither its tags nor its folder say that it is a learning; name the folder to import it")
		return
	case err != nil:
		r.addProblem(1, err.Error())
		return
	case guard.CountSecrets(text) > 0:
		r.addProblem(1, "it holds what looks like a secret")
		return
	}
	said := l.Lesson()
	if l.Domain == topic.General {
		l.Domain, _ = topic.File(said, index.SaysAvoid(said))
	}
	if len(l.Tags) == 0 {
		l.Tags = topic.Describe(index.StripAvoid(said))
	}
	l.Confidence = cmp.Or(l.Confidence, curate.MediumConfidence)
	t := Text{Lesson: index.Lesson{Text: said, Domain: l.Domain, Tags: l.Tags, Confidence: strings.ToLower(l.Confidence)}, Line: 1}
	t.keep = func(m *repo.Memory, _ *index.Item) error { return keepFile(m, r.name, []byte(text), l) }
	t.Source.At, _ = time.Parse(time.DateOnly, l.Date)
	r.add(t)
}

func (r reader) readPatterns(text string) {
	patterns, err := evidence.ReadPatterns([]byte(text))
	if err != nil {
		r.addProblem(1, err.Error())
	}
	for _, p := range patterns {
		r.addBlock(p.Block, func(_ *repo.Memory, it *index.Item) error {
			p.GiveTo(it)
			return nil
		})
	}
}

// keepForms gives the lessons that changed what their files say of them: the day, the
// learning as a file and the evidence.
func (imp *Import) keepForms(m *repo.Memory, changes []index.Change) error {
	changed := map[string]*index.Item{}
	for _, c := range changes {
		it := &m.Index.Items[c.Pos]
		changed[it.Key] = it
	}
	for _, t := range imp.Texts {
		if it := changed[index.KeyOf(t.Text)]; it != nil && t.keep != nil {
			if err := t.keep(m, it); err != nil {
				return err
			}
		}
	}
	return nil
}

// keepFile keeps the file of a learning among those of the memory, unless it is there.
func keepFile(m *repo.Memory, name string, read []byte, l curate.Learning) error {
	_, below, _ := strings.Cut("/"+name, "/"+curate.LearningFolder+"/")
	if data, err := m.ReadFile(curate.LearningFolder + "/" + below); err == nil && bytes.Equal(data, read) {
		return nil
	}
	l.Date = cmp.Or(l.Date, m.Now().UTC().Format(time.DateOnly))
	data := curate.CompleteLearning(read, l)
	var there []byte
	var err error
	path := curate.NewLearningPath(l, func(path string) bool {
		there, err = m.ReadFile(path)
		return err == nil && !bytes.Equal(there, data)
	})
	if errors.Is(err, fs.ErrNotExist) {
		return m.WriteFile(path, data)
	}
	return err
}

// codexParts are the parts of a group that hold lessons. The rest is about the tasks that they come from.
var codexParts = []string{"## User preferences", "## Reusable knowledge", "## Failures and how to do differently"}

var (
	codexFolder = lazy.New(`\bcwd=([^;,)\n]*)`)
	codexTask   = lazy.New(`(?m)( *\[Task \d+\])+ *$`)
)

// ReadCodex reads the handbook that Codex keeps in a folder for all projects: of its groups those whose folders are here.
// What Codex noted of the person's wishes is held back until they confirm it. name is what the file is called.
func ReadCodex(folder, name string, here func(folder string) bool) (*Import, error) {
	imp := &Import{name: name}
	data, err := readTextFile(os.DirFS(folder), listName, MaxFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	imp.Files = []string{name}
	r, n := reader{imp, name}, 1
	for i, group := range strings.Split("\n"+string(data), "\n# Task Group:") {
		if i == 0 {
			n += strings.Count(group, "\n") // a heading of something else
			continue
		}
		switch of := foldersOfGroup(group); {
		case here == nil || len(of) > 0 && !slices.ContainsFunc(of, func(dir string) bool { return !here(dir) }):
			r.readGroup(group, n-1)
		case len(of) == 0:
			r.addProblem(n, "it does not say which project it is of")
		default:
			r.addProblem(n, "it is of another project, "+of[len(of)-1])
		}
		n += strings.Count(group, "\n") + 1
	}
	return imp, nil
}

// readGroup reads the parts of a group, after so many lines.
func (r reader) readGroup(group string, before int) {
	for i, part := range strings.Split("\n"+group, "\n## ") {
		heading, body, _ := strings.Cut("## "+part, "\n")
		for at, known := range codexParts {
			if i == 0 || strings.TrimSpace(heading) != known {
				continue
			}
			first := len(r.Texts)
			r.readLines(codexTask.Get().ReplaceAllString(blankOwn(body), ""), before+1, false)
			for j := first; j < len(r.Texts); j++ {
				r.Texts[j].Held = r.Texts[j].Held || at == 0
			}
		}
		before += strings.Count(part, "\n") + 1
		if i == 0 {
			before--
		}
	}
}

// foldersOfGroup returns the folders that a group says it applies to or, if it names none, in which its tasks ran.
func foldersOfGroup(group string) (list []string) {
	for _, start := range []string{"applies_to:", "-"} {
		for line := range strings.Lines(group) {
			if !strings.HasPrefix(line, start) {
				continue
			}
			for _, m := range codexFolder.Get().FindAllStringSubmatch(line, -1) {
				if dir := strings.Trim(strings.TrimSpace(m[1]), "`\"'"); filepath.IsAbs(dir) {
					list = append(list, dir)
				}
			}
		}
		if len(list) > 0 {
			return list
		}
	}
	return nil
}
