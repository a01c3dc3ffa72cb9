package speech

import (
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/english"
	"mem/oracle/heuristic/spelling"
)

// readRule takes any sentence for a rule or a fact that is meant to last, in the
// person's own words: by its modality and what it holds for, whatever its verb is. A
// request for now has neither. In doubt it is none.
func readRule(r remark, sc Scene) (Heard, bool) {
	text := nameFile(withoutTail(withoutPreface(r.text)), sc.File)
	if r.when != "" {
		text = r.when + ", " + text
	}
	for {
		h := Heard{Text: strings.ReplaceAll(text, "( ", "("), Standing: true}
		if r.isRule(text, sc) && isConcrete(h, sc) {
			if can := reYouCan.Get().ReplaceAllString(h.Text, ""); english.IsVerb(english.FirstWord(can)) {
				h.Text = can
			}
			return h, true
		}
		front, rest, found := strings.Cut(text, ", ") // "we said so, you have no access to X"
		if !found || len(strings.Fields(front)) > 9 || english.IsVerb(english.FirstWord(askOf(front))) || reCondition.Matches(text) {
			return Heard{}, false
		}
		text = withoutPreface(rest)
	}
}

// isRule reports whether a sentence lays something down, for more than now, and stands
// by itself.
func (r remark) isRule(text string, sc Scene) bool {
	if len(strings.Fields(text)) < 4 || Hangs(text) || matchesAny(reFits.Get().ReplaceAllString(text, ""), reUnruly, reRude, reSpeaker) {
		return false
	}
	return slices.ContainsFunc(modalities, func(m modality) bool {
		return m.re.Matches(text) && m.fits(r, text, sc)
	})
}

// A modality is a way to say that something holds.
type modality struct {
	fits func(r remark, text string, sc Scene) bool // when it counts
	re   *lazy.Regexp
}

// Under which circumstances a sentence can be a rule. What a program shows its users is
// asked for in the same words, so that some have to name what developers work with.
func isReply(r remark, _ string, sc Scene) bool {
	return r.standing || !sc.First && !sc.Spec
}

func isOfWork(r remark, text string, sc Scene) bool {
	return isReply(r, text, sc) && !english.IsVerb(english.FirstWord(askOf(text))) && (spelling.HasCode(text) || spelling.NamesTool(text) || reWork.Matches(text))
}

func isObjection(r remark, text string, sc Scene) bool {
	return isReply(r, text, sc) && (r.no || sc.Refused || sc.Interrupted || sc.Agreed)
}

// isFirm reports whether an objection, or what is asked of the work, is meant.
func isFirm(r remark, text string, sc Scene) bool {
	return isObjection(r, text, sc) || isOfWork(r, text, sc)
}

// isDone is for what is done with a thing: "migrations are never edited", not "the tests are never green".
func isDone(r remark, text string, sc Scene) bool {
	_, ok := english.BaseForm(reDone.Get().FindStringSubmatch(text)[1])
	return ok && isFirm(r, text, sc)
}

// isBeforeDeed is for what is done each time before a deed: "strip outputs before you commit", not
// "fix the typo before you commit".
func isBeforeDeed(r remark, text string, sc Scene) bool {
	return isReply(r, text, sc) && (isTooled(r, text, sc) || !reOneThing.Matches(text))
}

// isChoice is for "X, never Y" of two things.
func isChoice(r remark, text string, sc Scene) bool {
	_, never, _ := strings.Cut(text, "never ")
	return isThing(never) && isReply(r, text, sc) && (isFirm(r, text, sc) || spelling.HasCode(text) || strings.HasPrefix(strings.ToLower(text), "use "))
}

var (
	reDone     = lazy.New(`(?i)^(?:[\w./\x60-]+ ){1,9}(?:(?:is|are|gets?) (?:always|never)|(?:always|never) (?:is|are|gets?)) (\w+)`)
	reOneThing = lazy.New(`(?i)^\w+ (?:(?:the|an?|that|this|my|your) (?:\w+ )??\w*[^s\W] (?:before|after|from|in|for|of|to|on|at)\b|for )`)
)

func isTooled(r remark, text string, sc Scene) bool {
	_, of, _ := strings.Cut(text, " ")
	return isReply(r, text, sc) && (spelling.HasCode(of) || spelling.NamesTool(of))
}

