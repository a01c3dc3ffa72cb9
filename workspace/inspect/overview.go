package inspect

import (
	"bytes"
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mem/agent"
	"mem/agent/install"
	"mem/curate"
	"mem/curate/ingest"
	"mem/guard"
	"mem/index"
	"mem/oracle"
	"mem/recall"
	"mem/reflect"
	"mem/reflect/queue"
	"mem/render"
	"mem/repo"
	"mem/stats/page"
	"mem/trace"
	"mem/workspace"
	"mem/workspace/remote"
)

// An Overview is the state of one memory.
type Overview struct {
	Root        string             `json:"root"`
	Project     string             `json:"project"`            // main work tree, or the folder itself
	Folders     []string           `json:"folders,omitzero"`   // others of the project, some of which may be gone
	Untrusted   string             `json:"untrusted,omitzero"` // why nothing else is known; "" for a memory of this person
	Enabled     bool               `json:"enabled"`
	Off         bool               `json:"switchedOff"`                 // by mem toggle
	SessionOff  bool               `json:"sessionSwitchedOff,omitzero"` // the same, for the session that is asked about
	Mode        string             `json:"mode"`
	Lessons     int                `json:"lessons"` // active ones
	Learnings   int                `json:"learnings"`
	WatchOuts   int                `json:"watchOuts"`
	Others      map[string]int     `json:"others"` // by status
	UpdatedAt   time.Time          `json:"updatedAt,omitzero"`
	Queued      int                `json:"queued"`                   // reflections and learnings to be committed
	Sessions    []queue.Waiting    `json:"sessions"`                 // to be read
	Worked      time.Time          `json:"lastWorkedAt,omitzero"`    // when a session of the queue was last read
	Blocked     string             `json:"blocked"`                  // why nothing can be committed now
	Block       error              `json:"-"`                        // the same
	Edited      []string           `json:"edited"`                   // files that a person changed
	Held        []string           `json:"held,omitzero"`            // edited files that mem does not commit, because they hold what looks like a secret
	Uningested  int                `json:"uningested,omitzero"`      // memories of Claude Code that could be imported
	Projects    int                `json:"uningestedSilos,omitzero"` // of Claude Code, that have them
	Due         []string           `json:"due"`                      // commands
	Stale       string             `json:"stale,omitzero"`           // a view that the next write renders anew
	Proposals   int                `json:"proposals"`                // pending rules, as far as they are not folded away
	Feedback    int                `json:"feedback"`                 // pending memories of other tools
	Folded      string             `json:"folded,omitzero"`          // how many proposals have waited too long
	Rules       int                `json:"rules"`                    // that sessions read
	Recurred    []curate.Recurring `json:"recurred"`                 // rules that were not kept, the worst first
	Models      []oracle.Candidate `json:"models"`                   // all that are configured
	Spent       oracle.Spent       `json:"spentToday"`
	Hooks       []hook             `json:"hooks,omitzero"` // of agents that have any, or had
	LastAuto    string             `json:"lastAuto"`       // what came of the last hook
	LastAutoAt  time.Time          `json:"lastAutoAt,omitzero"`
	Packed      repo.Packing       `json:"packed,omitzero"` // how git keeps the history
	ReadOnly    bool               `json:"readOnly"`        // written by a newer version
	LastSubject string             `json:"lastCommit"`
	remote.Known
}

// ReadOverview reads the state of the memory of w, which must exist.
func ReadOverview(w *workspace.Workspace, setup oracle.Setup, from ingest.Options) (s Overview, err error) {
	if err := w.Untrusted(); err != nil {
		n, errCount := w.CountWaiting()
		return Overview{Root: w.At.Root, Project: w.At.Project, Untrusted: guard.Line(workspace.AskTrust(err)), Queued: n}, errCount
	}
	root, err := w.OpenRoot()
	if err != nil {
		return s, err
	}
	_ = w.TakeOver(root) // so that it is counted; else the next command that writes says why not
	m, err := root.View(w.Now)
	if err != nil {
		return s, err
	}
	s = Overview{
		Root: w.At.Root, Project: w.At.Project, Folders: w.ListFolders()[1:], Enabled: w.Config.Enabled, Off: w.HooksOff().Root, Mode: string(w.Config.Mode),
		UpdatedAt: m.Index.UpdatedAt, ReadOnly: m.Index.ReadOnly(), Models: setup.ListCandidates(), Spent: setup.Budget.SpentToday(),
	}
	s.Known, s.Packed = remote.ReadKnown(root), repo.ReadValue[repo.Packing](root, repo.NotePacked)
	s.addHooks(w, root)
	s.countLessons(root, m)
	// Before anything looks through imported memories: each that is looked at
	// counts as a file that the next commit may hold.
	if s.Edited, s.Held, err = root.ListEdits(); err != nil {
		return s, err
	}
	err = root.WalkHistory(func(rev repo.Revision) bool {
		s.LastSubject = rev.Hash.String()[:12] + " " + hideWithheld(m.Withheld(), m.Withheld().CutSubject(rev.Subject(), rev.Message))
		return false
	})
	if err != nil {
		return s, err
	}
	s.addStale(m, w.Config.MaxCoreItems)
	found, err := w.LookForMemories(m, from)
	items, silos := found.Count()
	if s.Uningested, s.Projects = items[ingest.Ready]+items[ingest.Pending], silos; err != nil {
		w.Note("the memories of Claude Code were not counted: %s", guard.Line(err.Error()))
	}
	months, err := reflect.DueMonths(m) // that are over, and have no summary, or one of another journal
	for _, month := range slices.Backward(months) {
		s.Due = slices.Insert(s.Due, 0, "mem month "+month)
	}
	return s, cmp.Or(s.addWaiting(root), err, s.addRules(m))
}

