// Command release builds what a release consists of: an archive with the program, its
// manual pages and its completions for each system, their checksums, and a list of what
// is linked into them (CycloneDX). It needs no network. The same commit and the same Go
// make the same bytes, wherever and whenever they are made.
package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"debug/buildinfo"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"
)

// A target is a system that there is an archive for.
type target struct{ os, arch string }

var targets = []target{{"linux", "amd64"}, {"linux", "arm64"}, {"darwin", "amd64"}, {"darwin", "arm64"}, {"windows", "amd64"}}

// A release is one that is being made.
type release struct {
	source  string // folder of the code
	out     string // folder that it is put into
	targets []target
	stamped bool // with the version of git; tests do without
}

func main() {
	out := flag.String("out", "dist", "the `FOLDER` to put the release into; files mem-* of an older one go")
	flag.Parse()
	r := release{source: ".", out: *out, targets: targets, stamped: true}
	if err := r.build(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// build makes the release, and nothing if any of it fails.
func (r release) build(ctx context.Context) error {
	tmp, err := os.MkdirTemp("", "mem-release-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	made := map[string][]byte{}
	common, info, err := r.buildCommon(ctx, tmp)
	if err != nil {
		return err
	}
	version, at := info.Main.Version, commitTime(info)
	if strings.Contains(version, "+dirty") {
		return fmt.Errorf("the work tree has changes that no commit has: %s", version)
	}
	var infos []*debug.BuildInfo
	for _, t := range r.targets {
		name := fmt.Sprintf("mem-%s-%s-%s", version, t.os, t.arch)
		program, info, err := r.compile(ctx, t, tmp)
		if err != nil {
			return err
		}
		infos = append(infos, info)
		files := slices.Concat([]file{program}, common)
		for i := range files {
			files[i].name = path.Join(name, files[i].name)
		}
		archive, suffix := tarball, ".tar.gz"
		if t.os == "windows" {
			archive, suffix = zipped, ".zip"
		}
		if made[name+suffix], err = archive(files, at); err != nil {
			return err
		}
	}
	if made["mem-"+version+".cdx.json"], err = listParts(infos, at); err != nil {
		return err
	}
	made["SHA256SUMS"] = sum(made)
	return writeAll(r.out, made)
}

// compile builds the program for a system.
func (r release) compile(ctx context.Context, t target, tmp string) (program file, info *debug.BuildInfo, err error) {
	name := "mem"
	if t.os == "windows" {
		name = "mem.exe"
	}
	to := filepath.Join(tmp, t.os+"-"+t.arch, name)
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", fmt.Sprintf("-buildvcs=%t", r.stamped), "-mod=readonly", "-ldflags=-s -w -buildid=", "-o", to, "./cmd/mem")
	cmd.Dir = r.source
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOPROXY=off", "GOTOOLCHAIN=local", "GOWORK=off", "GOEXPERIMENT=", "CGO_ENABLED=0", "GOOS="+t.os, "GOARCH="+t.arch, "GOAMD64=v1", "GOARM64=v8.0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return program, nil, fmt.Errorf("go build for %s/%s: %w\n%s", t.os, t.arch, err, out)
	}
	if info, err = buildinfo.ReadFile(to); err != nil {
		return program, nil, err
	}
	program = file{name: name, mode: 0o755}
	program.data, err = os.ReadFile(to)
	return program, info, err
}

// buildCommon returns what is in each archive, which a build for this machine writes.
func (r release) buildCommon(ctx context.Context, tmp string) (list []file, info *debug.BuildInfo, err error) {
	here := target{runtime.GOOS, runtime.GOARCH}
	program, info, err := r.compile(ctx, here, tmp)
	if err != nil {
		return nil, nil, err
	}
	binary, pages := filepath.Join(tmp, here.os+"-"+here.arch, program.name), filepath.Join(tmp, "man1")
	if out, err := exec.CommandContext(ctx, binary, "man", pages).CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("mem man: %w\n%s", err, out)
	}
	for shell, name := range map[string]string{"bash": "mem.bash", "zsh": "_mem", "fish": "mem.fish", "powershell": "mem.ps1"} {
		out, err := exec.CommandContext(ctx, binary, "completion", shell).Output()
		if err != nil {
			return nil, nil, fmt.Errorf("mem completion %s: %w", shell, err)
		}
		list = append(list, file{"completions/" + name, 0o644, out})
	}
	for folder, names := range map[string][]string{r.source: {"README.md", "CHANGELOG.md", "LICENSE", "docs"}, filepath.Dir(pages): {"man1"}} {
		for _, name := range names {
			more, err := readTree(folder, name)
			if err != nil {
				return nil, nil, err
			}
			list = append(list, more...)
		}
	}
	return list, info, nil
}

// readTree reads a file, or all files of a folder.
func readTree(folder, name string) (list []file, err error) {
	err = fs.WalkDir(os.DirFS(folder), name, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(folder, p))
		list = append(list, file{strings.Replace(p, "man1/", "man/man1/", 1), 0o644, data})
		return err
	})
	return list, err
}

// commitTime is when the commit was made that a program was built from; without one, the
// first time that a zip file can hold.
func commitTime(info *debug.BuildInfo) time.Time {
	for _, s := range info.Settings {
		if at, err := time.Parse(time.RFC3339, s.Value); s.Key == "vcs.time" && err == nil {
			return at.UTC()
		}
	}
	return time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)
}

// sum lists the checksums of files, as sha256sum -c reads them.
func sum(made map[string][]byte) []byte {
	var b bytes.Buffer
	for _, name := range sortedNames(made) {
		fmt.Fprintf(&b, "%x  %s\n", sha256.Sum256(made[name]), name)
	}
	return b.Bytes()
}

func writeAll(out string, made map[string][]byte) error {
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	old, err := filepath.Glob(filepath.Join(out, "mem-*"))
	if err != nil {
		return err
	}
	for _, name := range old { // of another version
		if err := os.Remove(name); err != nil {
			return err
		}
	}
	for _, name := range sortedNames(made) {
		if err := os.WriteFile(filepath.Join(out, name), made[name], 0o644); err != nil {
			return err
		}
		fmt.Printf("%9d  %s\n", len(made[name]), filepath.Join(out, name))
	}
	return nil
}