func isReasoned(r remark, text string, sc Scene) bool {
	return isObjection(r, text, sc) && isTooled(r, text, sc)
}

// modalities are the ways in which people say that something holds, whatever it is about.
var modalities = []modality{
	// What is never or always done, or done by rule.
	{isReply, lazy.New(`(?i)^(?:never|always) (?:[a-z]{3,}|do|go|be)\b|\b(?:we|you|they|\w+s)(?: are|'re) (?:not |only )?(?:supposed|allowed|meant) to\b|\b(?:must (?:never|always|only)|should never)\b|\b(?:you|we|they|it) must not\b`)},
	{isOfWork, lazy.New(`(?i)\bmust not\b|^(?:the|our|all) [\w ]{3,60}, (?:so )?(?:please )?(?:don't|do not|never) \w+ (?:it|them)\b`)},
	{isReply, lazy.New(`(?i)\bwe (?:always|never|exclusively) \w+|\bwe only (?:do|use|ship|support|commit|merge|release|deploy|write|test|allow|accept|publish|run|store|keep)\b`)},
	{isReply, lazy.New(`(?i)^it(?:'s| is|s) (?:always )?(?:better|best|safer) (?:not|never) to |^it(?:'s| is|s) (?:bad practice|not (?:ok|okay|allowed|safe|a good idea)|forbidden) to `)},
	{isReply, lazy.New(`(?i)^(?:do not|don't) \w+(?: \w+)? (?:any|anything|every|everything without|\w+ without|\w+ (?:unless|until i))\b|^(?:do not|don't) (?:\w+ )?\w+ .*\b(?:without (?:asking|permission|approval|a|my|me)|unless|blindly|ever|under any|by hand|manually)\b|^(?:do not|don't) (?:blindly|ever) |^(?:do not|don't) \w+ without`)},
	// What holds for all of a kind, or for one place.
	{isOfWork, lazy.New(`(?i)^(?:each|every|all|any|no) .*\b(?:must|should|has to|have to|needs? (?:to|an?|its|at least)|may|can)\b`)},
	{isOfWork, lazy.New(`(?i)^(?:the |our |all )?[\w./ \x60-]{2,40}? (?:must|should|has to|have to|needs? to)\b.*(?:, not\b|\brather (?:than|from)\b|\binstead of\b|\bonly\b|\bnever\b|\bbefore\b|\bwith the exception\b|\bexcept\b|\bevery\b)`)},
	{isReply, lazy.New(`(?i)^(?:each|every|all|any|no) .*\b(?:must|should|has to|have to|needs? (?:to|an?|its|at least)|may|can)\b.*(?:, otherwise |, or (?:else )?\w+ |\bbecause\b)`)},
	{isReply, lazy.New(`(?i)^(?:in|for|on) (?:dev|development|prod|production|ci|staging|tests?|local|dev mode|beta)\b,? (?:\w+ )*?(?:we|you|use|always|never|only)\b.*\b(?:should|must|use|need|have to|only|never|always|instead of|rather than)\b`)},
	{isReply, lazy.New(`(?i)^(?:make|be) sure (?:(?:to \w+|that|we|you|all|every)\b.*\b)?` + reOccupied)},
	{isReply, lazy.New(`(?i)^` + reOccupied + `.*\b(?:we also|you (?:also )?(?:must|should|need|have)|make sure|always|never)\b`)},
	{isOfWork, lazy.New(`(?i)^` + reOccupied + `[^,]*,? (?:please |always )?(?:use|run|add|update|check|bump|regenerate)\b`)},
	{isTooled, lazy.New(`(?i)^(?:prefer|avoid) \S+|^(?:you|we) (?:(?:have|need) to|must|should) \w+ .*(?:\b(?:before|after|whenever)\b|\bfirst$)`)},
	{isReply, lazy.New(`(?i)^prefer .+ (?:over|rather than|instead of) |^(?:our|the) (?:\w+ )?(?:convention|rule|policy|standard)s? (?:here |for \w+ )?(?:is|are) |^we (?:do not|don't) \w+ .*\bhere$|^\S+ is deprecated, use \S+|^the (?:right|correct|proper) (?:command|way|script|flag|url|path|port)\b.* is |^(?:commit messages?|branch names?|pr titles?|commits|branches) (?:must be|should be|(?:(?:must |should )?(?:start|begin) with|are (?:in (?:the )?(?:imperative|present|past|english)|named|called|written|prefixed|always)))\b`)},
	// What is always or never done with a thing.
	{isDone, reDone},
	{isChoice, lazy.New(`(?i)^[^,]{4,80}, (?:and |but )?never (?:[\w./\\%\x60-]+ ?){1,5}(?:,|$)`)},
	// What is done each time, and what is asked for before.
	{isReply, lazy.New(`(?i)^[a-z]+ .*\b(?:before|after) (?:every|each|any) (?:commit|push|pr|pull request|release|merge|change|build|deploy\w*|edit|migration)\b`)},
	{isBeforeDeed, lazy.New(`(?i)^[a-z]+ .*\b(?:before|after) (?:you|we) (?:commit|push|merge|release|deploy|publish|tag)\b`)},
	{isReply, lazy.New(`(?i)^(?:if|when|whenever|before) you \w+ .*\bask (?:me|us)\b|^ask (?:me |us )?(?:first )?before (?:you )?\w+`)},
	{isReply, lazy.New(`(?i)^keep (?:all |your )?(?:functions|methods|commits|files|classes|modules|components|handlers|tests|names|imports|dependencies|prs|lines|migrations) (?:under|below|out of|free of|in sync|sorted|short|small|pure|independent)\b`)},
	{isReply, lazy.New(`(?i)^(?:the|our|all) (?:\w+ )?(?:tests|builds|commits|migrations|releases|branches|prs|scripts|packages) (?:must|have to) (?:only |always |never |not )?(?:run|use|stay|live|import|work)\b`)},
	{isReply, lazy.New(`(?i)^tests (?:in|of|for) .+ (?:need|require) (?:an? |the )?\w+ (?:installed|running|set|enabled|connected)\b`)},
	{isReply, lazy.New(`(?i)^(?:answer|reply|respond|speak|talk)\b.* in (?:english|german|french|spanish|italian|dutch|portuguese|polish|russian|turkish|chinese|japanese|korean)\b`)},
	// What there is, and how to use it.
	{isReply, lazy.New(`(?i)^you (?:have|need) to be (?:on|inside|connected to) .* to (?:reach|access|run|push|deploy)\b|^there(?:'s| is| are) no (?:\w+ )?(?:staging|environment|docker|network|internet|gpu|display|sudo|ci|linter|formatter)\b`)},
	{isReply, lazy.New(`(?i)^we (?:support|target|pin|are on|run on|ship to|deploy to|build for) .*, (?:so )?(?:no|never|only|don't|do not) |^(?:dev|development|prod|production|ci|staging|tests) (?:uses?|runs? (?:on|with)|needs?) .+ (?:and|but) (?:only )?(?:dev|development|prod|production|ci|staging|tests)\b`)},
	{isTooled, lazy.New(`(?i)^(?:new |all |our |the )?[\w -]{3,30} (?:go|belong|live|are (?:defined|configured|declared|kept|stored)) (?:in|into|under|next to) \S*[/_.]\S|^(?:dev|development|ci|staging|prod|production) uses? \S+, so |\b(?:is|are) (?:auto-?)?generated (?:from|by|with) `)},
	{isReply, lazy.New(`(?i)^(?:you|we) (?:cannot|can't) (?:reach|access|use|run|see|connect to|install) .+ (?:here|(?:from|on|in) (?:this|the) (?:machine|box|host|sandbox|environment|container|ci|vm))\b`)},
	{isReply, lazy.New(`(?i)^(?:our|the) (?:[\w-]+ ){0,2}?(?:database|db|bucket|registry|cluster|server|environment|ci|runner|machine|box|cache|mirror|branch|repository|repo|staging|production|prod|host|proxy|network|vm|container|sandbox|account) (?:has|have|is|are) (?:no|not|read-only|only)\b.*, (?:so|therefore) .*\b(?:must|should|cannot|can't|need|only|never|always)\b|^(?:our|the) (?:[\w-]+ ){0,2}?(?:database|db|bucket|registry|cluster|server|environment|ci|runner|machine|box|cache|mirror|branch|repository|repo|staging|production|prod|host|proxy|network|vm|container|sandbox|account) (?:is|are) (?:read-only|generated|frozen|deprecated|shared), (?:use|write|edit|change|run|work|put) `)},
	{isTooled, lazy.New(`(?i)^we (?:already )?have (?:an?|our own|the) (?:[\w-]+ )?(?:helper|function|util\w*|script|component|hook|wrapper|client|class|module|package|tool|target|task|macro)\b`)},
	{isTooled, lazy.New(`(?i)^use \S+(?: v?\d[\d.]*)?, .*\b(?:breaks?|fails?|does not work|doesn't work|is broken|is too (?:old|new)|lacks?|is not supported)\b`)},
	{isOfWork, lazy.New(`(?i)^[\w/ -]{2,40} that (?:need|use|touch|require|talk to|depend on)s? .+ (?:are|is|must|run|go|live)s? `)},
	{isReply, lazy.New(`(?i)^you (?:do not|don't|cannot|can't|won't) (?:have|get|use|reach|access|run|see) (?:any )?(?:access|permission|\w+ access)\b|^you(?:'re| are) (?:running )?(?:in|inside|on) an? \w+`)},
	{isReply, lazy.New("(?i)^(?:you|we) (?:can|could|need to|have to|should|must) (?:always |actually |also |simply |just )*\\w+ (?:\\S+ )*?(?:with|via|using|by|through) `[^`()]+[ :][^`()]+`")},
	{func(r remark, text string, sc Scene) bool { return r.placed && isTooled(r, text, sc) && !sc.First }, lazy.New(`(?i)^[^,]{3,60}? (?:must|should|has to|have to|needs?|runs?|goes?|lives?|belongs?|is done|are done|uses?) (?:be |only |always )?(?:\w+ )?(?:with|by|via|through|in|from|under|into) `)},
	{func(r remark, _ string, _ Scene) bool { return r.standing }, lazy.New("`|(?i)\\b(?:must|should|need|have|has|is|are|only|use|run)\\b")},
	{isReply, lazy.New("(?i)^(?:test|check|verify|build|run|start|deploy|release|format|lint|generate|seed|migrate) [^,]{3,60} by running `[^`]+ [^`]+`$")},
	// What an objection puts in the place of what was done.
	{isOfWork, lazy.New(`(?i)^only \w+ .*(?:, .*\b(?:takes?|costs?|needs?|breaks?|has to|have to)\b|\bbecause\b)`)},
	{isObjection, lazy.New(`(?i)^[\w ./-]{3,50} belongs? (?:in|to|on|under|into|inside) |^[\w ./-]{3,40} (?:should|must)(?: not|n't| never) (?:know|depend|contain|hold|own|talk|reach|call|import)\b`)},
	{isObjection, lazy.New(`(?i)^[\w ./-]{2,40} (?:needs?|requires?) .* (?:running|installed|set)$|^only \w+ .*\b(?:that|which|when|if|in|after|with|for|from)\b`)},
	{isReasoned, lazy.New(`(?i)^[a-z]+ .*(?:, (?:that|this|it|which) (?:makes?|helps?|keeps?|lets?|is (?:easier|safer|faster|cleaner|simpler))\b|\bbecause (?:we|it|they|the|our)\b|\bso that (?:we|the|it)\b)`)},
}

