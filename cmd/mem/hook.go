package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/spf13/cobra"

	"mem/agent"
	"mem/agent/install"
	"mem/cmd/mem/console"
	"mem/config"
	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/recall"
	"mem/reflect"
	"mem/reflect/queue"
	"mem/repo"
	"mem/trace"
	"mem/workspace"
	"mem/workspace/inspect"
)

func newHook(env Env, g *globals) *cobra.Command {
	c := newCommand("hook", func(_ *cobra.Command, args []string) error {
		names := agent.Hooked()
		if len(args) < 1 || len(args) > 2 {
			return fault.Usagef("mem hook takes an agent (%s) and perhaps an event, and got %d arguments", strings.Join(names, ", "), len(args))
		}
		if !slices.Contains(names, args[0]) && env.Interactive() {
			return fault.Usagef("no agent is called %q; %s", args[0], suggest(args[0], "there are "+strings.Join(names, ", "), append(names, "install", "uninstall")))
		}
		return nil
	}, func(c *cobra.Command, args []string) error {
		runHook(c.Context(), env, g, args)
		return nil
	})
	c.Annotations = map[string]string{forHook: "yes"}
	c.AddCommand(newHookSettings(env, g, "hook install", installOptions{}), newHookSettings(env, g, "hook uninstall", installOptions{Remove: true}))
	return c
}

// runHook runs a hook, reports its outcome in one line, and keeps the line for mem status; some agents would
// show it to the person. The agent waits for all of it: work that is not done in time is abandoned, and prints
// nothing. What a hook writes must tolerate being cut off anywhere.
func runHook(ctx context.Context, env Env, g *globals, args []string) {
	if env.Getenv("MEM_CHILD") != "" {
		return // this session is mem's own question to a model
	}
	env.OutlivePipe()
	limit := env.HookLimit
	if limit == 0 || agent.IsInput(firstOf(args[1:])) { // as from Codex's notify: no one waits for it
		limit = time.Hour
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("there was no answer within %s", limit))
	defer cancel()
	var said, shown bytes.Buffer
	quiet, notes := env.CollectNotes()
	quiet.Out = &said
	h := hooked{work: &work{env: quiet}, person: &shown, heard: make(chan agent.Payload, 1)}
	line, err := console.ReadUnlessDone(ctx, func() (string, error) {
		return guard.Line(notes.AddTo(h.handle(ctx, g, args))), nil // ids and paths are those of another program
	})
	if err != nil {
		line = giveUp(ctx, env, g, args[0], h.heard)
	} else {
		_, _ = env.Out.Write(said.Bytes())
		_, _ = env.Err.Write(shown.Bytes())
	}
	if line != "" && !agent.Find(args[0]).Shows {
		env.Note("%s", line)
	}
	if err != nil || line == "" || h.root == nil {
		return
	}
	_, _ = console.ReadUnlessDone(ctx, func() (any, error) {
		h.KeepHookOutcome(args[0], line)
		return nil, h.LeaveRoots() // what was kept is on disk
	})
}

// giveUp reports the abandoned work. A session is still queued, where no agent waits for that.
func giveUp(ctx context.Context, env Env, g *globals, name string, heard <-chan agent.Payload) (line string) {
	line = "skipped: " + workspace.DescribeError(context.Cause(ctx))
	if len(heard) == 0 {
		return line + "; standard input did not end"
	}
	p := <-heard
	if p.Moment != agent.Rest || env.Detach == nil {
		return line
	}
	again, err := json.Marshal(map[string]string{"hook_event_name": p.Event, "session_id": p.Session, "transcript_path": p.Path, "cwd": p.CWD})
	if err != nil || env.Detach(env.Dir, "hook", name, string(again), "--root", g.Root) != nil {
		return line
	}
	return line + "; it goes on in the background"
}

// hooked is a hook at work; root is nil when there is no memory that it may read.
type hooked struct {
	*work
	person io.Writer          // where an agent's plugin takes what it shows
	heard  chan agent.Payload // takes what the agent says
	news   []*index.Item      // what was learned since a person was told so
}

// handle does what the moment asks for and says in a line what came of it; ""
// if there is nothing to say.
func (h *hooked) handle(ctx context.Context, g *globals, args []string) (line string) {
	defer func() {
		if p := recover(); p != nil {
			line = guard.Line(fmt.Sprintf("skipped: a defect in mem: %v", p))
		}
	}()
	p, err := h.payload(ctx, args)
	env := h.env
	if install.IsSecond(install.Place{Project: cmp.Or(env.Getenv("CLAUDE_PROJECT_DIR"), env.Dir), Dir: env.Dir, Home: env.Home(), Getenv: env.Getenv}) {
		return ""
	}
	if err != nil {
		return "skipped: " + workspace.DescribeError(err)
	}
	switch p.Moment {
	case agent.Idle:
		return ""
	case agent.Before, agent.After:
		h.showHint(g, p)
		return ""
	}
	if why := h.openMemory(g, p); why != "" {
		return "skipped: " + why
	}
	line = h.act(p)
	if p.Moment == agent.Prompt {
		return line // there will be a better moment for the worker
	}
	if err := h.StartWorker(); err != nil && line != "" {
		line += "; no worker could be started: " + workspace.DescribeError(err)
	}
	return line
}

