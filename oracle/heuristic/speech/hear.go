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
	once := slices.ContainsFunc(all, IsForNow)
	for i, s := range all {
		if h, ok := hearSentence(s, sc, once); ok {
			out = append(out, h)
		} else if _, what, found := strings.Cut(s, ": "); has(s, "note") && (found || i > 0 && !IsForNow(all[i-1])) {
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

// IsForNow reports whether a person says that what they ask for holds this once.
func IsForNow(text string) bool { return has(text, "moment") }

// TakesBack reports whether a person takes back what they said before.
func TakesBack(text string) bool { return has(dropPolite(text), "undo") }

// Decides reports whether a person's words settle what an agent proposed, or had asked.
func Decides(text string, asked bool) bool {
	return !strings.HasSuffix(strings.TrimSpace(text), "?") && (has(text, "decides") || asked && !has(dropPolite(text), "request"))
}

// hearSentence hears one sentence; once says that the message is about this moment.
func hearSentence(s string, sc Scene, once bool) (Heard, bool) {
	text := dropPolite(dropEnd(s))
	if n := find(lower(text), "lead"); n.end > 0 && find(lower(dropPolite(text[n.end:])), "opener", "fact", "do", "avoid", "choice", "later").opens {
		text = dropPolite(text[n.end:])
	}
	if len(s) > maxSentence || has(text, "told") || has(text, "moment") {
		return Heard{}, false
	}
	m := find(lower(text), "opener", "fact")
	if m.end == 0 {
		m = find(lower(text), sc.listKinds(text, once)...)
	}
	if slices.Contains([]string{"do", "avoid", "later"}, m.kind) {
		text = nameDeed(text, sc.Command)
	}
	if m.end == 0 || !m.opens && (sc.First && !reBare.Matches(text) || isFront(text[:m.end])) || !sc.isAboutWork(text, m) {
		return Heard{}, false
	}
	rest := text[m.end:]
	switch m.kind {
	case "opener", "fact":
		text = dropPolite(rest)
		if rest = text; has(text, "told") || m.kind == "opener" && has(text, "thing") {
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
	kinds := []string{"do", "avoid", "choice", "later"}
	switch passing := once || has(text, "passing"); {
	case sc.First:
		return kinds[:3]
	case passing:
	case sc.Refused:
		return append(kinds, "denied", "swap", "tool")
	case words.ContainsWord(lower(text), firstWord(sc.Command)):
		return append(kinds, "swap")
	}
	return kinds
}

// isAboutWork reports whether a sentence with a marker is about how one works, or says so itself, not about what the work
// makes, or the one thing at hand.
func (sc Scene) isAboutWork(text string, m match) bool {
	if n := find(lower(dropPolite(text[m.end:])), "do", "avoid", "choice"); m.kind == "fact" && n.opens {
		m.kind = n.kind // "remember: we never …"
	}
	code, work := HasCode(MarkCode(text)), has(text, "work")
	if front := lower(text[:m.end]); !m.opens && (m.kind == "do" || m.kind == "avoid") && !strings.Contains(front, "we ") {
		work = has(front, "subject")
	}
	work = code || work && !has(text, "product")
	switch m.kind {
	case "opener", "later", "tool":
		return !sc.First || work
	case "choice":
		return work || !has(text, "product") && (has(text, "place") || !has(text, "one") && !sc.First)
	case "denied":
		return code || has(text, "general") || work && !has(text, "one") && !reBare.Matches(text)
	case "swap":
		return work || words.ContainsWord(lower(text), firstWord(sc.Command))
	}
	return work
}

// isFront reports whether what stands before a marker is more than what the sentence is about.
func isFront(front string) bool {
	return strings.ContainsAny(front, ",;:") && !strings.Contains(front, "we ") || strings.Contains(front, " that ")
}

// finish makes a lesson of a sentence, if it is whole, no question, and its rest behind the marker says something.
func finish(sentence, text, rest string) (Heard, bool) {
	text = dropEnd(text)
	asked, odd := strings.TrimRight(sentence, ` )"*`), strings.Count(text, `"`)%2+strings.Count(text, "`")%2 > 0
	if odd || strings.Count(text, "(") != strings.Count(text, ")") || strings.HasSuffix(asked, "?") || strings.HasSuffix(asked, "？") || has(text, "vague") || Dangles(text) {
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
		if no, after, _ := strings.Cut(s, " "); lower(no) == "no" && afterNo[lower(firstWord(after))] {
			s = after
		}
		end := find(lower(s), "polite").end
		if m := find(lower(s), "do", "avoid", "choice", "opener", "fact", "later", "denied"); end == 0 || m.opens && !m.loose && m.end >= end {
			break
		}
		s = s[end:]
	}
	return s
}

// dropEnd takes the same from the end, and its marks.
func dropEnd(s string) string {
	for _, end := range []string{"", "please", "pls", "plz", "thanks", "thx", "ok", "bitte", "danke", "por favor", "gracias", "merci", "stp", "svp", "пожалуйста"} {
		s = strings.TrimRight(strings.TrimSuffix(s, " "+end), " ,;:-–—!.…，、。！")
	}
	return s
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

// Dangles reports whether a pronoun in a sentence has nothing in it that it can stand for.
func Dangles(text string) bool {
	text = strings.ToLower(text)
	list := strings.Fields(text)
	seen, before, many := 0, 0, false // words with a meaning, and those before this clause; whether one names many
	for i, w := range list {
		core := strings.Trim(w, ",.;:!()\"'`")
		next := ""
		if i+1 < len(list) {
			next = strings.Trim(list[i+1], ",.;:!()\"'`")
		}
		switch {
		case many && plural[core]: // it stands for these
		case clauses[core]:
			before = seen
		case pronouns[core] && before < 2 && !(before > 0 && strings.HasSuffix(list[i-1], ",")):
			return true
		case pointers[core] && !places[next] && !strings.Contains(text, ": "), core == "that" && before < 2 && !(i > 0 && (links[list[i-1]] || relates[next] || next != "" && (strings.HasSuffix(list[i-1], "s") || i > 1 && articles[list[i-2]]))):
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
	afterNo  = words.SetOf("we you i please don't do never always stop just that it the this")
	articles = words.SetOf("the a an any every")
	plural   = words.SetOf("them those")
	pronouns = words.SetOf("it it's its they they're them their he she")
	pointers = words.SetOf("this these those")
	places   = words.SetOf("repo repository project codebase monorepo workspace team company machine")
	clauses  = words.SetOf("and or before after when whenever if because unless so until since as")
	links    = words.SetOf("so sure remember mind note means ensure check know")
	relates  = words.SetOf("is are was were has have can could does do should must need needs use uses we you i the")
)
