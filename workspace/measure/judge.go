package measure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
	"mem/repo/private"
	"mem/workspace"
)

// Bounds of what is asked at a time, and of what is kept.
const (
	maxAsked    = 20
	maxVerdicts = 4096
)

// A verdict is what the person said of a lesson.
type verdict struct {
	Keep bool      `json:"keep"`
	At   time.Time `json:"at"`
}

// A Judged counts what the person said of lessons.
type Judged struct {
	Keep int `json:"keep"`
	Junk int `json:"junk"`
	Left int `json:"left"` // not judged yet
}

// String is the count for people.
func (j Judged) String() string {
	return fmt.Sprintf("%d to keep, %d junk; %s not judged yet", j.Keep, j.Junk, render.Count(j.Left, "lesson", "lessons"))
}

// JudgeLessons asks the person of the lessons that were learned last whether they are worth
// it, and notes the answers in this clone, for ReadReport: each at once, and only there. A
// lesson is asked about once; ask returns a line, and io.EOF at the end.
func JudgeLessons(ctx context.Context, w *workspace.Workspace, dryRun bool, ask func(ctx context.Context, question string) (string, error)) (res Judged, err error) {
	root, err := w.OpenRoot()
	if err != nil {
		return res, err
	}
	m, err := root.View(w.Now)
	if err != nil {
		return res, err
	}
	list := listUnjudged(m.Index, readVerdicts(root))
	res.Left = len(list)
	list = list[:min(len(list), maxAsked)]
	for i, it := range list {
		question := fmt.Sprintf("\n%d of %d  %s  learned %s\n%s\n[k]eep  [j]unk  [s]kip  [q]uit > ",
			i+1, len(list), it.ID, it.FirstSeen.Format(time.DateOnly), guard.Line(it.ShownText()))
		answer, err := askKey(ctx, w, question, ask)
		if err != nil || answer == "q" {
			return res, err
		}
		if answer == "s" {
			continue
		}
		if !dryRun {
			if err := keepVerdict(root, it.ID, verdict{answer == "k", w.Now}); err != nil {
				return res, err
			}
		}
		res.Left--
		if answer == "k" {
			res.Keep++
		} else {
			res.Junk++
		}
	}
	return res, nil
}

// askKey asks until there is an answer: k, j, s or q, which the end of the input is, too.
func askKey(ctx context.Context, w *workspace.Workspace, question string, ask func(context.Context, string) (string, error)) (string, error) {
	for {
		line, err := ask(ctx, question)
		line = strings.ToLower(strings.TrimSpace(line))
		for _, answer := range []string{"keep", "junk", "skip", "quit"} {
			if line != "" && strings.HasPrefix(answer, line) {
				return answer[:1], nil
			}
		}
		switch {
		case errors.Is(err, io.EOF):
			return "q", nil
		case err != nil:
			return "", err
		}
		w.Note("answer with a letter: k, j, s or q")
	}
}

// listUnjudged returns the lessons that sessions are shown and the person said nothing of,
// the latest first. What was imported was not learned.
func listUnjudged(ix *index.Index, verdicts map[string]verdict) (list []*index.Item) {
	for i := range ix.Items {
		it := &ix.Items[i]
		if _, done := verdicts[it.ID]; !done && it.IsShown() && it.Origin != index.OriginImport {
			list = append(list, it)
		}
	}
	slices.SortFunc(list, func(a, b *index.Item) int {
		return cmp.Or(b.FirstSeen.Compare(a.FirstSeen), cmp.Compare(a.ID, b.ID))
	})
	return list
}

// readVerdicts returns what the person said, by the ids of lessons.
func readVerdicts(root *repo.Root) map[string]verdict {
	return private.ReadTable[verdict](root.Area, private.NoteJudged)
}

// keepVerdict notes what the person said; of too many, the oldest goes.
func keepVerdict(root *repo.Root, id string, v verdict) error {
	return private.AmendTable(root.Area, private.NoteJudged, func(all map[string]verdict) {
		all[id] = v
		if len(all) > maxVerdicts {
			delete(all, slices.MinFunc(slices.Collect(maps.Keys(all)), func(a, b string) int { return all[a].At.Compare(all[b].At) }))
		}
	})
}
