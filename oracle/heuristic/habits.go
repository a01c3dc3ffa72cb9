package heuristic

import (
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/input"
	"mem/oracle/heuristic/lint"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
	"mem/session"
)

// findLintRules finds the rules that a hook refused a commit for, until it was made, and
// those of a linter that were broken again after it had nothing to say.
func findLintRules(s *timeline) []finding {
	var out []finding
	broken := map[string][]string{} // by linter: rules that it found before it was content
	clean := map[string]bool{}
	for _, c := range s.calls {
		bad := c.cmd.MainPart()
		name := bad.General(false)
		hook := bad.Family() == "git commit"
		if c.class != input.Shell || c.subagent || c.abandoned || c.isExternal() || !hook && !lint.Lints(bad) {
			continue
		}
		if c.worked() && !c.cmd.HidesExit() {
			clean[name] = true
		}
		var told []string
		for _, rule := range lint.FindRules(c.result.Text) {
			code, _, _ := strings.Cut(rule, " ")
			if again := clean[name] && slices.Contains(broken[name], code); c.failed() && (hook || again) {
				told = append(told, lint.ShowLimit(rule))
			}
			if !clean[name] {
				broken[name] = append(broken[name], code)
			}
		}
		if len(told) == 0 || hook && !s.worksLater(c, bad) {
			continue
		}
		out = append(out, finding{
			Lesson: Lesson{Text: lint.DescribeRules(name, c.result.Text, told[:min(2, len(told))]), Cue: s.cueOf(shell.Fault{Line: told[0]}, bad), Events: []int{c.end + 1}},
			side:   fix, weight: weightFact, at: c.at, topic: "lint " + name,
		})
	}
	return out
}

// worksLater reports whether a command of the same family works after a call.
func (s *timeline) worksLater(c *call, bad shell.Simple) bool {
	return slices.ContainsFunc(s.calls[c.index+1:], func(d *call) bool { return d.worked() && d.cmd.MainPart().Family() == bad.Family() })
}

// findStaleEdits finds edits that failed because a program had rewritten the file since
// it was seen, and worked in the end.
func findStaleEdits(s *timeline) []finding {
	var out []finding
	for _, c := range s.calls {
		if c.class != input.Edit || !c.failed() || c.subagent || c.args.File == "" || !reStale.Matches(c.fault.Line) {
			continue
		}
		onFile := func(d *call) bool { return d.args.File == c.args.File && d.worked() }
		var by *shell.Simple // rewrote it after it was seen
		for _, d := range s.calls[:c.index] {
			if onFile(d) {
				by = &shell.Simple{}
			} else if i := slices.IndexFunc(d.cmd.Parts, lint.Rewrites); by != nil && i >= 0 && d.answered {
				by = &d.cmd.Parts[i]
			}
		}
		if by == nil || by.Program == "" || !slices.ContainsFunc(s.calls[c.index:], func(d *call) bool { return d.changesFile() && onFile(d) }) {
			continue
		}
		out = append(out, finding{
			Lesson: Lesson{
				Text: "Read a file again after " + s.showCommand(*by) + " before you edit it: it rewrites files, and the edit fails with " + shell.Code(c.fault.Line),
				Cue:  &Literals{Tool: c.tool, Command: by.General(true), Error: s.project.Signature(c.fault.Line)}, Events: []int{c.end + 1},
			},
			side: fix, weight: weightFact, at: c.at, topic: "stale " + by.General(true),
		})
	}
	return out
}

// maxHint is the most characters of a message that is a hint rather than a task.
const maxHint = 300

// findHints finds names and addresses that a person was the first to say, and that a
// command then went with which had run without them.
func findHints(s *timeline) []finding {
	var out []finding
	for _, p := range s.prompts {
		if p.first || len(p.text) > maxHint || speech.IsForNow(p.text) {
			continue
		}
		for _, hint := range reHint.Get().FindAllString(p.text, 4) {
			if f, ok := s.followHint(p, hint); ok {
				out = append(out, f)
			}
		}
	}
	return out
}

// followHint looks for the last run of a command that took up a hint, and for an
// earlier one that did not know of it.
func (s *timeline) followHint(p prompt, hint string) (finding, bool) {
	if slices.ContainsFunc(s.events[:p.at], func(e session.Event) bool { return strings.Contains(e.Text+e.Input, hint) }) {
		return finding{}, false
	}
	for _, d := range slices.Backward(s.calls) {
		part := d.cmd.MainPart()
		set := slices.DeleteFunc(slices.Clone(d.cmd.SettingsOf(part)), func(e string) bool { return !strings.Contains(e, hint) })
		if d.at < p.at || d.class != input.Shell || len(set) == 0 || d.failed() || shell.LooksAround(part.Program) {
			continue
		}
		same := func(c *call) bool { return shell.SameWords(c.cmd.MainPart(), part) }
		if slices.ContainsFunc(s.calls[d.index:], func(c *call) bool { return same(c) && !strings.Contains(c.cmd.Raw, hint) }) ||
			!slices.ContainsFunc(s.calls[:d.index], func(c *call) bool { return c.at < p.at && same(c) }) {
			continue // it was given up again, or was new
		}
		text := "Set " + shell.Code(strings.Join(set, " ")) + " for " + s.showCommand(part.WithoutSettings())
		if line := s.findUnreached(p.at); line != "" {
			text = unlessLong(text+": otherwise it fails with "+shell.Code(line), text)
		}
		return finding{
			Lesson: Lesson{
				Text: text, Why: "the user named " + hint, Events: []int{p.at + 1, d.at + 1},
				Cue: &Literals{Command: part.General(false)}, Remedy: &Literals{Command: strings.Join(set, " ")},
			},
			side: fix, weight: weightSteer, at: d.at, topic: "hint " + part.General(false),
		}, shell.IsLasting(text)
	}
	return finding{}, false
}

// findUnreached returns the error of a service that did not answer at its port, shown by one of the last
// calls before a prompt; "" if there is none.
func (s *timeline) findUnreached(at int) string {
	for _, c := range slices.Backward(s.calls) {
		if c.at > at || c.at < at-maxHintAge {
			continue
		}
		faults := s.project.FindFaults(c.result.Text, true)
		if i := slices.IndexFunc(faults, func(f shell.Fault) bool { return f.Kind == shell.NoService && rePort.Matches(f.Line) }); i >= 0 {
			return faults[i].Line
		}
	}
	return ""
}

// maxHintAge is how many events before a hint an error may lie that it is about.
const maxHintAge = 20

var (
	rePort  = lazy.New(`:\d{2,5}\b`)
	reStale = lazy.New(`(?i)to replace not found|modified since|could not find the exact text`)
	reHint  = lazy.New(`\b\d{1,3}(?:\.\d{1,3}){3}\b(?::\d+)?|\b[a-z][\w-]*(?:\.[\w-]+)*:\d{2,5}\b|\b[a-z][\w-]*(?:\.[\w-]+){2,}\b`)
)