// openMemory opens the memory for a hook, or says why not: the project's, else the person's own, which learns
// only if its lessons are worded for all projects.
func (h *hooked) openMemory(g *globals, p agent.Payload) (why string) {
	env := h.env
	if p.Path == "" && p.Moment == agent.Rest {
		p.Path, _ = trace.FindByID(trace.DefaultPlaces(env.Home(), env.Getenv), p.Agent, p.Session)
	}
	if info, err := os.Stat(p.CWD); err == nil && info.IsDir() {
		env.Dir = p.CWD
	}
	session := agent.Payload{Agent: p.Agent, Session: p.Session}.ReaderKey()
	env.Dir = makeWorld(env).SessionFolder(trace.FolderOf(p.Path), env.Getenv("CLAUDE_PROJECT_DIR"), env.Dir, session)
	why, isFound := h.tryMemory(g, env, p)
	if at := env.Person().GlobalRoot(); !isFound && at.Exists {
		own := *g
		own.Root = at.Root
		learns := func() bool {
			w, err := own.newWork(env, workspace.Options{})
			return err == nil && w.Config.Mode == config.ModeGlobal
		}
		if p.Moment != agent.Rest || learns() {
			why, isFound = h.tryMemory(&own, env, p)
		}
	}
	if !isFound {
		return "there is no memory here; 'mem init' makes one"
	}
	return why
}

// tryMemory opens the memory of env's folder. isFound reports whether there is one; why is the reason not to
// use it.
func (h *hooked) tryMemory(g *globals, env Env, p agent.Payload) (why string, isFound bool) {
	w, err := g.newWork(env, workspace.Options{})
	if err != nil {
		if why = workspace.DescribeError(err); p.Moment == agent.Begin { // else it looks as if nothing were known
			h.say(p, "", noticeMark+guard.Line(why)+"; until then sessions read nothing")
		}
		return why, true
	}
	h.work = w
	if !h.Config.Enabled {
		return string(reflect.Disabled), true
	}
	h.root, err = h.OpenRoot()
	switch {
	case err == nil:
		return "", true
	case errors.Is(err, workspace.ErrUntrusted):
		return h.openQueue(p, err), true
	case errors.Is(err, repo.ErrNoRoot):
		return "", false
	}
	return workspace.DescribeError(err), true
}

// openQueue opens the queue for sessions while the person has not vouched for the memory, or says why sessions
// are shown nothing.
func (h *hooked) openQueue(p agent.Payload, untrusted error) (why string) {
	if p.Moment != agent.Rest {
		return workspace.AskTrust(untrusted)
	}
	if _, err := h.Queue(context.Background()); err != nil {
		return workspace.DescribeError(err)
	}
	h.env.Note("%s", workspace.AskTrust(untrusted))
	return ""
}

// act does what the moment asks for, unless the hooks are switched off.
func (h *hooked) act(p agent.Payload) string {
	switch off := h.HooksOff().CoversSession(p.Session); {
	case off && p.Moment == agent.Rest:
		return "skipped: " + workspace.SwitchedOff
	case off:
		return ""
	case p.Moment != agent.Rest:
		if p.Moment == agent.Begin {
			h.RememberFolders()
		}
		return h.tell(p)
	}
	line, err := h.queueSession(p)
	if err != nil {
		return "skipped: " + workspace.DescribeError(err)
	}
	return line
}

func (h *hooked) payload(ctx context.Context, args []string) (agent.Payload, error) {
	if !slices.Contains(agent.Hooked(), args[0]) {
		return agent.Payload{}, fmt.Errorf("no agent is called %q; there are %s", args[0], strings.Join(agent.Hooked(), ", "))
	}
	event, data := firstOf(args[1:]), []byte(nil)
	if !agent.IsInput(event) {
		if in, ok := h.env.PipedInput(ctx); ok {
			data = agent.ReadInput(in)
		}
	}
	p, err := agent.ParsePayload(args[0], event, data)
	if ctx.Err() == nil {
		h.heard <- p
	}
	return p, err
}

