package speech

import (
	"cmp"
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/english"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/spelling"
)

// avoidDoing turns "delete tests" into the lesson to avoid deleting tests.
func avoidDoing(phrase string) (Heard, bool) {
	text, ok := english.Doing(phrase)
	return Heard{Avoid: true, Text: text}, ok
}

// readOmission: "don't forget to X", "you forgot to X".
func readOmission(u reading) (Heard, bool) {
	made := strings.HasPrefix(strings.ToLower(u.all), "you") && !reDelivers.Matches(u.verb)
	lasts := made || u.lasts() || u.Refused || u.when != "" || reWhenever.Matches(u.what)
	return Heard{Text: "Do not forget to " + u.verb + u.what}, lasts && english.IsVerb(u.verb) && !startsVague(u.what)
}

// readProhibition: "don't X", "never X", "you must not X".
func readProhibition(u reading) (Heard, bool) {
	body := strings.TrimSpace(u.what)
	lasting := strings.EqualFold(u.how, "never") || u.standing
	if lasting {
		if strings.EqualFold(english.FirstWord(body), "ever") {
			body = body[min(5, len(body)):]
		}
		body = strings.TrimSuffix(body, " again")
	}
	verb := strings.ToLower(english.FirstWord(body))
	if u.isOfMoment(verb, body, lasting) || strings.HasPrefix(strings.ToLower(body), "have to ") {
		return Heard{}, false
	}
	if (verb == "commit" || verb == "push") && reBareDeed.Matches(body) {
		h, _ := avoidDoing(verb + " without being asked")
		h.Standing = lasting
		return h, lasting || u.Committed == verb || strings.Contains(u.Command, "git "+verb)
	}
	if u.when != "" {
		how := "do not "
		if lasting {
			how = "never "
		}
		return Heard{Text: how + body, Standing: lasting}, english.IsVerb(verb)
	}
	if m := reHaveDone.Get().FindStringSubmatch(body); m != nil { // you should not have touched X
		if verb, ok := english.BaseForm(m[1]); ok {
			body = verb + m[2]
		}
	}
	if u.how != "" && reAlsoNot.Matches(body) {
		return Heard{Text: strings.ToLower(u.how) + " " + body, Standing: lasting}, english.IsVerb(verb)
	}
	h, ok := avoidDoing(body)
	h.Standing = lasting
	// Some verbs are rather about what the program does than the agent.
	return h, ok && (lasting || u.Refused || !english.IsOutputVerb(english.FirstWord(body)))
}

// isOfMoment reports whether a ban is of what is shown to users, of a thing of the moment, or
// no ban.
func (u reading) isOfMoment(verb, body string, lasting bool) bool {
	if u.lasts() || u.placed || u.Refused {
		return verb == "forget"
	}
	return verb == "forget" || reShows.Matches(verb) || !lasting && verb != "use" && reTheThing.Matches(body) && !spelling.HasCode(body)
}

// readHabit: "stop X-ing", "you keep X-ing".
func readHabit(u reading) (Heard, bool) {
	first, rest, _ := strings.Cut(u.what, " ")
	g, ok := english.FromGerund(first)
	return Heard{Avoid: true, Text: strings.TrimSpace(g + " " + rest)}, ok && rest != ""
}

// readNoThing: "no console logs!", "no deprecation alias!", "no adjectives in the
// changelog please, just say what changed".
func readNoThing(u reading) (Heard, bool) {
	first := english.FirstWord(u.what)
	h := Heard{Avoid: true, Text: u.what}
	if shell.IsTool(u.what) || spelling.IsCode(u.what) {
		h.Text = "using " + u.what
	}
	if english.IsVerb(u.verb) && !startsVague(u.how) {
		h.Text += "; " + u.verb + u.how
	}
	scoped := spelling.HasCode(u.what) || rePlural.Matches(u.what) || strings.Contains(u.what, " in ") || english.IsVerb(u.verb)
	return h, scoped && (u.cried || u.no || u.Refused || u.verb != "") && (!english.IsVerb(first) || reNounIn.Matches(u.what)) && !english.FollowsNo(first)
}

