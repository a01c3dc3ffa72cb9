package heuristic

import (
	"strings"
	"sync"

	"mem/oracle/heuristic/lazy"
	"mem/oracle/heuristic/shell"
)

// forms are the ways in which people correct and lay down rules, the most
// specific first.
var forms = sync.OnceValue(func() []form {
	return []form{
		{lazy.New(`(?i)^don't forget (?:to )?(.+)`), func(m []string, r remark, _ scene) (heard, bool) {
			return heard{side: fix, text: "Do not forget to " + m[1]}, isVerb(firstWord(m[1]))
		}},
		{lazy.New(`(?i)^(don't|do not|never)(?:,? ever,?)?(?: you)? (.+)`), forbid},
		{lazy.New(`(?i)^(?:please )?(?:stop|quit|avoid) (\w+ing\b.*)`), ceaseIng},
		{lazy.New(`(?i)^(?:please )?avoid (\w+.*)`), func(m []string, _ remark, _ scene) (heard, bool) {
			return heard{side: mistake, text: m[1]}, !startsVague(" " + m[1])
		}},
		{lazy.New(`(?i)^prefer (.+)`), func(m []string, _ remark, _ scene) (heard, bool) {
			return heard{side: fix, text: "prefer " + m[1]}, !startsVague(" " + m[1])
		}},
		{lazy.New(`(?i)^((?:when|whenever|before) (?:\w+ing\b|you |we )[^,]*), (?:please |always )?(\w+)\b(.*)`), whenever},
		{lazy.New(`(?i)^you (?:always |just )?(?:keep|kept|keep on) (\w+ing\b.*)`), ceaseIng},
		{lazy.New(`(?i)^no ([\w'./` + "`" + `-]+(?: [\w'./` + "`" + `-]+){0,5})$`), noSuchThing},
		{lazy.New(`(?i)^no ([\w'./` + "`" + `-]+(?: [\w'./` + "`" + `-]+){0,6}) please, (?:just|only|instead) (\w+)\b(.+)$`), thisNotThat},
		{lazy.New(`(?i)^(?:you )?(?:should |must |need to |have to )?always (?:need to |have to |should |must )?(.+)`), always},
		{lazy.New(`(?i)^make sure to (always|never) (.+)`), func(m []string, r remark, sc scene) (heard, bool) {
			if strings.EqualFold(m[1], "never") {
				return forbid([]string{"", "never", m[2]}, r, sc)
			}
			return always([]string{"", m[2]}, r, sc)
		}},
		{houseRule, house},
		{lazy.New(`(?i)^(?:(?:let's|you (?:should|must|need to)|we (?:should|must|need to)) )?use (.+?),? (?:instead of|rather than|and not|not|no) (.+)`), contrast},
		{lazy.New(`(?i)^(?:let's |you (?:should|must|need to) )?use (\S+(?: \S+){0,5}?) instead\b(.*)`), instead},
		{lazy.New(`(?i)^(?:it's |it is )?([^\s,]+),? (instead of|rather than|and not|not|over) ([^\s,]+)$`), toolPair},
		{lazy.New(`(?i)^(?:it's )?not ([^\s,]+)(?:,| -| –| —|;|:)(?: but| use| it's)? ([^\s,]+)$`), turnedPair},
		{lazy.New(`(?i)^(?:it's |it is )?([^\s,]+)$`), loneTool},
		{lazy.New(`(?i)^you should(?:'ve| have) (not |never )?(\w+)\b(.*)`), shouldHave},
		{lazy.New(`(?i)^you (?:forgot to|didn't|did not|failed to|never) (\w+)\b(.*)`), func(m []string, _ remark, _ scene) (heard, bool) {
			return heard{side: fix, text: "Do not forget to " + m[1] + m[2]}, isVerb(m[1]) && !startsVague(m[2])
		}},
		{lazy.New(`(?i)^(?:you|we) (?:shouldn't|should not|should never|must not|mustn't|must never|cannot|can't|aren't allowed to|are not allowed to|may not) (.+)`), func(m []string, r remark, sc scene) (heard, bool) {
			return forbid([]string{"", "don't", m[1]}, r, sc)
		}},
		{lazy.New(`(?i)^i (?:really )?(?:don't|do not|never) want (?:you )?to (.+)`), func(m []string, r remark, sc scene) (heard, bool) {
			return forbid([]string{"", "don't", m[1]}, r, sc)
		}},
		{lazy.New(`(?i)^(not to|to) (\w+)\b(.*)`), toldTo},
		{lazy.New(`^([\w'./` + "`" + `-]+(?: [\w'./` + "`" + `-]+){0,4}) must (never|NEVER|always|ALWAYS|not|NOT) (.+)`), mustNever},
		{lazy.New(`(?i)^(?:(?:let's|(?:you|we) (?:should|must|need to|have to)|i (?:want|need|would like|'d like) you to|i want to|just) )?(\w+)\b(.*)`), imperative},
		{lazy.New(`(?i)^(?:can|could|would|will) (?:you|we) (?:please |just )?(\w+)\b(.*)`), politely},
		{lazy.New(`(?i)^i (?:want|need|would like|'d like) (.+?) to be (.+)`), func(m []string, _ remark, sc scene) (heard, bool) {
			return heard{side: fix, text: m[1] + " must be " + m[2]}, sc.denied != nil && !startsVague(" "+m[1])
		}},
		{lazy.New(`(?i)^(.+?) (is|are|lives?|goes|go|belongs?|needs?|must|should|has to|have to|stays?|requires?|comes?|runs?|returns?|expects?|means|uses?|has|have|works?) (.+)`), statement},
	}
})

