package main

import (
	"runtime/debug"

	"github.com/spf13/cobra"

	"mem/cmd/mem/console"
	"mem/index"
)

func newVersion(env Env, g *globals) *cobra.Command {
	return g.addJSONFlag(&cobra.Command{
		Use:   "version",
		Short: "Show the build, and which memories it reads and writes",
		Long: `Show which build this is, with which Go it was made, and the format of
core/index.json that it reads and writes. A memory in a newer format is only read.
docs/versions.md says which build opens what.`,
		Args: atMost(0),
		RunE: func(*cobra.Command, []string) error {
			res := versionResult{Version: console.Version(), Writes: index.Version}
			if info, ok := debug.ReadBuildInfo(); ok {
				res.Go = info.GoVersion
			}
			for v := range index.Version {
				res.Reads = append(res.Reads, v+1)
			}
			if g.JSON {
				return printJSON(env, res)
			}
			env.Printf("mem      %s\ngo       %s\nmemory   writes format %d, reads 1 to %[3]d\n", res.Version, res.Go, res.Writes)
			return nil
		},
	})
}

// versionResult is the JSON of mem version.
type versionResult struct {
	Version string `json:"version"`      // of the module, or the commit
	Go      string `json:"go"`           // that the build was made with
	Writes  int    `json:"writesFormat"` // of core/index.json
	Reads   []int  `json:"readsFormats"` // oldest first
}
