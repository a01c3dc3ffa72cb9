package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"mem/envtest"
	"mem/recall"
	"mem/stats"
	"mem/trace"
)

// A life is sixty sessions of a project, of which it is known what they were told and
// what came of it.
type life struct {
	t        *testing.T
	dir      string
	at       time.Time
	file     bytes.Buffer // the session that is written, as Claude Code does
	id       string
	calls    int
	receipts bytes.Buffer
	want     stats.Report
}

// line writes a line of the session, a minute later.
func (l *life) line(role string, content any) {
	l.at = l.at.Add(time.Minute)
	l.calls++
	data, err := json.Marshal(map[string]any{
		"type": role, "uuid": fmt.Sprint(l.id, "-", l.calls), "sessionId": l.id, "cwd": l.dir, "timestamp": l.at.Format(time.RFC3339),
		"message": map[string]any{"role": role, "content": content},
	})
	envtest.NoError(l.t, err)
	l.file.Write(append(data, '\n'))
}

// says writes what the person says.
func (l *life) says(text string) { l.line("user", text) }

// runs writes a command, and its error if it failed.
func (l *life) runs(command, failure string) {
	id := fmt.Sprint("t", l.calls)
	l.line("assistant", []any{map[string]any{"type": "tool_use", "id": id, "name": "Bash", "input": map[string]string{"command": command}}})
	text := "done"
	if failure != "" {
		text = "Exit code 1\n" + failure
	}
	l.line("user", []any{map[string]any{"type": "tool_result", "tool_use_id": id, "is_error": failure != "", "content": text}})
}

// tells writes a receipt.
func (l *life) tells(kind recall.ReceiptKind, ids ...string) {
	l.keep(recall.Receipt{Kind: kind, Over: kind == recall.AtAction, Tokens: 40, Items: ids})
}

// keep writes a receipt of a session.
func (l *life) keep(r recall.Receipt) {
	r.At, r.Agent, r.Session = l.at.Add(time.Second), "claude", l.id
	data, err := json.Marshal(r)
	envtest.NoError(l.t, err)
	l.receipts.Write(append(data, '\n'))
}

// count notes what is known of a lesson in a session, or in a part of one: whether it was
// told before, whether the mistake was made, and whether the remedy was used.
func (l *life) count(told, late, repeated, followed bool) {
	hit := func(r *stats.Rate, is bool) {
		r.Of++
		if is {
			r.Hits++
		}
	}
	if !late {
		hit(&l.want.Coverage, told)
	}
	if !told {
		hit(&l.want.NotTold, repeated)
		return
	}
	hit(&l.want.Told, repeated)
	hit(&l.want.Followed, followed)
}

const (
	noModule = "error: Cannot find module 'zod' from 'src/a.ts'"
	noToken  = "error: registry token is missing"
)

// live lives one session with the lesson about `bun test`, or with the one about `npm publish`.
func (l *life) live(id string, command, failure, remedy string, draw *rand.Rand) {
	told, fate := draw.IntN(3), draw.IntN(5)
	mattered := fate > 0
	if told == 1 {
		l.tells(recall.AtStart, id)
		l.want.Precision.Of++
		if mattered {
			l.want.Precision.Hits++
		}
	}
	switch {
	case !mattered:
	case told == 2: // told after the failure; then once more
		l.runs(command, failure)
		l.count(false, false, true, false)
		l.tells(recall.AtAction, id)
		if fate < 3 {
			l.runs(remedy, "")
			l.runs(command, "")
		} else {
			l.runs(command, failure)
		}
		l.count(true, true, fate >= 3, fate < 3)
	case fate == 1: // the remedy at once
		l.runs(remedy, "")
		l.runs(command, "")
		l.count(told == 1, false, false, true)
	case fate == 2: // it went well without
		l.runs(command, "")
		l.count(told == 1, false, false, false)
	case fate == 3: // the mistake, and the remedy without a word
		l.runs(command, failure)
		l.runs(remedy, "")
		l.count(told == 1, false, true, true)
	case fate == 4: // the mistake, and the person has to say it
		l.runs(command, failure)
		l.says("Please run " + remedy + " here")
		l.runs(remedy, "")
		l.count(told == 1, false, true, false)
	}
}

