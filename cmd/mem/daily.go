package main

import (
	"errors"
	"io/fs"
	"time"

	"github.com/spf13/cobra"

	"mem/guard"
	"mem/render"
	"mem/repo"
)

type dailyOptions struct {
	Day  string
	JSON bool
}

func newDaily(env Env, g *globals) *cobra.Command {
	var opts dailyOptions
	c := &cobra.Command{
		Use:   "daily [YYYY-MM-DD]",
		Short: "Print the journal of a day",
		Long: `Print the journal of a day, in UTC; of the latest day that has one unless a day is named.
What it says of lessons that are no longer shown, or not yet, has their status behind it.`,
		Args: atMost(1),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 {
				opts.Day = args[0]
			}
			return runDaily(env, g, opts)
		},
	}
	c.Flags().BoolVar(&opts.JSON, "json", false, "print JSON")
	return c
}

// dailyResult is the JSON of mem daily.
type dailyResult struct {
	Day     string         `json:"day"`
	Entries []render.Entry `json:"entries"`
}

func runDaily(env Env, g *globals, opts dailyOptions) error {
	return withMemory(env, g, func(_ *work, m *repo.Memory) error {
		res := dailyResult{Day: opts.Day}
		if res.Day == "" {
			days, err := m.ListDays("")
			if err != nil {
				return err
			}
			if len(days) == 0 {
				return printDaily(env, opts, res, "")
			}
			res.Day = days[len(days)-1]
		}
		date, err := time.Parse(time.DateOnly, res.Day)
		if err != nil {
			return usagef("%q is not a day such as 2026-02-03", res.Day)
		}
		data, err := m.ReadFile(render.DailyPath(date))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		text := m.Index.Withheld().Mark(string(data))
		res.Entries = render.ParseDaily([]byte(text), date)
		return printDaily(env, opts, res, text)
	})
}

func printDaily(env Env, opts dailyOptions, res dailyResult, text string) error {
	switch {
	case opts.JSON:
		return printJSON(env, res)
	case res.Day == "":
		env.Note("no journal yet")
	case len(text) == 0:
		env.Note("no journal for %s", res.Day)
	default:
		env.Printf("%s", guard.Scrub(text))
	}
	return nil
}