// houseRule matches "in this repo we only use pnpm".
var houseRule = lazy.New(`(?i)^((?:in|for|on) (?:this|our) (?:repo|repository|project|codebase|team|company|monorepo|package)[\w-]*,? )?` +
	`(?:we|this (?:repo|repository|project|codebase|package|monorepo)|our (?:team|ci|project|repo)) ` +
	`(always |only |never |don't |do not |doesn't |does not |exclusively |(?:do )?want to )?(\w+?)(s?) (.+)`)

func firstWord(s string) string {
	w, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	return strings.Trim(w, ",.;:!")
}

// forbid: "don't X", "never X".
func forbid(m []string, r remark, sc scene) (heard, bool) {
	body := strings.TrimSpace(m[2])
	lasting := strings.EqualFold(m[1], "never") || r.standing
	if lasting && strings.EqualFold(firstWord(body), "ever") {
		body = body[min(5, len(body)):]
	}
	if lasting {
		body = strings.TrimSuffix(body, " again")
	}
	if v := strings.ToLower(firstWord(body)); (v == "commit" || v == "push") && reBareDeed.Get().MatchString(body) {
		g, _ := gerund(v)
		did := sc.committed == v || sc.denied != nil && strings.Contains(sc.denied.cmd.Raw, "git "+v)
		return heard{side: mistake, text: g + " without being asked", standing: lasting}, did || lasting
	}
	if r.when != "" {
		how := "do not "
		if lasting {
			how = "never "
		}
		return heard{side: fix, text: how + body, standing: lasting}, isVerb(firstWord(body))
	}
	if m := reHaveDone.Get().FindStringSubmatch(body); m != nil {
		if v, ok := base(m[1]); ok {
			body = v + m[2] // "should not have touched"
		}
	}
	if !lasting && sc.denied == nil && displays(firstWord(body)) {
		return heard{}, false // about what the program does, not what the agent does
	}
	text, ok := doing(body)
	return heard{side: mistake, text: text, standing: lasting}, ok
}

// displays reports whether a verb is more often said of a program's output
// than of an agent's work.
func displays(v string) bool {
	switch strings.ToLower(v) {
	case "show", "display", "render", "hide", "highlight", "wrap", "sort", "repeat", "trim", "return", "list", "load", "send", "save":
		return true
	}
	return false
}

// ceaseIng: "stop X-ing", "you keep X-ing".
func ceaseIng(m []string, _ remark, sc scene) (heard, bool) {
	first, rest, _ := strings.Cut(m[1], " ")
	g, ok := fromGerund(first)
	return heard{side: mistake, text: strings.TrimSpace(g + " " + rest)}, ok && rest != ""
}

// noSuchThing: "no console logs!", "no deprecation alias!".
func noSuchThing(m []string, r remark, sc scene) (heard, bool) {
	switch strings.ToLower(firstWord(m[1])) {
	case "need", "problem", "problems", "worries", "thanks", "idea", "rush", "way", "more", "one", "luck", "longer", "it", "it's", "that",
		"that's", "this", "you", "we", "i", "the", "not", "matter", "changes", "error", "errors", "output", "comment", "wait", "clue", "use",
		"difference", "dice", "response", "reason", "worry", "doubt", "they", "there", "just", "still", "issue", "issues", "don't", "but", "sorry", "thank", "go", "i'm", "results", "result":
		return heard{}, false
	}
	h := heard{side: mistake, text: m[1], bare: true}
	if shell.IsTool(m[1]) || isCode(m[1]) {
		h.text = "using " + m[1]
	}
	return h, (r.cried || r.no || sc.denied != nil) && !isVerb(firstWord(m[1]))
}

