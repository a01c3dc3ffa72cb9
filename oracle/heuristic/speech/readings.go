package speech

import (
	"slices"
	"strings"

	"mem/oracle/heuristic/lazy"
	"mem/oracle/heuristic/shell"
)

// avoidDoing turns "delete tests" into the lesson to avoid deleting tests. It is
// false if no verb leads it.
func avoidDoing(phrase string) (Heard, bool) {
	text, ok := doing(phrase)
	return Heard{Avoid: true, Text: text}, ok
}

// readReminder: "don't forget to X".
func readReminder(u reading) (Heard, bool) {
	what := u.parts["what"]
	return Heard{Text: "Do not forget to " + what}, isVerb(firstWord(what))
}

// readOmission: "you forgot to X".
func readOmission(u reading) (Heard, bool) {
	verb, what := u.parts["verb"], u.parts["what"]
	return Heard{Text: "Do not forget to " + verb + what}, isVerb(verb) && !startsVague(what)
}

// readProhibition: "don't X", "never X", "you must not X".
func readProhibition(u reading) (Heard, bool) {
	body := strings.TrimSpace(u.parts["what"])
	lasting := strings.EqualFold(u.parts["how"], "never") || u.standing
	if lasting && strings.EqualFold(firstWord(body), "ever") {
		body = body[min(5, len(body)):]
	}
	if lasting {
		body = strings.TrimSuffix(body, " again")
	}
	verb := strings.ToLower(firstWord(body))
	if (verb == "commit" || verb == "push") && reBareDeed.Get().MatchString(body) {
		h, _ := avoidDoing(verb + " without being asked")
		h.Standing = lasting
		return h, lasting || u.Committed == verb || strings.Contains(u.Command, "git "+verb)
	}
	if u.when != "" {
		how := "do not "
		if lasting {
			how = "never "
		}
		return Heard{Text: how + body, Standing: lasting}, isVerb(verb)
	}
	if m := reHaveDone.Get().FindStringSubmatch(body); m != nil {
		if v, ok := baseForm(m[1]); ok {
			body = v + m[2] // "should not have touched"
		}
	}
	if !lasting && !u.Refused && verbsOfOutput.has(firstWord(body)) {
		return Heard{}, false // about what the program does, not what the agent does
	}
	h, ok := avoidDoing(body)
	h.Standing = lasting
	return h, ok
}

// readHabit: "stop X-ing", "you keep X-ing".
func readHabit(u reading) (Heard, bool) {
	first, rest, _ := strings.Cut(u.parts["what"], " ")
	g, ok := fromGerund(first)
	return Heard{Avoid: true, Text: strings.TrimSpace(g + " " + rest)}, ok && rest != ""
}

// readAvoid: "avoid X".
func readAvoid(u reading) (Heard, bool) {
	what := u.parts["what"]
	return Heard{Avoid: true, Text: what}, !startsVague(" " + what)
}

// readPreference: "prefer X".
func readPreference(u reading) (Heard, bool) {
	what := u.parts["what"]
	return Heard{Text: "prefer " + what}, !startsVague(" " + what)
}

// readOccasion: "when adding a dependency, use pnpm add -w".
func readOccasion(u reading) (Heard, bool) {
	when, verb, what := u.parts["when"], u.parts["verb"], u.parts["what"]
	return Heard{Text: when + ", " + verb + what}, isVerb(verb) && !startsVague(what) && !reOccasion.Get().MatchString(when)
}

// readNoThing: "no console logs!", "no deprecation alias!".
func readNoThing(u reading) (Heard, bool) {
	what := u.parts["what"]
	if wordsAfterNo.has(firstWord(what)) {
		return Heard{}, false
	}
	h := Heard{Avoid: true, Text: what, bare: true}
	if shell.IsTool(what) || isCode(what) {
		h.Text = "using " + what
	}
	return h, (u.cried || u.no || u.Refused) && !isVerb(firstWord(what))
}

