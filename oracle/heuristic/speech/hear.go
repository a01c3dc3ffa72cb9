// Package speech finds what a person typed to a coding agent that is meant for later sessions: whole sentences with
// an explicit marker, such as "always" or "from now on". The markers of nine languages are in markers.txt. All is
// pure. A sentence that may mean this moment, or something it does not name, teaches nothing.
package speech

import (
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/words"
)

// A Scene is the moment in which a person spoke. The zero value is a moment in which nothing had happened.
type Scene struct {
	First   bool   // a task's first message: it describes the task
	Refused bool   // a call was refused, or the agent stopped, with these words or just before them
	Command string // that was refused, or ran last: what "do that again" is about; "" if nothing did
}

// heard is a sentence that is a lesson.
type heard struct {
	Sentence string // as it was said
	Text     string // without its opener, with code set as such
}

// maxSentence is the most bytes of a sentence that is heard.
const maxSentence = 320

// Hear returns the lessons in what a person said, in their order.
func Hear(text string, sc Scene) (out []heard) {
	own, _ := SplitPasted(text)
	if own == "" || len(text) > 1500 || reTitled.Matches(text) || len(reItem.Get().FindAllStringIndex(text, 4)) > 3 {
		return nil // a piece of work described at length, or a list
	}
	all := SplitSentences(strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "dont ", "don't ", "Dont ", "Don't ").Replace(own))
	if slices.ContainsFunc(all, func(s string) bool { return has(s, "moment") }) {
		sc.Refused, sc.Command = false, ""
	}
	for i, s := range all {
		h, ok := hearSentence(s, sc)
		if _, clause, found := strings.Cut(s, ", "); !ok && found && find(lower(clause), sc.listKinds(clause)...).opens && !isSilent(s) {
			h, ok = hearSentence(clause, sc) // "drop it, we never …"
		}
		if _, what, found := strings.Cut(s, ": "); !ok && has(s, "note") {
			if at := strings.LastIndex(s, ", "); !found && at > 0 && has(s[at:], "note") {
				s, what = s[:at], s[:at] // "…, remember that"
			} else if !found && i > 0 {
				s, what = all[i-1], all[i-1] // what was said before
			}
			h, ok = finish(s, dropPolite(what))
		}
		if ok {
			out = append(out, h)
		}
	}
	return out
}

// isSilent reports whether a sentence is of this task alone, says how things are, or does not name what it means.
func isSilent(text string) bool { return find(lower(text), "moment", "vague").end > 0 }

// TakesBack reports whether a person takes back what they said before.
func TakesBack(text string) bool { return has(dropPolite(text), "undo") }

// Decides reports whether a person's words settle an agent's proposal, or its question.
func Decides(text string, asked bool) bool {
	settles := find(lower(text), "do", "avoid", "denied").opens || asked && !has(dropPolite(text), "request")
	return settles && !strings.HasSuffix(strings.TrimSpace(text), "?")
}

var (
	rules  = []string{"do", "avoid", "choice"} // the kinds of markers that count by themselves
	orders = append([]string{"opener", "fact", "denied"}, rules...)
)

func hearSentence(s string, sc Scene) (heard, bool) {
	text := dropPolite(dropEnd(s))
	if w := strings.Fields(lower(text)); len(w) > 2 && w[1] == "not" && !isNoTool(w[0]) && !isNoTool(w[2]) {
		text = "use " + text // "pnpm, not npm"
	}
	m := find(lower(text), "opener", "fact")
	if rest := dropPolite(text[m.end:]); m.end == 0 || find(lower(rest), rules...).opens {
		text = rest // "remember: we never …"
		m = find(lower(text), sc.listKinds(text)...)
	}
	before, after, found := strings.Cut(text, "do that") // "never do that again"
	if found && (m.kind == "do" || m.kind == "avoid") && sc.Command != "" && len(strings.Fields(before)) < 4 {
		text = before + "run " + shell.Code(sc.Command) + after
	}
	if m.end == 0 || len(s) > maxSentence || isSilent(text) || !sc.isAboutWork(text, m) {
		return heard{}, false
	}
	switch m.kind {
	case "opener", "fact":
		text = dropPolite(text[m.end:])
	case "tool":
		text = m.nameOther(text, sc.Command)
	}
	return finish(s, text)
}

// listKinds returns the kinds of markers that count in a sentence at a moment.
func (sc Scene) listKinds(text string) []string {
	switch {
	case sc.First || has(text, "passing"):
	case sc.Refused:
		return slices.Concat(rules, []string{"denied", "swap", "tool"})
	case words.ContainsWord(lower(text), firstWord(sc.Command)), len(slices.DeleteFunc(strings.Fields(lower(text)), isNoTool)) > 1:
		return slices.Concat(rules, []string{"swap"})
	}
	return rules
}

func isNoTool(word string) bool { return !shell.IsTool(strings.Trim(word, "`.,;:!\"'")) }

// isAboutWork reports whether a sentence with a marker is about how one works, not about what the work makes, or the one
// thing at hand.
func (sc Scene) isAboutWork(text string, m match) bool {
	code, about := hasCode(MarkCode(text)), text
	if front := text[:m.end]; !m.opens && (m.kind == "do" || m.kind == "avoid") {
		if strings.ContainsAny(front, ",;:") || m.end < len(text) && has(front, "one") || sc.First && !isBare(text) {
			return false
		}
		about = front // "commit messages should always …"
	}
	work := code || has(about, "work") && !has(text, "product")
	switch first := firstWord(text[m.end:]); m.kind {
	case "opener":
		return work && !has(firstWord(dropPolite(text[m.end:])), "one")
	case "tool":
		return sc.Command != "" && (shell.IsTool(first) || len(shell.SubcommandsInProse(first)) > 0)
	case "choice":
		return work || !has(text, "product") && !has(text, "one")
	case "denied":
		return code || work && !has(text, "one") && !isBare(text)
	case "swap":
		return work || words.ContainsWord(lower(text), firstWord(sc.Command))
	}
	return work
}

