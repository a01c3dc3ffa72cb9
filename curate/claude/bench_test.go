package claude_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"mem/curate/claude"
	"mem/repo"
)

// Ten times the files take about ten times as long, not a hundred times.
func BenchmarkApply(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				dir := b.TempDir()
				folder := filepath.Join(dir, "silo")
				if err := os.MkdirAll(folder, 0o700); err != nil {
					b.Fatal(err)
				}
				index := ""
				for i := range n {
					name := fmt.Sprintf("note_%d.md", i)
					index += fmt.Sprintf("- [Note %d](%s)\n", i, name)
					if err := os.WriteFile(filepath.Join(folder, name), []byte(entry(fmt.Sprint("Note ", i), "project", "Text.")), 0o600); err != nil {
						b.Fatal(err)
					}
				}
				if err := os.WriteFile(filepath.Join(folder, "MEMORY.md"), []byte(index), 0o600); err != nil {
					b.Fatal(err)
				}
				root, err := repo.Create(b.Context(), filepath.Join(dir, "root"), repo.Options{})
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				res, err := claude.Apply(b.Context(), root, t0, claude.Options{Places: claude.Places{Dir: folder}, Moment: t0})
				if err != nil {
					b.Fatal(err)
				}
				if removed, _ := res.CountItems(claude.Removed); removed != n {
					b.Fatalf("%d of %d were taken over", removed, n)
				}
				b.StopTimer()
				if err := root.Close(); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
			}
		})
	}
}
