package heuristic

import (
	"slices"
	"strings"
)

// How far ahead of a failure its resolution is looked for.
const (
	maxCallsAhead = 80
	maxRunsAhead  = 30
)

// A resolution is a failure, what worked in the end, and why that helped.
type resolution struct {
	failed, worked *call
	bad, good      simple
	refs           []string
}

// resolutions finds failed commands that worked later in another form or
// after something was prepared. It speaks only when the difference explains
// the failure; that the code was wrong and was then mended is no lesson.
func resolutions(s *timeline) []finding {
	var out []finding
	for i, c := range s.calls {
		if c.class != shell || !c.failed() || c.fault.line == "" || c.fault.kind == sourceCode || c.fault.kind == routine {
			continue
		}
		out = append(out, s.resolve(i)...)
	}
	return out
}

// resolve looks for the first later call that explains a failure.
func (s *timeline) resolve(i int) []finding {
	c := s.calls[i]
	bad := c.cmd.blame(c.fault.line)
	if bad.program == "" || s.throwaway(bad, c.fault) || selfMade(c.cmd.raw) {
		return nil
	}
	runs := 0
	for j := i + 1; j < len(s.calls) && j <= i+maxCallsAhead && runs < maxRunsAhead; j++ {
		d := s.calls[j]
		if d.class != shell || d.subagent != c.subagent || d.abandoned != c.abandoned {
			continue
		}
		if s.promptsBetween(c.at, d.at) > 1 && c.fault.kind != badUsage {
			break // by now the talk is of something else
		}
		runs++
		if !d.worked() || d.cmd.hidesExit() && silent(d.out) {
			continue
		}
		for _, good := range d.cmd.segs {
			if good.op == "|" || good.program == "" || prepares(good.program) {
				continue
			}
			r := resolution{c, d, bad, good, append(slices.Clone(c.refs), d.refs...)}
			if fs := s.explain(r); fs != nil {
				return fs
			}
		}
	}
	return nil
}

// silent reports whether an output shows that something was done: a filter
// ends well also when what feeds it does not.
func silent(out string) bool {
	out = strings.TrimSpace(out)
	return out == "" || out == "0" || out == "(no output)" || strings.HasPrefix(out, "(Bash completed with no output")
}

// throwaway reports failures that depend on nothing but this one session:
// looking at files that are not there, and work in temporary folders.
func (s *timeline) throwaway(bad simple, f fault) bool {
	if looksAround(bad.program) && f.kind != badUsage && f.kind != noCommand {
		return true
	}
	if bad.program == "git" && (f.kind == noFile || strings.Contains(f.line, "pathspec") || strings.Contains(f.line, "ambiguous argument")) {
		return true
	}
	for _, w := range bad.words {
		if isTemp(w.val) {
			return true
		}
	}
	return strings.Contains(f.line, "/tmp/")
}

// selfMade reports whether a command line carries a program of its own, which
// is then what failed.
func selfMade(raw string) bool {
	return strings.Contains(raw, "<<") || len(raw) > 600 || strings.Count(raw, "\n") > 8
}

// explain tells what made the difference, or returns nil.
func (s *timeline) explain(r resolution) []finding {
	same, job := equalWords(r.bad, r.good), sameJob(r.bad, r.good)
	if !same && !job && r.bad.family() != r.good.family() {
		return nil
	}
	edited := s.editedBetween(r)
	switch {
	case same && r.bad.wrapper == r.good.wrapper:
		if f := s.bySetting(r); f != nil {
			return f
		}
		if f := s.byFolder(r, edited); f != nil {
			return f
		}
		return s.byPreparation(r, edited)
	case same || job:
		if edited && !r.failed.fault.kind.environment() {
			return nil
		}
		return s.byProgram(r)
	case edited && r.failed.fault.kind != badUsage:
		return nil
	}
	return s.byArguments(r)
}

// bySetting: the same command with an environment variable set.
func (s *timeline) bySetting(r resolution) []finding {
	before, after := r.failed.cmd.env(r.bad), r.worked.cmd.env(r.good)
	var added []string
	for _, e := range after {
		if !slices.Contains(before, e) {
			added = append(added, setting(e))
		}
	}
	if len(added) == 0 || len(added) > 3 {
		return nil
	}
	set := code(strings.Join(added, " "))
	cmd := code(s.display(plain(r.bad)))
	return s.pair(r, set,
		"running "+cmd+" without "+set+": "+because(r.failed.fault),
		"Set "+set+" for "+cmd+": without it, "+because(r.failed.fault))
}

