package gitstore

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/config"

	"mem/fault"
	"mem/repo/disk"
	"mem/words"
)

// ErrUnsupported is wrapped when the repository is of a kind that mem does not
// write to, and so is ErrOwner if the person's configuration may change that.
var (
	ErrUnsupported = fault.New(fault.NotMemory, "unsupported repository", "")
	ErrOwner       = errors.New("belongs to another user")
)

// checkOwner refuses a repository that another user controls: its contents could
// make mem, or a person's git, do what that user wants.
func checkOwner(d *disk.Dir, anyOwner bool) error {
	for _, name := range []string{".", gitDir} {
		info, err := d.Lstat(name)
		if err != nil {
			return err
		}
		uid, ok := disk.OwnerOf(info)
		if ok && uid != os.Geteuid() && !anyOwner {
			return fmt.Errorf("%w: %s %w; name its path under trust in your own configuration if it may be used", ErrUnsupported, name, ErrOwner)
		}
		if ok && info.Mode().Perm()&0o002 != 0 {
			return fmt.Errorf("%w: every user may write to %s", ErrUnsupported, name)
		}
	}
	return nil
}

// checkFormat refuses repositories whose files mean something else than mem
// assumes.
func checkFormat(d *disk.Dir) error {
	c, err := readConfig(d, gitDir+"/config")
	if err != nil {
		return err
	}
	own, err := readConfig(d, gitDir+"/config.worktree") // which counts only with an extension
	if err != nil {
		return err
	}
	for _, core := range []*config.Section{c.Section("core"), own.Section("core")} {
		if core.HasOption("bare") && !slices.Contains([]string{"false", "no", "off", "0"}, strings.ToLower(core.Option("bare"))) {
			return fmt.Errorf("%w: it is bare, memory needs a work tree", ErrUnsupported)
		}
		if core.Option("worktree") != "" {
			return fmt.Errorf("%w: core.worktree points elsewhere", ErrUnsupported)
		}
	}
	if v := c.Section("core").Option("repositoryformatversion"); !slices.Contains([]string{"", "0", "1"}, v) {
		return fmt.Errorf("%w: format version %s", ErrUnsupported, v)
	}
	for _, o := range c.Section("extensions").Options {
		key := strings.ToLower(o.Key)
		if !slices.ContainsFunc([]string{key, key + "=" + strings.ToLower(o.Value)}, func(e string) bool { return slices.Contains(extensions, e) }) {
			return fmt.Errorf("%w: extension %s=%s%s", ErrUnsupported, o.Key, o.Value, meant[key])
		}
	}
	return nil
}

// extensions are those that change nothing that mem relies on, some of them with
// one value only.
var extensions = []string{"noop", "preciousobjects", "worktreeconfig", "objectformat=sha1", "refstorage=files"}

// meant explains some unsupported extensions.
var meant = map[string]string{
	"objectformat": "; mem knows objects that are named by SHA-1, as 'git init --object-format=sha1' makes them",
	"refstorage":   "; mem knows branches that are files, as 'git init --ref-format=files' makes them",
}

func readConfig(d *disk.Dir, name string) (*config.Config, error) {
	data, err := d.ReadFile(name, maxSmall)
	if errors.Is(err, fs.ErrNotExist) {
		return config.New(), nil
	}
	if err != nil {
		return nil, fmt.Errorf("read git configuration: %w", err)
	}
	return parseConfig(data)
}

// ListValues returns a key's values in a section of a git configuration file, by subsection. It stops at what it cannot read.
func ListValues(section, key string, file ...string) map[string][]string {
	data, _ := disk.ReadRegular(filepath.Join(file...), maxSmall)
	c, _ := parseConfig(data)
	values := map[string][]string{"": c.Section(section).OptionAll(key)}
	for _, part := range c.Section(section).Subsections {
		values[part.Name] = part.OptionAll(key)
	}
	return values
}

var errConfig = fault.New(fault.Damaged, "unreadable git configuration", "correct the line that it names in .git/config of the memory, with any editor")

func parseConfig(data []byte) (*config.Config, error) {
	c := config.New()
	err := config.NewDecoder(bytes.NewReader(data)).Decode(c)
	if err != nil {
		err = fmt.Errorf("%w: %w", errConfig, err)
	}
	return c, err
}

// operations lists the git operations that a person must finish, by the file that marks them. git does not
// continue one whose current commit has become empty.
var operations = []struct{ path, what, end, empty string }{
	{"MERGE_HEAD", "a merge", "git merge --continue", ""},
	{"rebase-merge", "a rebase", "git rebase --continue", ifEmpty},
	{"rebase-apply/applying", "an application of patches", "git am --continue", ifEmpty},
	{"rebase-apply", "a rebase", "git rebase --continue", ifEmpty},
	{"CHERRY_PICK_HEAD", "a cherry-pick", "git cherry-pick --continue", ifEmpty},
	{"REVERT_HEAD", "a revert", "git revert --continue", ifEmpty},
}

const ifEmpty = ", --skip if git says that it is empty"

// PurgePath is the file that marks an unfinished purge. findOperation leaves it to its callers.
const PurgePath = PrivateDir + "/purge"

// findOperation names, in a line, the operation that a person has not finished in the folder d, and how to
// finish it; "" if there is none. It does not spell out how to abort: that loses work.
func findOperation(d *disk.Dir) string {
	if lost := findLost(d); lost != "" {
		return fmt.Sprintf("a rebase in %s broke off while it picked %.12s, and --continue would leave that out; 'git cherry-pick %[2]s' there adds it",
			d.Path(), lost)
	}
	for _, o := range operations {
		if d.Exists(gitDir + "/" + o.path) {
			return fmt.Sprintf("%s is under way in %s; '%s' there ends it once no conflict is left%s, and --abort takes it back", o.what, d.Path(), o.end, o.empty)
		}
	}
	if d.Exists(gitDir + "/BISECT_LOG") {
		return "a bisect is under way; 'git bisect reset' ends it"
	}
	return ""
}

// findLost returns the commit that git was picking in a rebase when it died, as it does if a merge driver has
// no command. Git has noted the commit as done, but HEAD is still the one before; "" if there is none.
func findLost(d *disk.Dir) string {
	read := func(name string) string {
		data, _ := d.ReadFile(gitDir+"/"+name, maxSmall)
		return strings.TrimSpace(string(data))
	}
	done := read("rebase-merge/done")
	last := strings.Fields(done[strings.LastIndexByte(done, '\n')+1:])
	if len(last) < 2 || last[0] != "pick" || d.Exists(gitDir+"/rebase-merge/stopped-sha") || d.Exists(gitDir+"/CHERRY_PICK_HEAD") {
		return ""
	}
	before := strings.Fields(read("rebase-merge/onto") + " " + read("rebase-merge/rewritten-list"))
	if isDone := slices.Contains(before, last[1]); isDone || !slices.Contains(before, read("HEAD")) {
		return ""
	}
	return last[1]
}

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
				for _, p := range driver.Patterns {
					if line := p + " merge=" + driver.Name + "\n"; !strings.Contains("\n"+words.EndLine(text), "\n"+line) {
						text = words.EndLine(text) + line
					}
				}
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

// setValue returns a configuration in which this is the last value of a key in section "name". It replaces a
// line that mem wrote, or adds a section.
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
		words.EndLine(old) + "[" + section + " \"" + quoted.Replace(name) + "\"]\n" + line(value),
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
	return words.EndLine(text) + "[merge]\n\trenames = false\n\tdirectoryRenames = false\n"
}
