package main

import (
	"errors"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"mem/guard"
	"mem/index/withheld"
	"mem/render"
	"mem/repo"
	"mem/repo/union"
)

func newDaily(env Env, g *globals) *cobra.Command {
	return g.addJSONFlag(&cobra.Command{
		Use:   "daily [YYYY-MM-DD]",
		Short: "Print the journal of a day",
		Long: `Print the journal of a day, in UTC; of the latest day that has one unless a day is named.
What it says of lessons that are no longer shown, or not yet, has their status behind it.`,
		Args: atMost(1),
		RunE: g.inMemory(env, runDaily),
	})
}

// dailyResult is the JSON of mem daily.
type dailyResult struct {
	Day     string         `json:"day"`
	Entries []render.Entry `json:"entries"`
}

func runDaily(w *work, m *repo.Memory, args []string) error {
	day := firstOf(args)
	if day == "" {
		days, err := m.ListDays("")
		if err != nil {
			return err
		}
		day = firstOf(days[max(0, len(days)-1):])
	}
	res, text := dailyResult{Day: day}, ""
	if day != "" {
		date, err := time.Parse(time.DateOnly, day)
		if err != nil {
			return usagef("%q is not a day such as 2026-02-03", day)
		}
		data, err := m.ReadFile(render.DailyPath(date))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		if !union.IsBlank(data) { // its entries were taken back
			text = withheld.WordsOf(m.Index).Mark(string(data))
		}
		res.Entries = render.ParseDaily([]byte(text), date)
	}
	switch {
	case w.JSON:
		return printJSON(w.env, res)
	case day == "":
		w.env.Note("no journal yet")
	case text == "":
		w.env.Note("no journal for %s", day)
	}
	w.env.Printf("%s", guard.Scrub(text))
	return nil
}
