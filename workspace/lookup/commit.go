package lookup

import (
	"fmt"
	"io"
	"net/textproto"
	"strings"
	"time"

	"mem/guard"
	"mem/index/withheld"
	"mem/repo"
)

// A Commit is one of the memory's, as mem log shows it.
type Commit struct {
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

// ListCommits lists the latest commits; all with a limit of 0.
func ListCommits(root *repo.Root, now time.Time, limit int) (list []Commit, err error) {
	hidden, describe := new(withheld.Words), repo.Revision.Subject
	if m, err := root.View(now); err == nil { // else the history is all the more worth a look
		hidden, describe = withheld.WordsOf(m.Index), m.Foreign().DescribeCommit
	}
	err = root.WalkHistory(func(r repo.Revision) bool {
		c := newCommit(r, hidden)
		if subject := describe(r); subject != r.Subject() {
			c = Commit{Commit: c.Commit, When: c.When, Subject: subject}
		}
		list = append(list, c)
		return limit == 0 || len(list) < limit
	})
	return list, err
}

func newCommit(r repo.Revision, hidden *withheld.Words) Commit {
	trailers := textproto.MIMEHeader(r.Trailers())
	c := Commit{
		Commit: r.Hash.String(), When: r.When, Author: r.Author.Name, Subject: hidden.Mark(r.Subject()), Reflection: trailers.Get("Mem-Reflection"),
		Session: trailers.Get("Mem-Session"), Model: trailers.Get("Mem-Model"), Items: trailers["Mem-Item"],
	}
	paragraphs := strings.Split(strings.TrimSpace(r.Message), "\n\n")
	if len(trailers) > 0 {
		paragraphs = paragraphs[:len(paragraphs)-1]
	}
	if len(paragraphs) > 1 {
		c.Lines = strings.Split(hidden.Mark(strings.Join(paragraphs[1:], "\n")), "\n")
	}
	return c
}

// Write shows a commit with what it brought.
func (c Commit) Write(out io.Writer) {
	fmt.Fprintf(out, "%.12s  %s  %s\n", c.Commit, c.When.Format("2006-01-02 15:04"), guard.Line(c.Subject))
	for _, l := range c.Lines {
		fmt.Fprintf(out, "  %s\n", guard.Scrub(l))
	}
}
