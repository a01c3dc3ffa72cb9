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
	reBehind = lazy.New(`(?i)[:;](?:\s|$)|\s\(|[.?!](?:\s|$)|,?\s(?:or|so|because|since|if|when|whenever|before|after|unless|until|once|for|instead|rather|although|though|while|where|as|not|than)\s|\s[–—-]\s`)
	// reNoOrder matches verbs that order nothing which could be tried.
	reNoOrder = lazy.New(`(?i)^(?:do|don['’]t|avoid|never|stop \w+ing|expect|know|remember|ask|mention|forget|change|replace|rename|move|convert|turn|swap|switch|rewrite)\s`)
	// reEdit matches what an edit puts into a file or takes out: a member of its input, or a line of a patch.
	reEdit = lazy.New(`"(old|new)\w*":\s*"((?:[^"\\]|\\.)*)"|\\n([-+])((?:[^"\\]|\\[^n])*)`)
	// reRefusing matches what stands before something that is not wanted.
	reRefusing = lazy.New(`(?:\bnot|\bnever|instead of|rather than|n['’]t(?: use| want| run)?|\bnicht|\bkeine?|statt|\bpas)(?: in| into| to| the| use| run| de)?[ \x60"']+$`)
	reTaking   = lazy.New(`(?i)^(?:remove|delete|drop|take|leave out|strip|undo|revert)\s`)
)

// orderOf returns the part of a lesson that says what to do, without when and why; "" if there is none.
func orderOf(text string) string {
	plain := reQuote.Get().ReplaceAllStringFunc(text, func(q string) string { return strings.Repeat("x", len(q)) })
	if reCondition.Matches(text) {
		_, rest, _ := strings.Cut(plain, ", ")
		plain, text = rest, text[len(text)-len(rest):]
	}
	if first, _, _ := strings.Cut(strings.ToLower(text), " "); !isVerb(first) || reNoOrder.Matches(text) {
		return ""
	}
	if end := reBehind.Get().FindStringIndex(plain); end != nil {
		text = text[:end[0]]
	}
	return text
}

// hasFailedHere reports whether the session tried what a lesson says to do, and it did not help: each call of it failed,
// what worked had something more of which the lesson says nothing, or an edit took it back.
func (e *evidence) hasFailedHere(c claim) bool {
	return e.isUnwanted(c) || slices.ContainsFunc(c.ordered, func(name string) bool {
		want := shell.Parse(name).MainPart()
		return e.speaksAgainst(name, words.Lower(c.order)) || len(want.Words) > 1 && e.onlyFailed(want, c.all)
	})
}

// speaksAgainst reports whether an edit took back what an order puts there, or whether
// what it takes away was put there, or was what cured a failure.
func (e *evidence) speaksAgainst(name, order string) bool {
	if reTaking.Matches(order) {
		what, _, _ := strings.Cut(order, " with ")
		return strings.Contains(what, name) && (e.lastEdit(name) > 0 || e.isProven([]string{name}))
	}
	return e.lastEdit(name) < 0
}

// isUnwanted reports whether a person said not to do what a lesson says to do, or not with what it names.
func (e *evidence) isUnwanted(c claim) bool {
	verb, _, _ := strings.Cut(words.Lower(c.order), " ")
	return verb != "" && (!reBan.Matches(c.order) && e.isRefused(verb) || !reTaking.Matches(c.order) && slices.ContainsFunc(c.ordered, e.isRefused))
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

// onlyFailed reports whether each call of a command failed, or was stopped, or had an argument of which nothing is said.
func (e *evidence) onlyFailed(want shell.Simple, said map[string]bool) (failed bool) {
	for i, call := range e.calls {
		isOK := e.Events[i].Cause == session.OK
		if call < 0 || !isOK && e.Events[i].Cause != session.DeniedByUser && !hasFailed(&e.Events[i]) {
			continue
		}
		for _, part := range shell.Parse(words.Lower(shell.ParseArguments(e.Events[call].Input).Command)).Parts {
			missing := slices.DeleteFunc(shell.ArgumentsBeyond(want, part), func(arg string) bool { return isPlain[arg] || reHole.Matches(arg) })
			if part.Program != want.Program || len(missing) > 0 {
				continue
			}
			if isOK && (!failed || isAllSaid(append(shell.ArgumentsBeyond(part, want), part.Settings...), said)) {
				return false
			}
			failed = failed || !isOK
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
func (e *evidence) lastEdit(name string) (last int) {
	for i, ev := range e.Events {
		if ev.Kind != session.ToolCall || !e.holds(i, name) || shell.ClassOf(ev.Tool) != shell.EditTool {
			continue
		}
		sides := map[bool]string{}
		for _, m := range reEdit.Get().FindAllStringSubmatch(ev.Input, -1) {
			if m[3] == "" || strings.Contains(ev.Input, "*** Begin Patch") {
				sides[m[1] == "new" || m[3] == "+"] += m[2] + m[4] + " "
			}
		}
		isThere := func(side bool) bool {
			return containsName(words.FoldSpace(words.Lower(strings.NewReplacer(`\n`, " ", `\"`, `"`).Replace(sides[side]))), name)
		}
		if put, taken := isThere(true), isThere(false); put != taken {
			last = map[bool]int{true: 1, false: -1}[put]
		}
	}
	return last
}
