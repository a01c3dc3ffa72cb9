package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"mem/envtest"
)

// BenchmarkHook times mem hook at the end of a long session, of which nothing
// was read before: alone, and beside a worker, which rests as it is configured to
// and then learns from the sessions before.
func BenchmarkHook(b *testing.B) {
	for _, worker := range []bool{false, true} {
		b.Run(fmt.Sprintf("worker=%v", worker), func(b *testing.B) { timeHook(b, worker) })
	}
}

func timeHook(b *testing.B, worker bool) {
	bin := buildMem(b)
	root := benchRoot(b, bin, shape{records: 10_000})
	session := filepath.Join(b.TempDir(), "session.jsonl")
	environ := append(os.Environ(), "MEM_ROOT="+root, fmt.Sprintf("MEM_HOOK_WORKER=%v", worker),
		"MEM_ORACLE_ORDER=heuristic", "MEM_HOOK_QUIET=5s")
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		id := fmt.Sprintf("session-%d", i)
		envtest.NoError(b, os.WriteFile(session, longSession(id, 2_000_000), 0o600))
		cmd := exec.Command(bin, "hook", "claude")
		cmd.Env = environ
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":%q,"transcript_path":%q,"hook_event_name":"Stop"}`, id, session))
		var out bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &out
		if !worker {
			syncDisks()
		}
		start := time.Now()
		err := cmd.Run()
		took = append(took, time.Since(start))
		want := "mem: queued: session " + id + "\n"
		envtest.StopIf(b, err != nil || out.String() != want, "mem hook: %v\n%s", err, &out)
	}
	if worker {
		cmd := exec.Command(bin, "worker", "--wait")
		cmd.Env = environ
		out, err := cmd.CombinedOutput()
		envtest.StopIf(b, err != nil, "mem worker: %v\n%s", err, out)
	}
	reportTimes(b, took)
}

func reportTimes(b *testing.B, took []time.Duration) {
	slices.Sort(took)
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(float64(median(took).Microseconds())/1000, "median-ms")
	b.ReportMetric(float64(took[(len(took)*95+99)/100-1].Microseconds())/1000, "p95-ms")
}

// An occasion is what an agent says, and whether it is told something.
type occasion struct {
	name, event, prompt string
	told                bool
}

// BenchmarkHookStart times mem hook when a session starts, which waits for it;
// at its first prompt, where nothing was said at the start; and at a prompt after
// that. One comes right after a change of the memory each time.
func BenchmarkHookStart(b *testing.B) {
	bin := buildMem(b)
	const task = "Please look into why `make gofe` fails with ECONNREFUSED in services/bada/main.ts, and write a test for the parser of the zuki tables before you change how they are read"
	for _, records := range []int{10_000, 100_000} {
		root := benchRoot(b, bin, shape{records: records, sources: true})
		for _, m := range []occasion{
			{"SessionStart", "SessionStart", "", true},
			{"SessionStart/changed", "SessionStart", "", true},
			{"UserPromptSubmit/first", "UserPromptSubmit", task, true},
			{"UserPromptSubmit", "UserPromptSubmit", "Go on", false},
		} {
			b.Run(fmt.Sprintf("%d/%s", records, m.name), func(b *testing.B) { timeHookStart(b, bin, root, m) })
		}
	}
}

// BenchmarkHookAction times mem hook beside what an agent does, against mem --version in
// turn: where nothing is known of a command, of a failure, and where something is.
func BenchmarkHookAction(b *testing.B) {
	bin := buildMem(b)
	for _, records := range []int{100, 1_000, 10_000, 100_000} {
		root, old := benchRoot(b, bin, shape{records: records}), ""
		teachCues(b, bin, root)
		if before != "" {
			old = benchRoot(b, before, shape{records: records})
			teachCues(b, before, old)
		}
		for name, more := range map[string]string{
			"before": `"hook_event_name":"PreToolUse","tool_input":{"command":"ls -la src"}`,
			"worked": `"hook_event_name":"PostToolUse","tool_input":{"command":"ls -la src"},"tool_response":{"stdout":"a.go","stderr":""}`,
			"failed": `"hook_event_name":"PostToolUseFailure","tool_input":{"command":"gcc x.c"},"error":"Exit code 1\\nx.c:3:4: error: foo undeclared"`,
			"known":  `"hook_event_name":"PostToolUseFailure","tool_input":{"command":"prog7 run"},"error":"Exit code 1\\nit broke"`,
		} {
			b.Run(fmt.Sprintf("%d/%s", records, name), func(b *testing.B) {
				var took, starts []time.Duration
				var ratios, grown []float64
				for i := 0; b.Loop(); i++ {
					start := time.Now()
					envtest.NoError(b, exec.Command(bin, "--version").Run())
					least := time.Since(start)
					hook := func(bin, root string) time.Duration {
						cmd := exec.Command(bin, "hook", "claude")
						cmd.Env = append(os.Environ(), "MEM_ROOT="+root)
						cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":"%s-%d-%d","tool_name":"Bash",%s}`, name, b.N, i, more))
						start := time.Now()
						out, err := cmd.Output()
						if err != nil || (len(out) > 0) != (name == "known") {
							b.Fatalf("mem hook: %v\n%s", err, out)
						}
						return time.Since(start)
					}
					took, starts = append(took, hook(bin, root)), append(starts, least)
					ratios = append(ratios, float64(took[i])/float64(least))
					if before != "" {
						grown = append(grown, float64(took[i])/float64(hook(before, old)))
					}
				}
				reportTimes(b, took)
				b.ReportMetric(median(ratios), "mem/version")
				b.ReportMetric(float64(median(starts).Microseconds())/1000, "version-ms")
				if before != "" {
					b.ReportMetric(median(grown), "mem/before")
				}
			})
		}
	}
}

