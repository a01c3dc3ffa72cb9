package main

import (
	"cmp"
	"context"
	"time"

	"mem/index"
	"mem/mcp"
	"mem/recall/notes"
	"mem/recall/search"
)

// foundItem is what an agent sees of something found: less than mem search --json.
type foundItem struct {
	ID       string      `json:"id"`
	Type     search.Type `json:"type"` // lesson, rule, memory, month or day
	Kind     index.Kind  `json:"kind,omitzero"`
	Text     string      `json:"text"`
	Hits     int         `json:"hits,omitzero"`
	LastSeen time.Time   `json:"lastSeen,omitzero"`
}

// findForAgent searches for an agent or, without a query, lists lessons.
func findForAgent(ctx context.Context, env Env, g *globals, query string, limit int) (page mcp.Page, err error) {
	filter := search.Filter{}
	if query == "" {
		filter.Type = search.Lesson
	}
	err = withMemories(env, g, func(w *work, sources []notes.Source) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		found := search.FindText(sources, query, filter, limit)
		page.File, page.LeftOut = w.indexFile(), found.More
		for _, f := range found.Found {
			item := foundItem{ID: cmp.Or(f.ID, f.Path), Type: f.Type, Text: f.Text}
			if f.Item != nil {
				item.Kind, item.Hits, item.LastSeen = f.Item.Kind, f.Item.Hits, f.Item.LastSeen
			}
			page.Items = append(page.Items, item)
		}
		return nil
	})
	return page, err
}