// TestStatsOfALife: what mem stats says of sixty sessions is what is known of them.
func TestStatsOfALife(t *testing.T) {
	dir := t.TempDir()
	l := &life{t: t, dir: dir, at: time.Date(2026, 1, 5, 9, 0, 0, 0, time.UTC)}
	mem := func(in string, args ...string) string {
		var out, errs bytes.Buffer
		env := Env{In: strings.NewReader(in), Out: &out, Err: &errs, World: newWorld(dir, "HOME="+dir+"/home", "MEM_ROOT="+dir+"/m", "MEM_HOOK_WORKER=false")}
		code := run(t.Context(), env, args)
		envtest.StopIf(t, code != 0, "mem %q: %d\n%s", args, code, &errs)
		return out.String()
	}
	mem(`{"mistakes":[],"fixes":[
		{"text":"Run bun install in a fresh checkout","cue":{"command":"bun test","error":"`+noModule+`"},"remedy":{"command":"bun install"}},
		{"text":"Log in before a package is published","cue":{"command":"npm publish","error":"`+noToken+`"},"remedy":{"command":"npm login"}},
		{"text":"Plan before terraform is applied","cue":{"command":"terraform apply"}},
		{"text":"Cargo needs a lock file","cue":{"command":"cargo build"}},
		{"text":"Pull before you push","cue":{"command":"git push"},"remedy":{"command":"git pull"}},
		{"text":"Be kind"}]}`, "reflect", "-", "--now", "2026-01-01T00:00:00Z")
	var lessons []struct{ ID, Text string }
	envtest.NoError(t, json.Unmarshal([]byte(mem("", "list", "--json")), &lessons))
	id := map[string]string{}
	for _, it := range lessons {
		word, _, _ := strings.Cut(it.Text, " ")
		id[word] = it.ID
	}
	draw := rand.New(rand.NewPCG(1, 2))
	folder := filepath.Join(dir, "home/.claude/projects", trace.ClaudeSlug(dir))
	envtest.NoError(t, os.MkdirAll(folder, 0o700))
	for n := range 60 {
		l.id, l.calls = fmt.Sprintf("s-%02d", n), 0
		l.file.Reset()
		l.at = time.Date(2026, 1, 5+n/2, 9+6*(n%2), 0, 0, 0, time.UTC)
		l.says("Please work on the shop")
		l.live(id["Run"], "bun test", noModule, "bun install", draw)
		l.live(id["Log"], "npm publish", noToken, "npm login", draw)
		switch n % 10 {
		case 0:
			l.says("No, don't delete `build`, use `make clean` instead")
		case 5: // it matters, and no session is told
			l.runs("cargo build", "")
			l.count(false, false, false, false)
		case 7: // told in vain
			l.tells(recall.AtPrompt, id["Pull"])
			l.want.Precision.Of, l.want.Precision.Hits = l.want.Precision.Of+1, l.want.Precision.Hits+1
			l.runs("git push", "")
			l.count(true, false, false, false)
		}
		envtest.NoError(t, os.WriteFile(filepath.Join(folder, l.id+".jsonl"), l.file.Bytes(), 0o600))
	}
	envtest.NoError(t, os.MkdirAll(filepath.Join(dir, "m/.git/mem/shown"), 0o700))
	envtest.NoError(t, os.WriteFile(filepath.Join(dir, "m/.git/mem/shown/2026-01.jsonl"), l.receipts.Bytes(), 0o600))
	l.want.Sessions, l.want.Lessons, l.want.Others = 60, 5, 1
	l.want.NeverMattered = []stats.Entry{{ID: id["Plan"], Text: "Plan before terraform is applied"}}
	l.want.NeverTold = []stats.Entry{{ID: id["Cargo"], Text: "Cargo needs a lock file"}}
	l.want.NeverFollowed = []stats.Entry{{ID: id["Pull"], Text: "Pull before you push"}}
	var got stats.Report
	envtest.NoError(t, json.Unmarshal([]byte(mem("", "stats", "--json", "--now", "2026-02-10T00:00:00Z")), &got))
	diff := cmp.Diff(l.want, got, cmpopts.EquateEmpty(), cmpopts.IgnoreFields(stats.Rate{}, "Share", "Low", "High"))
	envtest.FailIf(t, diff != "", "mem stats (-known +said):\n%s", diff)
	text := mem("", "stats", "--now", "2026-02-10T00:00:00Z", "--since", "1w")
	envtest.FailIf(t, !strings.HasPrefix(text, "sessions  2 read since 2026-02-03\n") || strings.Contains(text, "2026-01"),
		"mem stats --since 1w says:\n%s", text)
}
