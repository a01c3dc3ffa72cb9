// Package speech hears in what a person typed to a coding agent what is meant for later sessions:
// whole sentences with an explicit marker, such as "always" or "from now on". The markers of nine
// languages stand in markers.txt. Everything is pure; a sentence that may mean this moment, or
// something that it does not name, teaches nothing.
package speech

import (
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/shell"
	"mem/words"
)

// A Scene is what is known about the moment in which a person spoke. The zero
// value is a moment in which nothing had happened.
type Scene struct {
	First   bool   // a task's first message: it describes the task
	Refused bool   // a call was refused, or the agent stopped, with these words or just before them
	Command string // that was refused, or ran last: what "do that again" is about; "" if nothing did
}

// Heard is a sentence that is a lesson.
type Heard struct {
	Sentence string // as it was said
	Text     string // without its opener, with code set as such
}

// maxSentence is the most bytes of a sentence that is heard.
const maxSentence = 320

// Hear returns the lessons in what a person said, in their order.
func Hear(text string, sc Scene) (out []Heard) {
	own, _ := SplitPasted(text)
	if own == "" || isSpec(text) {
		return nil
	}
	all := SplitSentences(strings.NewReplacer("’", "'", "‘", "'", "“", `"`, "”", `"`, "dont ", "don't ", "Dont ", "Don't ").Replace(own))
	once := slices.ContainsFunc(all, isSilent)
	for i, s := range all {
		if h, ok := hearSentence(s, sc, once); ok {
			out = append(out, h)
		} else if _, what, found := strings.Cut(s, ": "); has(s, "note") && (found || i > 0 && !isSilent(all[i-1])) {
			if !found {
				s, what = all[i-1], all[i-1] // what was said before
			}
			if h, ok := finish(s, dropPolite(what), what); ok {
				out = append(out, h)
			}
		}
	}
	return out
}

// isSilent reports whether a sentence is of this task alone, says how things are, or does not name what it means.
func isSilent(text string) bool { return find(lower(text), "moment", "vague").end > 0 }

// TakesBack reports whether a person takes back what they said before.
func TakesBack(text string) bool { return has(dropPolite(text), "undo") }

// Decides reports whether a person's words settle what an agent proposed, or had asked.
func Decides(text string, asked bool) bool {
	if strings.HasSuffix(strings.TrimSpace(text), "?") {
		return false
	}
	return find(lower(text), "do", "avoid", "denied").opens || asked && !has(dropPolite(text), "request")
}

// rules are the kinds of markers that count by themselves.
var rules = []string{"do", "avoid", "choice"}

// hearSentence hears one sentence; once says that the message is about this moment.
func hearSentence(s string, sc Scene, once bool) (Heard, bool) {
	text := dropPolite(dropEnd(s))
	m := find(lower(text), "opener", "fact")
	if rest := dropPolite(text[m.end:]); m.end > 0 && find(lower(rest), rules...).opens {
		text, m = rest, match{} // "remember: we never …"
	}
	if m.end == 0 {
		m = find(lower(text), sc.listKinds(text, once)...)
	}
	if m.kind == "do" || m.kind == "avoid" {
		text = nameDeed(text, sc.Command)
	}
	if m.end == 0 || len(s) > maxSentence || isSilent(text) || !sc.isAboutWork(text, m) {
		return Heard{}, false
	}
	rest := text[m.end:]
	switch m.kind {
	case "opener", "fact":
		text = dropPolite(rest)
		if rest = text; m.kind == "opener" && has(firstWord(text), "one") {
			return Heard{}, false
		}
	case "tool":
		if !shell.IsTool(firstWord(rest)) && len(shell.SubcommandsInProse(firstWord(rest))) == 0 {
			return Heard{}, false
		}
		text = nameOther(text, sc.Command)
	}
	if !m.opens || m.kind == "choice" || m.kind == "denied" {
		rest = text // what is before the marker counts, and "we use" does
	}
	return finish(s, text, rest)
}

// listKinds returns the kinds of markers that count in a sentence at a moment.
func (sc Scene) listKinds(text string, once bool) []string {
	switch {
	case sc.First || once || has(text, "passing"):
	case sc.Refused:
		return slices.Concat(rules, []string{"denied", "swap", "tool"})
	case words.ContainsWord(lower(text), firstWord(sc.Command)):
		return slices.Concat(rules, []string{"swap"})
	}
	return rules
}