// readAlways: "always X".
func readAlways(u reading) (Heard, bool) {
	verb := english.FirstWord(u.what)
	return Heard{Text: "always " + u.what, Standing: true}, (english.IsVerb(verb) || strings.HasPrefix(verb, "`")) && verb != "get" && (u.lasts() || u.placed || !reShows.Matches(verb))
}

// readTeamRule: "we use X here, not Y", "in this repo we never X".
func readTeamRule(u reading) (Heard, bool) {
	mode, verb := strings.TrimSpace(strings.ToLower(u.how)), strings.ToLower(u.verb)
	if !english.IsVerb(verb) {
		verb += u.s // "our CI uses"
	}
	if !english.IsVerb(verb) || slices.Contains([]string{"get", "guess", "expect", "assume"}, verb) || strings.HasPrefix(u.what, "into ") {
		return Heard{}, false
	}
	scoped, contrasts, does := u.where != "" || u.placed, reHere.Matches(u.what), verb+" "+u.what
	switch mode {
	case "never", "don't", "do not", "doesn't", "does not":
		h, ok := avoidDoing(does)
		h.Standing = true
		return h, ok && (mode == "never" || verb == "use" || scoped || u.no || u.Agreed || u.Refused || u.Interrupted)
	case "always", "only", "exclusively":
		chosen := scoped || u.no || mode != "only" || contrasts
		return Heard{Text: mode + " " + does, Standing: true}, chosen && len(strings.Fields(u.what)) <= 18
	}
	lasts := scoped || contrasts
	wanted := strings.HasSuffix(mode, "want to") && !scoped
	return Heard{Text: does, Standing: lasts}, !wanted && (lasts || u.no || u.standing || u.lasting)
}

// readContrast: "use X instead of Y", "use X, not Y".
func readContrast(u reading) (Heard, bool) {
	return Heard{Text: u.what}, !reOnes.Matches(u.this) && len(strings.Fields(u.this)) <= 12 && !startsVague(u.this) && !startsVague(u.that)
}

// firstChoice returns X of "use X" if it can be a program, a command or a name.
func firstChoice(s string) string {
	s = strings.Trim(strings.TrimSpace(s), ",.;:`")
	if words := strings.Fields(s); len(words) == 1 || len(words) > 1 && len(words) <= 3 && (shell.HasSubcommands(words[0]) || shell.IsProgram(words[0])) {
		return s
	}
	return ""
}

// readShouldHave: "you should have run the linter".
func readShouldHave(u reading) (Heard, bool) {
	verb, ok := english.BaseForm(u.verb)
	if ok && u.how != "" {
		return avoidDoing(verb + u.what)
	}
	return Heard{Text: verb + u.what}, ok
}

// readImperative: "no, use X"; "put it in Y" as the reason of a refusal.
func readImperative(u reading) (Heard, bool) {
	if !english.IsVerb(u.verb) || startsVague(u.what) || u.asked {
		return Heard{}, false
	}
	if strings.EqualFold(u.verb, "use") {
		return readUse(u)
	}
	told := u.no && !u.Refused && (spelling.HasCode(u.what) || spelling.NamesTool(u.what)) || (u.no || u.Refused) && reContrast.Matches(u.what)
	return Heard{Text: u.verb + u.what}, u.lasts() || told && english.FirstWord(u.what) != "me" && !u.isNextTask()
}

// isNextTask reports whether an instruction follows a question or a refusal
// and is rather an answer than a correction.
func (u reading) isNextTask() bool {
	if u.Refused {
		return !u.Explains && !u.no
	}
	return u.Asked && !reHere.Matches(u.what)
}

// readUse: "use X", of a tool over the one that just ran, by name for this
// whole repository, or after a no.
func readUse(u reading) (Heard, bool) {
	choice := strings.TrimSuffix(strings.TrimSuffix(strings.TrimSpace(u.what), " please"), " instead")
	h := Heard{Text: u.verb + u.what, Choice: firstChoice(choice)}
	if first := english.FirstWord(u.what); first == "of" || first == "me" && !u.lasts() {
		return Heard{}, false
	}
	rival := shell.IsTool(english.FirstWord(h.Choice)) && u.rivalOf(h.Choice) != ""
	named := u.placed && len(strings.Fields(u.what)) <= 4 && !reOneOf.Matches(u.what)
	meant := h.Choice != "" || spelling.HasCode(u.what) || spelling.NamesTool(u.what) || !reTheThing.Matches(strings.TrimSpace(u.all))
	return h, u.no && meant || u.lasts() || u.Refused && meant || rival || named
}

