package reflect

import (
	"cmp"
	"slices"
	"strings"

	"mem/index"
	"mem/lazy"
	"mem/session"
	"mem/words"
)

// The doubts for which a lesson is held until a person looks at it.
const (
	asOrder      = "it reads as an order" // an unsafe one
	citesNothing = "it cites nothing of the session"
	saidNowhere  = "nothing in the session says this"
	saidOutside  = "it stands only in text from outside"
	saidByNobody = "no person said so where it looks"
	readOnly     = "it repeats what was only read"
	noAdvice     = "it is a state, not advice"
	unwanted     = "the person did not want it"
	takenBack    = "the session took it back"
	triedInVain  = "it was tried in the session and failed"
	noHelp       = "nothing shows that it helped"
	inNoOrder    = "the session did it the other way round"
	notDone      = "the session did not do it"
)

// What it takes for the words of a lesson to rest on an event, and to be a copy of two lines.
const (
	windowSize  = 300 // bytes in which they stand together
	fewestWords = 4   // of a lesson without a literal, one of them not common

	longestName   = 60 // that a doubt shows
	longestRemark = 12 // words that a person says in passing
	fewSaid       = 5  // words beside its names, of which a copy has most as well

	// Shares of its words.
	isCopy   = 0.85 // in two lines
	isMost   = 0.8  // in a line that mem showed, or of what a copy has; or in all that was done, for it to have happened
	suffices = 0.6  // in what a person said, to be behind it alone
	isHalf   = 0.5  // in a window, in the session or in a failure
	isThird  = 1.0 / 3
	isTried  = 0.2 // in a call that failed
)

// reAsked matches a reason that a person gave, and reAsking tools that a person answers.
var reAsking = lazy.New(`(?i)ask_?user|user_?input|question|elicit`)
var reAsked = lazy.New(`(?i)\b(?:user|person|owner|maintainer)s? (?:ask|said|says|want|wish|chose|accept|approv|insist|reject|request|correct|prefer|told|refus|decid)`)

// ground checks whether a lesson rests on the session. It sets the lesson's origin, the weakest of our
// own events that support it, and why it is held.
//
// A new-form lesson cites its events; without a citation ground looks for the event if mayLook. A
// person's own words give it the person's origin. Otherwise one of its literals, or half of its words
// together, must occur in a cited event that did not come from outside. In a tool's answer, which
// others may have written, only a literal counts. A model may reword what it read from outside: then
// each clause must be known from our own events, see doubt.
func (e *evidence) ground(l *index.Lesson, cited []int, mayLook bool) {
	e.prepare()
	if l.Text = e.withoutInvented(l.Text); l.Op == "" && !reAsked.Matches(string(l.Why)) && e.isInvented(string(l.Why)) {
		l.Why = ""
	}
	c := e.claimOf(l.Text)
	c.error, c.remedy = words.FoldSpace(words.Lower(l.Cue.Error)), words.FoldSpace(words.Lower(l.Remedy.Command))
	at := e.existing(cited)
	if l.Span = e.spanOf(at); len(at) == 0 {
		l.Origin = index.OriginAgent
		if len(e.Events) == 0 { // what is handed in has no session to look at
			return
		}
		if !mayLook {
			hold(l, citesNothing)
			return
		}
		at = e.findOne(c)
		l.Span = e.spanOf(at)
	}
	if e.isPersons(c, at) {
		l.Origin = index.OriginUser
		if why := e.doubt(c, at); why != "" || e.isUnwanted(c) { // it may say more than the person did
			hold(l, cmp.Or(why, unwanted))
		} else if !e.wasDone(c) {
			hold(l, notDone)
		}
		return
	}
	if reAsked.Matches(string(l.Why)) && !slices.ContainsFunc(at, e.isOfPerson) {
		hold(l, saidByNobody)
	}
	behind := slices.DeleteFunc(slices.Clone(at), func(i int) bool { return !e.supports(c, i) || e.isRead(c, i) && !e.isNamed(c, i) })
	if len(behind) == 0 {
		behind = e.findBehind(c, at)
	}
	l.Origin = lessTrusted(index.OriginAgent, e.weakest(behind))
	if len(behind) == 0 {
		e.holdUngrounded(l, c, at)
	} else if why := e.doubt(c, at); why != "" {
		if short := e.provenPart(l.Text, at); short != "" {
			l.Text, l.Why, c = short, "", e.claimOf(short)
		} else {
			hold(l, why)
		}
	}
	e.holdCopy(l, c)
	if why := e.isProvenWrong(c); why != "" {
		hold(l, why)
	}
}

