package inspect

import (
	"fmt"
	"time"

	"mem/agent/install"
	"mem/guard"
	"mem/recall/shown"
	"mem/repo"
	"mem/workspace"
)

// A hook says of an agent whether its hooks are installed, and when they were last called
// for this memory.
type hook struct {
	Agent    string    `json:"agent"`
	Here     bool      `json:"here"`              // installed in the project
	Global   bool      `json:"global"`            // installed for all projects
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
	for _, r := range shown.ParseReceipts(root.ReadReceipts(w.Now.AddDate(0, -1, 0).Format("2006-01"))) {
		if r.At.After(called[r.Agent]) {
			called[r.Agent] = r.At
		}
	}
	for _, agent := range install.HookedAgents() {
		place := install.Place{Project: w.At.Project, Dir: w.Dir, Home: w.Home(), Getenv: w.Getenv}
		h := hook{Agent: agent, Here: install.IsInstalled(agent, place), CalledAt: called[agent]}
		place.Global = true
		h.Global = install.IsInstalled(agent, place)
		if place.Global = !h.Here; h.Here || h.Global || !h.CalledAt.IsZero() {
			h.Trust = guard.Line(install.TrustHint(agent, place, nil))
			if file, setting := install.FindOff(agent, place); setting != "" {
				h.Off = w.HomePath(file) + " says " + guard.Line(setting)
			}
			s.Hooks = append(s.Hooks, h)
		}
	}
}

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
	}
	switch {
	case h.Off != "":
		return fmt.Sprintf("%s: %s, but its hooks are switched off: %s", h.Agent, where, h.Off)
	case !h.CalledAt.IsZero():
		return fmt.Sprintf("%s: %s, last called %s", h.Agent, where, h.CalledAt.UTC().Format("2006-01-02 15:04 UTC"))
	case h.Trust != "":
		return fmt.Sprintf("%s: %s, never called here; %s", h.Agent, where, h.Trust)
	}
	return fmt.Sprintf("%s: %s, never called here", h.Agent, where)
}

// DescribeSwitch says what mem toggle did to hooks, or would do, for a session or, for
// "", for the whole memory; note says why they do nothing all the same.
func DescribeSwitch(w *workspace.Workspace, session string, on, dryRun bool, off workspace.HooksOff) (said, note string) {
	would, state := map[bool]string{false: "are", true: "would be"}[dryRun], map[bool]string{false: "off", true: "on"}[on]
	what := "in " + w.ShowPath(w.At.Root)
	if session != "" {
		what = "for session " + guard.Line(session)
	}
	switch {
	case on && session != "" && off.Root:
		note = "they are off for the whole memory; 'mem toggle on' switches them on"
	case on && !w.Config.Enabled:
		note = "the configuration says enabled = false, so that they do nothing all the same"
	}
	return fmt.Sprintf("hooks %s %s %s", would, state, what), note
}
