package main

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"mem/curate"
	"mem/curate/proposal"
	"mem/index"
	"mem/repo"
)

// withRules is the first seed of the histories in which people also capture learnings,
// which makes patterns of them, and decide about these.
const withRules = 1000

func (w *history) hasRules() bool { return w.seed >= withRules && w.seed < withSync }

// capture is mem learn: the lesson has a file of its own, of one of two kinds.
func (w *history) capture(c *clone) {
	w.Helper()
	now := w.tick(c)
	id := fmt.Sprintf("r-%012x", w.rnd.Uint64()>>16)
	lessons := slices.Sorted(maps.Keys(textOf()))
	at := w.rnd.IntN(len(lessons))
	add := w.known(c).learn(id, now.UnixMilli(), lessons[at:at+1], w.sightings)
	if len(add) == 0 {
		return
	}
	w.captured[id] = true
	said := curate.Capture{ID: id, At: now, Text: textOf()[lessons[at]], Domain: "coding", Tags: []string{"kind", []string{"one", "one", "one", "other"}[at%4]}}
	w.save(c, now, add, func(m *repo.Memory) (repo.Message, error) {
		_, msg, err := said.LearnIn(m)
		return msg, err
	})
}

// decide agrees to the first pattern that waits, or turns it down.
func (w *history) decide(c *clone) {
	w.Helper()
	now := w.tick(c)
	r, err := repo.Open(c.dir, w.options(c))
	if err != nil {
		w.wrong(c, "open", err.Error())
	}
	m, err := r.View(now)
	if err != nil {
		w.wrong(c, "view", err.Error())
	}
	list, _, err := curate.RuleQueue{}.ListPending(m)
	r.Close()
	if err != nil || len(list) == 0 {
		w.capture(c)
		return
	}
	known := w.known(c)
	id, add, vague := list[0].ID, truth{}, w.vague(known)
	var active []string
	for _, it := range m.Index.Items {
		if it.Status == index.Active && !vague[it.ID] {
			active = append(active, it.ID)
		}
	}
	agree := w.rnd.IntN(4) > 0
	w.n++
	err = w.settle(c, now, add, func(m *repo.Memory) (repo.Message, error) {
		clear(add)
		p, err := curate.RuleQueue{}.Find(m, id)
		if err != nil {
			return repo.Message{}, err
		}
		subject := fmt.Sprintf("op %d", w.n)
		if !agree {
			_, err = p.Reject(proposal.Decision{})
			return repo.Message{Subject: subject}, err
		}
		msg, err := p.Approve(proposal.Decision{})
		for _, t := range msg.Trailers {
			if t.Key == "Mem-Item" && slices.Contains(active, t.Value) {
				maps.Copy(add, known.set(t.Value, "status", string(index.Compiled), now.UnixMilli()))
			} else if t.Key == "Mem-Item" {
				return repo.Message{}, errVague
			}
		}
		msg.Subject = subject
		return msg, err
	})
	if err != nil {
		w.counts["decision refused"]++
		w.note("  %v", err)
		return
	}
	w.counts["decisions"]++
	w.check(c, "decide")
}

var errVague = fmt.Errorf("of a lesson it is not known what was set on it")

// checkRules looks at the files of rules: nothing in them is left to a person where each
// clone has a driver, and all clones have the same.
func (w *history) checkRules() {
	w.Helper()
	for _, c := range w.clones {
		err := w.settle(c, w.tick(c), truth{}, func(m *repo.Memory) (repo.Message, error) {
			return repo.Message{Subject: "chore(memory): patterns"}, curate.RenderPatterns(m)
		})
		if err != nil {
			w.wrong(c, "render patterns", err.Error())
		}
	}
	want := w.readRules(w.clones[0])
	for _, c := range w.clones[1:] {
		if diff := cmp.Diff(want, w.readRules(c)); diff != "" {
			w.counts["rules not byte-identical: "+w.mode()]++
			if w.mode() == "driver" {
				w.wrong(c, "rules", diff)
			}
			break
		}
	}
	for name, text := range want {
		if w.mode() == "driver" && !w.renamed && (strings.Contains(text, "<<<<<<<") || strings.Contains(text, "another pattern")) {
			w.wrong(w.clones[0], "two in "+name, text)
		}
	}
	w.counts["files of rules and learnings"] += len(want)
}

func (w *history) readRules(c *clone) map[string]string {
	files := map[string]string{}
	for _, glob := range []string{"rules/*.md", "patterns/*.md", "learnings/*/*.md", "CHANGELOG.md"} {
		list, _ := filepath.Glob(filepath.Join(c.dir, glob))
		for _, name := range list {
			data, err := os.ReadFile(name)
			if err != nil {
				w.Fatal(err)
			}
			rel, _ := filepath.Rel(c.dir, name)
			files[filepath.ToSlash(rel)] = string(data)
		}
	}
	return files
}
