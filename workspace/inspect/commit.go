package inspect

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/textproto"
	"slices"
	"strings"
	"time"

	"mem/curate"
	"mem/curate/undo"
	"mem/guard"
	"mem/index"
	"mem/recall"
	"mem/render"
	"mem/repo"
	"mem/workspace"
)

// A Commit is one of the memory's, as mem log shows it.
type Commit struct {
	Commit     string    `json:"commit"`
	When       time.Time `json:"when"`
	Author     string    `json:"author"`
	Subject    string    `json:"subject"`
	Reflection string    `json:"reflection"`
	Session    string    `json:"session"`
	Model      string    `json:"model"`
	Items      []string  `json:"items"`
	Lines      []string  `json:"lines"`
}

// listCommits lists the latest commits that fit, also those of other clones that were merged, without the words that are withheld. A limit of 0 is none.
func listCommits(root *repo.Root, hidden *index.Withheld, fits func(repo.Revision) bool, limit int) (list []Commit, err error) {
	all, err := root.ListCommits()
	for _, r := range all {
		if fits(r) {
			list = append(list, newCommit(r, hidden))
		}
		if limit > 0 && len(list) == limit {
			break
		}
	}
	return list, err
}

// minID is how much of an id must be given, without the mark of its kind.
const minID = 4

// isCommit reports whether an id names a commit: by its hash, the beginning of the hash, or a reflection that
// it committed.
func isCommit(r repo.Revision, id string) bool {
	return slices.Contains(r.Trailers()["Mem-Reflection"], id) || len(id) >= minID && strings.HasPrefix(r.Hash.String(), strings.ToLower(id))
}

// isAbout reports whether a commit has an id, names the lesson, pattern or session that has it, or is from that
// day or month.
func isAbout(r repo.Revision, id string) bool {
	trailers := r.Trailers()
	switch kind, rest, _ := strings.Cut(id, "-"); {
	case slices.Contains(trailers["Mem-Session"], id), slices.Contains(trailers["Mem-Pattern"], id):
		return true
	case len(id) >= len("2026-02") && strings.HasPrefix(r.When.Format(time.DateOnly), id):
		return true
	case kind == "m" && len(rest) >= minID:
		return slices.ContainsFunc(trailers["Mem-Item"], func(item string) bool { return strings.HasPrefix(item, id) })
	}
	return isCommit(r, id)
}

func newCommit(r repo.Revision, hidden *index.Withheld) Commit {
	trailers := textproto.MIMEHeader(r.Trailers())
	c := Commit{
		Commit: r.Hash.String(), When: r.When, Author: r.Author.Name, Subject: hidden.Mark(hidden.CutSubject(r.Subject(), r.Message)), Reflection: trailers.Get("Mem-Reflection"),
		Session: trailers.Get("Mem-Session"), Model: trailers.Get("Mem-Model"), Items: trailers["Mem-Item"],
	}
	paragraphs := strings.Split(strings.TrimSpace(r.Message), "\n\n")
	if len(trailers) > 0 {
		paragraphs = paragraphs[:len(paragraphs)-1]
	}
	if len(paragraphs) > 1 {
		c.Lines = strings.Split(hidden.Mark(strings.Join(paragraphs[1:], "\n")), "\n")
	}
	return c
}

// A commitThing is a commit that was asked for by its id, or a reflection's.
type commitThing struct {
	ID string `json:"id"`
	label
	Commit
}

// findCommit finds a commit by its id or its reflection's. It leaves out commits about a lesson, which the lesson's story lists.
func (q query) findCommit(src *recall.Source) (Thing, error) {
	root := q.w.RootOf(src.Label())
	if strings.HasPrefix(q.id, "m-") || root == nil {
		return nil, ErrUnknown
	}
	list, err := listCommits(root, src.Memory.Withheld(), func(r repo.Revision) bool { return isCommit(r, q.id) }, 1)
	if err == nil && len(list) == 0 {
		err = ErrUnknown
	}
	if err != nil {
		return nil, err
	}
	return commitThing{q.id, labelOf(src, Change, list[0].Commit), list[0]}, nil
}

// Write shows a commit with what it brought.
func (c Commit) Write(out io.Writer) {
	fmt.Fprintf(out, "%.12s  %s  %s\n", c.Commit, c.When.Format("2006-01-02 15:04"), guard.Line(c.Subject))
	for _, l := range c.Lines {
		fmt.Fprintf(out, "  %s\n", guard.Scrub(l))
	}
}

// A sessionThing is a session that commits name, or whose file is on this machine.
type sessionThing struct {
	ID string `json:"id"`
	label
	Path    string   `json:"path,omitzero"` // of its file, while that is there
	Commits []Commit `json:"commits"`       // with what was learned of it
}

// Write shows what a session taught, and how to see what was said in it.
func (s sessionThing) Write(out io.Writer) {
	taught := "nothing was learned of it"
	if n := len(s.Commits); n > 0 {
		taught = "learned of in " + render.Count(n, "commit", "commits")
	}
	fmt.Fprintf(out, "%s  session: %s\n", guard.Line(s.ID), taught)
	if s.Path != "" {
		fmt.Fprintf(out, "  what was said in it: mem trace show %s\n", guard.Line(s.ID))
	}
	for _, c := range s.Commits {
		fmt.Fprintln(out)
		c.Write(out)
	}
}

