package reflect

import (
	"slices"
	"strings"

	"mem/index"
	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/session"
	"mem/words"
)

// What follows holds what a lesson says to do against what became of it in the session.

var (
	// reBehind matches where the order of a lesson ends: a reason, a condition, or what it is better than.
	reBehind = lazy.New(`(?i)[:;](?:\s|$)|\s\(|[.?!](?:\s|$)|,?\s(?:or|so|because|since|if|when|whenever|before|after|unless|until|once|for|instead|rather|although|though|while|where|not|than|like)\s|\s[–—-]\s`)
	// reNoOrder matches verbs that order nothing which could be tried.
	reNoOrder = lazy.New(`(?i)^(?:do|don['’]t|avoid|never|stop \w+ing|expect|know|remember|ask|mention|forget)\s`)
	// reSwapping matches verbs of which one thing goes and another comes, which stands behind reBringing.
	reSwapping = lazy.New(`(?i)^(?:change|replace|rename|move|convert|turn|swap|switch|rewrite|raise|lower|increase|decrease|bump|upgrade|downgrade)\s`)
	reBringing = lazy.New(`(?i)\s(?:with|to|by|into)\s`)
	// reStart matches what stands before an order that does not begin a lesson, such as a file without a comma.
	reStart = lazy.New(`(?i), |^(?:in|for|on|at|with)\s+(?:the\s)?(?:\S*[./_]\S*|x+)\s+`)
	reFrom  = lazy.New(`(?i)\s(?:with|from|out of|in|of)\s`) // what something is taken away with, or from
	// reEdit matches what an edit puts into a file or takes out: a member of its input, or a line of a patch.
	reEdit = lazy.New(`"(old|new|content)\w*":\s*"((?:[^"\\]|\\.)*)"|\\n([-+])((?:[^"\\]|\\[^n])*)`)
	// reRefusing matches what stands before something that is not wanted.
	reForbidding = lazy.New(`(?i)^\W*(?:(?:and|but|so|please)\s)?no\s|\b(?:don['’]?t|do not|never|must not|should not|no more|nicht|niemals|ne pas|jamais|nunca)\b`)
	reRefusing   = lazy.New(`(?:\bnot|\bnever|instead of|rather than|n['’]t(?: use| want| run)?|\bnicht|\bkeine?|statt|\bpas)(?: in| into| to| the| use| run| de)?[ \x60"']+$`)
	reSuffix     = lazy.New(`^\.\w+$`) // of files, which is none of them
	reSkipping   = lazy.New(`(?i)^(?:skip|omit|bypass|leave out|go without)\s`)
	reWithout    = lazy.New(`(?i)\b(?:skip|omit|bypass|leave|without|unless)\b`)
	reTaking     = lazy.New(`(?i)^(?:remove|delete|drop|take\s.*\s(?:out|away|off)|leave out|strip|undo|revert)\s`)
)

// orderOf returns the part of a lesson that says what to do, without when and why; "" if there is none.
func orderOf(text string) string {
	plain := reQuote.Get().ReplaceAllStringFunc(text, func(q string) string { return strings.Repeat("x", len(q)) })
	starts := [][]int{{0, 0}}
	if reCondition.Matches(text) {
		starts = reStart.Get().FindAllStringIndex(plain, -1)
	}
	for _, at := range starts {
		order := text[at[1]:]
		if first, _, _ := strings.Cut(strings.ToLower(order), " "); !isVerb(first) {
			continue
		} else if reNoOrder.Matches(order) {
			break
		} else if end := reBehind.Get().FindStringIndex(plain[at[1]:]); end != nil {
			order = order[:end[0]]
		}
		return order
	}
	return ""
}

func (e *evidence) isTakenBack(c claim) bool {
	isBack := func(name string) bool { return e.speaksAgainst(name, words.Lower(c.order)) }
	return e.isReversed(c.order) || slices.ContainsFunc(c.ordered, isBack) || slices.ContainsFunc(c.figures, func(n string) bool { return e.lastEdit(n) < 0 })
}

// isInVain reports whether a command that a lesson orders only failed, or only worked with another
// argument that the lesson does not mention.
func (e *evidence) isInVain(c claim) bool {
	return slices.ContainsFunc(append(slices.Clone(c.ordered), c.remedy), func(name string) bool {
		want := shell.Parse(name).MainPart()
		return len(want.Words) > 1 && e.onlyFailed(want, c.all)
	})
}

// speaksAgainst reports whether edits undid what an order adds, or the session removed what it keeps.
// If the order removes something, it reports whether an edit added it or it cured a failure.
func (e *evidence) speaksAgainst(name, order string) bool {
	if reTaking.Matches(order) {
		what, _, _ := strings.Cut(order, " with ")
		thing, _, _ := strings.Cut(reFrom.Get().ReplaceAllString(order, "\x00"), "\x00")
		return strings.Contains(what, name) && e.lastEdit(name) > 0 || strings.Contains(thing, name) && e.isProven([]string{name})
	}
	return e.lastEdit(name) < 0 && !reSuffix.Matches(name) || reKeeping.Matches(order) && e.isRemoved(name)
}

