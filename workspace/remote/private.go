package remote

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"mem/guard"
	"mem/index"
	"mem/lazy"
	"mem/render"
	"mem/repo"
	"mem/words"
)

// ErrPrivate is wrapped when a remote would get what looks private, and the person did not
// let it go. Nothing was sent.
var ErrPrivate = errors.New("it looks private, and nothing was sent")

// A finding is what looks private in what would be sent.
type finding struct {
	text string // of a lesson, or a line of a file; of a note its path
	file string // that has the line; "" for the others
	why  string
}

// notes are the folders of what is about the person, with what each says.
var notes = map[string]string{
	"memories/user/": "a note about you", "memories/feedback/": "what you told an agent",
	"context/voice/": "how you write", "context/preferences/": "what you prefer",
}

// looked are the files that are looked at: the others are made of them.
var looked = []string{repo.IndexPath, "CHANGELOG.md", "MEMORY.md", "context", "daily", "learnings", "memories", "monthly", "patterns", "rules"}

// checkPrivate shows the person what looks private, in the files as they are or in the
// history, before a remote gets all of it, with no way back. They send it, move it to their
// own memory, or stop. Off a terminal it goes only where they alone push, or with their word.
// theirs is what the remote has already. It returns the commit to send: another one than ours
// if something was moved.
func (s *session) checkPrivate(ctx context.Context, theirs, ours string) (string, error) {
	isAllowed, err := s.isNoted(ctx, "memWhole", s.opts.Whole)
	isOwn, err2 := s.isNoted(ctx, "memOwn", false)
	errAgent := s.opts.RequirePerson()
	if err = errors.Join(err, err2); err != nil || errAgent != nil && (isAllowed || isOwn) {
		return ours, err // an agent is not shown it
	}
	found, err := s.listPrivate(ctx, theirs, ours)
	if err != nil || len(found) == 0 {
		return ours, err
	}
	stop := fmt.Errorf("%s of this memory or its history: %w", render.Count(len(found), "lesson, line or file", "lessons, lines or files"), ErrPrivate)
	if errAgent != nil {
		return ours, fmt.Errorf("%w; %w", stop, errAgent)
	}
	s.w.Note("what looks private would go to %s, with the history:\n%s", s.peer.show(), describePrivate(found))
	switch {
	case s.opts.Move:
		return s.movePrivate(ctx, theirs, found)
	case isAllowed, isOwn && !s.opts.MayAsk:
		return ours, nil
	case !s.opts.MayAsk:
		return ours, stop
	}
	answer, err := s.opts.Ask(ctx, "[s]end it, [l]eave it out (it moves to your own memory, ~/.mem, and the rest goes in one commit, without the history), or [N]ot now? ")
	switch {
	case err != nil:
	case strings.HasPrefix(answer, "l"):
		return s.movePrivate(ctx, theirs, found)
	case !strings.HasPrefix(answer, "s"):
		err = stop
	case isOwn: // asked once
		_, err = s.isNoted(ctx, "memWhole", true)
	}
	return ours, err
}

// maxPrivate is how much of it a person is shown at once.
const maxPrivate = 100

// describePrivate lists what looks private, with the reason for each.
func describePrivate(found []finding) string {
	var lines []string
	for _, f := range found[:min(len(found), maxPrivate)] {
		line := f.text
		if f.file != "" {
			line = f.file + ": " + line
		}
		lines = append(lines, "  "+guard.Line(line)+" ("+f.why+")")
	}
	if more := len(found) - maxPrivate; more > 0 {
		lines = append(lines, fmt.Sprintf("  and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// listPrivate returns what looks private of what the commits of ours, and not of theirs,
// added: a lesson once, wherever it stands.
func (s *session) listPrivate(ctx context.Context, theirs, ours string) (found []finding, err error) {
	keys, lines := []string{}, []finding{}
	err = s.git.ListAdded(ctx, theirs, ours, looked, func(file, line string) {
		line = strings.TrimSpace(line)
		key, quoted, _ := strings.Cut(line, ": ")
		switch why := notes[folderOf(file)]; {
		case why != "":
			found = addFinding(found, finding{file, "", why})
		case file != repo.IndexPath:
			if why = s.findAddress(line); why != "" && !isView(file) && !strings.HasPrefix(line, "tags:") { // words of the text
				lines = addFinding(lines, finding{line, file, why})
			}
		case key == `"text"` || key == `"why"`:
			text := ""
			if err := json.Unmarshal([]byte(strings.TrimSuffix(quoted, ",")), &text); err == nil && s.findWhy(text) != "" {
				found, keys = addFinding(found, finding{text, "", s.findWhy(text)}), append(keys, index.SpokenKey(text))
			}
		}
	})
	for _, f := range lines {
		said := index.SpokenKey(f.text)
		if !slices.ContainsFunc(keys, func(key string) bool { return strings.Contains(said, key) }) {
			found = append(found, f)
		}
	}
	if err == nil {
		found, err = s.addNotes(ctx, theirs, ours, found)
	}
	return found, err
}

func addFinding(list []finding, f finding) []finding {
	if slices.Contains(list, f) {
		return list
	}
	return append(list, f)
}

// folderOf returns the first two folders of a path.
func folderOf(file string) string {
	parts := strings.SplitAfterN(file, "/", 3)
	return strings.Join(parts[:len(parts)-1], "")
}

// addNotes adds the notes of ours that theirs does not have: an empty one has no line.
func (s *session) addNotes(ctx context.Context, theirs, ours string, found []finding) (_ []finding, err error) {
	var known, all []string
	if theirs != "" {
		known, err = s.git.ListFiles(ctx, theirs)
	}
	if err == nil {
		all, err = s.git.ListFiles(ctx, ours)
	}
	for _, name := range all {
		if why := notes[folderOf(name)]; why != "" && !slices.Contains(known, name) {
			found = addFinding(found, finding{name, "", why})
		}
	}
	return found, err
}

// findWhy says why a lesson looks private; "" if it does not.
func (s *session) findWhy(text string) string {
	if guard.IsAboutPerson(text) {
		return "about you"
	}
	return s.findAddress(text)
}

// findAddress says what a text names that is the person's: a home, an e-mail address, or a
// project beside this one; "" for none.
func (s *session) findAddress(text string) string {
	if s.beside == nil {
		s.beside = nameNeighbors(s.w.At.Project)
	}
	if home := s.w.Home(); len(home) > 1 && strings.Contains(text, home) {
		return "a folder of a home"
	}
	if why := guard.NamesPerson(text); why != "" {
		return why
	}
	if name := s.beside.FindStringSubmatch(text); name != nil {
		return "the project " + name[1] + " beside this one"
	}
	return ""
}

// nameNeighbors matches the names of the projects in the folder around one, but words that
// any lesson may have.
func nameNeighbors(project string) *regexp.Regexp {
	names := []string{`\z.`} // which nothing has
	entries, _ := os.ReadDir(filepath.Dir(project))
	for _, e := range entries {
		isProject := false
		for _, mark := range []string{".git/HEAD", ".mem/core"} { // of a linked work tree, .git is a file
			_, err := os.Stat(filepath.Join(filepath.Dir(project), e.Name(), filepath.FromSlash(mark)))
			isProject = isProject || err == nil
		}
		if isProject && len(e.Name()) > 3 && e.Name() != filepath.Base(project) && !words.IsCommon(e.Name()) {
			names = append(names, regexp.QuoteMeta(e.Name()))
		}
	}
	return lazy.New(`(?i)(?:^|[^\w-])(` + strings.Join(names, "|") + `)(?:$|[^\w-])`).Get()
}
