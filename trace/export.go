package trace

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"mem/lazy"
	"mem/trace/jsonl"
)

const exported = "opencode:"

// How long opencode may take to name its sessions, in all folders, and to print one.
const (
	listTime   = 20 * time.Second
	exportTime = 10 * time.Second
)

var opencodeID = lazy.New(`ses_\w+`)

// IsExported reports whether a path, or an id, is of a session that opencode prints.
func IsExported(path string) bool {
	id := strings.TrimPrefix(path, exported)
	return id != "" && opencodeID.Get().FindString(id) == id
}

// listExports returns the sessions that opencode has of the project of each of roots, or of where
// mem runs; none if it is not there or does not answer.
func listExports(roots []string) (list []Listing) {
	ctx, cancel := context.WithTimeout(context.Background(), listTime)
	defer cancel()
	if roots == nil {
		roots = []string{"."}
	}
	seen := map[string]bool{}
	for _, root := range roots {
		if info, err := os.Stat(root); err != nil || !info.IsDir() || ctx.Err() != nil {
			continue
		}
		text, _ := runOpencode(ctx, root, "session", "list", "--format", "json")
		var all jsonl.Blocks[struct {
			ID, Directory string
			Updated       time.Time
		}]
		jsonl.Unmarshal(text, &all)
		for _, s := range all {
			if !seen[s.ID] && IsExported(s.ID) {
				seen[s.ID] = true
				list = append(list, Listing{Path: exported + s.ID, Agent: "opencode", At: s.Updated, cwd: s.Directory})
			}
		}
	}
	return list
}

func openExport(path string) (*jsonl.Source, error) {
	ctx, cancel := context.WithTimeout(context.Background(), exportTime)
	defer cancel()
	text, err := runOpencode(ctx, "", "export", strings.TrimPrefix(path, exported))
	if err != nil {
		return nil, fmt.Errorf("%s: %w: %w", path, ErrNoSession, err)
	}
	return jsonl.FromStream(strings.NewReader(string(text[max(0, strings.IndexByte(string(text), '{')):])))
}

const maxExport = 64 << 20

// runOpencode returns what opencode prints. That goes to a file, since it ends before a pipe has taken all.
func runOpencode(ctx context.Context, dir string, args ...string) (text []byte, err error) {
	program, err := exec.LookPath("opencode")
	if err != nil {
		return nil, err
	}
	out, err := os.CreateTemp("", "mem-export-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, out.Close(), os.Remove(out.Name())) }()
	c := exec.CommandContext(ctx, program, args...)
	c.Dir, c.Stdout, c.WaitDelay = dir, out, time.Second
	c.Env = append(c.Environ(), "MEM_CHILD=1")
	if err := c.Run(); err != nil {
		return nil, err
	}
	return io.ReadAll(io.NewSectionReader(out, 0, maxExport))
}
