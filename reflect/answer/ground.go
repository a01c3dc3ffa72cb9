package answer

import (
	"cmp"
	"maps"
	"mem/lazy"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"mem/index"
	"mem/session"
	"mem/words"
)

// Why a lesson is held until a person looks at it.
const (
	citesNothing = "it cites nothing of the session"
	saidNowhere  = "nothing in the session says this"
	saidOutside  = "it stands only in text from outside"
	readOnly     = "it repeats what was only read"
	noAdvice     = "it is a state, not advice"
	readsAsOrder = "it reads as an order"
)

// What it takes for the words of a lesson to rest on an event.
const (
	windowSize  = 300 // bytes in which they stand together
	fewestWords = 4   // of a lesson without a literal, one of them not common

	longestRemark = 12  // words that a person says in passing
	isHalf        = 0.5 // of its words, in a window or in the session
	isThird       = 1.0 / 3
)

// ground finds out whether a lesson rests on the session, and sets its origin, which is
// the weakest of the events of our own that it is grounded in, and why it is held.
//
// A lesson of the new form cites its events; for one without, the event that says it is
// looked for if mayLook. A person's own words make it the person's. Otherwise one of its
// literals, or half of its words together, must stand in an event that it cites and that
// did not come from outside. A model that has read something from outside may bring it
// back in other words, or in another language, which no likeness shows: then all of the
// lesson must be known from our own events.
func (e *evidence) ground(l *Lesson, cited []int, mayLook bool) {
	e.prepare()
	c := e.claimOf(l.Text)
	at := e.existing(cited)
	if l.Span = e.spanOf(at); len(at) == 0 {
		l.Origin = index.OriginAgent
		if len(e.events) == 0 { // what is handed in has no session to look at
			return
		}
		if !mayLook {
			l.hold(citesNothing)
			return
		}
		at = e.findOne(c)
		l.Span = e.spanOf(at)
	}
	if e.isPersons(c, at) {
		l.Origin = index.OriginUser
		return
	}
	behind := slices.DeleteFunc(slices.Clone(at), func(i int) bool { return !e.supports(c, i) })
	if len(behind) == 0 {
		behind = e.findCommands(c, at)
	}
	l.Origin = lessTrusted(index.OriginAgent, e.weakest(behind))
	if len(behind) == 0 {
		e.holdUngrounded(l, c, at)
	} else if why := e.doubt(c, at); why != "" {
		l.hold(why)
	}
	e.holdCopy(l, c)
}

// holdCopy holds a lesson that only repeats what was read or said, and that nothing in the
// session bears out: any file can hold advice.
func (e *evidence) holdCopy(l *Lesson, c claim) {
	read, said, outside := e.findCopies(l.Text, c)
	if outside {
		l.Origin = index.OriginExternal
	}
	if read || said && !e.hasHappened(c.all) {
		l.hold(readOnly)
	}
}

// hold keeps a lesson from being told, for the first reason given.
func (l *Lesson) hold(why string) {
	if l.Held = true; l.Doubt == "" {
		l.Doubt = why
	}
}

// prepare reads what grounding needs of the events, once.
func (e *evidence) prepare() {
	if e.texts != nil || len(e.events) == 0 {
		return
	}
	e.retold, e.foreign, e.theirs = len(e.events), make([]string, len(e.events)), map[string]bool{}
	if e.outside {
		e.retold = -1
	}
	for i, ev := range e.events {
		text := strings.ReplaceAll(ev.Tool+"\n"+ev.Text+"\n"+ev.Input+"\n"+ev.Reason, `\n`, "\n")
		e.texts = append(e.texts, words.FoldSpace(strings.ToLower(strings.ReplaceAll(text, `\"`, `"`))))
		e.words = append(e.words, wordsOf(text))
		if ev.Origin == session.External || ev.Pasted || ev.Outside != "" {
			e.retold = min(e.retold, i)
		}
		foreign := ev.Outside
		if ev.Origin == session.External || ev.Pasted && ev.Origin == session.Tool {
			foreign += text
		}
		if foreign == "" {
			continue
		}
		e.outside, e.isOpaque = true, e.isOpaque || isOpaque(foreign)
		if !ev.Pasted {
			e.foreign[i] = words.FoldSpace(strings.ToLower(foreign))
			maps.Copy(e.theirs, wordsOf(foreign))
		}
	}
	e.known = map[string]bool{}
	for i := range e.events {
		for w := range e.words[i] {
			e.known[w] = e.known[w] || e.isOwn(i)
		}
	}
}