// findSession finds a session by its id, by the beginning of it if commits name it, and
// by that of an event in it.
func (q query) findSession(src *recall.Source) (Thing, error) {
	root := q.w.RootOf(src.Label())
	id, _, _ := strings.Cut(q.id, "#")
	if root == nil || strings.HasPrefix(id, "m-") || id == "" {
		return nil, ErrUnknown
	}
	all, err := listCommits(root, src.Memory.Withheld(), func(r repo.Revision) bool { return len(r.Trailers()["Mem-Session"]) > 0 }, 0)
	if err != nil {
		return nil, err
	}
	var ids []string
	for _, c := range all {
		ids = append(ids, c.Session)
	}
	match, several := curate.MatchID(ids, id)
	if several {
		return nil, fmt.Errorf("%q: %w", id, undo.ErrAmbiguous)
	}
	id = cmp.Or(match, id)
	s := sessionThing{ID: id, label: labelOf(src, Session, id)}
	s.Commits = slices.DeleteFunc(all, func(c Commit) bool { return c.Session != id })
	if path, _ := SplitRef(q.w, id); path != id {
		s.Path = q.w.ShowPath(path)
	} else if match == "" {
		return nil, ErrUnknown
	}
	return s, nil
}

// ListSteps lists the newest commits that can be undone, as mem undo --list shows them.
func ListSteps(w *workspace.Workspace, root *repo.Root, limit int) ([]undo.Listed, error) {
	m, err := w.ViewForCaller(root)
	if err != nil {
		return nil, err
	}
	log, err := undo.ReadLog(root)
	if err != nil {
		return nil, err
	}
	hidden := m.Withheld()
	return log.ListSteps(limit, func(c repo.Revision) string { return hidden.Mark(hidden.CutSubject(c.Subject(), c.Message)) })
}

// WriteSteps writes a line for each commit.
func WriteSteps(out io.Writer, list []undo.Listed) {
	for _, l := range list {
		if l.Undone != "" {
			l.Subject += fmt.Sprintf(" (undone by %.12s)", l.Undone)
		}
		fmt.Fprintf(out, "%.12s  %s  %s\n", l.Commit, l.When.Format(time.DateOnly), guard.Line(l.Subject))
	}
}

// undone describes the change that was undone, or would be in a dry run.
type undone struct {
	workspace.Changed
	Root   string      `json:"root"`
	Undone string      `json:"undone"` // the commit that was undone
	Lines  []undo.Line `json:"lines"`

	said string
}

// TakeBack undoes the commit or the changes of the lesson with this id, or the newest commit; with redo it
// reverts an undo. The result does not contain the words of quarantined lessons.
func TakeBack(ctx context.Context, w *workspace.Workspace, root *repo.Root, id string, redo, dryRun bool) (u undone, err error) {
	log, err := undo.ReadLog(root)
	if err != nil {
		return u, err
	}
	step, err := findStep(ctx, w, log, id, redo)
	if err != nil {
		return u, err
	}
	before, err := w.ViewForCaller(root)
	if err != nil {
		return u, err
	}
	hidden, about := before.Withheld(), step.Commit
	u = undone{Root: w.At.Root, Undone: about.Hash.String()}
	u.Changed, err = w.Change(ctx, dryRun, func(m *repo.Memory) (msg repo.Message, err error) {
		r, msg, err := step.Apply(m)
		if u.Lines = r.Lines; err == nil {
			err = w.RequirePerson(dryRun || !r.Decides)
		}
		if err == nil {
			err = curate.RenderViews(m)
		}
		return msg, err
	})
	if err != nil {
		return u, err
	}
	u.Subject = hidden.Mark(hidden.CutSubject(u.Subject, about.Message))
	for i := range u.Lines {
		u.Lines[i].Text = hidden.Hide(u.Lines[i].Text)
	}
	done := map[bool]string{true: "would be "}[dryRun] + map[bool]string{false: "undone", true: "redone"}[step.IsRedo]
	u.said = fmt.Sprintf("%s %.12s  %s", done, u.Undone, hidden.Mark(guard.Line(hidden.CutSubject(about.Subject(), about.Message))))
	return u, nil
}

// Write writes what was taken back.
func (u undone) Write(out io.Writer) {
	fmt.Fprintln(out, u.said)
	for _, l := range u.Lines {
		about := string(l.Status)
		if l.Mark == "=" && l.ID != "" {
			about = cmp.Or(about, "active")
		}
		fmt.Fprintf(out, "  %s\n", strings.TrimSuffix(guard.Line(fmt.Sprintf("%s %s (%s)", l.Mark, l.Text, about)), " ()"))
	}
	if u.Status == workspace.Done {
		fmt.Fprintf(out, "commit %s\n", u.CommitLine())
	}
}