// isAboutWork reports whether a sentence with a marker is about how one works, not about what the work makes, or the one
// thing at hand.
func (sc Scene) isAboutWork(text string, m match) bool {
	code, about := HasCode(MarkCode(text)), text
	if front := text[:m.end]; !m.opens && (m.kind == "do" || m.kind == "avoid") {
		if strings.ContainsAny(front, ",;:") || m.end < len(text) && has(front, "one") || strings.Contains(front, " that ") || sc.First && !reBare.Matches(text) {
			return false
		}
		about = front // "commit messages should always …"
	}
	work := code || has(about, "work") && !has(text, "product")
	switch m.kind {
	case "opener", "tool":
		return !sc.First || work
	case "choice":
		return work || !has(text, "product") && !has(text, "one")
	case "denied":
		return code || work && !has(text, "one") && !reBare.Matches(text)
	case "swap":
		return work || words.ContainsWord(lower(text), firstWord(sc.Command))
	}
	return work
}

// finish makes a lesson of a sentence, if it is whole, no question, and its rest behind the marker says something.
func finish(sentence, text, rest string) (Heard, bool) {
	text = dropEnd(text)
	asked, odd := strings.TrimRight(sentence, ` )"*`), strings.Count(text, `"`)%2+strings.Count(text, "`")%2 > 0
	if odd || strings.Count(text, "(") != strings.Count(text, ")") || strings.HasSuffix(asked, "?") || strings.HasSuffix(asked, "？") || isSilent(text) || Dangles(text) {
		return Heard{}, false
	}
	text = MarkCode(text)
	if strings.IndexFunc(text, isDense) < 0 {
		n := len(words.SpeechWords(rest))
		if n == 0 || !HasCode(rest) && (len(strings.Fields(text)) < 3 || n < 2 && len(strings.Fields(text)) < 4) {
			return Heard{}, false
		}
	}
	return Heard{Sentence: sentence, Text: UpperFirst(text)}, IsSound(text) && shell.IsLasting(text)
}

// dropPolite takes from the start of a sentence what only says how it is meant.
func dropPolite(s string) string {
	s = strings.ToValidUTF8(s, "?")
	for range 8 {
		s = strings.TrimLeft(s, " ,.!:;-–—，。：！、")
		p, m := find(lower(s), "polite"), openerOf(s)
		follows := openerOf(strings.TrimLeft(s[p.end:], " ,")).opens
		if p.end == 0 || !follows && (!p.opens || m.opens && !m.loose && m.end >= p.end) {
			break
		}
		s = s[p.end:]
	}
	return s
}

// openerOf returns the marker that an order begins with.
func openerOf(s string) match {
	return find(lower(s), "do", "avoid", "choice", "opener", "fact", "denied")
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

// nameDeed puts the command that ran, or was refused, for "do that" in a sentence such as "never do that again".
func nameDeed(text, command string) string {
	for _, deed := range []string{"do that", "do this"} {
		if before, after, found := strings.Cut(text, deed); found && command != "" && len(strings.Fields(before)) < 4 {
			return before + "run " + shell.Code(command) + after
		}
	}
	return text
}

// nameOther adds the command that was refused to what is to be used instead, in the words of the language.
func nameOther(text, command string) string {
	text = strings.TrimSuffix(text, " instead")
	if len(strings.Fields(text)) == 2 { // "use pnpm"
		command = firstWord(command)
	}
	for _, m := range listMarkers()["swap"] {
		if command != "" && !has(text, "swap") && m.opens && m.parts[0].end(lower(text), 0, true) > 0 {
			return text + " " + m.parts[1].before + " " + shell.Code(command)
		}
	}
	return text
}

// Dangles reports whether a pronoun in a sentence has nothing in it that it can stand for: two words with a meaning, before
// a comma if it stands by itself, or one that names many.
func Dangles(text string) bool {
	seen, before, many := 0, 0, false // words with a meaning, and those before this clause
	list := strings.Fields(strings.ToLower(text))
	for i, w := range list {
		core := firstWord(w)
		switch {
		case plural[core] && many:
		case pronouns[core] && before < 2, core == "that" && seen < 2:
			return true
		case pointers[core] && !has(strings.Join(list[i:], " "), "place") && !strings.Contains(text, ": "):
			return true
		case len(words.SpeechWords(core)) > 0:
			seen, many = seen+1, many || strings.HasSuffix(core, "s")
		}
		if strings.ContainsAny(w[len(w)-1:], ",;:") {
			before = seen
		}
	}
	return false
}

var (
	reBare   = lazy.New(`[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Cyrillic}]`) // scripts of languages without articles
	plural   = words.SetOf("them those they")
	pronouns = words.SetOf("it it's its they they're them their he she")
	pointers = words.SetOf("this these those")
)