// thisNotThat: "no adjectives in the changelog please, just say what changed".
func thisNotThat(m []string, r remark, sc scene) (heard, bool) {
	r.cried = true // by the please
	h, ok := noSuchThing(m, r, sc)
	h.bare = false
	if isVerb(m[2]) && !startsVague(m[3]) {
		h.text += "; " + m[2] + m[3]
	}
	return h, ok
}

// always: "always X".
func always(m []string, _ remark, _ scene) (heard, bool) {
	v := firstWord(m[1])
	return heard{side: fix, text: "always " + m[1], standing: true}, (isVerb(v) || strings.HasPrefix(v, "`")) && v != "get"
}

// whenever: "when adding a dependency, use pnpm add -w".
func whenever(m []string, _ remark, _ scene) (heard, bool) {
	ok := isVerb(m[2]) && !startsVague(m[3]) && !reOccasion.Get().MatchString(m[1])
	return heard{side: fix, text: m[1] + ", " + m[2] + m[3]}, ok
}

// house: "we use X here, not Y", "in this repo we never X".
func house(m []string, r remark, _ scene) (heard, bool) {
	scope, mode, v, body := m[1], strings.TrimSpace(strings.ToLower(m[2])), strings.ToLower(m[3]), m[5]
	if !isVerb(v) && isVerb(v+m[4]) {
		v += m[4]
	}
	if !isVerb(v) || v == "get" || v == "guess" || v == "expect" || v == "assume" || strings.HasPrefix(body, "into ") {
		return heard{}, false
	}
	switch mode {
	case "never", "don't", "do not", "doesn't", "does not":
		text, ok := doing(v + " " + body)
		return heard{side: mistake, text: text, standing: true}, ok && (mode == "never" || v == "use" || scope != "" || r.placed || r.no)
	case "always", "only", "exclusively":
		chosen := scope != "" || r.placed || r.no || mode != "only" || reHere.Get().MatchString(body)
		return heard{side: fix, text: mode + " " + v + " " + body, standing: true}, chosen && len(strings.Fields(body)) <= 18
	}
	if strings.HasSuffix(mode, "want to") && scope == "" && !r.placed {
		return heard{}, false
	}
	contrasts := reHere.Get().MatchString(body)
	lasts := scope != "" || contrasts || r.placed
	return heard{side: fix, text: v + " " + body, standing: lasts}, lasts || r.no || r.standing || r.lasting
}

// contrast: "use X instead of Y", "use X, not Y".
func contrast(m []string, _ remark, sc scene) (heard, bool) {
	if len(strings.Fields(m[1])) > 12 || startsVague(" "+m[1]) || startsVague(" "+m[2]) {
		return heard{}, false
	}
	text := m[0][strings.Index(strings.ToLower(m[0]), "use "):]
	return heard{side: fix, text: text}, true
}

// instead: "use X instead".
func instead(m []string, r remark, sc scene) (heard, bool) {
	if startsVague(" " + m[1]) {
		return heard{}, false
	}
	h := heard{side: fix, text: "use " + m[1] + m[2]}
	if strings.Trim(m[2], " .,!") == "" {
		h.choice = firstChoice(m[1])
	}
	return h, true
}

// firstChoice returns X of "use X" if it can stand for a program, a command or
// a name.
func firstChoice(s string) string {
	s = strings.Trim(strings.TrimSpace(s), ",.;:`")
	if words := strings.Fields(s); len(words) == 1 || len(words) > 1 && len(words) <= 3 && (shell.HasSubcommands(words[0]) || shell.IsProgram(words[0])) {
		return s
	}
	return ""
}

// shouldHave: "you should have run the linter".
func shouldHave(m []string, _ remark, _ scene) (heard, bool) {
	v, ok := base(m[2])
	if !ok {
		return heard{}, false
	}
	if m[1] != "" {
		text, ok := doing(v + m[3])
		return heard{side: mistake, text: text}, ok
	}
	return heard{side: fix, text: v + m[3]}, true
}

// toldTo: what follows "I told you".
func toldTo(m []string, r remark, _ scene) (heard, bool) {
	if !r.told || !isVerb(m[2]) {
		return heard{}, false
	}
	if strings.EqualFold(m[1], "not to") {
		text, ok := doing(m[2] + m[3])
		return heard{side: mistake, text: text}, ok
	}
	return heard{side: fix, text: m[2] + m[3]}, true
}

