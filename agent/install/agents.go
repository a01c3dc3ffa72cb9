package install

import (
	"bytes"
	_ "embed" // for the extension
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"mem/agent"
	"mem/config"
	"mem/fault"
	"mem/words"
)

// patience is how many seconds an agent waits for a hook that hangs. The largest
// part of a session that a hook reads takes a tenth of it.
const patience = 3

// hooksOf returns the hooks for an agent whose settings have Claude Code's form. Codex trusts a hook only as
// written, so the installed text should not change between versions of mem.
func hooksOf(r *agent.Row) hooks {
	h := hooks{Command: "mem hook " + r.Name, Timeout: patience, Tools: map[string]string{}}
	if r.Millis {
		h.Timeout, h.Name = 1000*patience, `"name": "mem", `
	}
	for _, e := range r.Events {
		if e.IsInstalled() {
			h.Events = append(h.Events, e.Name)
			h.Tools[e.Name] = e.Tools
		}
	}
	return h
}

// editionOf returns how one file of an agent is changed.
func editionOf(r *agent.Row, f agent.File) (add, remove func([]byte) ([]byte, error)) {
	switch f.Kind {
	case "settings":
		return hooksOf(r).add, hooksOf(r).remove
	case "notify":
		return addNotify, removeNotify
	case "block":
		b := Block{blockBegin, blockEnd}
		return func(data []byte) ([]byte, error) { return b.Put(data, block) }, b.Remove
	case "tables":
		return func(data []byte) ([]byte, error) { return putTables(data, fill(r, f)) }, hiddenBlock.Remove
	}
	text := fill(r, f) // a whole file; with how it begins up to the command that it is for, in this version or another one, mem knows it again
	before, _, _ := strings.Cut(text, "mem hook")
	_, behind, _ := strings.Cut(text[len(before):], r.Name)
	remove = func(data []byte) ([]byte, error) {
		if data != nil && !bytes.HasPrefix(data, []byte(text[:len(text)-len(behind)])) {
			return nil, fmt.Errorf("%w: mem did not write it", ErrRefused)
		}
		return nil, nil // there is nothing else in it
	}
	add = func(data []byte) ([]byte, error) {
		_, err := remove(data)
		return []byte(text), err
	}
	return add, remove
}

// fill returns mem's text for a file: Head, Each per event, and Tail, with the placeholders replaced. Items of
// a JSON list are separated by commas.
func fill(r *agent.Row, f agent.File) string {
	h := hooksOf(r)
	base := []string{"{block}", block, "{plugin}", plugins[r.Name], "{line}", h.line()}
	var each []string
	for _, event := range h.Events {
		if f.Each != "" {
			each = append(each, strings.NewReplacer(append(base, "{event}", event, "{matcher}", h.matcher(event))...).Replace(f.Each))
		}
	}
	between := ""
	if f.Kind == "" {
		between = ",\n"
	}
	return strings.NewReplacer(base...).Replace(f.Head) + strings.Join(each, between) + strings.NewReplacer(base...).Replace(f.Tail)
}

// notify is for versions of Codex that have no hooks, and until its hooks are
// trusted. Codex runs one such program, and takes it from no project.
const notify = `notify = ["mem", "hook", "codex"]`

// isNotified reports whether a file of TOML has a notify, and whether it is ours.
func isNotified(data []byte) (any, ours bool, err error) {
	all, err := config.ReadTables(data)
	return all["notify"] != nil, fmt.Sprint(all["notify"]) == "[mem hook codex]", err
}

// addNotify puts the line before all else: there a key belongs to no section, whatever follows.
func addNotify(data []byte) ([]byte, error) {
	isSet, isOurs, err := isNotified(data)
	rest := bytes.TrimPrefix(data, []byte(bom))
	switch {
	case err != nil || isOurs:
		return data, err
	case isSet:
		return nil, errors.New("notify is set to something else")
	}
	line := notify
	if data == nil || len(rest) > 0 { // no break at the end tells an empty file from none
		line += words.LineEnd(string(rest))
	}
	return slices.Concat(data[:len(data)-len(rest)], []byte(line), rest), nil
}

func removeNotify(data []byte) ([]byte, error) {
	_, isOurs, err := isNotified(data)
	before, after, isThere := bytes.Cut(data, []byte(notify))
	if err != nil || !isOurs || !isThere {
		return data, err // or written by hand
	}
	if string(data) == notify+"\n" {
		return nil, nil // there was no file
	}
	rest := append(bytes.Clone(before), trimBreak(after)...)
	if isSet, _, err := isNotified(rest); isSet || err != nil {
		return nil, fmt.Errorf("%w: its notify is written in another way", ErrRefused)
	}
	return rest, nil
}

