package stats

import (
	"fmt"
	"io"
	"time"

	"mem/guard"
)

// maxListed bounds the lessons of a list that a person is shown; the JSON has all.
const maxListed = 10

// WriteReport writes a report for people.
func WriteReport(w io.Writer, r Report) {
	fmt.Fprintf(w, "sessions  %d read", r.Sessions)
	if !r.Since.IsZero() {
		fmt.Fprintf(w, " since %s", r.Since.Format(time.DateOnly))
	}
	if r.Unread > 0 {
		fmt.Fprintf(w, "; %d could not be, or were too many", r.Unread)
	}
	fmt.Fprintf(w, "\nlessons   %d name a command, an error or a file, by which mem sees when they matter;\n          %d do not, and are not counted below\n", r.Lessons, r.Others)
	fmt.Fprintf(w, `
A lesson counts once a session. In brackets: the share, and between which shares the
true one is in 19 of 20 cases. Of fewer than %d there is none.

when a lesson mattered, the session had been shown it  %s
when a session was shown one ahead, it mattered later  %s
the mistake was made: after the lesson was shown       %s
                      by sessions without it           %s
the remedy was used after the lesson was shown         %s
Shown and not shown may differ by chance or in their tasks.
`, enough, r.Coverage, r.Precision, r.Told, r.NotTold, r.Followed)
	writeWeeks(w, r.Weeks)
	writeList(w, "never mattered in a session that was read", r.NeverMattered)
	writeList(w, "mattered, but was shown to no session", r.NeverTold)
	writeList(w, "shown and mattered, but the remedy was never used", r.NeverFollowed)
}

func writeWeeks(w io.Writer, weeks []Week) {
	if len(weeks) == 0 {
		return
	}
	fmt.Fprintf(w, "\nweek of     corrections per 100 turns  tokens shown  worker minutes\n")
	for _, k := range weeks {
		corrected := fmt.Sprintf("%d of %d", k.Corrections, k.Turns)
		if k.Turns >= enough {
			corrected = fmt.Sprintf("%.1f (%s)", 100*float64(k.Corrections)/float64(k.Turns), corrected)
		}
		fmt.Fprintf(w, "%s  %25s  %12d  %14.1f\n", k.Start, corrected, k.Tokens, k.Minutes)
	}
}

func writeList(w io.Writer, title string, list []Entry) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s: %d\n", title, len(list))
	for i, e := range list {
		if i == maxListed {
			fmt.Fprintf(w, "  and %d more; --json lists all\n", len(list)-i)
			break
		}
		fmt.Fprintf(w, "  %s  %s\n", e.ID, guard.Line(e.Text))
	}
}
