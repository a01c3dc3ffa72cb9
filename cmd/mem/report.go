package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"mem/agent/install"
	"mem/cmd/mem/console"
	"mem/fault"
	"mem/guard"
	"mem/repo"
	"mem/workspace/inspect"
)

type reportOptions struct {
	inspect.PageOptions
	To, CardTo, Serve string
	Open              bool
}

func newReport(env Env, g *globals) *cobra.Command {
	var opts reportOptions
	c := newCommand("report", atMost(0), func(c *cobra.Command, _ []string) error {
		if opts.Serve != "" {
			return serveReport(c.Context(), env, g, opts)
		}
		return withRoot(env, g, func(w *work) error { return w.runReport(c.Context(), opts) })
	})
	c.Flags().StringVarP(&opts.To, "output", "o", "", "write the page to `FILE` instead of printing it")
	c.Flags().BoolVar(&opts.Open, "open", false, "open it in your browser")
	c.Flags().StringVar(&opts.Serve, "serve", "", "show the page at `ADDRESS`, such as 127.0.0.1:0, until Ctrl-C; it follows the memory")
	c.Flags().StringVar(&opts.CardTo, "card", "", "write a small picture for a README to `FILE`.svg instead")
	exclude(c, "card", "output", "serve")
	exclude(c, "serve", "output")
	return c
}

func (w *work) runReport(ctx context.Context, opts reportOptions) error {
	to := cmp.Or(opts.CardTo, opts.To)
	switch opts.Card = opts.CardTo != ""; {
	case to == "" && opts.Open: // a place of mem's own, which the next page replaces
		to = filepath.Join(w.root.Path(), ".git", "mem", "report.html")
	case to == "" && console.IsTerminal(w.env.Out):
		return fault.Usagef("a page is not for a terminal; see it with mem report --open, or name a file: mem report -o report.html")
	}
	if to != "" {
		to = w.AbsPath(to)
		_, err := install.CheckFile(to)
		if info, errFolder := os.Stat(filepath.Dir(to)); err == nil && (errFolder != nil || !info.IsDir()) {
			err = fmt.Errorf("there is no folder %s", filepath.Dir(to))
		}
		if err != nil {
			return fault.New(fault.Config, "write page: "+err.Error(), "name another file")
		}
	}
	console.CollectAsUsual() // a page needs little of a large memory
	console.CollectOften(filepath.Join(w.root.Path(), "core", "index.json"))
	data, err := inspect.RenderPage(ctx, w.Workspace, opts.PageOptions)
	if err != nil {
		return err
	}
	if to == "" {
		w.env.Printf("%s", data)
		return nil
	}
	if err := w.env.Files.WriteFile(to, data, 0o600); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	w.env.Printf("written %s\n", w.ShowPath(to))
	if opts.Open {
		openInBrowser(w.env, to)
	}
	return nil
}

// A pageServer shows the report to browsers of this machine. It reads the memory anew for each page.
type pageServer struct {
	env  Env
	g    *globals
	opts reportOptions
	host string // requests must name it, so that a foreign page cannot reach this server through its own host name
	lock sync.Mutex
}

// serveReport serves the page until the person stops it.
func serveReport(ctx context.Context, env Env, g *globals, opts reportOptions) error {
	host, port, err := net.SplitHostPort(strings.Replace(opts.Serve, "localhost:", "127.0.0.1:", 1))
	n, errPort := strconv.ParseUint(port, 10, 16)
	if ip := net.ParseIP(host); err != nil || errPort != nil || ip == nil || !ip.IsLoopback() {
		return fault.Usagef("--serve takes an address of this machine alone, such as 127.0.0.1:0, not %q", opts.Serve)
	}
	if err := withRoot(env, g, func(*work) error { return nil }); err != nil {
		return err
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, strconv.FormatUint(n, 10)))
	if err != nil {
		return fault.New(fault.Config, "serve page: "+err.Error(), "with port 0 a free one is taken")
	}
	console.CollectAsUsual()
	s := &pageServer{env: env, g: g, opts: opts, host: l.Addr().String()}
	s.env.Err = io.Discard // each page would say the same again
	server := &http.Server{Handler: s, ReadHeaderTimeout: 10 * time.Second, IdleTimeout: time.Minute}
	defer context.AfterFunc(ctx, func() { _ = server.Close() })()
	env.Printf("http://%s/\n", s.host)
	env.Note("Ctrl-C ends it")
	if opts.Open {
		openInBrowser(env, "http://"+s.host+"/")
	}
	if err := server.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve page: %w", err)
	}
	return nil
}

// openInBrowser opens the page, or says that the person has to.
func openInBrowser(env Env, target string) {
	if err := env.Browse(target); err != nil {
		env.Note("%s; open it yourself: %s", guard.Line(err.Error()), guard.Line(target))
	}
}

// ServeHTTP answers with the page, or with what it is made of, by which the page sees that it is old.
func (s *pageServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	for name, value := range map[string]string{
		"Content-Security-Policy": "frame-ancestors 'none'", "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store",
		"Cross-Origin-Resource-Policy": "same-origin", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff",
	} {
		h.Set(name, value)
	}
	switch {
	case r.Host != s.host:
		http.Error(w, "only http://"+s.host+"/ is answered", http.StatusForbidden)
	case r.Method != http.MethodGet:
		h.Set("Allow", http.MethodGet)
		http.Error(w, "only GET is answered", http.StatusMethodNotAllowed)
	case r.URL.Path != "/" && r.URL.Path != "/tip":
		http.NotFound(w, r)
	default:
		s.answer(r.Context(), w, r.URL.Path == "/")
	}
}

// answer sends the page, whose own policy browsers obey, or the tip alone.
func (s *pageServer) answer(ctx context.Context, w http.ResponseWriter, isPage bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	var data []byte
	err := withRoot(s.env, s.g, func(work *work) error {
		opts := s.opts.PageOptions
		opts.Tip = "none"
		err := work.root.WalkHistory(func(r repo.Revision) bool { opts.Tip = r.Hash.String(); return false })
		if data = []byte(opts.Tip); err == nil && isPage {
			data, err = inspect.RenderPage(ctx, work.Workspace, opts)
		}
		return err
	})
	if err != nil {
		http.Error(w, guard.Line(err.Error()), http.StatusInternalServerError)
		return
	}
	if isPage {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	}
	_, _ = w.Write(data)
}
