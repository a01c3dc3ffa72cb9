package main

import (
	"cmp"
	"context"
	"errors"
	"time"

	"mem/mcp"
	"mem/recall"
)

// foundItem is something found as an agent sees it.
type foundItem struct {
	ID       string     `json:"id"`
	Type     string     `json:"type"` // lesson, rule, memory, month or day
	Kind     string     `json:"kind,omitzero"`
	Text     string     `json:"text"`
	Hits     int        `json:"hits,omitzero"`
	LastSeen *time.Time `json:"lastSeen,omitzero"`
}

// find is mem search for an agent, and without a query mem list.
func (w *work) find(ctx context.Context, query string, limit int) (page mcp.Page, err error) {
	sources, err := w.ReadSomeMemories()
	defer func() { err = errors.Join(err, w.LeaveRoots()) }()
	if err != nil {
		return page, err
	}
	if err := ctx.Err(); err != nil {
		return page, err
	}
	var found recall.Listing
	if query == "" {
		found = recall.List(sources, recall.Filter{Type: recall.Lesson}, limit)
	} else {
		found = recall.Search(sources, query, recall.Filter{}, limit)
	}
	page.File, page.LeftOut = w.indexFile(), found.More
	for _, f := range found.Found {
		item := foundItem{ID: cmp.Or(f.ID, f.Path), Type: string(f.Type), Text: f.Text}
		if f.Item != nil {
			item.Kind, item.Hits, item.LastSeen = string(f.Item.Kind), f.Item.Hits, &f.Item.LastSeen
		}
		page.Items = append(page.Items, item)
	}
	return page, nil
}