// holdCopy holds a lesson that only repeats what was read or said, and that nothing in the
// session bears out: any file can hold advice.
func (e *evidence) holdCopy(l *index.Lesson, c claim) {
	read, said, outside := e.findCopies(l.Text, c)
	if outside {
		l.Origin = index.OriginExternal
	}
	if read || said && !e.hasHappened(c.all) {
		hold(l, readOnly)
	}
}

// hold keeps a lesson from being told, for the first reason given.
func hold(l *index.Lesson, why string) {
	l.Held, l.Doubt = true, cmp.Or(l.Doubt, why)
}

// findOne returns the one event of our own that says a lesson, a person's first.
func (e *evidence) findOne(c claim) []int {
	byPerson := func(i int) bool { return e.isPersons(c, []int{i}) }
	for _, says := range []func(i int) bool{byPerson, func(i int) bool { return e.supports(c, i) }} {
		for i := range e.Events {
			if says(i) {
				return []int{i}
			}
		}
	}
	return nil
}

// isOfPerson reports whether a person said event i, answered there, or stopped the agent.
func (e *evidence) isOfPerson(i int) bool {
	ev := e.Events[i]
	return eventOrigin(ev) == index.OriginUser || ev.Kind == session.Interrupt || ev.Kind == session.ToolResult && reAsking.Matches(ev.Tool)
}

// isPersons reports whether one of these events is what a person said and holds most of the words of a lesson.
func (e *evidence) isPersons(c claim, at []int) bool {
	return len(c.all) > 0 && slices.ContainsFunc(at, func(i int) bool {
		isMore := slices.ContainsFunc(c.literals, func(l string) bool { return l[0] == '-' && !e.holds(i, l) })
		return eventOrigin(e.Events[i]) == index.OriginUser && shareOf(c.all, e.words[i]) >= suffices && !isMore
	})
}

// supports reports whether event i supports a lesson: it holds one of its literals, or half of its words
// together, one of them specific to the project; a third is enough if it names a command that occurs there. In
// the model's words after it read something from outside, only a known literal counts.
func (e *evidence) supports(c claim, i int) bool {
	if ev := e.Events[i]; ev.Origin == session.External || ev.Kind == session.Thinking {
		return false
	}
	if e.isNamed(c, i) {
		return true
	} else if !e.isOwn(i) {
		return false
	}
	enough := isHalf
	if slices.ContainsFunc(c.commands, func(name string) bool { return e.holds(i, name) }) {
		enough = isThird
	}
	found := e.together(c.all, i, enough)
	return len(found) >= fewestWords && hasRare(found) || e.isRemark(c, i)
}

func (e *evidence) isNamed(c claim, i int) bool {
	isOwn := e.isOwn(i)
	return slices.ContainsFunc(slices.Concat(c.literals, c.asides), func(l string) bool { return e.stands(i, l) && (isOwn || e.isKnown(l)) })
}

// isRead reports whether others may have written the words of event i: a tool's answer, or, if the
// lesson has no name, a call that the model made after reading something from outside.
func (e *evidence) isRead(c claim, i int) bool {
	ev := e.Events[i]
	return ev.Kind == session.ToolResult && ev.Reason == "" || ev.Kind == session.ToolCall && i > e.opaque && len(c.literals) == 0
}

// isRemark reports whether event i is a short thing that a person said, and the lesson holds half of its words.
func (e *evidence) isRemark(c claim, i int) bool {
	return slices.ContainsFunc(e.remarks[i], func(said map[string]bool) bool {
		found := wordsIn(said, c.all)
		return len(found) > 1 && float64(len(found)) >= isHalf*float64(len(said)) && hasRare(found)
	})
}

// remarksIn returns the words of each short sentence that a person said in an event.
func remarksIn(ev *session.Event) (remarks []map[string]bool) {
	if !saidByPerson(*ev) && ev.Reason == "" || ev.Pasted {
		return nil
	}
	for sentence := range strings.SplitSeq(reClause.Get().ReplaceAllString(ev.Text+"\x00"+ev.Reason, "\x00"), "\x00") {
		if said := wordsOf(sentence); len(said) <= longestRemark {
			remarks = append(remarks, said)
		}
	}
	return remarks
}

