// Package reflect turns a session into lessons and counts them in a memory.
//
// The data flows in one direction:
//
//	session.Session → Reading: fresh events, cleaned and redacted (record.go)
//	  → prompt → an oracle's answer → lessons, each with the origin of the words
//	  behind it (bind.go) → Pending
//	  → one commit through repo.Root.Settle, or the root's queue (queue)
//
// Oracles are asked before the root is locked and only ever propose text.
// What counts as new is decided twice, when the session is read and again
// under the lock, so that a retry, a second process or a second machine adds
// nothing.
// The package also knows how far each session was read, what one session shows that no session is told yet, and the
// sessions of the past; and it writes the monthly rollup.
package reflect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/oracle"
	"mem/repo"
	"mem/session"
	"mem/trace"
	"mem/words"
)

// A Reason says why nothing was learned. The zero value means that something
// was.
type Reason string

// The reasons. They are part of the JSON output.
const (
	Disabled     Reason = "disabled"      // switched off in the configuration
	NothingNew   Reason = "nothing new"   // this session, or this reflection, is known already
	Undone       Reason = "undone"        // this reflection is known, and was taken back
	Waits        Reason = "queued before" // what there is of this session waits in the queue already
	NothingToSay Reason = "no lessons"    // the oracle found nothing worth keeping
	EmptySession Reason = "empty session" // neither a person nor the agent said anything in it
	NoOracle     Reason = "no oracle"     // none of the configured ones could answer
	BadAnswer    Reason = "bad answer"    // the answer was unusable, after one repair too
	Spent        Reason = "budget spent"  // models may not be asked again today
)

// MayPass reports whether the reason is that there was no answer: the same session may bring
// lessons another time.
func (r Reason) MayPass() bool { return r == NoOracle || r == BadAnswer || r == Spent }

// Describe says why nothing was learned, to a person.
func (r Reason) Describe() string { return reasons[r] }

var reasons = map[Reason]string{
	NothingNew:   "nothing new: this was reflected on before",
	Undone:       "nothing new: this was reflected on before, and undone; 'mem redo' takes that back",
	Waits:        "nothing new: this waits in the queue already",
	NothingToSay: "nothing to learn: no lesson in it",
	EmptySession: "nothing to learn: it has no messages",
	NoOracle:     "nothing learned: no configured oracle could answer",
	BadAnswer:    "nothing learned: the oracle's answer could not be used",
	Spent:        "nothing learned: the day's budget for models is spent",
}

// A Reflector reflects on sessions.
type Reflector struct {
	Oracles    []oracle.Oracle // asked in order; the first usable answer counts
	Global     bool            // lessons for all projects instead of this one
	MaxLessons int             // per side; 0 means 8
	Warn       func(string)    // gets what a person should know; may be nil

	// LookAround returns the surroundings to show a model along with a session in which these words
	// were said. If it is nil, the model is shown none.
	LookAround func(said string) (known []Known, guides []string)

	// FindNeedless returns the lessons that a session was shown before a command which then worked without their
	// remedy; nil finds none.
	FindNeedless func(g *Reading) []string
}

// Options are about one reflection.
type Options struct {
	Now   time.Time
	Label string // "task" or "manual"; "" is "task"

	// Over says that the session ended, or is about to forget what was said: it is not waited for.
	Over bool

	SessionModel string // of pi, to be asked if no model is configured; "" for none
}

func (o Options) label() string { return cmp.Or(o.Label, "task") }

// ReflectOn asks for the lessons of what is new in a session. A nil Pending
// comes with the reason why there is nothing to count.
func (r Reflector) ReflectOn(ctx context.Context, m *repo.Memory, s *session.Session, opts Options) (*Pending, Reason, error) {
	g, reason, err := readFor(m, s, opts)
	if g == nil {
		return nil, reason, err
	}
	return r.AskAbout(ctx, g)
}

// PreviewRequest returns the question of ReflectOn, without asking.
func (r Reflector) PreviewRequest(m *repo.Memory, s *session.Session) (oracle.Request, Reason, error) {
	g, reason, err := readFor(m, s, Options{})
	if g == nil {
		return oracle.Request{}, reason, err
	}
	req, _ := r.newRequest(g)
	return req, "", nil
}

