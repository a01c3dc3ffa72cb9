package main

import (
	"context"
	"slices"
	"strings"
	"time"

	"mem/index"
	"mem/mcp"
	"mem/repo"
)

// foundItem is a lesson as an agent sees it.
type foundItem struct {
	ID       string    `json:"id"`
	Kind     string    `json:"kind"`
	Text     string    `json:"text"`
	Hits     int       `json:"hits"`
	LastSeen time.Time `json:"last_seen"`
}

// find returns the lessons that hold a word of the query, those with most of
// the words first, then as they are ranked; without words, all. Only what
// sessions are shown is found.
func (w *workspace) find(ctx context.Context, query string, limit int) (page mcp.Page, err error) {
	words := strings.Fields(strings.ToLower(query))
	page.File = w.indexFile()
	err = w.withRoot(func(root *repo.Root) error {
		m, err := root.View(w.now)
		if err != nil {
			return err
		}
		ranked := m.Index.Rank(w.now)
		held := make(map[int]int, len(ranked))
		for _, pos := range ranked {
			if err := ctx.Err(); err != nil {
				return err
			}
			text := strings.ToLower(m.Index.Items[pos].Text)
			for _, word := range words {
				if strings.Contains(text, word) {
					held[pos]++
				}
			}
		}
		if len(words) > 0 {
			ranked = slices.DeleteFunc(ranked, func(pos int) bool { return held[pos] == 0 })
			slices.SortStableFunc(ranked, func(a, b int) int { return held[b] - held[a] })
		}
		page.LeftOut = max(0, len(ranked)-limit)
		for _, pos := range ranked[:len(ranked)-page.LeftOut] {
			it := &m.Index.Items[pos]
			page.Items = append(page.Items, foundItem{it.ID, string(it.Kind), index.Fold(it.Text), it.Hits, it.LastSeen})
		}
		return nil
	})
	return page, err
}