func wordsIn(a, b map[string]bool) map[string]bool {
	both := map[string]bool{}
	for w := range a {
		if b[w] {
			both[w] = true
		}
	}
	return both
}

// hasRare reports whether one of these words is not one of any project.
func hasRare(found map[string]bool) bool {
	for w := range found {
		if !words.IsCommon(w) && !words.IsSearchStop(w) {
			return true
		}
	}
	return false
}

// findCommands returns which of these events of our own hold the bare commands of a lesson,
// if there are two or more and all of them stand there.
func (e *evidence) findCommands(c claim, at []int) (behind []int) {
	for _, command := range c.commands {
		i := slices.IndexFunc(at, func(i int) bool { return e.isOwn(i) && e.holds(i, command) })
		if i < 0 || len(c.commands) < 2 {
			return nil
		}
		behind = append(behind, at[i])
	}
	return behind
}

// doubt says why a lesson that is grounded waits all the same: a literal stands in text from outside alone, or half of them are
// not ours; and where the session has text from outside, something in it may have come from there.
func (e *evidence) doubt(c claim, at []int) string {
	ours, all, outside := 0, 0, false
	for _, l := range c.literals {
		known := e.isKnown(l)
		if !known && isAnyOf(l) {
			continue
		} else if all++; known {
			ours++
		} else if e.isForeign(l) {
			outside = true
		}
	}
	if madeUp := e.findMadeUp(c); madeUp != "" {
		return notSaid(madeUp)
	}
	switch {
	case c.isLaw && !slices.ContainsFunc(at, func(i int) bool { return eventOrigin(e.Events[i]) == index.OriginUser && reLawful.Matches(e.texts[i]) }):
		return saidNowhere
	case outside:
		return saidOutside
	case float64(ours) < isHalf*float64(all), c.isForeign && all > 0 && 2*ours <= all:
		return saidNowhere
	case !e.Outside:
		return ""
	case ours < all:
		return saidNowhere
	}
	why := e.suspectWords(c.said, true)
	for _, clause := range c.clauses { // what is true in one vouches for no other
		why = cmp.Or(why, e.suspectWords(clause, false))
	}
	return why
}

// notSaid is the doubt about a lesson with a name that nothing says.
func notSaid(name string) string {
	if name == "" || len(name) > longestName || strings.Contains(name, ": ") { // which ends a doubt
		return saidNowhere
	}
	return strings.Replace(saidNowhere, "this", "`"+name+"`", 1)
}

// isAnyOf reports whether a literal stands for others.
func isAnyOf(literal string) bool {
	return strings.ContainsAny(literal, " *") && len(partsOf(literal)) == 0
}

// findMadeUp returns what of a lesson is nowhere and has to stand to the letter: what it says to do, a flag, a number.
func (e *evidence) findMadeUp(c claim) string {
	for _, name := range c.exact {
		if !isAnyOf(name) && !e.isKnown(name) {
			return name
		}
	}
	for _, n := range c.numbers {
		if !slices.ContainsFunc(e.texts, func(text string) bool { return words.HoldsName(text, n) }) {
			return n
		}
	}
	return ""
}

// suspectWords says why words of a lesson may be what others wrote, in a session that has text from
// outside: they stand only there, or too many in no event of our own.
func (e *evidence) suspectWords(said map[string]bool, isWhole bool) string {
	unknown, theirs, all := 0, 0, 0
	for w := range said {
		if words.IsSearchStop(w) {
			continue
		}
		all++
		if e.known[w] {
			continue
		}
		unknown++
		if e.theirs[w] {
			theirs++
		}
	}
	switch {
	case theirs > 1 || 2*theirs > all:
		return saidOutside
	case unknown > 1 && 2*unknown > all, unknown > 1 && isWhole && e.opaque < len(e.Events) && 3*unknown > all:
		return saidNowhere
	}
	return ""
}

// holdUngrounded holds a lesson that no event it cites is behind: the words may stand in a text from
// outside, which is where it comes from then.
func (e *evidence) holdUngrounded(l *index.Lesson, c claim, at []int) {
	for i, text := range e.foreign {
		if text != "" && len(c.all) > 0 && shareOf(c.all, wordsOf(text)) >= isHalf {
			hold(l, saidOutside)
			l.Origin, l.Span = index.OriginExternal, cmp.Or(l.Span, e.spanOf([]int{i}))
			return
		}
	}
	l.Origin = lessTrusted(index.OriginAgent, e.weakest(at))
	hold(l, notSaid(e.findMadeUp(c)))
}
