package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// converse runs "converse CODE DIALOGUE PROGRAM ARGS..." in a terminal of its
// own and fails unless the code is CODE. What the terminal showed is then in
// the file screen. Each line of the file DIALOGUE is one step:
//
//	? TEXT    wait until TEXT is shown after what was waited for before
//	> TEXT    type it, and return
//	. TEXT    type it alone
//	$ ARGS    run the program once more, elsewhere
//	^ C       type Ctrl-C, or another letter
//	@ 10x40   make the terminal 10 lines of 40 columns
func converse(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: converse code dialogue program [args...]")
	}
	program := ""
	for _, dir := range filepath.SplitList(ts.Getenv("PATH")) {
		if p := filepath.Join(dir, args[2]); program == "" && isProgram(p) {
			program = p
		}
	}
	cmd := exec.Command(program, args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	for _, name := range []string{"PATH", "HOME", "NOW", "TZ", "EDITOR", "VISUAL", "GIT_CONFIG_NOSYSTEM", "MEM_HOOK_WORKER", "WORK", "TMPDIR", "NO_COLOR"} {
		cmd.Env = append(cmd.Env, name+"="+ts.Getenv(name))
	}
	cmd.Env = append(cmd.Env, "TERM=xterm")
	dialogue, size := ts.ReadFile(args[1]), new(pty.Winsize)
	if first, _, _ := strings.Cut(dialogue, "\n"); strings.HasPrefix(first, "@ ") { // from the start
		_, err := fmt.Sscanf(first, "@ %dx%d", &size.Rows, &size.Cols)
		ts.Check(err)
	}
	tty, err := pty.StartWithSize(cmd, size)
	ts.Check(err)
	s := &screen{}
	shown := make(chan struct{})
	go func() {
		defer close(shown)
		_, _ = s.ReadFrom(tty) // ends with an error when no process has the terminal any more
	}()
	for line := range strings.Lines(dialogue) {
		if line = strings.TrimSuffix(line, "\n"); len(line) < 2 {
			continue
		}
		if line[0] == '$' {
			beside := exec.Command(program, strings.Fields(line[2:])...)
			beside.Dir, beside.Env = cmd.Dir, cmd.Env
			ts.Check(beside.Run())
			continue
		}
		if err := s.step(tty, line[0], line[2:]); err != nil {
			_ = cmd.Process.Kill()
			ts.Fatalf("%s: %v; the terminal shows:\n%s", line, err, s.text())
		}
	}
	over := time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() })
	err = cmd.Wait()
	over.Stop()
	<-shown
	ts.Check(tty.Close())
	ts.Check(os.WriteFile(ts.MkAbs("screen"), []byte(s.text()), 0o600))
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		ts.Fatalf("%v", err)
	}
	if got := cmd.ProcessState.ExitCode(); strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s; the terminal shows:\n%s", got, args[0], s.text())
	}
}

func isProgram(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode()&0o111 != 0
}

// A screen is what a terminal showed so far.
type screen struct {
	mu   sync.Mutex
	all  bytes.Buffer
	seen int // bytes of all that were waited for
}

// ReadFrom takes in what is shown until the terminal is closed.
func (s *screen) ReadFrom(tty *os.File) (int64, error) {
	buf := make([]byte, 4096)
	for {
		n, err := tty.Read(buf)
		s.mu.Lock()
		s.all.Write(buf[:n])
		s.mu.Unlock()
		if err != nil {
			return int64(s.all.Len()), err
		}
	}
}

func (s *screen) text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.ReplaceAll(s.all.String(), "\r\n", "\n")
}

func (s *screen) step(tty *os.File, what byte, text string) error {
	switch what {
	case '?':
		return s.wait(text)
	case '>':
		_, err := tty.WriteString(text + "\n")
		return err
	case '.':
		_, err := tty.WriteString(text)
		return err
	case '^':
		_, err := tty.Write([]byte{text[0] - '@'})
		return err
	case '@':
		var size pty.Winsize
		if _, err := fmt.Sscanf(text, "%dx%d", &size.Rows, &size.Cols); err != nil {
			return err
		}
		return pty.Setsize(tty, &size)
	}
	return fmt.Errorf("%q is no step", what)
}

// wait waits until the text is shown; the limit is there for a program that
// hangs.
func (s *screen) wait(text string) error {
	for range 30_000 {
		s.mu.Lock()
		at := strings.Index(s.all.String()[s.seen:], text)
		if at >= 0 {
			s.seen += at + len(text)
		}
		s.mu.Unlock()
		if at >= 0 {
			return nil
		}
		time.Sleep(10 * time.Millisecond)
	}
	return errors.New("it is not shown")
}

// rewrite is an editor: rewrite OLD NEW FILE. With some words for NEW it does
// something else besides: with "fail" it fails, as with "idle", which changes
// nothing; "remove" removes the file; during "reject" another process rejects the
// proposal OLD; and "interrupt" stays open, whatever is typed but a return.
func rewrite() {
	old, replacement, path := os.Args[1], os.Args[2], os.Args[3]
	switch replacement {
	case "idle":
		os.Exit(3)
	case "remove":
		if os.Remove(path) != nil {
			os.Exit(1)
		}
		return
	case "reject":
		if exec.Command("mem", "review", "reject", old).Run() != nil {
			os.Exit(1)
		}
		old = "Two"
	}
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.WriteFile(path, bytes.ReplaceAll(data, []byte(old), []byte(replacement)), 0o600)
	}
	if err == nil && replacement == "fail" {
		os.Exit(3)
	}
	if err == nil && replacement == "interrupt" {
		signal.Ignore(os.Interrupt)
		fmt.Println("the editor is open")
		_, err = bufio.NewReader(os.Stdin).ReadString('\n')
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