func readFor(m *repo.Memory, s *session.Session, opts Options) (*Reading, Reason, error) {
	known, err := readTraces(m.ReadFile)
	if err != nil {
		return nil, "", err
	}
	g, reason := ReadSession(known, s, opts)
	return g, reason, nil
}

// AskAbout asks for the lessons of a reading.
func (r Reflector) AskAbout(ctx context.Context, g *Reading) (p *Pending, reason Reason, err error) {
	if err = ctx.Err(); err != nil {
		return nil, "", err
	}
	about, byRules, sightings := findByRules(g)
	p = &Pending{Head: g.Head, Model: oracle.Code, Sightings: sightings}
	found := trace.Stated{Fixes: byRules}
	if len(r.Oracles) == 0 || r.Oracles[0].Name() != oracle.Code {
		req, known := r.newRequest(g)
		about = evidence{Events: req.Events, Read: len(g.Before), Known: known, Outside: g.Outside}
		if found, p.Model, reason, err = r.ask(ctx, req); err != nil || reason != "" {
			return nil, reason, err
		}
	}
	if r.FindNeedless != nil {
		p.Unneeded = r.FindNeedless(g)
	}
	p.Mistakes, p.Fixes, p.Left = bind(found, r.maxLessons(), about)
	p.Outcome = cleanOutcome(found)
	p.Left = slices.Concat(p.Left, dropEchoes(&p.Mistakes, g.Told, g.Events), dropEchoes(&p.Fixes, g.Told, g.Events))
	if p.IsEmpty() {
		for _, l := range p.Left {
			r.warnf("left out: %s (%s)", l.Text, l.Reason)
		}
		return nil, NothingToSay, nil
	}
	return p, "", nil
}

// TakeFinished takes lessons that were already extracted, such as by the agent
// itself.
func (r Reflector) TakeFinished(f *trace.Finished, opts Options) (*Pending, Reason) {
	p := &Pending{
		Head:  Head{ID: cleanID(f.ID), At: opts.Now, Label: opts.label(), Session: cleanID(f.Session)},
		Model: cleanID(f.Model), Outcome: cleanOutcome(f.Stated),
	}
	if p.Mistakes, p.Fixes, p.Left = bind(f.Stated, r.maxLessons(), evidence{}); p.IsEmpty() {
		return nil, NothingToSay
	}
	return p, ""
}

func (r Reflector) maxLessons() int { return cmp.Or(max(0, r.MaxLessons), 8) }

// KeepWarnings returns a list that gets what is said to the person from now on.
func (r *Reflector) KeepWarnings() *[]string {
	said, warn := new([]string), r.Warn
	r.Warn = func(s string) {
		if *said = append(*said, s); warn != nil {
			warn(s)
		}
	}
	return said
}

func (r Reflector) warnf(format string, args ...any) {
	if r.Warn != nil {
		r.Warn(fmt.Sprintf(format, args...))
	}
}

// The limits of an oracle's answer. A lesson with all that is asked for is about five
// times as long as one of pi-self-learning.
const (
	answerTokens  = 3000
	answerTimeout = 90 * time.Second
	repairTimeout = 60 * time.Second
)

// answerSchema is the form of an answer, strict enough for every server: all
// members are required and there are no others. A lesson that is a string is
// as good, but some servers know no choice of types.
const answerSchema = `{"type":"object","properties":{"lessons":{"type":"array","items":` + lessonSchema + `},"none":{"type":"array","items":{"type":"string"}}},"required":["lessons","none"],"additionalProperties":false}`

const literalsSchema = `{"type":"object","properties":{"tool":{"type":"string"},"command":{"type":"string"},"error":{"type":"string"},"path":{"type":"string"}},` +
	`"required":["tool","command","error","path"],"additionalProperties":false}`

