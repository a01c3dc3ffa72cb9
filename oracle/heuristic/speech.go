package heuristic

import (
	"strings"

	"mem/oracle/heuristic/lazy"
	"mem/oracle/heuristic/shell"
)

// heard is a sentence understood as a lesson.
type heard struct {
	side     side
	text     string
	standing bool   // meant to last beyond this task
	choice   string // what to use instead of what was refused
	bare     bool   // "no X": what to do instead may follow
	about    bool   // makes sense only together with what it was said about
}

// A remark is a sentence taken apart.
type remark struct {
	text     string // without openers and closing mark
	no       bool   // opened by a no
	told     bool   // opened by "I told you"
	standing bool   // opened by "from now on"
	lasting  bool   // closed by "from now on"
	placed   bool   // meant for this repository, by its own words
	asked    bool   // closed by a question mark
	cried    bool   // closed by an exclamation mark or a please
	when     string // the condition it stands under, such as "when you run tests"
}

// A form is one way in which people correct; it returns ok false when the
// remark is of another form.
type form struct {
	re   *lazy.Regexp
	make func(m []string, r remark, sc scene) (heard, bool)
}

// hear understands one sentence, or reports that it teaches nothing.
func hear(sen sentence, sc scene) (heard, bool) {
	r := takeApart(sen, sc)
	if r.text == "" || r.asked && sc.denied == nil || len(r.text) > 320 {
		return heard{}, false
	}
	return r.understand(sc)
}

// understand tries the forms in order; the first that fits decides.
func (r remark) understand(sc scene) (heard, bool) {
	for _, f := range forms() {
		m := f.re.Get().FindStringSubmatch(r.text)
		if m == nil {
			continue
		}
		h, ok := f.make(m, r, sc)
		if !ok {
			continue
		}
		h.standing = h.standing || r.standing || r.lasting || r.placed
		if y := sc.rival(h.choice); y != "" && sc.denied == nil && !reContrast.Get().MatchString(h.text) {
			h.text = "use " + shell.Code(h.choice) + " instead of " + shell.Code(y)
		}
		if (sc.first || sc.spec) && !h.standing || sc.spec && !r.standing {
			return heard{}, false
		}
		h.text = withoutTail(resolvePronoun(h.text, sc))
		if !concrete(h, sc) || rePointing.Get().MatchString(r.when) {
			return heard{}, false
		}
		h.text = r.conditional(h)
		return h, true
	}
	return heard{}, false
}

// conditional puts the condition back in front of what is to be done.
func (r remark) conditional(h heard) string {
	text := strings.TrimRight(strings.TrimSpace(h.text), " .!,;:")
	if r.when == "" {
		if h.side == mistake {
			return joinRemedy(small(text))
		}
		return capital(text)
	}
	if h.side == mistake {
		return joinRemedy(small(text)) + " " + small(r.when)
	}
	return capital(r.when) + ", " + small(text)
}

// joinRemedy sets off what to do instead from what to avoid.
func joinRemedy(text string) string {
	if m := reRunOn.Get().FindStringSubmatchIndex(text); m != nil {
		return text[:m[3]] + "; " + text[m[4]:]
	}
	for _, sep := range []string{", ", " - ", " – ", " — "} {
		before, after, ok := strings.Cut(text, sep)
		after = strings.TrimPrefix(after, "please ")
		if ok && shell.IsTool(toolWord(after)) {
			return before + "; use " + after
		}
		if first, _, _ := strings.Cut(after, " "); ok && (isVerb(first) || first == "just" || first == "only" || first == "we") {
			return before + "; " + after
		}
	}
	return text
}

// takeApart strips a sentence of everything that is only manners or mood and
// notes what it said about the mood.
func takeApart(sen sentence, sc scene) remark {
	t := polish(sen.text)
	r := remark{asked: strings.HasSuffix(t, "?"), cried: strings.HasSuffix(t, "!")}
	t = r.ending(t)
	r.no = sc.no
	for range 8 {
		rest, ok := r.opener(t)
		if !ok {
			break
		}
		t = rest
	}
	t = r.place(t)
	sc.no = r.no
	r.text, r.when = clause(t, sc)
	return r
}

// opener strips one opener and notes its meaning.
func (r *remark) opener(t string) (string, bool) {
	if m := reDecline.Get().FindString(t); m != "" {
		return t[len(m):], true
	}
	if m := reNo.Get().FindString(t); m != "" {
		r.no = true
		return t[len(m):], true
	}
	if m := reNoWord.Get().FindStringSubmatchIndex(t); m != nil && !reNoUse.Get().MatchString(t[m[2]:]) {
		r.no = true
		return t[m[2]:], true
	}
	if m := rePlaceFirst.Get().FindString(t); m != "" {
		r.placed = true
		return t[len(m):], true
	}
	if m := reTold.Get().FindString(t); m != "" {
		r.told = true
		return t[len(m):], true
	}
	if m := reRemember.Get().FindString(t); m != "" {
		r.standing, r.told = true, true
		return t[len(m):], true
	}
	if m := reStanding.Get().FindString(t); m != "" {
		r.standing, r.told = true, true
		return t[len(m):], true
	}
	if m := reFiller.Get().FindString(t); m != "" && len(m) < len(t) {
		r.cried = r.cried || strings.EqualFold(firstWord(m), "please")
		return t[len(m):], true
	}
	return t, false
}

