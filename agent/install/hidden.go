package install

import "strings"

// hidden is the line by which git ignores the file, which is the person's own, in all of a
// project's work trees. Claude Code sees to that itself where it makes the file.
const hidden = "**/.claude/settings.local.json"

var hiddenBlock = Block{Begin: "# mem: begin", End: "# mem: end"}

// planHidden returns the edit by which the project's git ignores the settings that are
// made, or does so no longer once they are gone; none if that is not to be, or cannot.
func (p Place) planHidden(t target, settings *Edit, remove bool) []Edit {
	isNew := settings.Before == nil && !remove
	isGone := settings.After == nil && remove
	if p.Exclude == "" || p.Global || !t.hidden || !isNew && !isGone {
		return nil
	}
	e := Edit{Path: p.Exclude, Mode: 0o644, optional: true, Change: hide}
	if remove {
		e.Change = hiddenBlock.Remove
	}
	if e.Plan() != nil {
		return nil // git shows the file, then
	}
	return []Edit{e}
}

// hide adds the line, unless a person did.
func hide(data []byte) ([]byte, error) {
	for line := range strings.Lines(string(data)) {
		if strings.HasSuffix(strings.TrimSpace(line), strings.TrimPrefix(hidden, "**/")) {
			return data, nil
		}
	}
	return hiddenBlock.Put(data, hiddenBlock.Begin+"\n"+hidden+"\n"+hiddenBlock.End)
}