// reOccupied matches when developers do something.
const reOccupied = `(?:when|whenever|before|after|every time|each time|any time) (?:you |we |i )?(?:always )?(?:(?:are )?(?:mak|chang|edit|commit|push|merg|releas|publish|deploy|run|test|build|verify|open|creat|refactor|debug|migrat|finish|generat|rebas|bump|add|updat|writ)\w*)\b`

// withoutPreface takes from a sentence what only says that someone thinks so.
func withoutPreface(t string) string {
	t = reForThat.Get().ReplaceAllString(t, "$1")
	t = rePrefers.Get().ReplaceAllString(reThinks.Get().ReplaceAllString(t, ""), "prefer ")
	return reIts.Get().ReplaceAllString(t, "it's $1")
}

// withoutOwnIt takes from the end of a sentence a pronoun that stands for something in an
// earlier clause: "do not edit go.sum, let go mod tidy write it".
func withoutOwnIt(text string) string {
	i := max(0, strings.LastIndex(text, ", "))
	if before, own := strings.CutSuffix(text, " it"); own && (spelling.HasCode(text[:i]) || reHasNo.Matches(text[:i])) {
		return before
	}
	if before, own := strings.CutSuffix(text, " them"); own && reOfAll.Matches(text[:i]) {
		return before
	}
	return text
}

