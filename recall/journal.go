package recall

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"mem/guard"
	"mem/index"
	"mem/render"
	"mem/repo"
)

// Journal returns what the latest summary of a month says, if monthly is set,
// and the entries of the latest days, newest first, ready for Options. Text
// from files is neutralised: it cannot close the fence or forge a heading.
func Journal(m *repo.Memory, monthly bool, days int) ([]string, error) {
	var parts []string
	add := func(names []string, folder, title string, most int) error {
		for i := len(names) - 1; i >= 0 && len(names)-i <= most; i-- {
			data, err := m.Read(folder + "/" + names[i] + ".md")
			if errors.Is(err, fs.ErrNotExist) {
				continue
			}
			if err != nil {
				return err
			}
			text, _ := guard.Clean(string(data))
			text, _ = guard.Redact(text)
			parts = append(parts, section(title+" "+names[i], text))
		}
		return nil
	}
	if monthly {
		names, err := m.Months()
		if err != nil {
			return nil, err
		}
		if err := add(names, "monthly", "Month", 1); err != nil {
			return nil, err
		}
	}
	if days <= 0 {
		return parts, nil
	}
	names, err := m.Days("")
	if err != nil {
		return nil, err
	}
	return parts, add(names, "daily", "Journal of", days)
}

// section is a file as a part of the context: its items under one heading.
func section(title, text string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## %s\n\n", title)
	for line := range strings.Lines(render.StripFenced(text)) {
		line = index.Fold(line)
		switch {
		case line == "", strings.HasPrefix(line, "# "), strings.HasPrefix(line, "<!--"):
		case strings.HasPrefix(line, "#"):
			fmt.Fprintf(&b, "%s:\n", strings.TrimSpace(strings.TrimLeft(line, "#")))
		default:
			b.WriteString(strings.ReplaceAll(line, "<", "‹") + "\n")
		}
	}
	return b.String()
}
