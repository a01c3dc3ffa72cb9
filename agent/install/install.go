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
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/tailscale/hujson"

	"mem/fault"
	"mem/words"
)

// ErrRefused is wrapped when a file is of a kind that mem does not change.
var ErrRefused = fault.New(fault.Config, "the file is left alone",
	"repair the file, or change it by hand: 'mem hook install AGENT --dry-run' elsewhere, or 'mem export' without --to or 'mem show ID' shows what goes in")

// noWayBack is the reason for refusing a file that Remove could not restore byte for byte.
const noWayBack = "it is written in a way that a change could not be taken back from"

// maxFile bounds the files that are changed, in bytes.
const maxFile = 4 << 20

// hooks are the command that the settings of Claude Code or Codex should run,
// and when.
type hooks struct {
	Command string // starts with "mem "
	Events  []string
	Name    string // the member that names a hook, for agents which show that
	Timeout int    // in the agent's unit

	// Tools says for events which tools they are about, as the agent's pattern; others
	// are about everything.
	Tools map[string]string
}

// add returns the settings with the hooks. Those that are there stay where
// they are.
func (h hooks) add(data []byte) ([]byte, error) {
	clean, err := h.remove(data)
	if err != nil {
		return nil, err
	}
	added, err := h.addHooks(data)
	if err != nil {
		return nil, err
	}
	// The proof that nothing was touched: what is left without the hooks is what
	// was there without them.
	again, err := h.remove(added)
	if err != nil || !bytes.Equal(again, clean) || (again == nil) != (clean == nil) {
		return nil, fmt.Errorf("%w: %s", ErrRefused, noWayBack)
	}
	return added, nil
}

func (h hooks) addHooks(data []byte) ([]byte, error) {
	if data == nil {
		return []byte(h.settingsFile() + "\n"), nil
	}
	d, err := readDocument(data)
	if err != nil {
		return nil, err
	}
	if d.blank {
		text := []byte(strings.ReplaceAll(h.settingsFile(), "\n", words.LineEnd(string(data))))
		rest := bytes.TrimPrefix(data, []byte(bom))
		at := len(data) - len(rest) // before comments
		if len(bytes.TrimSpace(rest)) == 0 {
			at = len(data)
		}
		return slices.Concat(data[:at], text, data[at:]), nil
	}
	hooks := d.root.Find("/hooks")
	if hooks == nil {
		d.addChildren(&d.root, "{"+h.hooksMember(d.indentUnit())+"}")
		return d.write(), nil
	}
	var fresh []string
	for _, event := range h.Events {
		list := hooks.Find("/" + event)
		if list == nil {
			fresh = append(fresh, h.eventMember(event, d.indentUnit()))
			continue
		}
		groups, _ := listChildren(list)
		if !slices.ContainsFunc(groups, func(g child) bool {
			return h.runsFor(event, g.value) && slices.ContainsFunc(listHandlers(g.value), func(c child) bool { return h.isCommand(c.value) })
		}) {
			d.addChildren(list, "["+h.eventGroup(event)+"]")
		}
	}
	if len(fresh) > 0 {
		d.addChildren(hooks, "{"+strings.Join(fresh, ",")+"}")
	}
	return d.write(), nil
}

// settingsFile is a whole settings file, hooksMember the member with all hooks,
// eventMember that of one event, and eventGroup what runs the command. Lines below the
// first are indented by steps of unit.
func (h hooks) settingsFile() string {
	return "{" + indentLines("\n"+h.hooksMember("  "), "  ") + "\n}"
}

func (h hooks) hooksMember(unit string) string {
	var list []string
	for _, event := range h.Events {
		list = append(list, "\n"+h.eventMember(event, unit))
	}
	return `"hooks": {` + indentLines(strings.Join(list, ","), unit) + "\n}"
}

func (h hooks) eventMember(name, unit string) string {
	return `"` + name + `": [` + "\n" + unit + h.eventGroup(name) + "\n]"
}

func indentLines(s, unit string) string { return strings.ReplaceAll(s, "\n", "\n"+unit) }

