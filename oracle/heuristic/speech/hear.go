// Package speech understands what a person said to a coding agent: which of the
// sentences of a prompt or of a refusal are a correction or a rule, and what
// they ask for, worded so that it makes sense in another session. Everything is
// pure and goes by forms of English; a sentence of no known form teaches nothing.
package speech

import (
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/english"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/spelling"
	"mem/words"
)

// A Scene is what is known about the moment in which a person spoke. The zero
// value is a moment in which nothing had happened.
type Scene struct {
	First       bool     // the first task: only standing rules count
	Spec        bool     // a long description of work: the same, and more strictly
	Refused     bool     // a tool call was refused with these words or just before them
	Explains    bool     // these words are the reason of the refusal
	Command     string   // the command line that was refused; "" if it was something else
	Interrupted bool     // the agent was interrupted just before
	Committed   string   // "commit" or "push" if the agent just did that
	File        string   // the file that was just edited
	Ran         []string // the programs that were just run
	Asked       bool     // the agent had asked something
	Agreed      bool     // the agent admitted right after that the person is right
	Reply       string   // what the agent said right after
}

// Heard is a sentence understood as a lesson.
type Heard struct {
	Sentence  string // as it was said
	Text      string // what to avoid, such as "deleting tests", or what to do
	Avoid     bool   // Text says what to avoid
	Standing  bool   // meant to last beyond this task
	Choice    string // what to use instead of what was refused or run; "" if that is not what it says
	FromReply bool   // Text is what the agent said back
}

// A remark is a sentence taken apart.
type remark struct {
	text     string // without openers and closing mark
	no       bool   // opened by a no, or a bare no came just before
	reminded bool   // opened by "I told you"
	standing bool   // opened by "from now on"
	lasting  bool   // closed by "from now on"
	placed   bool   // meant for this repository, by its own words
	asked    bool   // closed by a question mark
	cried    bool   // closed by an exclamation mark or a please
	when     string // the condition it stands under, such as "when you run tests"
}

// lasts reports whether a remark says by its manners that it is meant to last.
func (r remark) lasts() bool { return r.reminded || r.standing || r.lasting }

// Hear returns the lessons in what a person said, in their order.
func Hear(text string, sc Scene) []Heard {
	var out []Heard
	own, _ := SplitPasted(text)
	all := SplitSentences(own)
	for i, s := range all {
		if reReported.Matches(s) {
			continue
		}
		if reBareNo.Matches(s) {
			continue // it colours the next sentence
		}
		h, ok := hearSentence(s, i > 0 && reBareNo.Matches(all[i-1]), sc)
		if !ok || (reInFile.Matches(s) || reOpinion.Matches(own)) && !reForEver.Matches(s) {
			continue // of one file at this moment, or proposed
		}
		if reOutcome.Matches(h.Text) && !h.Avoid && !spelling.HasCode(h.Text) {
			continue
		}
		out = append(out, h)
	}
	return out
}

// reOutcome matches what only the work of one session has, if it is not said of what.
var reOutcome = lazy.New(`\bthe (?:outputs?|results?)(?: (?:is|are|has|have|can|may|must|should|needs?)\b|[,.;]|$)`)

var (
	reInFile  = lazy.New("(?i)^(?:and |also |please |but )*in `?[\\w./@-]+\\.[a-z]{1,4}`?,? ")
	reOpinion = lazy.New(`(?i)\b(?:what do you think|wdyt|any (?:thoughts|objections|concerns)|what(?:'s| is) your (?:opinion|take|view))\b|\bthoughts\?|\b(?:does|would|how does) (?:that|this|it) (?:sound|work|make sense)\b[^.!]*\?`)
	reForEver = lazy.New(`(?i)\b(?:always|never|in general|as a rule|from now on|every time|whenever|going forward|in (?:the )?future|each time)\b`)
)

