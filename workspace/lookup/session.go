package lookup

import (
	"fmt"
	"io"
	"strings"

	"mem/curate/undo"
	"mem/guard"
	"mem/recall/notes"
	"mem/render"
	"mem/repo"
	"mem/workspace/past"
)

// A sessionThing is a session that commits name, or whose file is on this machine.
type sessionThing struct {
	ID string `json:"id"`
	label
	Path    string   `json:"path,omitzero"` // of its file, while that is there
	Commits []Commit `json:"commits"`       // with what was learned of it
}

func (s sessionThing) name() (label, []string) { return s.label, []string{s.ID} }

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
func (q query) findSession(src *notes.Source) (Thing, error) {
	root := q.findRoot(src)
	id, _, _ := strings.Cut(q.id, "#")
	if root == nil || strings.HasPrefix(id, "m-") || id == "" {
		return nil, ErrUnknown
	}
	all, err := listCommits(q.w, root, func(repo.Revision) bool { return true }, 0)
	if err != nil {
		return nil, err
	}
	s := sessionThing{ID: id, label: label{Session, src.Label()}, Commits: []Commit{}}
	if s.ID, err = matchSession(all, id); err != nil {
		return nil, err
	}
	for _, c := range all {
		if c.Session == s.ID {
			s.Commits = append(s.Commits, c)
		}
	}
	if path, _ := past.SplitRef(q.w, s.ID); path != s.ID {
		s.Path = q.w.ShowPath(path)
	} else if len(s.Commits) == 0 {
		return nil, ErrUnknown
	}
	return s, nil
}

// matchSession returns the only session of these commits that has an id, or the beginning of
// it if that is long enough; what none has as it is.
func matchSession(list []Commit, id string) (string, error) {
	found := id
	for _, c := range list {
		switch {
		case c.Session == id:
			return id, nil
		case len(id) < minID || !strings.HasPrefix(c.Session, id) || c.Session == found:
		case found != id:
			return "", fmt.Errorf("%q: %w", id, undo.ErrAmbiguous)
		default:
			found = c.Session
		}
	}
	return found, nil
}