const lessonSchema = `{"type":"object","properties":{"op":{"type":"string","enum":["add","again","replace","contradict"]},"of":{"type":"string"},` +
	`"kind":{"type":"string","enum":["fix","mistake"]},"text":{"type":"string"},"why":{"type":"string"},` +
	`"events":{"type":"array","items":{"type":"integer"}},"cue":` + literalsSchema + `,"remedy":` + literalsSchema + `,` +
	`"domain":{"type":"string","enum":["technical","process","mistake","coding","communications","scheduling","finance","learning","general"]},` +
	`"tags":{"type":"array","items":{"type":"string"}},"severity":{"type":"string","enum":["normal","high"]}},` +
	`"required":["op","of","kind","text","why","events","cue","remedy","domain","tags","severity"],"additionalProperties":false}`

// newRequest returns the question about a reading, and the lessons that it names. The
// events of the request begin with those that were asked about before.
func (r Reflector) newRequest(g *Reading) (oracle.Request, []Known) {
	events := slices.Concat(g.Before, g.Events)
	q := question{most: 2*r.maxLessons() - 1, global: r.Global, read: len(g.Before)}
	if r.LookAround != nil {
		noted := listNoted(g.Events)
		q.known, q.guides = r.LookAround(strings.Join(append(slices.Clip(noted), listSaid(g.Events)), "\n"))
		putFirst(q.known, noted)
	}
	system, user := q.prompts(events)
	return oracle.Request{
		System: system, Prompt: user, Schema: answerSchema,
		MaxTokens: answerTokens, Timeout: answerTimeout, Events: events,
	}, q.known
}

// putFirst moves the known lessons that the session noted itself to the front.
func putFirst(known []Known, noted []string) {
	place := func(k Known) int {
		if slices.ContainsFunc(noted, func(text string) bool { return strings.Contains(words.FoldSpace(text), index.StripAvoid(k.Text)) }) {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(known, func(a, b Known) int { return place(a) - place(b) })
}

// DescribeFailure says why a session was not learned from, with what was said of it.
func DescribeFailure(reason Reason, said []string) string {
	if len(said) == 0 {
		return string(reason)
	}
	return string(reason) + " (" + strings.Join(said, "; ") + ")"
}

// ask puts the request to the oracles in order and returns the first usable
// answer and the model that gave it.
func (r Reflector) ask(ctx context.Context, req oracle.Request) (a trace.Stated, model string, reason Reason, err error) {
	reason = NoOracle
	for _, o := range r.Oracles {
		a, why := r.askOne(ctx, o, req)
		switch {
		case ctx.Err() != nil:
			return a, "", "", ctx.Err()
		case why == "":
			return a, oracle.By(o), "", nil
		case why != NoOracle:
			reason = why
		}
	}
	return a, "", reason, nil
}

// askOne asks one oracle. An answer that cannot be used is to be repaired, once.
func (r Reflector) askOne(ctx context.Context, o oracle.Oracle, req oracle.Request) (trace.Stated, Reason) {
	raw, err := o.Ask(ctx, req)
	if err != nil {
		return trace.Stated{}, r.explain(o, err)
	}
	a, ok := parseAbout(raw, req)
	// One without lessons in the two lists of before, in which a model is to find a mistake and its fix, is asked for once more.
	isEmptyOld := a.IsEmpty() && !strings.Contains(raw, `"lessons"`)
	if (!ok || isEmptyOld) && !isCutOff(raw) {
		fixed, err := o.Ask(ctx, oracle.Request{
			Prompt: repairPrompt(Scrub(raw)), Schema: answerSchema,
			MaxTokens: answerTokens, Timeout: repairTimeout,
		})
		if err != nil {
			return a, r.explain(o, err)
		}
		// A refusal or a failure holds no lessons either, which is not to say that the session does not.
		if mended, isMended := parseAbout(fixed, req); isMended && !mended.IsEmpty() {
			a, ok = mended, true
		}
	}
	if !ok {
		r.warnf("%s: the answer holds no lessons in the form asked for", o.Name())
		return a, BadAnswer
	}
	return a, ""
}

// explain says why an oracle did not answer, in words that may be a server's. That code
// cannot answer is no news.
func (r Reflector) explain(o oracle.Oracle, err error) Reason {
	if o.Name() != oracle.Code && !errors.Is(err, context.Canceled) {
		r.warnf("%s: %s", o.Name(), Scrub(err.Error()))
	}
	if errors.Is(err, oracle.ErrSpent) {
		return Spent
	}
	return NoOracle
}