// hearSentence understands one sentence or, if it says nothing as a whole, what stands before a
// last clause that only tells why.
func hearSentence(s string, no bool, sc Scene) (Heard, bool) {
	h, ok := hearWhole(s, no, sc)
	at := strings.LastIndex(s, ", ")
	if ok || at < 0 || !isReason(s[at+2:]) || reEndsNot.Matches(s[:at]) {
		return h, ok
	}
	h, ok = hearWhole(s[:at], no, sc)
	h.Sentence = s
	return h, ok && !h.FromReply && !reOneThing.Matches(h.Text)
}

// isReason reports whether a clause that stands after a comma orders nothing and limits nothing.
func isReason(clause string) bool {
	return reTellsWhy.Matches(clause) && !reMoreThan.Matches(clause) && !english.IsVerb(english.FirstWord(clause))
}

// hearWhole understands one sentence; no says that a bare no came just before it.
func hearWhole(s string, no bool, sc Scene) (Heard, bool) {
	r := takeApart(s, no, sc)
	if r.asked && sc.Agreed && !sc.First {
		h, ok := readQuestion(r, sc)
		h.Sentence = s
		return h, ok
	}
	if r.text == "" || r.asked && !sc.Refused || len(r.text) > 320 {
		return Heard{}, false
	}
	for _, f := range forms {
		if h, ok := r.readAs(f, sc); ok {
			h.Sentence = s
			if h, ok = h.finish(r, sc); ok {
				return h, true
			}
			break
		}
	}
	h, ok := readRule(r, sc)
	h.Sentence, h.Text = s, english.UpperFirst(h.Text)
	return h, ok
}

// finish completes the wording of a lesson. It is false if the lesson would not
// make sense another day.
func (h Heard) finish(r remark, sc Scene) (Heard, bool) {
	h.Standing = h.Standing || r.standing || r.lasting || r.placed
	if y := sc.rivalOf(h.Choice); y != "" && !sc.Refused && !h.NamesTwo() {
		h.Text = "use " + shell.Code(h.Choice) + " instead of " + shell.Code(y)
	}
	if (sc.First || sc.Spec) && !h.Standing || sc.Spec && !r.standing {
		return Heard{}, false
	}
	h.Text = withoutTail(nameFile(h.Text, sc.File))
	_, object, _ := strings.Cut(strings.TrimPrefix(strings.ToLower(h.Text), "always "), " ")
	sound := isConcrete(h, sc) && !rePointing.Matches(r.when) && (object == "" || !startsVague(object))
	h.Text = h.underCondition(r.when)
	return h, sound
}

// rivalOf returns the program just run that choice can stand in for, or "".
func (sc Scene) rivalOf(choice string) string {
	choice = strings.ToLower(strings.Trim(choice, "`"))
	i := slices.IndexFunc(sc.Ran, func(p string) bool { return shell.AreRivals(p, choice) })
	if i < 0 || choice == "" || slices.Contains(sc.Ran, choice) {
		return ""
	}
	return sc.Ran[i]
}

// IsTask reports whether a lesson asks for one thing to be done, without a word that it is
// meant for more than once, a choice, or a reason: then it is over once it was done.
func (h Heard) IsTask() bool {
	asks := english.IsVerb(english.FirstWord(h.Text)) || reMakeSure.Matches(h.Text)
	return asks && !h.Avoid && h.Choice == "" && !matchesAny(h.Sentence+" "+h.Text, reHabit, reContrast, reReason)
}

// Points reports whether a lesson is about "the" thing of the talk, and names nothing itself.
func (h Heard) Points() bool {
	return reDefinite.Matches(h.Text) && !reWork.Matches(h.Text) && !spelling.HasCode(h.Text) && !spelling.NamesTool(h.Text)
}

// NamesTwo reports whether a lesson already says what its choice is over.
func (h Heard) NamesTwo() bool { return reContrast.Matches(h.Text) }