// Hangs reports whether a sentence points at something outside of it.
func Hangs(text string) bool {
	text = reFits.Get().ReplaceAllString(withoutOwnIt(text), " ")
	for i, w := range strings.Fields(text) {
		w = strings.ToLower(strings.Trim(w, `,.;:!?()"`))
		if i < 5 && english.IsPointer(w) || i == 0 && (w == "and" || w == "or" || w == "because" || w == "then") {
			return true
		}
	}
	return rePointing.Matches(text) || reLoose.Matches(text)
}

var (
	reWork    = lazy.New(`(?i)\b(?:tests?|commits?|migrations?|prs?|pull requests?|branch(?:es)?|releases?|packages?|imports?|scripts?|endpoints?|modules?|changelogs?|dependenc(?:y|ies)|queries|requests?|fixtures?|builds?|ci|secrets?|env(?:ironment)? variables?|merges?|docstrings?)\b`)
	reYouCan  = lazy.New(`(?i)^you can (?:(?:always|actually|also|simply|just) )*`)
	reHasNo   = lazy.New(`(?i)\b(?:has|have|is|are) no \w+$`)
	reOfAll   = lazy.New(`(?i)^(?:every|each|all) `)
	reForThat = lazy.New(`(?i)^(we (?:already )?have .{3,40}?) for (?:that|this|it)\b`)
	reIts     = lazy.New(`(?i)^its ((?:always )?(?:better|best|safer|bad|not)\b)`)
	rePrefers = lazy.New(`(?i)^i (?:\w+ly |always )?prefer `)
	reThinks  = lazy.New(`(?i)^(?:i (?:really )?(?:think|believe|feel|guess)(?: like| that)?,? |imo,? |in my opinion,? |to be clear,? |fyi,? )+`)
	// reFits matches pronouns that need nothing outside of their sentence.
	reFits  = lazy.New(`(?i)^it(?:'s| is|s) (?:\w+ ){1,3}to\b|\b(?:make|be) sure (?:that|it's)\b|\bthere (?:is|are)\b|\bthis (?:repo|repository|project|codebase|monorepo|team|company)\b|\b(?:so|the|now|note|means?|check|test|verify|ensure|mind|remember|know|in case) that\b|, that (?:makes?|is|helps?)\b|\bthat (?:needs?|uses?|touch(?:es)?|requires?|talks? to|depends? on|is|are|was|were|has|have|can|does|do)\b|\bhere$|\bfirst(?: before\b|$)`)
	reLoose = lazy.New(`(?i)\b(?:all (?:at|in|to|on)|the (?:rest|remainder|others?|plan|second|first one|latter|former|task|above|below)|something else|the same$|option \w|step \d|phase \d|(?:it|this|that|them|these|those|there|(?:this|that|which|first|last|other|right|new|old) ones?)$|#\d+)\b`)
	// reUnruly matches what tells a request for now, a story, or a doubt from a rule.
	reUnruly  = lazy.New(`(?i)^(?:never|always) (?:the|an?|to|in|on|from|with|by|show|display|render|hide|highlight|mind|happy|glad|ready|been|good|nice|gets?|fun)\b|\b(?:for now|right now|at the moment|this time|today|tomorrow|yet|again|already|anymore|any more|still|just now|so far|first|later|next|maybe|perhaps|probably|not sure|wonder|seems?|looks? like|tried|failed|fails|failing|broken|(?:so|then|fix|please|can you|could you) it|why|doesn't|does not|isn't|should be (?:fixed|done|fine|good|ok|okay|working|ready)|supposed to (?:cover|fix|be (?:done|fixed)|happen|work)|was|were|did|had|would|went|happened|what|how)\b`)
	reSpeaker = lazy.New(`(?i)^(?:i|he|she|they|it|this|that|so|my)\b|\b(?:i'm|i am|i was|i have|i've|i'll|i will|let me|for me|i need|i just)\b`)
)