// isOwn reports whether event i did not come from outside, and is not what the model says
// after it read something that did.
func (e *evidence) isOwn(i int) bool {
	ev := e.events[i]
	said := ev.Kind == session.AssistantText || ev.Kind == session.Compaction || ev.Kind == session.BranchSummary
	return ev.Origin != session.External && ev.Kind != session.Thinking && !(said && i > e.retold)
}

// existing returns the places of the events with these numbers, in order and each once.
func (e *evidence) existing(numbers []int) (at []int) {
	for _, n := range numbers {
		if n >= 1 && n <= len(e.events) {
			at = append(at, n-1)
		}
	}
	slices.Sort(at)
	return slices.Compact(at)
}

// spanOf names the events from the first to the last of these; "" of none.
func (e *evidence) spanOf(at []int) string {
	if len(at) == 0 {
		return ""
	}
	from, to := e.events[at[0]].ID, e.events[at[len(at)-1]].ID
	if from == to {
		return from
	}
	return from + ".." + to
}

// weakest returns the origin that is trusted least among these events; the agent's of none.
func (e *evidence) weakest(at []int) index.Origin {
	origin := index.OriginUser
	for _, i := range at {
		origin = lessTrusted(origin, eventOrigin(e.events[i]))
	}
	if len(at) == 0 {
		return index.OriginAgent
	}
	return origin
}

// findOne returns the one event of our own that says a lesson, a person's first.
func (e *evidence) findOne(c claim) []int {
	found := -1
	for i := range e.events {
		if e.isPersons(c, []int{i}) {
			return []int{i}
		}
		if found < 0 && e.supports(c, i) {
			found = i
		}
	}
	if found < 0 {
		return nil
	}
	return []int{found}
}

// isPersons reports whether one of these events is what a person said and holds most of
// the words of a lesson.
func (e *evidence) isPersons(c claim, at []int) bool {
	return len(c.all) > 0 && slices.ContainsFunc(at, func(i int) bool {
		return eventOrigin(e.events[i]) == index.OriginUser && shareOf(c.all, e.words[i]) >= suffices
	})
}

// supports reports whether a lesson is grounded in event i: a literal of it stands there,
// or half of its words together, of which one is not a word of any project; a third, if it
// names a command that stands there. In what the model says after it read something from
// outside, only a literal that is known counts.
func (e *evidence) supports(c claim, i int) bool {
	if ev := e.events[i]; ev.Origin == session.External || ev.Kind == session.Thinking {
		return false
	}
	isOwn := e.isOwn(i)
	if slices.ContainsFunc(slices.Concat(c.literals, c.asides), func(l string) bool { return e.holds(i, l) && (isOwn || e.isKnown(l)) }) {
		return true
	} else if !isOwn {
		return false
	}
	enough := isHalf
	if slices.ContainsFunc(c.commands, func(name string) bool { return e.holds(i, name) }) {
		enough = isThird
	}
	found := e.together(c.all, i, enough)
	return len(found) >= fewestWords && hasRare(found) || e.isRemark(c, i)
}

// isRemark reports whether event i is a short thing that a person said, and the lesson holds
// half of its words.
func (e *evidence) isRemark(c claim, i int) bool {
	said := e.words[i]
	if !saidByPerson(e.events[i]) || len(said) > longestRemark {
		return false
	}
	found := map[string]bool{}
	for w := range said {
		if c.all[w] {
			found[w] = true
		}
	}
	return len(found) > 1 && float64(len(found)) >= isHalf*float64(len(said)) && hasRare(found)
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
	if len(c.commands) < 2 {
		return nil
	}
	for _, command := range c.commands {
		i := slices.IndexFunc(at, func(i int) bool { return e.isOwn(i) && e.holds(i, command) })
		if i < 0 {
			return nil
		}
		behind = append(behind, at[i])
	}
	return behind
}

// holds reports whether a literal stands in event i.
func (e *evidence) holds(i int, literal string) bool {
	return containsName(e.texts[i], literal)
}