// finish makes a lesson of a sentence, if it is whole, no question, and says something.
func finish(sentence, text string) (heard, bool) {
	text = MarkCode(dropEnd(text))
	asked, odd := strings.TrimRight(sentence, ` )"*`), strings.Count(text, `"`)%2+strings.Count(text, "`")%2 > 0
	n, all := len(words.SpeechWords(text)), len(strings.Fields(text))
	if odd || strings.Count(text, "(") != strings.Count(text, ")") || strings.HasSuffix(asked, "?") || strings.HasSuffix(asked, "？") ||
		isSilent(text) || Dangles(text) || !isBare(text) && !hasCode(text) && (all < 3 || n < 2 && all < 4) {
		return heard{}, false
	}
	return heard{Sentence: sentence, Text: UpperFirst(text)}, IsSound(text) && shell.IsLasting(text)
}

// dropPolite takes from the start of a sentence what only says how it is meant.
func dropPolite(s string) string {
	s = strings.ToValidUTF8(s, "?")
	for range 8 {
		s = strings.TrimLeft(s, " ,.!:;-–—，。：！、")
		p, m := find(lower(s), "polite"), find(lower(s), orders...)
		if lead, rest, found := strings.Cut(s, ", "); found && p.end == 0 && !m.opens && len(strings.Fields(lead)) < 3 && find(lower(rest), orders...).opens {
			return rest // "one thing, never …"
		}
		follows := find(lower(strings.TrimLeft(s[p.end:], " ,")), orders...).opens
		if p.end == 0 || !follows && (!p.opens || m.opens && m.parts[0].before != "" && m.end >= p.end) {
			break
		}
		s = s[p.end:]
	}
	return s
}

// dropEnd takes the same from the end, and its marks.
func dropEnd(s string) string {
	for {
		s = strings.TrimRight(s, " ,;:-–—!.…，、。！")
		i := strings.LastIndex(s, " ")
		if i < 0 || len(s[i+1:]) != find(lower(s[i+1:]), "polite").end {
			return s
		}
		s = s[:i]
	}
}

// nameOther adds the command that was refused to what is to be used instead, in the words of the language.
func (m match) nameOther(text, command string) string {
	text = strings.TrimSuffix(text, " instead")
	if len(strings.Fields(text)) == 2 { // "use pnpm"
		command = firstWord(command)
	}
	return text + " " + m.instead + " " + shell.Code(command)
}

// Dangles reports whether a pronoun in a sentence has nothing in it that it can stand for: two words with a meaning, before
// a comma if it stands by itself.
func Dangles(text string) bool {
	seen, before := 0, 0 // words with a meaning, and those before this clause
	list := strings.Fields(strings.ToLower(text))
	for i, w := range list {
		core := firstWord(w)
		switch {
		case pronouns[core] && before < 2, core == "that" && seen < 2:
			return true
		case pointers[core] && !has(strings.Join(list[i:], " "), "place") && !strings.Contains(text, ": "):
			return true
		case len(words.SpeechWords(core)) > 0:
			seen++
		}
		if strings.ContainsAny(w[len(w)-1:], ",;:") || joints[core] {
			before = seen
		}
	}
	return false
}

var (
	pronouns = words.SetOf("it it's its they they're them their he she")
	pointers = words.SetOf("this these those")
	joints   = words.SetOf("so because since as after before when whenever if unless until")
)

// SplitSentences splits a text into sentences with their closing marks. A sentence ends with its line
// at the latest, unless the line ends in a colon. Bullets are removed.
func SplitSentences(text string) []string {
	var out []string
	for para := range strings.SplitSeq(text, "\n") {
		line := strings.TrimSpace(para)
		for para = strings.TrimSpace(reBullet.Get().ReplaceAllString(line, "")); para != ""; {
			var s string
			s, para = cutSentence(para)
			if n := len(out) - 1; n >= 0 && strings.HasSuffix(out[n], ":") && len(out[n])+len(s) < maxSentence && (!reBullet.Matches(line) || find(lower(out[n]), "opener", "fact").opens) {
				out[n] += " " + s
			} else if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

func cutSentence(s string) (first, rest string) {
	for _, at := range reStop.Get().FindAllStringIndex(s, -1) {
		if end := strings.TrimRight(s[:at[1]], " "); s[at[0]] != '`' && (at[1] == len(s) || !reShort.Matches(s[:at[0]+1])) {
			return end, s[len(end):]
		}
	}
	return s, ""
}

var (
	reBullet = lazy.New(`^(?:[-*•]|\d{1,2}[.)])\s+`)
	reItem   = lazy.New(`(?m)^\s*(?:[-*•]|\d{1,2}[.)])\s+`)
	reTitled = lazy.New(`(?m)\A# |^##? |\A(?i:you are (?:an? |\w+ing )|your (?:task|job|role) is |act as |du bist |tu es |eres |você é )`)
	reStop   = lazy.New("`[^`]*(?:`|$)|[.!?][.!?)\"`]*(?: |$)|[。！？]+")
	// reShort matches what ends in a stop that ends no sentence.
	reShort = lazy.New(`(?i)(?:e\.?g|i\.?e|etc|vs|approx|cf| \.|, )\.$`)
)

// FirstSentence returns the first sentence of a text.
func FirstSentence(text string) string {
	s, _ := cutSentence(strings.TrimSpace(text))
	return s
}