// clause finds the part of a sentence that instructs. A condition in front of
// it is kept apart; anything else in front is dropped, unless this is a first
// task, where only a whole sentence can be a rule.
func clause(t string, sc scene) (text, when string) {
	loc := reTrigger.Get().FindStringSubmatchIndex(t)
	if loc == nil || loc[4] == 0 {
		return t, ""
	}
	if rest := t[loc[4]:]; reOurs.Get().MatchString(t) || reUseNot.Get().MatchString(rest) && !namesTool(rest) {
		return t, ""
	}
	front := strings.TrimRight(t[:loc[2]], " ,;:-–—(")
	if reCondition.Get().MatchString(front) && len(front) < 90 {
		return t[loc[4]:], front
	}
	passing := !sc.no && (ordered(front) || sc.weight < weightInterrupt && reOnce.Get().MatchString(t[loc[4]:]))
	if sc.first || sc.spec || passing {
		return t, ""
	}
	return t[loc[4]:], ""
}

// polish mends spelling and takes out swear words that carry no meaning.
func polish(t string) string {
	t = hush(strings.NewReplacer("’", "'", "‘", "'", "´", "'", "“", `"`, "”", `"`, "…", "...").Replace(t))
	words := strings.Fields(t)
	out := words[:0:0]
	for _, w := range words {
		core := strings.Trim(w, ",.!?")
		switch strings.ToLower(core) {
		case "fucking", "fuckoing", "damn", "goddamn", "bloody", "freaking", "ffs", "wtf", "omfg", "omg", "lol", "haha":
			if out = append(out, strings.TrimPrefix(w, core)); out[len(out)-1] == "" {
				out = out[:len(out)-1]
			}
			continue
		}
		if m := respell(core); m != core && core != "" {
			w = strings.Replace(w, core, m, 1)
		}
		out = append(out, w)
	}
	return strings.TrimLeft(strings.Join(out, " "), " ,")
}

// denies reports whether a sentence is nothing but a no, which then colours
// the next sentence.
func denies(text string) bool {
	return reBareNo.Get().MatchString(strings.TrimSpace(text))
}

var (
	reNo         = lazy.New(`(?i)^(?:no+(?:[ ,]+no+)*|nope|nah|wrong|stop|wait|hold on|hold|incorrect|not like that|not that|that's (?:wrong|not right|not true|incorrect)|this is wrong)(?:(?:[,.!:;]+| ?[-–—]+)\s+| ?[–—]+)`)
	reNoWord     = lazy.New(`(?i)^(?:no+(?:[ ,]+no+)*|nope|nah) (use|don't|do not|never|always|we|you|i|just|please|run|put|keep|it|it's|the)\b`)
	reDecline    = lazy.New(`(?i)^no+,? (?:thanks|thank you|problem|worries|rush|need)\b[,.!:;]*\s+`)
	reOurs       = lazy.New(`(?i)^we (?:never|always|only|don't|do not|use)\b`)
	reUseNot     = lazy.New(`(?i)^use [^\s,]+,? not `)
	reNoUse      = lazy.New(`(?i)^use (?:of|in|for|to|\w+ing)\b`)
	reBareNo     = lazy.New(`(?i)^(?:(?:hm+|ugh|oh|uh|well|ah)[,.]* )?(?:no+|nope|nah|wrong|stop|stop it|wait|hold|hold on|incorrect|that's wrong|this is wrong|that is wrong|that's not right|not like that|absolutely not|ugh|no no+)[.!, ]*$`)
	reTold       = lazy.New(`(?i)^(?:as )?i(?:'ve| have)? (?:already |just )?(?:told|said|asked)(?: to)?(?: you)?(?: already| before| again| twice| many times)*[,:]?\s+(?:that\s+)?`)
	reStanding   = lazy.New(`(?i)^(?:from now on|in (?:the )?future|going forward|from here on(?: out)?|as a (?:general )?rule|next time|for the future|in general)\b[,:]?\s*`)
	reRemember   = lazy.New(`(?i)^(?:(?:remember|don't forget|keep in mind|reminder)(?:[:,]+| -+| that)|remember to(?: always)?)\s+`)
	rePlaceFirst = lazy.New(`(?i)^(?:in|for|on|within|throughout|across) (?:this|our) (?:whole |entire )?(?:repo|repository|project|codebase|code base|monorepo)[,:]?\s+`)
	reFiller     = lazy.New(`(?i)^(?:ok|okay|well|actually|but|and|so|also|please|hm+|ugh|dude|my dude|man|jesus|sorry|hey|yes|yeah|yep|great|good|nice|cool|thanks|thank you|perfect|again|oh|ah|alright|right|look|listen|seriously|just|then|btw|come on|for the record|god|mate|bro|kindly|one (?:more |last |other |small )?thing(?: though)?|that's (?:wrong|not right|not what i (?:asked|wanted|meant|said)(?: for)?|incorrect)|this is wrong)\b[,.!:;]*(?:\s+[-–—]+)?\s+`)
	reTrigger    = lazy.New(`(?i)(^|[,;:(–—]\s*|\s-+\s+|\s(?:and|but|so|please|then|also)\s+(?:please\s+|also\s+|then\s+)?)(don't|do not|never|always|from now on|stop \w+ing|remember (?:to|that)|make sure to (?:always|never)|use \S+(?: \S+){0,4} instead\b|use [^\s,]+,? not \S+$)`)
	reRunOn      = lazy.New(`^(\S+ (?:\S+ ){0,3}\S+\.\w+) ((?:make|use|do|just|only|keep|write|run|put) .+)`)
	reOnce       = lazy.New(`(?i)^(?:don't|do not)\b`)
	reCondition  = lazy.New(`(?i)^(?:when|whenever|if|before|after|for|in|while|on|with|unless|once|every time|during|inside|under)\b`)
)
