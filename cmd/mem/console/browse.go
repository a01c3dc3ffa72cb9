package console

import (
	"errors"
	"os/exec"
	"runtime"
	"time"
)

// Browse opens a file or an address in the person's browser, and waits a moment at most.
func (e Env) Browse(target string) error {
	args := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		args[0] = "open"
	case "windows":
		args = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	path, err := exec.LookPath(args[0])
	isDark := args[0] == "xdg-open" && e.Getenv("DISPLAY")+e.Getenv("WAYLAND_DISPLAY")+e.Getenv("BROWSER") == "" // a browser of text would take the terminal
	if err != nil || isDark {
		return errors.New("no browser was found")
	}
	cmd := exec.Command(path, append(args[1:], target)...)
	cmd.Dir, cmd.Env, cmd.SysProcAttr = e.Dir, e.Environ, detachedAttr()
	if err := cmd.Start(); err != nil {
		return err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err = <-done:
	case <-time.After(time.Second): // it is the browser itself
	}
	return err
}
