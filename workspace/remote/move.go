package remote

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/lazy"
	"mem/render"
	"mem/repo"
)

// errPrivate is wrapped when content that looks private would be sent, and the person did not allow it. Nothing
// was sent.
var errPrivate = fault.New(fault.Refused, "it looks private, and nothing was sent",
	"say --own if you alone push there, take it out with 'mem learn --private' and 'mem purge', or say --whole to send it all the same")

// A finding is a private-looking part of what would be sent: a lesson, a note, or a line of
// another file.
type finding struct {
	file string // "" for a lesson
	text string // "" for a note
	why  string
}

// notes matches files about the person. looked lists the files to check; all others are made from these.
var (
	notes  = lazy.New(`^(?:memories/(?:user|feedback)|context/(?:voice|preferences))/`)
	looked = []string{repo.IndexPath, "CHANGELOG.md", "MEMORY.md", "context", "daily", "learnings", "memories", "monthly", "patterns", "rules"}
)

// checkPrivate shows the person content that looks private, in the files or the history, before a remote gets
// all of it irrevocably. The person then sends it or stops. Without a terminal it is sent if the person alone
// pushes there, or has allowed it before. theirs is the remote's current commit.
func (s *session) checkPrivate(ctx context.Context, theirs, ours string) error {
	isAllowed, err := s.isAllowed("memWhole", s.opts.Whole)
	isOwn, errAgent := s.isNoted("memOwn"), s.w.RequirePerson(false)
	if err != nil || errAgent != nil && (isAllowed || isOwn) {
		return err // an agent is not shown it
	}
	found, err := s.listPrivate(ctx, theirs, ours)
	if err != nil || len(found) == 0 {
		return err
	}
	stop := fmt.Errorf("%s of this memory or its history: %w", render.Count(len(found), "lesson, line or file", "lessons, lines or files"), errPrivate)
	if errAgent != nil {
		return fmt.Errorf("%[2]w; %[1]w", errAgent, stop)
	}
	shown := ""
	for _, f := range found {
		shown += "\n  " + guard.Line(strings.Trim(f.file+": "+f.text, ": ")) + " (" + f.why + ")"
	}
	s.w.Note("what looks private would go to %s, with the history:%s", s.peer.show(), shown)
	switch {
	case isAllowed, isOwn && !s.w.MayAsk:
		return nil
	case !s.w.MayAsk:
		return stop
	}
	answer, err := s.w.Ask(ctx, "[s]end it, or [n]ot now? ")
	if isYes := strings.HasPrefix(answer, "s"); err != nil || !isYes {
		return cmp.Or(err, stop)
	}
	if isOwn { // asked once
		_, err = s.isAllowed("memWhole", true)
	}
	return err
}

// listPrivate returns the private-looking parts of what the commits of ours, and not of theirs,
// added: a lesson once, wherever it stands.
func (s *session) listPrivate(ctx context.Context, theirs, ours string) (found []finding, err error) {
	add := func(f finding) {
		if f.why != "" && !slices.Contains(found, f) {
			found = append(found, f)
		}
	}
	err = s.git.listAdded(ctx, theirs, ours, looked, func(file, line string) {
		line = strings.TrimSpace(line)
		key, quoted, _ := strings.Cut(line, ": ")
		switch {
		case notes.Matches(file):
			add(finding{file, "", "a note about you"})
		case key == `"text"` || key == `"why"`:
			text := ""
			_ = json.Unmarshal([]byte(strings.TrimSuffix(quoted, ",")), &text) // nothing private is in no text
			add(finding{"", text, cmp.Or(map[bool]string{true: "about you"}[guard.IsAboutPerson(text)], s.findAddress(text))})
		case file != repo.IndexPath && !repo.IsView(file) && key != "tags": // which are words of the text
			add(finding{file, line, s.findAddress(line)})
		}
	})
	lessons := slices.DeleteFunc(slices.Clone(found), func(f finding) bool { return f.file != "" })
	return slices.DeleteFunc(found, func(f finding) bool {
		return f.file != "" && slices.ContainsFunc(lessons, func(l finding) bool {
			return strings.Contains(index.SpokenKey(f.text), index.SpokenKey(l.text))
		})
	}), err
}

// findAddress describes personal data in a text, a home folder or an e-mail address; "" for none.
func (s *session) findAddress(text string) string {
	if home := s.w.Home(); guard.NamesPerson(text) || len(home) > 1 && strings.Contains(text, home) {
		return "a home or an e-mail address"
	}
	return ""
}
