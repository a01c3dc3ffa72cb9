// Package install changes the settings of coding agents so that they call mem,
// and takes the change out again.
//
// The files belong to people: a change is a few lines of text put in, never the
// file encoded again, and taking them out gives the bytes that were there
// before. What cannot be undone like that is refused. The changes themselves are
// pure functions of the text; nil stands for a missing file, as argument and as result.
// An Edit carries one out, as long as the file is as it was when it was shown.
package install

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
)

// ErrRefused is wrapped when a file is of a kind that mem does not change.
var ErrRefused = errors.New("the file is left alone")

// noWayBack is why a file is refused whose bytes Remove would not give back.
const noWayBack = "it is written in a way that a change could not be taken back from"

// MaxFile bounds the files that are changed, in bytes.
const MaxFile = 4 << 20

// Hooks are the command that the settings of Claude Code or Codex should run,
// and when.
type Hooks struct {
	Command string // starts with "mem "
	Events  []string
	Timeout int // seconds
}

// Add returns the settings with the hooks. Those that are there stay where
// they are.
func (h Hooks) Add(data []byte) ([]byte, error) {
	clean, err := h.Remove(data)
	if err != nil {
		return nil, err
	}
	added, err := h.addHooks(data)
	if err != nil {
		return nil, err
	}
	// The proof that nothing was touched: what is left without the hooks is what
	// was there without them.
	again, err := h.Remove(added)
	if err != nil || !bytes.Equal(again, clean) || (again == nil) != (clean == nil) {
		return nil, fmt.Errorf("%w: %s", ErrRefused, noWayBack)
	}
	return added, nil
}

func (h Hooks) addHooks(data []byte) ([]byte, error) {
	if data == nil {
		return []byte(h.settingsFile() + "\n"), nil
	}
	d, err := readDocument(data)
	if err != nil {
		return nil, err
	}
	if d.blank {
		text := []byte(strings.ReplaceAll(h.settingsFile(), "\n", lineEnd(data)))
		rest := bytes.TrimPrefix(data, []byte(bom))
		at := len(data) - len(rest) // before comments
		if len(bytes.TrimSpace(rest)) == 0 {
			at = len(data)
		}
		return slices.Concat(data[:at], text, data[at:]), nil
	}
	hooks, ok := d.top.findMember("hooks")
	if !ok {
		return d.applySplices([]splice{d.addChildren(d.top, h.hooksMember(d.indentUnit()))}), nil
	}
	var edits []splice
	var fresh []string
	for _, event := range h.Events {
		list, ok := hooks.findMember(event)
		edits = append(edits, h.upgradeEvent(d, list.node)...)
		switch {
		case !ok:
			fresh = append(fresh, h.eventMember(event, d.indentUnit()))
		case !slices.ContainsFunc(list.list, func(g child) bool { return d.runsAlways(g.node) && h.hasCommand(d, g.node) }):
			edits = append(edits, d.addChildren(list.node, h.eventGroup()))
		}
	}
	if len(fresh) > 0 {
		edits = append(edits, d.addChildren(hooks.node, fresh...))
	}
	return d.applySplices(edits), nil
}

// settingsFile is a whole settings file, hooksMember the member with all hooks,
// eventMember that of one event, and eventGroup what runs the command. Lines below the
// first are indented by steps of unit.
func (h Hooks) settingsFile() string {
	return "{" + indentLines("\n"+h.hooksMember("  "), "  ") + "\n}"
}

func (h Hooks) hooksMember(unit string) string {
	var list []string
	for _, event := range h.Events {
		list = append(list, "\n"+h.eventMember(event, unit))
	}
	return `"hooks": {` + indentLines(strings.Join(list, ","), unit) + "\n}"
}

func (h Hooks) eventMember(name, unit string) string {
	return `"` + name + `": [` + "\n" + unit + h.eventGroup() + "\n]"
}

func indentLines(s, unit string) string { return strings.ReplaceAll(s, "\n", "\n"+unit) }

func (h Hooks) eventGroup() string {
	return fmt.Sprintf(`{"hooks": [{"type": "command", "command": %q, "timeout": %d}]}`, h.line(), h.Timeout)
}

// What keeps a line from failing, and from a word, where mem is missing, older than
// its hooks or another program: agents stop a prompt for some exit codes.
const (
	before = "command -v mem >/dev/null && "
	behind = " || exit 0"
)

