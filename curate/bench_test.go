package curate_test

import (
	"fmt"
	"testing"

	"mem/curate"
	"mem/index"
	"mem/repo"
	"mem/topic"
)

// BenchmarkLearned is what looking for patterns adds to a capture, in a memory
// with many lessons and files of learnings, all of them with tags.
func BenchmarkLearned(b *testing.B) {
	for _, size := range []struct{ lessons, files int }{{1_000, 100}, {100_000, 1_000}} {
		for _, name := range []string{"alone", "alike"} {
			b.Run(fmt.Sprintf("%d lessons %d files/%s", size.lessons, size.files, name), func(b *testing.B) {
				m, d := crowded(b, size.lessons, size.files)
				tags := []string{"no", "else"}
				if name == "alike" {
					tags = []string{"tag1", "tag2"}
				}
				changes := m.Learn(index.Reflection{Fixes: []index.Lesson{{Text: "New", Domain: topic.Coding, Tags: tags}}})
				for b.Loop() {
					if err := d.AfterLearning(m, changes, &repo.Message{}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
	b.Run("scan/100000 lessons 1000 files", func(b *testing.B) {
		m, d := crowded(b, 100_000, 1_000)
		for b.Loop() {
			if _, err := d.ScanAll(m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// crowded is a view of a memory with lessons and files in all domains.
func crowded(b *testing.B, lessons, files int) (*repo.Memory, *curate.Detector) {
	b.Helper()
	d := &curate.Detector{}
	r, err := repo.Create(b.Context(), b.TempDir()+"/.mem", repo.Options{})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { r.Close() })
	tags := func(i int) []string {
		return topic.Tags([]string{fmt.Sprintf("tag%d", i%7), fmt.Sprintf("tag%d", i%53), fmt.Sprintf("tag%d", i%31)})
	}
	_, err = r.Settle(b.Context(), t0, func(m *repo.Memory) (repo.Message, error) {
		domains := topic.Domains()
		for i := range files {
			c := curate.Capture{Text: fmt.Sprintf("File %d", i), Domain: domains[i%len(domains)], Tags: tags(i)}
			if _, _, err := c.LearnIn(m); err != nil {
				return repo.Message{}, err
			}
		}
		for i := range lessons - files {
			text := fmt.Sprintf("Lesson %d", i)
			m.Index.Items = append(m.Index.Items, index.Item{
				Key: index.KeyOf(text), Text: text, Kind: index.Learning, Hits: 1, Score: 1, FirstSeen: t0, LastSeen: t0, ID: fmt.Sprintf("m-%08x", i),
				Domain: domains[i%len(domains)], Tags: tags(i), Sources: []index.Source{{Session: "s", At: t0}},
			})
		}
		return repo.Message{Subject: "crowd"}, nil
	})
	if err != nil {
		b.Fatal(err)
	}
	m, err := r.View(t0)
	if err != nil {
		b.Fatal(err)
	}
	return m, d
}
