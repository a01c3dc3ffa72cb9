package gitstore

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"mem/repo/disk"
)

// Driver names a way in which git merges the files that some patterns name: it gives Command to sh. One without a
// command is git's own.
type Driver struct {
	Name, Command string
	Patterns      []string
}

// InstallDrivers tells git how to merge files. .git/config says how, and .git/info/attributes which: neither is
// ever part of a clone. What a person wrote in them is left as it is, and nothing is written if all is well.
//
// Without them nothing is lost, but git asks the person: what is in the way is only
// warned of. The caller holds mem's lock.
func InstallDrivers(d *disk.Dir, drivers []Driver, warn func(string)) {
	err := errors.Join(
		editFile(d, gitDir+"/config", func(text string) (_ string, err error) {
			for _, driver := range drivers {
				if driver.Command != "" && err == nil {
					text, err = setValue(text, "merge", driver.Name, "driver", driver.Command)
				}
			}
			return setRenames(text), err
		}),
		editFile(d, gitDir+"/info/attributes", func(text string) (string, error) {
			for _, driver := range drivers {
				text = addPatterns(text, driver)
			}
			return text, nil
		}),
	)
	if err != nil && !errors.Is(err, disk.ErrChanged) { // the next command does it
		warn(fmt.Sprintf("git cannot be told how to merge memories, and may ask a person to: %v", err))
	}
}

// editFile changes a file of git. While git changes it, the error wraps disk.ErrChanged.
func editFile(d *disk.Dir, name string, edit func(string) (string, error)) error {
	old, err := d.ReadFile(name, maxSmall)
	isNew := errors.Is(err, fs.ErrNotExist)
	if err != nil && !isNew {
		return err
	}
	data, err := edit(string(old))
	if err != nil || data == string(old) {
		return err
	}
	if d.Exists(name + ".lock") {
		return fmt.Errorf("%s.lock is there; if no git command runs here, remove it: %w", name, disk.ErrChanged)
	}
	if err := d.MkdirAll(path.Dir(name)); err != nil {
		return err
	}
	if isNew {
		return d.ReplaceFile(name, []byte(data), 0o644)
	}
	return d.ReplaceIf(name, old, []byte(data))
}

// setValue returns a configuration whose last value of a key of section "name" is this: in place of one that mem wrote, else
// in one more section.
func setValue(old, section, name, key, value string) (string, error) {
	line := func(value string) string { return "\t" + key + " = \"" + quoted.Replace(value) + "\"\n" }
	read := func(text string) (string, error) {
		c, err := parseConfig([]byte(text))
		return c.Section(section).Subsection(name).Option(key), err
	}
	was, err := read(old)
	if err != nil || was == value {
		return old, err
	}
	for _, text := range []string{
		strings.Replace(old, line(was), line(value), 1),
		endLine(old) + "[" + section + " \"" + quoted.Replace(name) + "\"]\n" + line(value),
	} {
		if is, err := read(text); err == nil && is == value {
			return text, nil
		}
	}
	return "", fmt.Errorf("%s.%s in .git/config has a form of its own", section, name)
}

var quoted = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\t", `\t`)

// setRenames returns a configuration in which a merge does not guess that a file was
// renamed, unless a person decided that: git would move a new learning to where the
// others of its folder went when they became a rule. A git before 2.50 may still take
// one file for another, which only costs a question.
func setRenames(text string) string {
	c, err := parseConfig([]byte(text))
	if err != nil || c.Section("merge").HasOption("renames") || c.Section("merge").HasOption("directoryRenames") {
		return text
	}
	return endLine(text) + "[merge]\n\trenames = false\n\tdirectoryRenames = false\n"
}

// addPatterns returns attributes with a line for each pattern, and none for others that named a driver of mem's.
func addPatterns(old string, d Driver) string {
	var b strings.Builder
	has := map[string]bool{}
	for line := range strings.Lines(endLine(old)) {
		p, isOwn := strings.CutSuffix(strings.TrimSpace(line), " merge="+d.Name)
		if has[p] = has[p] || isOwn; !isOwn || d.Command == "" || slices.Contains(d.Patterns, p) {
			b.WriteString(line)
		}
	}
	for _, p := range d.Patterns {
		if !has[p] {
			b.WriteString(p + " merge=" + d.Name + "\n")
		}
	}
	return b.String()
}

// endLine ends the last line of a text, if it has none.
func endLine(text string) string {
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	return text
}
