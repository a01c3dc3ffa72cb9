package speech

import (
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/english"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/spelling"
)

// SplitSentences splits prose. A full stop ends a sentence when a blank follows, so
// that file names and versions stay whole.
func SplitSentences(text string) []string {
	var out []string
	for para := range strings.SplitSeq(text, "\n") {
		para = strings.TrimSpace(reBullet.Get().ReplaceAllString(strings.TrimSpace(para), ""))
		for para != "" {
			var s string
			s, para = cutSentence(para)
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

// cutSentence cuts off the first sentence with its closing mark.
func cutSentence(s string) (first, rest string) {
	for _, at := range reStop.Get().FindAllStringIndex(s, -1) {
		if end := strings.TrimRight(s[:at[1]], " "); s[at[0]] != '`' && (at[1] == len(s) || !reShort.Matches(s[:at[0]+1])) {
			return end, s[len(end):]
		}
	}
	return s, ""
}

// IsSpec reports whether a prompt describes a piece of work at length.
func IsSpec(text string) bool {
	return len(text) > 1500 || reTitled.Matches(text) || len(reItem.Get().FindAllStringIndex(text, 4)) == 4
}

var (
	reBullet = lazy.New(`^(?:[-*•]|\d{1,2}[.)])\s+`)
	reItem   = lazy.New(`(?m)^\s*(?:[-*•]|\d{1,2}[.)])\s+`)
	reTitled = lazy.New(`(?m)\A# |^##? `)
	reStop   = lazy.New("`[^`]*(?:`|$)|[.!?][.!?)\"`]*(?: |$)")
	// reShort matches what ends in a stop that ends no sentence.
	reShort  = lazy.New(`(?i)(?:e\.?g|i\.?e|etc|vs|approx|cf| \.)\.$`)
	reUnsure = lazy.New(`(?i)(^(i|i'm|oh|hm|maybe|perhaps|it|this|that|they|there|you|what|why|how|who|which|where|and|seems?|looks?)\b|\bi (think|guess|believe|suppose|wonder|see)\b|\bnot sure\b|\bprobably\b)`)
)

// takeApart takes from a sentence what is only manners or mood, and notes it; no says
// that a bare no came just before.
func takeApart(s string, no bool, sc Scene) remark {
	t := polish(s)
	r := remark{no: no, asked: strings.HasSuffix(t, "?"), cried: strings.HasSuffix(t, "!")}
	t = r.dropEnding(t)
	for range 8 {
		t = r.dropOpener(t)
	}
	if rest, not := strings.CutPrefix(t, "not to "); not && r.reminded {
		t = "do not " + rest
	}
	r.text, r.when = r.findClause(r.dropPlace(t), sc)
	return r
}

// polish spells contractions out and takes out swear words that carry no meaning.
func polish(t string) string {
	t = lowerShouting(strings.NewReplacer("’", "'", "‘", "'", "´", "'", "“", `"`, "”", `"`, "…", "...").Replace(t))
	words := strings.Fields(t)
	out := words[:0:0]
	for _, w := range words {
		core := strings.Trim(w, ",.!?")
		if mended := english.Contractions()[strings.ToLower(core)]; english.IsSwearWord(core) {
			w = strings.TrimPrefix(w, core)
		} else if mended != "" {
			w = strings.Replace(w, core, mended, 1)
		}
		if w != "" {
			out = append(out, w)
		}
	}
	return strings.TrimLeft(strings.Join(out, " "), " ,")
}

// lowerShouting writes a sentence that is all capitals in small letters. Code
// and names such as DATABASE_URL stay as they are.
func lowerShouting(t string) string {
	spoken := ""
	spelling.MapProse(t, func(s string) string { spoken += s; return s })
	if len(strings.Fields(spoken)) < 2 || strings.ToUpper(spoken) != spoken {
		return t
	}
	return spelling.MapProse(t, func(s string) string {
		words := strings.Split(s, " ")
		for i, w := range words {
			if !strings.ContainsAny(w, "_0123456789") {
				words[i] = strings.ToLower(w)
			}
		}
		return strings.Join(words, " ")
	})
}

// dropEnding takes from the end of a sentence what only says how it is meant:
// thanks, "please", "from now on".
func (r *remark) dropEnding(t string) string {
	for range 6 {
		t = strings.TrimRight(t, " ,.!?…:;-–—")
		if strings.HasSuffix(t, ")") && strings.Count(t, "(") < strings.Count(t, ")") {
			t = t[:len(t)-1]
			continue
		}
		if loc := reTail.Get().FindStringIndex(t); loc != nil {
			r.cried = r.cried || strings.HasSuffix(strings.ToLower(t), "please")
			t = t[:loc[0]]
		} else if loc := reLasting.Get().FindStringIndex(t); loc != nil {
			r.lasting = true
			t = t[:loc[0]]
		}
	}
	return t
}

// An opener is how a sentence begins before it says anything.
type opener struct {
	re     *lazy.Regexp  // to its first group if it has one, or else to its end
	unless *lazy.Regexp  // no opener before this
	note   func(*remark) // what it says about the sentence; may be nil
}

// openers are tried in order.
var openers = []opener{
	{re: lazy.New(`(?i)^no+,? (?:thanks|thank you|problem|worries|rush|need)\b[,.!:;]*\s+`)},
	{re: lazy.New(`(?i)^(?:no+(?:[ ,]+no+)*|nope|nah|neither|none of (?:them|these|those)|wrong|stop|wait|hold on|hold|incorrect|not like that|not that|that's (?:wrong|not right|not true|incorrect)|this is wrong)(?:(?:[,.!:;]+| ?[-–—]+)\s+| ?[–—]+)`), note: func(r *remark) { r.no = true }},
	{re: lazy.New(`(?i)^(?:no+(?:[ ,]+no+)*|nope|nah) (use|don't|do not|never|always|we|you|i|just|please|run|put|keep|it|it's|the)\b`), note: func(r *remark) { r.no = true },
		unless: lazy.New(`(?i)^use (?:of|in|for|to|\w+ing)\b`)},
	{re: lazy.New(`(?i)^(?:in|for|on|within|throughout|across) (?:this|our) (?:whole |entire )?(?:repo|repository|project|codebase|code base|monorepo)[,:]?\s+`), note: func(r *remark) { r.placed = true }},
	{re: lazy.New(`(?i)^(?:as )?i(?:'ve| have)? (?:already |just )?(?:told|said|asked)(?: to)?(?: you)?(?: already| before| again| twice| many times)*[,:]?\s+(?:that\s+)?`), note: func(r *remark) { r.reminded = true }},
	{re: lazy.New(`(?i)^(?:(?:remember|don't forget|keep in mind|reminder)(?:[:,]+| -+| that)|remember to(?: always)?)\s+`), note: func(r *remark) { r.standing, r.reminded = true, true }},
	{re: lazy.New(`(?i)^(?:from now on|in (?:the )?future|going forward|from here on(?: out)?|as a (?:general )?rule|next time|for the future|in general)\b[,:]?\s*`), note: func(r *remark) { r.standing, r.reminded = true, true }},
	{re: lazy.New(`(?i)^(?:can|could|would|will) you (?:please )?((?:always|never|from now on)\b)`), note: func(r *remark) { r.reminded = true }},
	{re: lazy.New(`(?i)^please\b[,.!:;]*(?:\s+[-–—]+)?\s+`), note: func(r *remark) { r.cried = true }},
	{re: lazy.New(`(?i)^(?:ok|okay|well|actually|but|and|so|also|hm+|ugh|dude|my dude|man|jesus|sorry|hey|yes|yeah|yep|great|good|nice|cool|thanks|thank you|perfect|again|oh|ah|alright|right|look|listen|seriously|just|then|btw|come on|for the record|god|mate|bro|kindly|one (?:more |last |other |small )?thing(?: though)?|that's (?:wrong|not right|not what i (?:asked|wanted|meant|said)(?: for)?|incorrect)|this is wrong)\b[,.!:;]*(?:\s+[-–—]+)?\s+`)},
}

// dropOpener takes off one opener, if there is one, and notes its meaning.
func (r *remark) dropOpener(t string) string {
	for _, o := range openers {
		loc := o.re.Get().FindStringSubmatchIndex(t)
		if loc == nil {
			continue
		}
		end := loc[len(loc)/2] // of the match, or where its group begins
		if o.unless != nil && o.unless.Matches(t[end:]) {
			continue
		}
		if o.note != nil {
			o.note(r)
		}
		return t[end:]
	}
	return t
}

// dropPlace takes out the words for where something holds: "in this repo" always,
// "here" only beside a tool, as it may otherwise point at one spot of the code.
func (r *remark) dropPlace(t string) string {
	if reOurWay.Matches(t) {
		return t // "we use pnpm here" reads best whole
	}
	for range 3 {
		u := rePlace.Get().ReplaceAllString(t, "$1")
		r.placed = r.placed || u != t
		if spelling.NamesTool(u) && reUsing.Matches(u) {
			u = reLocal.Get().ReplaceAllString(u, "$1")
		}
		if u == t {
			break
		}
		t = u
	}
	return t
}

// findClause finds the part of a sentence that instructs. A condition in front is
// kept apart; anything else is dropped, unless only a whole sentence can be a rule.
func (r remark) findClause(t string, sc Scene) (text, when string) {
	loc := reTrigger.Get().FindStringSubmatchIndex(t)
	if loc == nil || loc[4] == 0 {
		return t, ""
	}
	front, rest := strings.TrimRight(t[:loc[2]], " ,;:-–—("), t[loc[4]:]
	if front != "" && prefersOther(rest) && !reCondition.Matches(front) {
		return t, "" // what is chosen stands before it
	}
	if reNeverThing.Matches(rest) || reOurRule.Matches(t) || reUseNot.Matches(rest) && !spelling.NamesTool(rest) {
		return t, ""
	}
	if reCondition.Matches(front) && len(front) < 90 {
		return rest, front
	}
	once := !sc.Refused && !sc.Interrupted && reOnce.Matches(rest)
	// Of a task or of a quote: "write a note: never …", "the linter says, never …".
	part := english.IsVerb(english.FirstWord(askOf(front))) || reOthers.Matches(front)
	if sc.First || sc.Spec || !r.no && !sc.Explains && (once || part) {
		return t, ""
	}
	return rest, ""
}

// underCondition words a lesson as one sentence with its condition, if it has one.
func (h Heard) underCondition(when string) string {
	text := strings.TrimRight(strings.TrimSpace(h.Text), " .!,;:")
	switch {
	case h.Avoid:
		return strings.TrimSuffix(joinRemedy(english.LowerFirst(text))+" "+english.LowerFirst(when), " ")
	case when == "":
		return english.UpperFirst(text)
	}
	return english.UpperFirst(when) + ", " + english.LowerFirst(text)
}

// joinRemedy sets off what to do instead from what to avoid.
func joinRemedy(text string) string {
	for _, sep := range []string{", ", " - ", " – ", " — "} {
		before, after, ok := strings.Cut(text, sep)
		if !ok {
			continue
		}
		after = strings.TrimPrefix(after, "please ")
		if shell.IsTool(spelling.ToolWord(after)) {
			return before + "; use " + after
		}
		if first, _, _ := strings.Cut(after, " "); english.IsVerb(first) || slices.Contains([]string{"just", "only", "we", "let"}, first) {
			return before + "; " + after
		}
	}
	return text
}

var (
	reTail    = lazy.New(`(?i)[,;.!]? (?:-+ )?(?:please )?(?:stop (?:that|it|doing that)|ok(?:ay)?|though|please|many thanks|thanks(?: a lot| again)?|thank you(?: very much)?|thx|cheers|got it)$`)
	reLasting = lazy.New(`(?i),? (?:from (?:now|here) on(?: out)?|going forward|next time)$`)
	rePlace   = lazy.New(`(?i),? (?:in|for|on|within|throughout|across) (?:this|our) (?:whole |entire )?(?:repo|repository|project|codebase|code base|monorepo)([,;]| instead\b|$)`)
	reLocal   = lazy.New(`(?i),? (?:please|here|in here|over here|for this|(?:ever )?again|in (?:the )?future)([,;]| instead\b| rather than\b| -|$)`)
	reUsing   = lazy.New(`(?i)\b(?:use|using|prefer|with|instead of|rather than|it's)\b|, not\b|^no\b`)
	reOurWay  = lazy.New(`(?i)^we\b`)
	reTurn    = lazy.New(`(?i)^(?:(?:now|next|then|first|finally|please|also|and|ok|after that|(?:can|could|would|will) you|you should|(?:let's|let us)|i (?:want|need) you to|we (?:need|have) to)\b,?\s*)+`)
	reOurRule = lazy.New(`(?i)^we (?:never|always|only|don't|do not|use)\b`)
	// reNeverThing matches what ends a statement, such as "we ship with X, never with Y".
	reNeverThing = lazy.New(`(?i)^never (?:the|an?|to|in|on|from|with|by|via|through) `)
	reUseNot     = lazy.New(`(?i)^use [^\s,]+,? not `)
	reBareNo     = lazy.New(`(?i)^(?:(?:hm+|ugh|oh|uh|well|ah)[,.]* )?(?:no+|nope|nah|wrong|stop|stop it|wait|hold|hold on|incorrect|that's wrong|this is wrong|that is wrong|that's not right|not like that|absolutely not|ugh|no no+)[.!, ]*$`)
	reTrigger    = lazy.New(`(?i)(^|[,;:(–—]\s*|\s-+\s+|\s(?:and|but|so|please|then|also)\s+(?:please\s+|also\s+|then\s+)?)(don't|do not|never|always|from now on|stop \w+ing|remember (?:to|that)|make sure to (?:always|never)|use \S+(?: \S+){0,4} instead\b|use [^\s,]+,? not \S+$)`)
	reOnce       = lazy.New(`(?i)^(?:don't|do not)\b`)
	reCondition  = lazy.New(`(?i)^(?:when|whenever|if|before|after|for|in|while|on|with|unless|once|every time|during|inside|under)\b`)
)

// prefersOther reports whether what follows a comma only names what is not chosen: "never prod".
func prefersOther(rest string) bool {
	other, found := strings.CutPrefix(strings.ToLower(rest), "never ")
	other, _, _ = strings.Cut(other, ",")
	return found && len(strings.Fields(other)) <= 3 && isThing(other)
}

// isThing reports whether what follows "never" names a thing rather than what is done: "prod", not "be" or "ever".
func isThing(text string) bool {
	w := english.FirstWord(text)
	_, isVerb := english.Gerund(w)
	return !isVerb && w != "ever" && w != "again"
}
