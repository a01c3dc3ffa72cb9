package main

import (
	"context"
	"net/textproto"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"mem/guard"
	"mem/index/withheld"
	"mem/repo"
)

func newLog(env Env, g *globals) *cobra.Command {
	limit := 20
	c := &cobra.Command{
		Use:   "log",
		Short: "Show what was learned when",
		Long: `Show the memory's latest commits with the lessons that each brought. It is the
history that "git log" shows in the memory; every command of git works there.`,
		Args: func(c *cobra.Command, args []string) error {
			if limit < 0 {
				return usagef("--limit is a number of commits, 0 for all")
			}
			return atMost(0)(c, args)
		},
		RunE: g.inRoot(env, func(_ context.Context, w *work, _ []string) error { return runLog(w, limit) }),
	}
	c.Flags().IntVar(&limit, "limit", limit, "show `N` commits, 0 for all")
	return g.addJSONFlag(c)
}

// logEntry is one element of the JSON of mem log.
type logEntry struct {
	Commit     string    `json:"commit"`
	When       time.Time `json:"when"`
	Author     string    `json:"author"`
	Subject    string    `json:"subject"`
	Reflection string    `json:"reflection"`
	Session    string    `json:"session"`
	Model      string    `json:"model"`
	Items      []string  `json:"items"`
	Lines      []string  `json:"lines"`
}

func runLog(w *work, limit int) error {
	hidden, describe := new(withheld.Words), repo.Revision.Subject
	if m, err := w.root.View(w.Now); err == nil { // else the history is all the more worth a look
		hidden, describe = withheld.WordsOf(m.Index), m.Foreign().DescribeCommit
	}
	var entries []logEntry
	if err := w.root.WalkHistory(func(r repo.Revision) bool {
		e := newLogEntry(r, hidden)
		if subject := describe(r); subject != r.Subject() {
			e = logEntry{Commit: e.Commit, When: e.When, Subject: subject}
		}
		entries = append(entries, e)
		return limit == 0 || len(entries) < limit
	}); err != nil {
		return err
	}
	return w.printResult(entries, func() { printLog(w.env, entries) })
}

func printLog(env Env, entries []logEntry) {
	for i, e := range entries {
		if i > 0 {
			env.Printf("\n")
		}
		env.Printf("%.12s  %s  %s\n", e.Commit, e.When.Format("2006-01-02 15:04"), guard.Line(e.Subject))
		for _, l := range e.Lines {
			env.Printf("  %s\n", guard.Scrub(l))
		}
	}
}

func newLogEntry(r repo.Revision, hidden *withheld.Words) logEntry {
	trailers := textproto.MIMEHeader(r.Trailers())
	e := logEntry{
		Commit: r.Hash.String(), When: r.When, Author: r.Author.Name, Subject: hidden.Mark(r.Subject()), Reflection: trailers.Get("Mem-Reflection"),
		Session: trailers.Get("Mem-Session"), Model: trailers.Get("Mem-Model"), Items: trailers["Mem-Item"],
	}
	paragraphs := strings.Split(strings.TrimSpace(r.Message), "\n\n")
	if len(trailers) > 0 {
		paragraphs = paragraphs[:len(paragraphs)-1]
	}
	if len(paragraphs) > 1 {
		e.Lines = strings.Split(hidden.Mark(strings.Join(paragraphs[1:], "\n")), "\n")
	}
	return e
}