// line is the command as the agent's shell runs it.
func (h Hooks) line() string {
	if runtime.GOOS == "windows" { // where that shell may know no "command"
		return h.Command + behind
	}
	return before + h.Command + behind
}

// oldTimeout is what earlier versions wrote, with the bare command.
const oldTimeout = "10"

// upgradeEvent makes of the hooks that earlier versions put into an event those of
// today, each in its place. What a person wrote otherwise stays.
func (h Hooks) upgradeEvent(d document, list node) (edits []splice) {
	for _, g := range list.list {
		handlers, _ := g.findMember("hooks")
		for _, c := range handlers.list {
			if d.stringMember(c.node, "command") != h.Command {
				continue
			}
			command, _ := c.findMember("command")
			edits = append(edits, splice{command.start, command.end, strconv.Quote(h.line())})
			if at, ok := c.findMember("timeout"); ok && string(d.text[at.start:at.end]) == oldTimeout {
				edits = append(edits, splice{at.start, at.end, strconv.Itoa(h.Timeout)})
			}
		}
	}
	return edits
}

// Remove returns the settings without the hooks.
func (h Hooks) Remove(data []byte) ([]byte, error) {
	if data == nil {
		return nil, nil
	}
	d, err := readDocument(data)
	if err != nil || d.blank {
		return data, err
	}
	hooks, ok := d.top.findMember("hooks")
	if !ok {
		return data, nil
	}
	if err := wellFormed(hooks); err != nil {
		return nil, err
	}
	edits, all := d.cutChildren(d.top, func(c child) ([]splice, bool) {
		if c.name != "hooks" {
			return nil, false
		}
		return h.cutCommands(d, c.node)
	})
	if !all || !d.isOurs(d.top) {
		return d.applySplices(edits), nil
	}
	rest := append(bytes.Clone(data[:d.top.start]), data[d.top.end:]...)
	if string(rest) == "\n" && d.top.start == 0 {
		return nil, nil // there was no file
	}
	return rest, nil
}

// cutCommands takes the command out of all events. What install made goes as a whole once
// nothing else is in it, from the inside out; gone means that this is all of hooks.
func (h Hooks) cutCommands(d document, hooks node) (edits []splice, gone bool) {
	edits, all := d.cutChildren(hooks, func(event child) ([]splice, bool) {
		edits, all := d.cutChildren(event.node, func(group child) ([]splice, bool) {
			handlers, _ := group.findMember("hooks")
			return d.cutChildren(handlers.node, func(c child) ([]splice, bool) { return nil, h.isCommand(d, c.node) })
		})
		return edits, all && d.isOurs(event.node)
	})
	return edits, all && d.isOurs(hooks)
}

// wellFormed refuses hooks that are not of the form that agents document.
func wellFormed(hooks child) error {
	if hooks.kind != '{' {
		return fmt.Errorf(`%w: its "hooks" is not an object`, ErrRefused)
	}
	for _, event := range hooks.list {
		if event.kind != '[' {
			return fmt.Errorf("%w: its hooks for %q are not an array", ErrRefused, event.name)
		}
	}
	return nil
}

// runsAlways reports whether a group of hooks runs whatever the event is about.
func (d document) runsAlways(group node) bool {
	m := d.stringMember(group, "matcher")
	c, there := group.findMember("matcher")
	return !there || c.kind == '"' && (m == "" || m == "*")
}

// hasCommand reports whether a group runs the command.
func (h Hooks) hasCommand(d document, group node) bool {
	handlers, _ := group.findMember("hooks")
	return slices.ContainsFunc(handlers.list, func(c child) bool { return h.isCommand(d, c.node) })
}

// isCommand reports whether a handler is the command, wherever the binary is, of this
// version or an earlier one.
func (h Hooks) isCommand(d document, handler node) bool {
	line := strings.TrimPrefix(d.stringMember(handler, "command"), before)
	words := strings.Fields(strings.TrimSuffix(line, behind))
	want := strings.Fields(h.Command)
	if len(words) != len(want) || !slices.Equal(words[1:], want[1:]) {
		return false
	}
	program := strings.Trim(words[0], `"'`)
	program = strings.TrimSuffix(program[strings.LastIndexAny(program, `/\`)+1:], ".exe")
	return program == want[0]
}
