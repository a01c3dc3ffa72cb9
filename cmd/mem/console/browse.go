package console

import (
	"errors"
	"os/exec"
	"runtime"
	"time"
)

// errNoBrowser means that nothing here opens a page.
var errNoBrowser = errors.New("no browser was found")

// startTime is how long a program that opens a page may take to say that it cannot.
const startTime = time.Second

// Browse opens a file or an address in the person's browser, and does not wait until that is closed.
func (e Env) Browse(target string) error {
	args := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		args[0] = "open"
	case "windows":
		args = []string{"rundll32", "url.dll,FileProtocolHandler"}
	default:
		if e.Getenv("DISPLAY")+e.Getenv("WAYLAND_DISPLAY")+e.Getenv("BROWSER") == "" { // it would look for one that is made of text, and take the terminal
			return errNoBrowser
		}
	}
	path, err := exec.LookPath(args[0])
	if err != nil {
		return errNoBrowser
	}
	cmd := exec.Command(path, append(args[1:], target)...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = e.Dir, e.Environ, detachedAttr()
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-time.After(startTime): // it runs
		return nil
	}
}