// putTables puts a text at the end of a file of TOML, between marks.
func putTables(data []byte, text string) ([]byte, error) {
	added, err := hiddenBlock.Put(data, text)
	if err != nil {
		return nil, err
	}
	if _, err := config.ReadTables(added); err != nil { // such as a list of that name
		return nil, fmt.Errorf("%w: it is not TOML, or its hooks are written in another way", ErrRefused)
	}
	return added, nil
}

// AgentNames lists what mem can be installed for.
func AgentNames() []string { return agent.Names(func(*agent.Row) bool { return true }) }

// A Place is where settings are looked for.
type Place struct {
	Global  bool   // the person's own settings, for all projects
	Project string // folder of the project
	Exclude string // what the project's git ignores in this clone alone; "" without git
	Dir     string // working directory
	Home    string // "" if it is not known
	Machine string // before the paths of the machine's own settings; for tests
	Getenv  func(string) string
}

// PlanAgent plans the edits that install mem for an agent or, with remove, uninstall it. If an optional edit is
// not possible, it has Left set.
func PlanAgent(name string, p Place, remove bool) ([]Edit, error) {
	edits, err := listEdits(name, p, remove)
	if err != nil {
		return nil, err
	}
	for i := range edits {
		e := &edits[i]
		switch err := e.Plan(); {
		case err != nil && e.optional:
			e.Left = err
		case err != nil:
			return nil, err
		}
	}
	return append(edits, p.planHidden(agent.Find(name), &edits[0], remove)...), nil
}

// IsInstalled reports whether something of mem is installed for an agent at a place,
// by this version or an earlier one.
func IsInstalled(name string, p Place) bool {
	edits, err := listEdits(name, p, true)
	return err == nil && edits[0].Plan() == nil && edits[0].IsChange()
}

// TrustHint says what the agent asks of a person before it runs what edits
// installed; "" if it asks nothing.
func TrustHint(name string, p Place, edits []Edit) string {
	r := agent.Find(name)
	_, remove := editionOf(r, r.Files[0])
	for _, e := range edits {
		bare, err := remove(e.Before)
		if r.TrustAgain != "" && !e.optional && err == nil && !bytes.Equal(bare, e.Before) {
			return r.TrustAgain
		}
	}
	if p.Global {
		return r.TrustGlobal
	}
	return r.Trust
}

func listEdits(name string, p Place, remove bool) ([]Edit, error) {
	r := agent.Find(name)
	dir, mode, project, within := filepath.Join(p.Project, filepath.FromSlash(r.Folder)), fs.FileMode(0o644), p.Project, p.Project
	if p.Global {
		var err error
		if dir, err = globalFolder(r, p); err != nil {
			return nil, err
		}
		mode, project, within = 0o600, "", dir
		if rel, err := filepath.Rel(p.Home, dir); err == nil && filepath.IsLocal(rel) && p.Home != "" {
			within = p.Home
		}
	}
	var edits []Edit
	for _, f := range r.Files {
		file, each := f.Project, []string{""}
		if p.Global {
			file = f.Global
		}
		if strings.Contains(file, "{event}") {
			each = hooksOf(r).Events
		}
		change, takeOut := editionOf(r, f)
		if remove {
			change = takeOut
		}
		for _, event := range each {
			if file == "" {
				continue
			}
			path := filepath.Join(dir, filepath.FromSlash(strings.Replace(file, "{event}", event, 1)))
			e := Edit{Path: path, Project: project, Mode: mode, Change: change, optional: f.Kind == "notify", within: within}
			if f.Kind == "script" {
				e.Mode |= 0o100 | mode>>2&0o011
			}
			edits = append(edits, e)
		}
	}
	if len(edits) == 0 {
		return nil, fault.Usagef("%s reads hooks from no project, only from your own settings; add --global", name)
	}
	return edits, nil
}

func globalFolder(r *agent.Row, p Place) (string, error) {
	if r.Home == "" {
		return "", fault.Usagef("there is no such file for all projects; leave out --global")
	}
	if dir := p.Getenv(r.Env); r.Env != "" && dir != "" {
		if !filepath.IsAbs(dir) {
			dir = filepath.Join(p.Dir, dir)
		}
		return filepath.Join(dir, r.Below), nil
	}
	if p.Home == "" {
		return "", errors.New("no home folder is known for --global")
	}
	return filepath.Join(p.Home, filepath.FromSlash(r.Home)), nil
}

// piExtension is for pi, which has no hooks but takes TypeScript. It is written so
// that it is JavaScript as well. opencodePlugin is for opencode.
//
//go:embed mem.ts
var piExtension string

//go:embed opencode.js
var opencodePlugin string

var plugins = map[string]string{"pi": piExtension, "opencode": opencodePlugin}