// teachCues adds lessons about commands, as many as the table of cues takes.
func teachCues(b *testing.B, bin, root string) {
	var list []string
	for i := range 4096 {
		list = append(list, fmt.Sprintf(`{"text":"Run make gen before prog%[1]d, which needs file %[1]d","cue":{"command":"prog%[1]d run"}}`, i))
	}
	for part := range slices.Chunk(list, 100) {
		cmd := exec.Command(bin, "reflect", "-")
		cmd.Env = append(os.Environ(), "MEM_ROOT="+root, "MEM_MAX_LESSONS=100", "MEM_HOOK_WORKER=false")
		cmd.Stdin = strings.NewReader(`{"mistakes":[],"fixes":[` + strings.Join(part, ",") + `]}`)
		out, err := cmd.CombinedOutput()
		envtest.StopIf(b, err != nil, "mem reflect: %v\n%s", err, out)
	}
}

func timeHookStart(b *testing.B, bin, root string, m occasion) {
	environ := append(os.Environ(), "MEM_ROOT="+root, "MEM_HOOK_WORKER=false")
	var cpu []time.Duration
	hook := func(session string) (string, time.Duration) {
		cmd := exec.Command(bin, "hook", "claude")
		cmd.Env = environ
		cmd.Stdin = strings.NewReader(fmt.Sprintf(`{"session_id":%q,"hook_event_name":%q,"source":"startup","prompt":%q}`, session, m.event, m.prompt))
		start := time.Now()
		out, err := cmd.Output()
		took := time.Since(start)
		envtest.NoError(b, err)
		cpu = append(cpu, cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime())
		return string(out), took
	}
	before := func(int) {}
	if strings.HasSuffix(m.name, "/changed") {
		before = func(i int) {
			learn := exec.Command(bin, "learn", fmt.Sprintf("Close file %d of %d", i, b.N))
			learn.Env = environ
			out, err := learn.CombinedOutput()
			envtest.StopIf(b, err != nil, "mem learn: %v\n%s", err, out)
		}
	}
	hook("one")
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		session := fmt.Sprintf("%s-%d", m.name, i)
		if !m.told {
			session = "one"
		}
		before(i)
		out, t := hook(session)
		envtest.StopIf(b, (out != "") != m.told, "%s prints %q", m.name, out)
		took = append(took, t)
	}
	reportTimes(b, took)
	slices.Sort(cpu) // what it takes whatever else the machine does
	b.ReportMetric(float64(median(cpu).Microseconds())/1000, "cpu-ms")
}

// longSession is a session of Claude Code of about the given size, in which
// commands fail between others that print a lot. As in real ones, every result
// is there twice, and there is as much around what was said as in it.
func longSession(id string, size int) []byte {
	words := rand.New(rand.NewPCG(3, 4))
	var out bytes.Buffer
	n := 0
	line := func(kind string, message, result any) {
		n++
		text, err := json.Marshal(map[string]any{
			"isSidechain": false, "userType": "external", "gitBranch": "main", "slug": "quiet-kettle", "requestId": "req_011",
			"toolUseResult": result, "type": kind, "uuid": fmt.Sprintf("%s-%d", id, n), "parentUuid": fmt.Sprintf("%s-%d", id, n-1), "sessionId": id,
			"cwd": "/home/ada/kettle", "version": "2.1.100", "timestamp": benchTime.Add(time.Duration(n) * time.Second), "message": message,
		})
		if err != nil {
			panic(err)
		}
		out.Write(append(text, '\n'))
	}
	type block map[string]any
	for i := 0; out.Len() < size; i++ {
		call := fmt.Sprintf("toolu_%d", i)
		line("user", block{"role": "user", "content": "Please look at " + benchText(words, 12)}, nil)
		line("assistant", block{"role": "assistant", "model": "m", "stop_reason": "tool_use", "usage": block{"input_tokens": 9, "cache_read_input_tokens": 4711, "output_tokens": 99}, "content": []block{
			{"type": "text", "text": benchText(words, 30)},
			{"type": "tool_use", "id": call, "name": "Bash", "input": block{"command": "make " + benchWord(words)}},
		}}, nil)
		printed := benchText(words, words.IntN(800))
		line("user", block{"role": "user", "content": []block{{
			"type": "tool_result", "tool_use_id": call, "is_error": i%10 == 3, "content": printed,
		}}}, block{"stdout": printed, "stderr": "", "interrupted": false, "isImage": false})
	}
	return out.Bytes()
}

// benchText is prose, paths and numbers in lines.
func benchText(words *rand.Rand, n int) string {
	var b strings.Builder
	for i := range n {
		switch i % 13 {
		case 5:
			fmt.Fprintf(&b, "%s/%s.go:%d: ", benchWord(words), benchWord(words), words.IntN(900))
		case 12:
			b.WriteByte('\n')
		default:
			b.WriteString(benchWord(words) + " ")
		}
	}
	return b.String()
}