// readThisNotThat: "no adjectives in the changelog please, just say what changed".
func readThisNotThat(u reading) (Heard, bool) {
	u.cried = true // by the please
	h, ok := readNoThing(u)
	h.bare = false
	if verb, how := u.parts["verb"], u.parts["how"]; isVerb(verb) && !startsVague(how) {
		h.Text += "; " + verb + how
	}
	return h, ok
}

// readAlways: "always X".
func readAlways(u reading) (Heard, bool) {
	what := u.parts["what"]
	verb := firstWord(what)
	return Heard{Text: "always " + what, Standing: true}, (isVerb(verb) || strings.HasPrefix(verb, "`")) && verb != "get"
}

// readMakeSure: "make sure to always X", "make sure to never X".
func readMakeSure(u reading) (Heard, bool) {
	if strings.EqualFold(u.parts["how"], "never") {
		return readProhibition(u)
	}
	return readAlways(u)
}

// readTeamRule: "we use X here, not Y", "in this repo we never X".
func readTeamRule(u reading) (Heard, bool) {
	mode, verb, what := strings.TrimSpace(strings.ToLower(u.parts["how"])), strings.ToLower(u.parts["verb"]), u.parts["what"]
	if s := u.parts["s"]; !isVerb(verb) && isVerb(verb+s) {
		verb += s
	}
	if !isVerb(verb) || slices.Contains([]string{"get", "guess", "expect", "assume"}, verb) || strings.HasPrefix(what, "into ") {
		return Heard{}, false
	}
	scoped, contrasts := u.parts["scope"] != "" || u.placed, reHere.Get().MatchString(what)
	switch mode {
	case "never", "don't", "do not", "doesn't", "does not":
		h, ok := avoidDoing(verb + " " + what)
		h.Standing = true
		return h, ok && (mode == "never" || verb == "use" || scoped || u.no)
	case "always", "only", "exclusively":
		chosen := scoped || u.no || mode != "only" || contrasts
		return Heard{Text: mode + " " + verb + " " + what, Standing: true}, chosen && len(strings.Fields(what)) <= 18
	}
	if strings.HasSuffix(mode, "want to") && !scoped {
		return Heard{}, false
	}
	lasts := scoped || contrasts
	return Heard{Text: verb + " " + what, Standing: lasts}, lasts || u.no || u.standing || u.lasting
}

// readContrast: "use X instead of Y", "use X, not Y".
func readContrast(u reading) (Heard, bool) {
	this, all := u.parts["this"], u.parts["all"]
	if len(strings.Fields(this)) > 12 || startsVague(" "+this) || startsVague(" "+u.parts["that"]) {
		return Heard{}, false
	}
	return Heard{Text: all[strings.Index(strings.ToLower(all), "use "):]}, true
}