// mustNever: "migrations must never be edited by hand".
func mustNever(m []string, r remark, _ scene) (heard, bool) {
	switch strings.ToLower(firstWord(m[1])) {
	case "it", "this", "that", "they", "there", "he", "she", "i", "which", "you", "we", "users", "user":
		return heard{}, false
	}
	return heard{side: fix, text: m[1] + " must " + strings.ToLower(m[2]) + " " + m[3], standing: true}, true
}

// imperative: "no, use X"; "put it in Y" as the reason of a refusal.
func imperative(m []string, r remark, sc scene) (heard, bool) {
	use := strings.EqualFold(m[1], "use")
	h := heard{side: fix, text: m[1] + m[2]}
	if use {
		h.choice = firstChoice(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(m[2]), " please"), " instead"))
	}
	lasting := r.told || r.standing || r.lasting
	if !r.no && !lasting && !(use && picks(h.choice, m[2], r, sc)) && sc.denied == nil || !isVerb(m[1]) || startsVague(m[2]) || r.asked || use && firstWord(m[2]) == "of" {
		return heard{}, false
	}
	if sc.denied == nil && sc.answers && !lasting && !use && !reHere.Get().MatchString(m[2]) {
		return heard{}, false // the answer to a question: the next task
	}
	if sc.denied != nil && sc.denied.reason == "" && !r.no && !lasting && !use {
		return heard{}, false // said after a refusal, not about it: the next task
	}
	if firstWord(m[2]) == "me" && !lasting {
		return heard{}, false // an answer is wanted now
	}
	h.about = !use && sc.denied != nil
	return h, true
}

// picks reports whether "use X" is a choice that will hold by itself: of a tool
// over the one that just ran, or by name for this whole repository.
func picks(choice, what string, r remark, sc scene) bool {
	if shell.IsTool(firstWord(choice)) && sc.rival(choice) != "" {
		return true
	}
	return r.placed && len(strings.Fields(what)) <= 4 && !reOneOf.Get().MatchString(what)
}

// politely: "can you use X instead?" as the reason of a refusal.
func politely(m []string, r remark, sc scene) (heard, bool) {
	if sc.denied == nil || sc.denied.reason == "" || !strings.EqualFold(m[1], "use") {
		return heard{}, false
	}
	r.asked = false
	return imperative(m, r, sc)
}

// statement: "no, the config lives in `config/app.toml`".
func statement(m []string, r remark, sc scene) (heard, bool) {
	if reUnsure.Get().MatchString(m[0]) || startsVague(" "+m[1]) || r.asked || strings.Contains(m[1], ",") || reFine.Get().MatchString(m[3]) {
		return heard{}, false
	}
	refused := sc.denied != nil && sc.denied.reason != ""
	firm := r.standing || hasCode(m[0]) || reNotThat.Get().MatchString(m[0])
	if !refused && (!r.no && !r.told && !r.standing || !firm) {
		return heard{}, false
	}
	return heard{side: fix, text: m[0], about: refused}, len(strings.Fields(m[0])) >= 4
}

var (
	reBareDeed = lazy.New(`(?i)^(?:commit|push)(?: anything| it| this| that| stuff| everything| automatically| on your own| yourself| unless i \w+.*| without (?:asking|my).*| until i \w+.*)*$`)
	reNotThat  = lazy.New(`(?i)\w,? not \w+ ?\w*$`)
	reOccasion = lazy.New(`(?i)(\b(done|ready|finished|it|this|that|these|those|can|have|are|get)\b|'re\b)`)
	reOneOf    = lazy.New(`(?i)^ (?:the|an?|my|your|our|some|existing)\b| to `)
	reFine     = lazy.New(`(?i)^(?:just |perfectly |totally |already )?(?:fine|ok|okay|good|great|right|correct|enough)\b`)
	reHaveDone = lazy.New(`(?i)^have (\w+)\b(.*)`)
	reHere     = lazy.New(`(?i)(\bhere\b|\bnot\b|\binstead\b|\brather than\b|\bin this (repo|project|codebase)|\bonly\b|\bnever\b)`)
	reClaim    = lazy.New(`(?i)\b(is|are|lives?|goes|go|belongs?|needs?|must|should|has|have|uses?|runs?|requires?|only|cannot|can't|works?)\b`)
	reUnsure   = lazy.New(`(?i)(^(i|i'm|oh|hm|maybe|perhaps|it|this|that|they|there|you|what|why|how|who|which|where|and|seems?|looks?)\b|\bi (think|guess|believe|suppose|wonder|see)\b|\bnot sure\b|\bprobably\b)`)
)