// readWish: "I want X to be Y" about what was refused.
func readWish(u reading) (Heard, bool) {
	return Heard{Text: u.this + " must be " + u.what}, u.Refused && !startsVague(u.this)
}

// readStatement: "no, the config lives in `config/app.toml`".
func readStatement(u reading) (Heard, bool) {
	vague := reUnsure.Matches(u.all) || startsVague(u.this) || u.asked || strings.Contains(u.this, ",") || reFine.Matches(u.what)
	firm := u.Explains && reContrast.Matches(u.all) || u.standing || (u.no || u.reminded) && (spelling.HasCode(u.all) || reNotThat.Matches(u.all))
	return Heard{Text: u.all}, firm && !vague && len(strings.Fields(u.all)) >= 4
}

// readPair: "pnpm, not npm", "it's pnpm instead of npm", "not npm, pnpm": a
// choice between two tools that can stand in for each other, or, after a no,
// between two identifiers.
func readPair(u reading) (Heard, bool) {
	this, that := spelling.ToolWord(u.this), spelling.ToolWord(u.that)
	a, b := strings.ToLower(this), strings.ToLower(that)
	names := u.no && reName.Matches(this) && reName.Matches(that)
	tools := shell.AreRivals(a, b) && (shell.IsTool(a) || shell.IsTool(b))
	sep, how := " ", cmp.Or(strings.ToLower(u.how), "not")
	if strings.HasSuffix(how, "not") {
		sep = ", "
	}
	return Heard{Text: "use " + shell.Code(this) + sep + how + " " + shell.Code(that)}, a != b && (names || tools)
}

// readLoneTool: "no, pnpm", "wrong: it's pnpm".
func readLoneTool(u reading) (Heard, bool) {
	return Heard{Text: "use " + u.this, Choice: firstChoice(u.this)}, u.no && u.rivalOf(u.this) != ""
}

var (
	// reNounIn matches a word and where it is not wanted: "unwrap in the firmware".
	reNounIn   = lazy.New(`(?i)^\w+ (?:in|on|inside|outside|from) `)
	reOnes     = lazy.New(`(?i)\b(?:the|this|that) (?:\w+ )?ones?$`)
	reBareDeed = lazy.New(`(?i)^(?:commit|push)(?: anything| it| this| that| stuff| everything| automatically| on your own| yourself| unless i \w+.*| without (?:asking|my).*| until i \w+.*)*$`)
	reAlsoNot  = lazy.New(`(?i)\b(?:and|or|but),? (?:never|do not|don't) `)
	reNotThat  = lazy.New(`(?i)\w,? not \w+ ?\w*$`)
	rePlural   = lazy.New(`[^aisu]s$`)
	reTheThing = lazy.New(`(?i)^\w+ the (?:[\w-]+ ?){1,3}$`)
	reShows    = lazy.New(`^(?:show|display|render|hide|highlight)$`)
	reDelivers = lazy.New(`(?i)^(?:commit|push|stage|add|save|send)$`)
	reWhenever = lazy.New(`(?i)\b(?:when|whenever|before|after|every|each|if|once)\b`)
	reOneOf    = lazy.New(`(?i)^ (?:the|an?|my|your|our|some|existing)\b| to `)
	reFine     = lazy.New(`(?i)^(?:just |perfectly |totally |already )?(?:fine|ok|okay|good|great|right|correct|enough)\b`)
	reHaveDone = lazy.New(`(?i)^have (\w+)\b(.*)`)
	reHere     = lazy.New(`(?i)(\bhere\b|\bnot\b|\binstead\b|\brather than\b|\bin this (repo|project|codebase)|\bonly\b|\bnever\b)`)
	// reName matches names in code that cannot be English words.
	reName = lazy.New(`^(?:[a-zA-Z]\w*(?:_\w+)+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|\w+\(\))$`)
)