// Attribute adds to the text of a lesson what was refused with these words: what works on
// target, by a program if it is a command.
func (h Heard) Attribute(text, target, program string) string {
	switch {
	case target == "" || h.Choice == "" || h.NamesTwo():
		return text
	case program != "" && shell.AreKin(program, h.Choice):
		target = shell.Code(program)
	}
	return "Use " + spelling.ShowChoice(h.Choice) + " instead of " + target
}

// A form is one way in which people correct and lay down rules. The groups of
// its expression are named as fields of a reading.
type form struct {
	re   *lazy.Regexp
	read func(reading) (Heard, bool) // false if the remark is of another form
}

// A reading is a remark taken for one of the forms.
type reading struct {
	remark
	Scene
	verb, what, how, this, that, where, s string // what the groups of the form hold

	all string // the whole match
}

// readAs takes r for a form; it is false if the form does not fit.
func (r remark) readAs(f form, sc Scene) (Heard, bool) {
	re := f.re.Get()
	found := re.FindStringSubmatch(r.text)
	if found == nil {
		return Heard{}, false
	}
	u := reading{remark: r, Scene: sc, all: found[0]}
	for name, group := range map[string]*string{"verb": &u.verb, "what": &u.what, "how": &u.how, "this": &u.this, "that": &u.that, "where": &u.where, "s": &u.s} {
		if i := re.SubexpIndex(name); i >= 0 {
			*group = found[i]
		}
	}
	return f.read(u)
}

// forms are tried in order, the most specific first.
var forms = []form{
	{lazy.New(`(?i)^don't forget (?:to )?(?P<verb>\w+)\b(?P<what>.*)`), readOmission},
	{lazy.New(`(?i)^(?:make sure to )?(?P<how>don't|do not|never)(?:,? ever,?)?(?: you)? (?P<what>.+)`), readProhibition},
	{lazy.New(`(?i)^(?:(?:please )?(?:stop|quit|avoid)|you (?:always |just )?(?:keep|kept|keep on)) (?P<what>\w+ing\b.*)`), readHabit},
	{lazy.New(`(?i)^no (?P<what>[\w'./\x60-]+(?: [\w'./\x60-]+){0,5}?)(?: please, (?:just|only|instead) (?P<verb>\w+)\b(?P<how>.+))?$`), readNoThing},
	{lazy.New(`(?i)^(?:make sure to |(?:you )?(?:should |must |need to |have to )?)always (?:need to |have to |should |must )?(?P<what>.+)`), readAlways},
	{lazy.New(`(?i)^(?P<where>(?:in|for|on) (?:this|our) (?:repo|repository|project|codebase|team|company|monorepo|package)[\w-]*,? )?` +
		`(?:we|this (?:repo|repository|project|codebase|package|monorepo)|our (?:team|ci|project|repo)) ` +
		`(?P<how>always |only |never |don't |do not |doesn't |does not |exclusively |(?:do )?want to )?(?P<verb>\w+?)(?P<s>s?) (?P<what>.+)`), readTeamRule},
	{lazy.New(`(?i)^(?:(?:let's|you (?:should|must|need to)|we (?:should|must|need to)) )?(?P<what>use (?P<this>.+?),? (?:instead of|rather than|and not|not|no) (?P<that>.+))`), readContrast},
	{lazy.New(`(?i)^(?:it's |it is )?(?P<this>[^\s,]+),? (?P<how>instead of|rather than|and not|not|over) (?P<that>[^\s,]+)$`), readPair},
	{lazy.New(`(?i)^(?:it's )?not (?P<that>[^\s,]+)(?:,| -| –| —|;|:)(?: but| use| it's)? (?P<this>[^\s,]+)$`), readPair},
	{lazy.New(`(?i)^(?:it's |it is )?(?P<this>[^\s,]+)$`), readLoneTool},
	{lazy.New(`(?i)^you should(?:'ve| have) (?P<how>not |never )?(?P<verb>\w+)\b(?P<what>.*)`), readShouldHave},
	{lazy.New(`(?i)^you (?:forgot to|didn't|did not|failed to|never) (?P<verb>\w+)\b(?P<what>.*)`), readOmission},
	{lazy.New(`(?i)^(?:you|we) (?:shouldn't|should not|should never|must not|mustn't|must never|aren't allowed to|are not allowed to|may not) (?P<what>.+)`), readProhibition},
	{lazy.New(`(?i)^i (?:really )?(?:don't|do not|never) want (?:you )?to (?P<what>.+)`), readProhibition},
	{lazy.New(`(?i)^(?:(?:let's|(?:you|we) (?:should|must|need to|have to)|i (?:want|need|would like|'d like) you to|i want to|just) )?(?P<verb>\w+)\b(?P<what>.*)`), readImperative},
	{lazy.New(`(?i)^i (?:want|need|would like|'d like) (?P<this>.+?) to be (?P<what>.+)`), readWish},
	{lazy.New(`(?i)^(?P<this>.+?) (?:is|are|lives?|goes|go|belongs?|needs?|must|should|has to|have to|stays?|requires?|comes?|runs?|returns?|expects?|means|uses?|has|have|works?) (?P<what>.+)`), readStatement},
}