func (h *hooked) queueSession(p agent.Payload) (line string, err error) {
	path := p.Path
	if path == "" {
		places := trace.DefaultPlaces(h.env.Home(), h.env.Getenv)
		if path, err = trace.FindByID(places, p.Agent, p.Session); err != nil {
			return "", err
		}
	}
	doc, err := h.TakeHeadless(openSession(path))
	switch {
	case p.Row().Late && errors.Is(err, fs.ErrNotExist): // it is written with the first answer
		return "", errors.New(string(reflect.EmptySession) + ", it has no file yet")
	case err != nil:
		return "", err
	case doc.Session == nil:
		return "", errors.New(path + " is not a session")
	}
	setup := h.oracleSetup()
	opts := reflect.Options{Now: h.Now, Label: "task", Over: p.Ends() || setup.AsksNoModel(), SessionModel: setup.SessionModel()}
	waiting, err := h.Queue(context.Background())
	if err != nil {
		return "", err
	}
	reason, err := queue.Defer(waiting, h.root, doc.Session, opts)
	if err == nil && reason != "" {
		err = errors.New(string(reason))
	}
	return "queued: session " + guard.Scrub(doc.Session.ID), err
}

// How much a session reads at most, in tokens of four bytes: less than agents cut off, and
// less still of what is for a part of its work.
const (
	sessionTokens = agent.MaxAnswer/4 - 50
	partTokens    = 600
)

// chooseLessons returns what the session should read, once: at its start, or with the first prompt if no hook
// ran at the start. If one did, the first prompt gets new lessons that fit it. Later prompts only cost a look
// at the note. why is the error, in a line.
func (h *hooked) chooseLessons(p agent.Payload) (text, why string) {
	now := recall.ShownRecord{Key: recall.CutKey(p.ReaderKey()), At: h.Now, Prompt: p.Moment == agent.Prompt && p.NamesTask()}
	if now.Key == "" && p.Moment == agent.Prompt {
		return "", "" // it may not be the first one
	}
	was := recall.FindRecord(h.root, now.Key)
	isGone := p.Source == "compact" || p.Source == "clear" // what it was shown before; a session that is resumed is sent it again
	due := recall.FindDue(was, p.Moment == agent.Prompt, isGone, p.Source == "resume")
	if due == recall.ShowNothing || due == recall.ShowRest && !now.Prompt {
		return "", ""
	}
	q := h.sessionWant(p, due)
	switch due {
	case recall.ShowNew:
		q.Since, now.Prompt = was.At, was.Prompt
	case recall.ShowRest:
		now.At = was.At // what comes from then on is new to the session
	}
	if due != recall.ShowAll {
		q.Known, now.Items = was.Items, was.Items
	}
	c, err := h.BundleContext(q)
	if err != nil {
		return "", "skipped: " + workspace.DescribeError(err)
	}
	if p.IsRead(c.Text) {
		text = c.Text
		now.Items = slices.Concat(now.Items, c.Items, c.Named)
	} else if due == recall.ShowAll {
		text = h.teachToLearn(p)
	}
	isKept := text != "" || due != recall.ShowAll || p.Moment == agent.Prompt || c.Text == "" && c.LeftOut > 0 // what was looked for in vain is not looked for again
	if !recall.ClaimRecord(h.root, was, now, !isKept) {
		return "", ""
	}
	if text == "" {
		return h.namePast(p), ""
	}
	if kind := map[bool]recall.ReceiptKind{true: recall.AtPrompt, false: recall.AtStart}[p.Moment == agent.Prompt]; p.Session != "" && c.Text != "" {
		h.keepTold(p, c, kind)
	}
	return text, ""
}

// keepTold keeps the receipt of what a session was shown, and when.
func (h *hooked) keepTold(p agent.Payload, c recall.Context, kind recall.ReceiptKind) {
	r := recall.NewReceipt(c, kind, p.Agent, p.Session, h.Now)
	r.Over, r.Subagent = p.Moment == agent.After, p.Subagent != ""
	h.KeepReceipt(r)
}

// sessionWant is what the session of a hook should read.
func (h *hooked) sessionWant(p agent.Payload, due recall.Due) recall.Options {
	q := recall.Options{Budget: min(sessionTokens, h.Config.BudgetAtStart()), For: p.Prompt, Small: p.Subagent != "", Only: due == recall.ShowRest}
	if q.Small || due != recall.ShowAll {
		q.Budget = min(partTokens, q.Budget)
	}
	q.Remind = func(m *repo.Memory) string {
		if due != recall.ShowRest {
			h.noteNews(p, m)
		}
		if q.Small || due != recall.ShowAll {
			return ""
		}
		return inspect.Remind(h.Workspace, m, h.claudeOptions(usualIngest))
	}
	q.Rules = min(h.Config.BudgetTokens, sessionTokens-q.Budget)
	if p.Row().TellsBefore() {
		q.Later = h.FindLater()
	}
	return q
}
