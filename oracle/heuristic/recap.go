package heuristic

import (
	"strings"
	"unicode/utf8"

	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/oracle/heuristic/speech"
	"mem/words"
)

// restate returns the part of a reply that repeats a person's decision, as one sentence that makes
// sense alone and shares a word with theirs; "" if there is none.
func restate(reply, said string) string {
	at := reTakenUp.Get().FindStringIndex(reply)
	if at == nil {
		return ""
	}
	line, _, _ := strings.Cut(strings.TrimSpace(reply[at[1]:]), "\n")
	text := strings.TrimRight(speech.FirstSentence(line), " .!")
	if !stands(text) || speech.CountShared(words.SpeechWords(text), words.SpeechWords(said)) < 1 {
		return ""
	}
	return speech.UpperFirst(text)
}

// stands reports whether an agent's sentence makes sense alone and states a fact, not the agent's own action.
func stands(text string) bool {
	list := strings.Fields(text)
	return len(list) > 4 && len(list) < 46 && !strings.HasSuffix(list[0], "ed") && !strings.HasSuffix(text, "?") && !reDeed.Matches(text) && !speech.Dangles(text)
}

// readRecap returns the parts of a reply that sums up decisions, each of at most so many characters and with the name of
// its subject; nil if it is not such a reply. If the reply names no subject, the subject of the talk is used.
func readRecap(reply, subject string, most int) (parts []string) {
	m := reRecap.Get().FindStringSubmatch(reply)
	if m == nil {
		return nil
	}
	name := ""
	if called, _, found := strings.Cut(strings.TrimSpace(m[1]), "("); found {
		name = shell.Code(called) + ": "
	} else if called != "" {
		name = strings.Replace(addSubject(called, subject), ": ", ", ", 1) + ": "
	}
	word := func(part string) string {
		if name == "" {
			return speech.UpperFirst(addSubject(part, subject))
		}
		return speech.UpperFirst(name + speech.LowerFirst(part))
	}
	fits := func(part string) bool { return utf8.RuneCountInString(speech.MarkCode(word(part))) <= most }
	for _, s := range speech.SplitSentences(m[2]) {
		part := "" // clauses that fit into a lesson together
		for _, c := range append(reClause.Get().FindAllString(s, -1), "") {
			c = strings.TrimRight(strings.TrimSpace(c), " .!;")
			if at := strings.LastIndex(c, " - "); at > 0 && !fits(c) {
				c = c[:at] // only a remark follows
			}
			if part != "" && (c == "" || !fits(part+"; "+c)) {
				if len(strings.Fields(part)) > 4 {
					parts = append(parts, word(part))
				}
				part = ""
			}
			if c == "" || strings.HasSuffix(c, "?") || strings.HasPrefix(c, "this ") || reDeed.Matches(c) || !fits(c) || part == "" && reLeans.Matches(c) {
				continue
			}
			part = strings.TrimPrefix(part+"; "+c, "; ")
		}
	}
	return parts
}

// addSubject puts before a text that names nothing in code what the talk is about.
func addSubject(text, subject string) string {
	if subject == "" || strings.HasPrefix(text, "`") || speech.FindName(text) != "" || strings.Contains(text, strings.Trim(subject, "`")) {
		return text
	}
	return subject + ": " + speech.LowerFirst(text)
}

// covers reports whether a reply that sums up says half of what was said before, or more.
func covers(reply, said string) bool {
	said, _, _ = strings.Cut(said, " - ")
	a := words.SpeechWords(said)
	return 2*speech.CountShared(a, words.SpeechWords(reply)) >= len(a)
}

var (
	// reRecap matches a reply that sums up, with the name of what it is about and the rest.
	reRecap = lazy.New(`(?is)^(?:\*\*)?(?:(?:final |quick |full )?(?:recap|summary)(?: of)?|final(?: (?:shape|rule|policy|version|spec))?(?: of| for)?|settled|agreed|locked in|to (?:sum up|recap)|so the (?:rule|policy) is|(?:understood|got it)[ ,—–-]+(?:amending|updating) the policy)\b ?([^:\n]{0,60}?)(?: then)?:(?:\*\*)?\s+(.+)`)
	// reTakenUp matches how a reply begins that says back what was decided.
	reTakenUp = lazy.New(`(?i)^(?:(?:you(?:'re| are) (?:absolutely |completely |quite )?(?:right|correct)|good (?:point|catch|call)|fair (?:point|enough)|(?:that )?makes sense|got it|understood|noted|settled|final|okay|ok)(?:[.,:;!]+| ?[-–—]+)\s*)+(?:so:?,? |that |and )?|^(?:excellent|perfect|great|thanks|thank you)\b[^.!]*[.!] so,? `)
	// reDeed matches what says what the agent does or did, not what holds.
	reDeed = lazy.New(`(?i)^(?:i|i'll|i'm|i've|let me|let's|will|now|doing|done|here|on it|updating|fixing|adding|removing|looking|checking)\b|\b(?:i'll|i will|let me|i'm|i can|i would|i'd|i see|i've|i was|my)\b`)
	// reLeans matches what makes no sense without the clause before.
	reLeans  = lazy.New(`(?i)^(?:otherwise|then|the (?:remainder|rest|others?|latter|former))\b`)
	reClause = lazy.New(`(?:\w'\w|'[^']*'|"[^"]*"|[^;]|;\S)+`)
)