// isReversed reports whether an order takes away, without its name, what an edit put there.
func (e *evidence) isReversed(order string) bool {
	_, thing, _ := strings.Cut(reFrom.Get().ReplaceAllString(words.Lower(order), "\x00"), " ")
	thing, _, _ = strings.Cut(thing, "\x00")
	said := wordsOf(thing)
	return reTaking.Matches(order) && len(said) > 1 && e.lastChange(func(text string) bool { return shareOf(said, wordsOf(text)) >= suffices }) > 0
}

// isUnwanted reports whether a person forbade what a lesson orders, refused a name in it, or asked for what it says to skip.
func (e *evidence) isUnwanted(c claim) bool {
	return reSkipping.Matches(c.order) && slices.ContainsFunc(c.ordered, e.isAskedFor) || !reBan.Matches(c.order) && e.isForbidden(wordsOf(c.order)) || !reTaking.Matches(c.order) && slices.ContainsFunc(slices.Concat(c.ordered, c.figures), e.isRefused)
}

func (e *evidence) isForbidden(ordered map[string]bool) bool {
	return slices.ContainsFunc(e.bans, func(said map[string]bool) bool { return shareOf(said, ordered) >= suffices })
}

// bansIn returns the words of each clause of a text that says not to do something.
func bansIn(text string) (bans []map[string]bool) {
	for clause := range strings.SplitSeq(reJoint.Get().ReplaceAllString(text, "\x00"), "\x00") {
		if at := reForbidding.Get().FindStringIndex(clause); at != nil {
			if said := wordsOf(clause[at[1]:]); len(said) > 1 {
				bans = append(bans, said)
			}
		}
	}
	return bans
}

// isAskedFor reports whether a person wants what they name, and says nowhere to go without a thing.
func (e *evidence) isAskedFor(name string) (asked bool) {
	for i, ev := range e.Events {
		if saidByPerson(ev) && reWithout.Matches(ev.Text) {
			return false
		}
		asked = asked || saidByPerson(ev) && e.holds(i, name)
	}
	return asked && !e.isRefused(name)
}

// isRefused reports whether a person names something only to say that it is not wanted.
func (e *evidence) isRefused(name string) (refused bool) {
	for i, ev := range e.Events {
		if eventOrigin(ev) != index.OriginUser || ev.Pasted || !e.holds(i, name) {
			continue
		}
		before, _, _ := strings.Cut(e.texts[i], name)
		if !reRefusing.Matches(before) {
			return false
		}
		refused = true
	}
	return refused
}

// refusals are how a call ends that was not let through.
var refusals = []session.Cause{session.DeniedByUser, session.DeniedByRule, session.Cancelled}

// onlyFailed reports whether each call of a command failed, or was stopped, or had an argument of which nothing is said.
func (e *evidence) onlyFailed(want shell.Simple, said map[string]bool) (failed bool) {
	var tried []string // arguments of those that failed
	for i, call := range e.calls {
		isOK := e.worked(i)
		if call < 0 || !isOK && !e.failed[i] && !slices.Contains(refusals, e.Events[i].Cause) {
			continue
		}
		for _, part := range e.commandOf(call).Parts {
			missing := slices.DeleteFunc(shell.ArgumentsBeyond(want, part), func(arg string) bool { return isPlain[arg] || reHole.Matches(arg) })
			if part.Program != want.Program || len(missing) > 0 {
				continue
			}
			more := append(shell.ArgumentsBeyond(part, want), part.Settings...)
			if isOK && (!failed || isAllSaid(slices.DeleteFunc(more, func(arg string) bool { return slices.Contains(tried, arg) }), said)) {
				return false
			} else if !isOK {
				failed, tried = true, append(tried, more...)
			}
		}
	}
	return failed
}

// isAllSaid reports whether there are no arguments, or one is named in words of a lesson.
func isAllSaid(args []string, said map[string]bool) bool {
	return len(args) == 0 || slices.ContainsFunc(args, func(arg string) bool {
		name, _, _ := strings.Cut(arg, "=")
		return shareOf(wordsOf(name), said) == 1
	})
}

// lastEdit returns what the last edit about a name did: 1 if it put it there, -1 if it took it away, or 0.
func (e *evidence) lastEdit(name string) int {
	return e.lastChange(func(text string) bool { return words.HoldsName(text, name) })
}

// lastChange is lastEdit for what has stands for.
func (e *evidence) lastChange(has func(text string) bool) (last int) {
	for i := range e.Events {
		if put, taken := e.changes(i); has(put) != has(taken) {
			last = map[bool]int{true: 1, false: -1}[has(put)]
		}
	}
	return last
}

// changes returns the lines that the edit of event i puts into a file, and those that it takes out.
func (e *evidence) changes(i int) (put, taken string) {
	ev := e.Events[i]
	if ev.Kind != session.ToolCall || shell.ClassOf(ev.Tool) != shell.EditTool {
		return "", ""
	}
	sides := map[bool][]string{}
	for _, m := range reEdit.Get().FindAllStringSubmatch(ev.Input, -1) {
		if m[3] == "" || strings.Contains(ev.Input, "*** Begin Patch") {
			side := m[1] != "old" && m[3] != "-"
			sides[side] = append(sides[side], strings.Split(words.Lower(unescape.Replace(m[2]+m[4])), "\n")...)
		}
	}
	changed := func(side bool) string {
		return words.FoldSpace(strings.Join(slices.DeleteFunc(slices.Clone(sides[side]), func(l string) bool { return slices.Contains(sides[!side], l) }), " "))
	}
	return changed(true), changed(false)
}