// manyNew is from how many new lessons on a redistill is due.
const manyNew = 30

// countLessons counts the lessons, and adds a redistill that is due: manyNew are new since the last one in this clone.
func (s *Overview) countLessons(root *repo.Root, m *repo.Memory) {
	note, _ := root.ReadNote(repo.NoteRedistilled)
	last, _ := time.Parse(time.RFC3339, string(note))
	news := 0
	s.Others = map[string]int{}
	for it := range m.Index.All() {
		switch {
		case it.Status != index.Active:
			s.Others[string(it.Status)]++
			continue
		case it.IsLearning():
			s.Learnings++
		default:
			s.WatchOuts++
		}
		if it.FirstSeen.After(last) {
			news++
		}
	}
	if s.Lessons = s.Learnings + s.WatchOuts; news >= manyNew {
		s.Due = append(s.Due, "mem redistill")
	}
}

// addWaiting adds the queued work, and why it may have to wait.
func (s *Overview) addWaiting(root *repo.Root) error {
	jobs, err := root.ListJobs()
	if err != nil {
		return err
	}
	s.Queued, s.Worked = len(jobs), queue.ReadWork(root).Done
	busy := root.CheckBusy()
	if busy == nil && len(jobs) > 0 {
		busy = root.CheckSigning()
	}
	if busy != nil {
		s.Blocked, s.Block = guard.Line(busy.Error()), busy
	}
	s.Sessions, err = queue.ListWaiting(root)
	return err
}

// addRules adds the state of the rules, and the other proposals that await approval.
func (s *Overview) addRules(m *repo.Memory) error {
	s.Rules, s.Recurred = curate.CountRules(m)
	list, _, err := workspace.Queues.ListPending(m)
	list, s.Folded = curate.FoldOld(list, m.Now())
	for _, p := range list {
		switch p.Kind {
		case curate.KindRule:
			s.Proposals++
		case curate.KindFeedback:
			s.Feedback++
		}
	}
	return err
}

// hideWithheld returns the subject of a commit with only the status of a lesson that
// sessions are not shown: agents read a status, too.
func hideWithheld(words *index.Withheld, subject string) string {
	status := words.StatusOf(subject)
	if status == index.Active {
		return subject
	}
	verb, _, _ := strings.Cut(subject, ":")
	return verb + ": a " + string(status) + " lesson"
}

// addStale reports that CORE.md does not match its lessons and the configuration, such as after a change of
// max_core_items. It skips memories with pending changes, which are in the file but not in m.
func (s *Overview) addStale(m *repo.Memory, most int) {
	core, err := m.ReadFile(render.CorePath)
	if err != nil || s.Lessons == 0 || slices.Contains(s.Edited, render.CorePath) || m.CountWaiting() > 0 {
		return
	}
	if !bytes.Equal(core, render.Core(m.Index, m.Index.Rank(m.Index.UpdatedAt), most)) {
		s.Stale = render.CorePath
	}
}

// Remind returns one line about what the project's memory needs from the person: the most important item, and
// how many others there are; "" for none. It reports each failure once. Every session begins with it, so it
// looks only at last month's journal and this project's memories of Claude Code.
func Remind(w *workspace.Workspace, m *repo.Memory, from ingest.Options) string {
	var list needs
	if root, _ := w.ListRoots(); root != nil {
		if root.CheckBusy() != nil {
			list.add(1, "operation of git that stops every commit", "", "mem status")
		} else if n, why := queue.TellFailed(root); n > 0 {
			why, _ = guard.DropOrders(guard.Line(render.Shorten(why, 160))) // the words may be a server's
			list.add(n, "session that could not be learned from: "+why, "sessions that could not be learned from: "+why, "mem status")
		}
		if remote.ReadKnown(root).Unsynced.Reason != "" {
			list.add(1, "sync that failed", "", "mem status")
		}
	}
	list.addDecisions(m)
	from.Places.Dir, from.Quick = filepath.Join(from.Places.Claude, "projects", trace.ClaudeSlug(w.At.Project), "memory"), true
	found, _ := w.LookForMemories(m, from)
	items, _ := found.Count()
	list.add(items[ingest.Ready]+items[ingest.Pending], "memory of Claude Code to import", "memories of Claude Code to import", "mem ingest claude")
	if len(list) == 0 {
		return ""
	}
	line := fmt.Sprintf("Waiting for the user: %s (`%s`)", list[0].Text, list[0].Command)
	if more := len(list) - 1; more > 0 {
		line += fmt.Sprintf("; %s (`mem status`)", render.Count(more, "other thing", "other things"))
	}
	return line
}

