package main

import (
	"mem/guard"
	"mem/workspace"
)

// printPlanned writes the subject and the diff of a planned change.
func (w *work) printPlanned(c workspace.Changed) error {
	if c.Status == workspace.Nothing {
		w.env.Printf("nothing would change\n")
		return nil
	}
	files, err := c.Diff()
	if err != nil {
		return err
	}
	w.env.Note("would be committed: %s", guard.Scrub(c.Subject))
	for _, f := range files {
		w.env.Printf("%s", guard.Scrub(string(f.Diff)))
	}
	return nil
}
