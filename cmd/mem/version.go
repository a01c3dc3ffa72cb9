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
		RunE: func(*cobra.Command, []string) error { return runVersion(env, g) },
	})
}

// versionResult is the JSON of mem version.
type versionResult struct {
	Version string `json:"version"`      // of the module, or the commit
	Go      string `json:"go"`           // that the build was made with
	Writes  int    `json:"writesFormat"` // of core/index.json
	Reads   []int  `json:"readsFormats"` // oldest first
}

func runVersion(env Env, g *globals) error {
	res := versionResult{Version: console.Version(), Writes: index.Version}
	if info, ok := debug.ReadBuildInfo(); ok {
		res.Go = info.GoVersion
	}
	for v := 1; v <= index.Version; v++ {
		res.Reads = append(res.Reads, v)
	}
	if g.JSON {
		return printJSON(env, res)
	}
	env.Printf("mem      %s\ngo       %s\n", res.Version, res.Go)
	env.Printf("memory   writes format %d, reads 1 to %d\n", res.Writes, index.Version)
	return nil
}
