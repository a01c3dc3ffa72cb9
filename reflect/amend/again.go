package amend

import (
	"slices"
	"strings"

	"mem/lazy"
	"mem/oracle/heuristic/speech"
	"mem/oracle/heuristic/spelling"
	"mem/words"
)

// MayRun reports whether a statement says to run a command, such as the remedy of a known
// lesson, and says so under no condition of its own.
func (s Statement) MayRun(command string) bool {
	if command == "" || len(s.refused)+len(s.taken) > 0 || reWhen.Matches(s.text) {
		return false
	}
	return slices.ContainsFunc(spelling.ListCode(s.text), func(code string) bool { return isSameCommand(code, command) })
}

// SharesCommand reports whether two statements name the same command, and speak of the same
// things besides.
func (s Statement) SharesCommand(text string, read func() Statement) bool {
	said := spelling.ListCode(text)
	for _, code := range spelling.ListCode(s.text) {
		if slices.ContainsFunc(said, func(other string) bool { return isSameCommand(code, other) || isSameCommand(other, code) }) {
			old := read()
			return len(s.refused)+len(s.taken)+len(old.refused)+len(old.taken) == 0 && spelling.CountShared(s.said, old.said) >= 3+len(strings.Fields(code))
		}
	}
	return false
}

// isSameCommand reports whether code names a command: whole, or by the name of a script at
// its end, such as "test:env" of "npm run test:env".
func isSameCommand(code, command string) bool {
	return code == command && strings.Contains(code, " ") || strings.ContainsAny(code, ":_-") && strings.HasSuffix(command, " "+code)
}

// minRun is how many words in a row two texts share if one says the other again.
const minRun = 4

// Runs are the words in a row with which a person laid something down, and the event in
// which they first did.
type Runs map[string]string

// Add adds what a person said in an event, without what they pasted.
func (r Runs) Add(message, event string) {
	own, _ := speech.SplitPasted(message)
	for _, sentence := range speech.SplitSentences(own) {
		for _, run := range runsOf(sentence) {
			if r[run] == "" {
				r[run] = event
			}
		}
	}
}

// FindAgain returns the event in which a person said again what a lesson says: some of its
// words in a row, of which one lays something down and another is about something; "" if none.
func (r Runs) FindAgain(lesson string) string {
	for _, run := range runsOf(lesson) {
		if r[run] != "" {
			return r[run]
		}
	}
	return ""
}

// runsOf returns the runs of words of a text that lay something down. How a ban is worded
// does not matter.
func runsOf(text string) (runs []string) {
	text = reBan.Get().ReplaceAllString(strings.ToLower(text), "not ")
	list := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t`\"',.;:!?()", r) })
	tells := make([]bool, len(list))
	for i, word := range list {
		tells[i] = len(words.SpeechWords(word)) > 0 && !words.IsCommon(word) && !reLays.Matches(word)
		list[i] = words.StemWord(word)
	}
	for i := range max(0, len(list)-minRun+1) {
		if run := strings.Join(list[i:i+minRun], " "); reLays.Matches(run) && slices.Contains(tells[i:i+minRun], true) {
			runs = append(runs, run)
		}
	}
	return runs
}

var (
	reWhen = lazy.New(`(?i)\b(?:before|after|when|whenever|if|unless|except|every|only|until|instead)\b`)
	reBan  = lazy.New(`(?:\bnever|\bavoid:|\bdo not|\bdon't|\bdont|\bmust not|\bcannot|\bcan't) `)
	reLays = lazy.New(`\b(?:onli|only|always?|must|not|no)\b`)
)
