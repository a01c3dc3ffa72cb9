// Package speech understands what a person said to a coding agent: which of the
// sentences of a prompt or of a refusal are a correction or a rule, and what
// they ask for, worded so that it makes sense in another session.
//
// Everything is pure and goes by forms of English, the most specific first; a
// sentence of no known form teaches nothing. Whether a lesson is worth keeping,
// and what it was said about, is decided by package heuristic.
package speech

import (
	"strings"

	"mem/oracle/heuristic/shell"
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
}

// Heard is a sentence understood as a lesson.
type Heard struct {
	Sentence string // as it was said
	Text     string // what to avoid, such as "deleting tests", or what to do
	Avoid    bool   // Text says what to avoid
	Standing bool   // meant to last beyond this task
	Choice   string // what to use instead of what was refused or run; "" if that is not what it says
	About    bool   // makes sense only together with what it was said about
	bare     bool   // "no X": what to do instead may follow
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

// Hear returns the lessons in what a person said, in the order in which they
// said them.
func Hear(text string, sc Scene) []Heard {
	var out []Heard
	all := splitSentences(ownWords(text))
	no := false
	for i, s := range all {
		if reBareNo.Matches(s) {
			no = true // it colours the next sentence
			continue
		}
		h, ok := hearSentence(s, no, sc)
		no = false
		if !ok {
			continue
		}
		if h.bare && i+1 < len(all) && isExplanation(all[i+1]) {
			h.Text += "; " + LowerFirst(strings.TrimRight(all[i+1], " .!"))
		}
		out = append(out, h)
	}
	return out
}

// hearSentence understands one sentence, or reports that it teaches nothing; no
// says that a bare no came just before it.
func hearSentence(s string, no bool, sc Scene) (Heard, bool) {
	r := takeApart(s, no, sc)
	if r.text == "" || r.asked && !sc.Refused || len(r.text) > 320 {
		return Heard{}, false
	}
	for _, f := range forms {
		if h, ok := r.readAs(f, sc); ok {
			h.Sentence = s
			return h.finish(r, sc)
		}
	}
	return Heard{}, false
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
	if !isConcrete(h, sc) || rePointing.Matches(r.when) {
		return Heard{}, false
	}
	h.Text = h.underCondition(r.when)
	return h, true
}