// byFolder: the same command in another folder.
func (s *timeline) byFolder(r resolution, edited bool) []finding {
	from, to := s.paths.dir(r.failed.cmd.dir), s.paths.dir(r.worked.cmd.dir)
	if from == to || r.worked.cmd.dir == "" || edited && !r.failed.fault.kind.environment() ||
		isTemp(r.worked.cmd.dir) || looksAround(r.bad.program) || strings.HasPrefix(to, "..") || to == "-" {
		return nil
	}
	cmd := code(s.display(r.bad))
	where := "from " + code(to)
	wrong := "outside " + code(to)
	if to == "" || to == "~" {
		where, wrong = "from the root of the repository", "outside the root of the repository"
	}
	if from != "" && !isTemp(r.failed.cmd.dir) {
		wrong = "in " + code(from)
	}
	return s.pair(r, to,
		"running "+cmd+" "+wrong+": "+because(r.failed.fault),
		"Run "+cmd+" "+where+": elsewhere "+because(r.failed.fault))
}

// byProgram: the same job done by another program or through a runner.
func (s *timeline) byProgram(r resolution) []finding {
	switch r.failed.fault.kind {
	case sourceCode, noFile, timedOut, noSchema, noService:
		return nil
	}
	bad, good := code(s.display(r.bad)), code(s.display(r.good))
	if bad == good || looksAround(r.good.program) && r.good.program != r.bad.program {
		return nil
	}
	return s.pair(r, r.bad.program+">"+r.good.program,
		"running "+bad+": "+because(r.failed.fault),
		"Use "+good+" instead of "+bad+": the latter fails with "+code(r.failed.fault.line))
}

// byArguments: the same subcommand with other arguments.
func (s *timeline) byArguments(r resolution) []finding {
	added, dropped := difference(r.good, r.bad), difference(r.bad, r.good)
	flags := slices.DeleteFunc(slices.Clone(added), func(a string) bool { return !strings.HasPrefix(a, "-") || onlyShows(a) })
	if len(flags) == 0 && slices.ContainsFunc(added, onlyShows) {
		return nil // it looked at something else
	}
	usage := r.failed.fault.kind == badUsage || r.failed.fault.kind == noCommand
	bad, good := code(s.display(r.bad)), code(s.display(r.good))
	switch {
	case bad == good:
		return nil
	case len(dropped) == 0 && len(flags) > 0 && len(added) <= len(flags)+2:
		with := code(strings.Join(added, " "))
		return s.pair(r, strings.Join(flags, " "),
			"running "+bad+" without "+with+": "+because(r.failed.fault),
			"Add "+with+" to "+bad+": without it, "+because(r.failed.fault))
	case usage && len(added) <= 3 && related(r.bad, r.good) &&
		(r.bad.sub != "" || len(dropped) == 0 || blamed(dropped, r.failed.fault.line)):
		return s.pair(r, bad,
			"running "+bad+": "+because(r.failed.fault),
			"Use "+good+" instead of "+bad+": the latter fails with "+code(r.failed.fault.line))
	case r.failed.fault.kind == badSetup && len(added) > 0 && len(added) <= 4 && len(dropped) == 0:
		return s.pair(r, bad,
			"running "+bad+" as it stands: "+because(r.failed.fault),
			"Use "+good+" instead of "+bad+": the latter fails with "+code(r.failed.fault.line))
	}
	return nil
}

// pair makes the two findings of a resolution: what fails, and what helps.
func (s *timeline) pair(r resolution, what, bad, good string) []finding {
	topic := "fail " + r.bad.family() + " " + normal(r.failed.fault.line) + " " + what
	f := finding{rule: "resolution", weight: weightFact, at: r.failed.at, topic: topic, refs: r.refs}
	m := f
	m.side, m.text = mistake, bad
	f.side, f.text = fix, good
	return []finding{m, f}
}

// editedBetween reports whether files were changed between failure and
// success, so that the change may be what helped.
func (s *timeline) editedBetween(r resolution) bool {
	for _, c := range s.between(r.failed, r.worked) {
		if (c.class == editFile || c.class == writeFile) && c.worked() {
			return true
		}
		if c.class == shell && c.worked() && reInPlace().MatchString(c.args.command) {
			return true
		}
	}
	return false
}

var reInPlace = lazy(`\b(sed|perl) (-\w+ )*-\w*i|\btee \S|cat > ?\S|\bgit (apply|checkout|restore|revert|stash pop)\b|\bpatch -p`)