// needs lists the tasks for the person, each with its command, most important first.
type needs []page.Need

func (l *needs) add(n int, one, many, command string) {
	if n > 0 {
		*l = append(*l, page.Need{Text: render.Count(n, one, many), Command: command})
	}
}

// addDecisions adds the decisions about a memory that only the person can make.
func (l *needs) addDecisions(m *repo.Memory) {
	l.add(m.CountWaiting(), "lesson or file that git brought", "lessons or files that git brought", "mem trust")
	rules, memories := countReviews(m)
	l.add(rules, "proposed rule", "proposed rules", "mem review")
	l.add(memories, "memory of another tool", "memories of other tools", "mem review")
}

// countReviews counts the proposed rules and the memories of other tools that wait for a person, and are not folded away.
func countReviews(m *repo.Memory) (rules, memories int) {
	list, _, _ := ingest.Queue{}.ListPending(m)
	list, _ = curate.FoldOld(list, m.Now())
	return curate.CountPending(m), len(list)
}

// SumUp says in a few words what the memory of w holds, how many lessons were shown today, where the person is, and what waits for a
// decision.
func SumUp(w *workspace.Workspace, root *repo.Root) (string, error) {
	m, err := root.View(w.Now)
	if err != nil {
		return "", err
	}
	var s Overview
	s.countLessons(root, m)
	text := render.Count(s.Lessons, "lesson", "lessons")
	year, month, day := w.Now.Local().Date()
	if told := readTold(w, time.Date(year, month, day, 0, 0, 0, 0, time.Local), w.Now.AddDate(0, 0, 1)); len(told) > 0 {
		text += fmt.Sprintf(" · %d shown today", len(told))
	}
	if rules, memories := countReviews(m); rules+memories > 0 {
		text += fmt.Sprintf(" · %d to review", rules+memories)
	}
	return text, nil
}

// A hook says of an agent whether its hooks are installed, and when they were last called
// for this memory.
type hook struct {
	Agent    string    `json:"agent"`
	Here     bool      `json:"here"`              // installed in the project
	Global   bool      `json:"global"`            // installed for all projects
	Plugin   bool      `json:"plugin,omitzero"`   // brought by a plugin of the agent
	CalledAt time.Time `json:"calledAt,omitzero"` // zero for never
	Trust    string    `json:"-"`                 // what the agent asks of a person before it calls them
	Off      string    `json:"off,omitzero"`      // the agent's own setting that keeps it from calling them
}

// addHooks adds the hooks of the agents that have any, or had, and what came of the last.
func (s *Overview) addHooks(w *workspace.Workspace, root *repo.Root) {
	called, outcomes := map[string]time.Time{}, w.HookOutcomes()
	for agent, o := range outcomes {
		called[agent] = o.At
	}
	s.LastAuto, s.LastAutoAt = outcomes[""].Outcome, outcomes[""].At
	for _, r := range recall.ListReceipts(root, w.Now.AddDate(0, -1, 0)) {
		if r.At.After(called[r.Agent]) {
			called[r.Agent] = r.At
		}
	}
	for _, agent := range agent.Names(func(r *agent.Row) bool { return r.Files[0].Kind != "block" }) { // which any agent may read
		place := install.Place{Project: w.At.Project, Dir: w.Dir, Home: w.Home(), Getenv: w.Getenv}
		h := hook{Agent: agent, Here: install.IsInstalled(agent, place), Plugin: install.FindPlugin(agent, place) != "", CalledAt: called[agent]}
		place.Global = true
		h.Global = install.IsInstalled(agent, place)
		if place.Global = !h.Here; h.isInstalled() || !h.CalledAt.IsZero() {
			h.Trust = guard.Line(install.TrustHint(agent, place, nil))
			if file, setting := install.FindOff(agent, place); setting != "" {
				h.Off = w.HomePath(file) + " says " + guard.Line(setting)
			}
			s.Hooks = append(s.Hooks, h)
		}
	}
}

func (h hook) isInstalled() bool { return h.Here || h.Global || h.Plugin }

// Describe says in a line where the hooks are, and when they were last called.
func (h hook) Describe() string {
	where := "not installed (any more)"
	switch {
	case h.Here && h.Global:
		where = "installed in this project and for all"
	case h.Here:
		where = "installed in this project"
	case h.Global:
		where = "installed for all projects"
	case h.Plugin:
		where = "installed by its plugin"
	}
	switch {
	case h.Off != "":
		return fmt.Sprintf("%s: %s, but its hooks are switched off: %s", h.Agent, where, h.Off)
	case !h.CalledAt.IsZero():
		return fmt.Sprintf("%s: %s, last called %s", h.Agent, where, formatMinute(h.CalledAt))
	case h.Trust != "":
		return fmt.Sprintf("%s: %s, never called here; %s", h.Agent, where, h.Trust)
	}
	return fmt.Sprintf("%s: %s, never called here", h.Agent, where)
}