// containsName reports whether a text holds a name that does not go on before or after.
func containsName(text, name string) bool {
	for from := 0; ; {
		i := strings.Index(text[from:], name)
		if i < 0 {
			return false
		}
		i += from
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[i+len(name):])
		first, _ := utf8.DecodeRuneInString(name)
		last, _ := utf8.DecodeLastRuneInString(name)
		if !(isLetter(before) && isLetter(first)) && !(isLetter(after) && isLetter(last)) {
			return true
		}
		from = i + 1
	}
}

func isLetter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_' }

// together returns the words that stand closest together in event i, the most of them; none
// if they cannot be enough of them.
func (e *evidence) together(want map[string]bool, i int, enough float64) (most map[string]bool) {
	if shareOf(want, e.words[i]) < enough {
		return nil
	}
	type place struct {
		at   int
		word string
	}
	var places []place
	for _, at := range reWord.Get().FindAllStringIndex(e.texts[i], -1) {
		for w := range wordsOf(e.texts[i][at[0]:at[1]]) {
			if want[w] {
				places = append(places, place{at[0], w})
			}
		}
	}
	first := 0
	for last := range places {
		for places[last].at-places[first].at > windowSize {
			first++
		}
		set := map[string]bool{}
		for _, p := range places[first : last+1] {
			set[p.word] = true
		}
		if len(set) > len(most) {
			most = set
		}
	}
	if float64(len(most)) < enough*float64(len(want)) {
		return nil
	}
	return most
}

// reWord matches a word, or names that are joined.
var reWord = lazy.New(`[\pL\pN_]+`)

// wordsOf returns the words of a text that carry meaning, each as its stem.
func wordsOf(text string) map[string]bool {
	set := map[string]bool{}
	for w := range words.AlignWords(text) {
		set[words.StemWord(w)] = true
	}
	return set
}

// doubt says why a lesson that is grounded waits all the same: a literal stands in text
// from outside alone, or half of them are not ours; and where the session has text from
// outside, something in it may have come from there.
func (e *evidence) doubt(c claim, at []int) string {
	ours, all, outside := 0, 0, false
	for _, l := range c.literals {
		known := e.isKnown(l)
		if !known && strings.ContainsAny(l, " *") && len(partsOf(l)) == 0 {
			continue // it stands for others
		} else if all++; known {
			ours++
		} else if strings.HasPrefix(l, "-") { // a flag that is made up
			return saidNowhere
		} else if slices.ContainsFunc(e.foreign, func(text string) bool { return containsName(text, l) }) {
			outside = true
		}
	}
	switch {
	case outside:
		return saidOutside
	case float64(ours) < isHalf*float64(all):
		return saidNowhere
	case !e.outside:
		return ""
	case ours < all:
		return saidNowhere
	}
	return e.suspect(c)
}

// suspect says why a lesson may be what others wrote, in a session that has text from outside: words
// of it stand only there, or too many in no event of our own where that text is in another
// language or encoded.
func (e *evidence) suspect(c claim) string {
	unknown, theirs, all := 0, 0, 0
	for w := range c.said {
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
	case unknown > 2 && 2*unknown > all, unknown > 1 && e.isOpaque && 3*unknown > all:
		return saidNowhere
	}
	return ""
}

// isKnown reports whether a literal, or each part of one that is made of several, stands
// in an event of our own.
func (e *evidence) isKnown(literal string) bool {
	stands := func(name string) bool {
		for i := range e.events {
			if e.isOwn(i) && e.holds(i, name) {
				return true
			}
		}
		return false
	}
	if stands(literal) {
		return true
	}
	parts := partsOf(literal)
	return len(parts) > 0 && !slices.ContainsFunc(parts, func(part string) bool { return !stands(part) })
}

// holdUngrounded holds a lesson that no event it cites is behind: the words may stand in a text from
// outside, which is where it comes from then.
func (e *evidence) holdUngrounded(l *Lesson, c claim, at []int) {
	for i, text := range e.foreign {
		if text != "" && len(c.all) > 0 && shareOf(c.all, wordsOf(text)) >= isHalf {
			l.hold(saidOutside)
			l.Origin, l.Span = index.OriginExternal, cmp.Or(l.Span, e.spanOf([]int{i}))
			return
		}
	}
	l.Origin = lessTrusted(index.OriginAgent, e.weakest(at))
	l.hold(saidNowhere)
}