var (
	reDefinite = lazy.New(`\b(?:the|its) [a-z]`)
	reMakeSure = lazy.New(`(?i)^(?:make|be) sure\b`)
	reHabit    = lazy.New(`(?i)\b(?:always|never|each|every|all|any|must|supposed|whenever|in general|as a rule|from now on|next time|going forward|in (?:the )?future|remember|reminder|told|only|before|after)\b|^we\b`)
	reReason   = lazy.New(`(?i)\b(?:because|since|so that)\b|, (?:that|this|it|which) (?:makes?|helps?|keeps?|lets?|is) `)
)

var reContrast = lazy.New(`(?i)\b(instead of|rather than|not)\b`)

// isConcrete reports whether a lesson makes sense some other day: it names things,
// is not about right now, and keeps its temper.
func isConcrete(h Heard, sc Scene) bool {
	text := withoutOwnIt(h.Text)
	said := strings.Fields(text)
	if len(said) < 2 || len(said) > 45 || matchesAny(text, notConcrete(h, sc)...) {
		return false
	}
	last := said[len(said)-1]
	if english.IsDangling(strings.Trim(last, ",.;:")) && (!strings.EqualFold(last, "them") || !strings.Contains(text, ", ")) {
		return false
	}
	n := len(words.SpeechWords(text))
	return n >= 2 || n == 1 && (spelling.HasCode(text) || h.Choice != "" || strings.HasPrefix(strings.ToLower(text), "use "))
}

// notConcrete returns the expressions for what a lesson must not hold. A person
// who states a rule or refuses a call may well say "now".
func notConcrete(h Heard, sc Scene) []*lazy.Regexp {
	out := []*lazy.Regexp{reRude, rePointing, reMachine, reThatEnd, reUnsureInside}
	if sc.Refused {
		out = append(out, reNotYet)
	} else if !h.Standing {
		out = append(out, reNow)
	}
	if h.Standing {
		return append(out, reToday)
	}
	return append(out, reHereNow)
}

func matchesAny(text string, expressions ...*lazy.Regexp) bool {
	return slices.ContainsFunc(expressions, func(re *lazy.Regexp) bool { return re.Matches(text) })
}

// IsForNow reports whether a person says that what they ask for holds this once.
func IsForNow(text string) bool { return reThisOnce.Matches(text) }

// withoutTail drops a last clause that points at something, such as ", see that".
func withoutTail(text string) string {
	text = reAside.Get().ReplaceAllString(text, "")
	if i := strings.LastIndex(text, ", "); i >= 0 && reThatEnd.Matches(text[i:]) {
		return text[:i]
	}
	return text
}

// startsVague reports whether the words after a verb only point at something.
func startsVague(words string) bool {
	w := strings.Trim(english.FirstWord(words), ",.;:")
	return (w == "" || english.IsVague(w)) && !reKeepIt.Matches(strings.TrimSpace(words))
}