func (h hooks) eventGroup(event string) string {
	return fmt.Sprintf(`{%s"hooks": [{%s"type": "command", "command": %q, "timeout": %d}]}`, h.matcher(event), h.Name, h.line(), h.Timeout)
}

// matcher is the member that names the tools which an event is about; "" for everything.
func (h hooks) matcher(event string) string {
	if tools := h.Tools[event]; tools != "" {
		return fmt.Sprintf(`"matcher": %q, `, tools)
	}
	return ""
}

// Parts of a line that keep it silent and successful if mem is missing, older than its hooks, or another
// program: agents stop a prompt for some exit codes.
const (
	before = "command -v mem >/dev/null && "
	behind = " || exit 0"
)

// line is the command as the agent's shell runs it.
func (h hooks) line() string {
	if runtime.GOOS == "windows" { // where that shell may know no "command"
		return h.Command + behind
	}
	return before + h.Command + behind
}

func listHandlers(group *hujson.Value) (list []child) {
	if hooks := group.Find("/hooks"); hooks != nil {
		list, _ = listChildren(hooks)
	}
	return list
}

func (h hooks) remove(data []byte) ([]byte, error) {
	d, err := readDocument(data)
	if err != nil || d.blank {
		return data, err
	}
	hooks := d.root.Find("/hooks")
	if hooks == nil {
		return data, nil
	}
	if err := checkForm(hooks); err != nil {
		return nil, err
	}
	all := cutChildren(&d.root, func(c child) bool { return c.name == "hooks" && h.cutCommands(d, c.value) })
	if !all || !d.isOurs(&d.root) {
		return d.write(), nil
	}
	start, end := len(d.mark)+d.root.StartOffset, len(d.mark)+d.root.EndOffset
	rest := append(bytes.Clone(data[:start]), data[end:]...)
	if string(rest) == "\n" && start == 0 {
		return nil, nil // there was no file
	}
	return rest, nil
}

// cutCommands removes the command from all events. It removes containers that install made once they are empty,
// from the inside out; gone means that nothing is left of hooks.
func (h hooks) cutCommands(d document, hooks *hujson.Value) (gone bool) {
	all := cutChildren(hooks, func(event child) bool {
		all := cutChildren(event.value, func(group child) bool {
			handlers := group.value.Find("/hooks")
			return handlers != nil && cutChildren(handlers, func(c child) bool { return h.isCommand(c.value) })
		})
		return all && d.isOurs(event.value)
	})
	return all && d.isOurs(hooks)
}

// checkForm refuses hooks that are not of the form that agents document.
func checkForm(hooks *hujson.Value) error {
	if hooks.Value.Kind() != '{' {
		return fmt.Errorf(`%w: its "hooks" is not an object`, ErrRefused)
	}
	events, _ := listChildren(hooks)
	for _, event := range events {
		if event.value.Value.Kind() != '[' {
			return fmt.Errorf("%w: its hooks for %q are not an array", ErrRefused, event.name)
		}
	}
	return nil
}

// runsFor reports whether a group of hooks runs for all that mem wants of an event.
func (h hooks) runsFor(event string, group *hujson.Value) bool {
	tools := fmt.Sprintf("%q", h.Tools[event])
	return group.Find("/matcher") == nil || slices.Contains([]string{`""`, `"*"`, tools}, string(literalAt(group, "/matcher")))
}

// isCommand reports whether a handler is the command, wherever the binary is, also as a person may write it.
func (h hooks) isCommand(handler *hujson.Value) bool {
	line := strings.TrimPrefix(literalAt(handler, "/command").String(), before)
	words := strings.Fields(strings.TrimSuffix(line, behind))
	want := strings.Fields(h.Command)
	if len(words) != len(want) || !slices.Equal(words[1:], want[1:]) {
		return false
	}
	program := strings.Trim(words[0], `"'`)
	program = strings.TrimSuffix(program[strings.LastIndexAny(program, `/\`)+1:], ".exe")
	return program == want[0]
}

// NamePaths returns the paths of some edits, for a sentence; show is how a path is shown.
func NamePaths(edits []Edit, show func(string) string) string {
	var list []string
	for _, e := range edits {
		list = append(list, show(e.Path))
	}
	return strings.Join(list, " and ")
}