// readInstead: "use X instead".
func readInstead(u reading) (Heard, bool) {
	this, more := u.parts["this"], u.parts["more"]
	h := Heard{Text: "use " + this + more}
	if strings.Trim(more, " .,!") == "" {
		h.Choice = firstChoice(this)
	}
	return h, !startsVague(" " + this)
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

// readShouldHave: "you should have run the linter".
func readShouldHave(u reading) (Heard, bool) {
	verb, ok := baseForm(u.parts["verb"])
	if !ok {
		return Heard{}, false
	}
	if u.parts["not"] != "" {
		return avoidDoing(verb + u.parts["what"])
	}
	return Heard{Text: verb + u.parts["what"]}, true
}

// readToldTo: what follows "I told you".
func readToldTo(u reading) (Heard, bool) {
	verb, what := u.parts["verb"], u.parts["what"]
	if !u.reminded || !isVerb(verb) {
		return Heard{}, false
	}
	if strings.EqualFold(u.parts["how"], "not to") {
		return avoidDoing(verb + what)
	}
	return Heard{Text: verb + what}, true
}

// readMust: "migrations must never be edited by hand".
func readMust(u reading) (Heard, bool) {
	this := u.parts["this"]
	h := Heard{Text: this + " must " + strings.ToLower(u.parts["how"]) + " " + u.parts["what"], Standing: true}
	return h, !wordsForPeople.has(firstWord(this))
}

// readImperative: "no, use X"; "put it in Y" as the reason of a refusal.
func readImperative(u reading) (Heard, bool) {
	verb, what := u.parts["verb"], u.parts["what"]
	if !isVerb(verb) || startsVague(what) || u.asked {
		return Heard{}, false
	}
	if strings.EqualFold(verb, "use") {
		return readUse(u)
	}
	return Heard{Text: verb + what, About: u.Refused}, u.lasts() || (u.no || u.Refused) && firstWord(what) != "me" && !u.isNextTask()
}

// isNextTask reports whether an instruction follows a question or a refusal
// and is rather an answer than a correction.
func (u reading) isNextTask() bool {
	if u.Refused {
		return !u.Explains && !u.no
	}
	return u.Asked && !reHere.Get().MatchString(u.parts["what"])
}

// readUse: "use X", of a tool over the one that just ran, by name for this
// whole repository, or after a no.
func readUse(u reading) (Heard, bool) {
	what := u.parts["what"]
	h := Heard{Text: u.parts["verb"] + what}
	h.Choice = firstChoice(strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(what), " please"), " instead"))
	if first := firstWord(what); first == "of" || first == "me" && !u.lasts() {
		return Heard{}, false
	}
	rival := shell.IsTool(firstWord(h.Choice)) && u.rivalOf(h.Choice) != ""
	named := u.placed && len(strings.Fields(what)) <= 4 && !reOneOf.Get().MatchString(what)
	return h, u.no || u.lasts() || u.Refused || rival || named
}

// readRequest: "can you use X instead?" as the reason of a refusal.
func readRequest(u reading) (Heard, bool) {
	if !u.Explains || !strings.EqualFold(u.parts["verb"], "use") {
		return Heard{}, false
	}
	u.asked = false
	return readImperative(u)
}

// readWish: "I want X to be Y" about what was refused.
func readWish(u reading) (Heard, bool) {
	this := u.parts["this"]
	return Heard{Text: this + " must be " + u.parts["what"]}, u.Refused && !startsVague(" "+this)
}

// readStatement: "no, the config lives in `config/app.toml`".
func readStatement(u reading) (Heard, bool) {
	this, all := u.parts["this"], u.parts["all"]
	if reUnsure.Get().MatchString(all) || startsVague(" "+this) || u.asked || strings.Contains(this, ",") || reFine.Get().MatchString(u.parts["what"]) {
		return Heard{}, false
	}
	firm := u.standing || (u.no || u.reminded) && (hasCode(all) || reNotThat.Get().MatchString(all))
	return Heard{Text: all, About: u.Explains}, (u.Explains || firm) && len(strings.Fields(all)) >= 4
}

var (
	reBareDeed = lazy.New(`(?i)^(?:commit|push)(?: anything| it| this| that| stuff| everything| automatically| on your own| yourself| unless i \w+.*| without (?:asking|my).*| until i \w+.*)*$`)
	reNotThat  = lazy.New(`(?i)\w,? not \w+ ?\w*$`)
	reOccasion = lazy.New(`(?i)(\b(done|ready|finished|it|this|that|these|those|can|have|are|get)\b|'re\b)`)
	reOneOf    = lazy.New(`(?i)^ (?:the|an?|my|your|our|some|existing)\b| to `)
	reFine     = lazy.New(`(?i)^(?:just |perfectly |totally |already )?(?:fine|ok|okay|good|great|right|correct|enough)\b`)
	reHaveDone = lazy.New(`(?i)^have (\w+)\b(.*)`)
	reHere     = lazy.New(`(?i)(\bhere\b|\bnot\b|\binstead\b|\brather than\b|\bin this (repo|project|codebase)|\bonly\b|\bnever\b)`)
)