// nameFile replaces "this file" by the name of the file that was just worked on.
func nameFile(text, file string) string {
	if file == "" || shell.IsTemporary(file) {
		return text
	}
	return reThatFile.Get().ReplaceAllLiteralString(text, "`"+strings.ReplaceAll(file, "`", "'")+"`")
}

var (
	reRude         = lazy.New(`(?i)\b(fuck\w*|shit\w*|stupid|idiot|asshole|bullshit|crap|dumb|suck\w*)\b`)
	rePointing     = lazy.New(`(?i)\b(?:(?:this|that|these|those) (?:file|one|ones|way|function|tests?|code|change|changes|line|lines|part|section|thing|class|method|component|field|page|box|error|issue|bug|pr|commit|task|step|command|script|approach|endpoint|table|column|value|flag|option|button|image|text|name|folder|directory|message|idea|path|case|cases|comment|again|stuff|shit)|the (?:above|below|former|latter|first one|second one|other one)|see (?:above|below)|option \d|as is|as i (?:said|described))\b`)
	reUnsureInside = lazy.New(`(?i)\b(?:i think|i guess|i suppose|because i|idk|not sure|maybe we|right\?|i will|i'll|let me|for me to)\b`)
	reNow          = lazy.New(`(?i)\b(?:yet|for now|for a (?:moment|minute|second|bit|while)|right now|just now|at the moment|for the moment|until|till|this time|today|tonight|tomorrow|anymore|any more|so far|in the meantime|while i|before i|later|first|for this (?:task|change|pr|one|run|build)|in this (?:pr|task|change|session|commit)|now)\b`)
	reToday        = lazy.New(`(?i)\b(?:today|tonight|tomorrow|right now|at the moment|this time|for now)\b`)
	reKeepIt       = lazy.New(`(?i)^it (?:simple|short|small|minimal|in memory)\b`)
	reThatEnd      = lazy.New(`(?i)\b(?:like|be|for|with|of|about|to|at|in|on|from) (?:this|that|it|those|these)(?:[,.;:!]|$)`)
	reThisOnce     = lazy.New(`(?i)\b(?:for now|for today|for the moment|this (?:one )?time|just (?:this )?once|temporarily|in the meantime|for (?:this|the next|just this) (?:one|run|build|commit|test|task|change|pr))\b`)
	reAside        = lazy.New(`(?i) [–—-] (?:that's|that is|this is|it's|it is|which is) .*\b(?:its|their)\b.*$`)
	reMachine      = lazy.New(`\b[0-9a-f]{10,}\b|\S@\S+\.\w|\|.*\||\w+=\w+&`)
	reHereNow      = lazy.New(`(?i)\bhere\b`)
	reNotYet       = lazy.New(`(?i)\b(?:yet|right now|until i|tomorrow|later|not now|this time)\b`)
	reThatFile     = lazy.New(`(?i)\b(?:this|that) file\b`)
	// reTellsWhy matches three words or more, and reMoreThan the beginning of what is more than a reason.
	reTellsWhy = lazy.New(`(?i)^(?:[\w./\x60'-]+ ){2,}[\w./\x60'-]+[.!]?$`)
	reMoreThan = lazy.New(`(?i)^(?:and|or|but|not|never|always|only|if|when|whenever|unless|except|then|so|to|please|just|let's|until|till|for|with|without|than|rather|instead|in|on|at|by|use)\b`)
	reEndsNot  = lazy.New(`(?i),? not \S+$`) // of a choice
	// reReported matches what others are said to hold.
	reReported = lazy.New(`(?i)^(?:and |but |also )?(?:(?:some|many|most|a lot of|other) )?(?:people|folks|they|others|devs|developers|someone|everyone|everybody|purists)\b[^,.]{0,20} (?:say|says|think|thinks|claims?|recommends?|argues?|believes?|told me)\b`)
)
