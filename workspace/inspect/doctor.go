package inspect

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"mem/agent"
	"mem/curate"
	"mem/fault"
	"mem/guard"
	"mem/index"
	"mem/oracle"
	"mem/render"
	"mem/repo"
	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/workspace"
)

// A Level says how much a finding matters.
type Level string

// The levels, the worst first.
const (
	Broken Level = "broken" // something does not work, or is lost
	Odd    Level = "odd"    // it works, but should be fixed
	Note   Level = "note"   // good to know
)

// A Finding is one thing that the doctor found.
type Finding struct {
	Check string `json:"check"` // which check found it
	Level Level  `json:"level"`
	What  string `json:"what"`         // what is so
	Means string `json:"means"`        // what follows from it
	Fix   string `json:"fix,omitzero"` // what --fix does about it; "" for nothing
	Do    string `json:"do,omitzero"`  // what the person can do
	names []string
}

// A Patient is a memory under examination: the problems, what they mean, and what can be done. Only derived
// files are repaired; whatever a person may have written is left to the person.
type Patient struct {
	*workspace.Workspace
	Overview func() (Overview, error)
	Deep     bool // read every object and every file

	root  *repo.Root
	view  *repo.Memory
	seen  Overview
	found []Finding
	stale bool // git's lists name missing objects
	lost  bool // the work tree has facts that no commit has
}

// Examine returns all findings, the worst first. A memory that cannot be opened has one finding
// that says why, beside those that need no memory. Without any, the error wraps repo.ErrNoRoot.
func (p *Patient) Examine(ctx context.Context) ([]Finding, error) {
	p.found = nil
	if err := p.Untrusted(); err != nil {
		p.addIf(true, Finding{Check: "trust", Level: Broken, What: workspace.DescribeError(err), Means: "No session reads this memory, and no command changes it.", Do: fault.Hint(err)})
		return p.found, nil
	}
	root, err := p.OpenRoot()
	if errors.Is(err, repo.ErrNoRoot) {
		return nil, err
	}
	p.checkLeft()
	if err := p.checkObjects(ctx); err != nil {
		return nil, err
	}
	if p.root = root; err == nil {
		p.view, err = p.ViewForCaller(root)
	}
	if err == nil {
		p.seen, err = p.Overview()
	}
	if err != nil {
		p.addIf(true, Finding{Check: "open", Level: Broken, What: workspace.DescribeError(err), Means: "No command can read this memory as it stands. Nothing was changed.", Do: fault.Hint(err)})
	} else {
		p.checkWork()
		p.checkLessons()
		p.checkFiles()
		p.checkBeat()
	}
	newer := p.FindNewer()
	p.addIf(newer != "", Finding{Check: "newer", Level: Note, What: newer, Means: "What it changes is in its CHANGELOG.md.", Do: "install it as you installed this one"})
	levels := []Level{Broken, Odd, Note}
	slices.SortStableFunc(p.found, func(a, b Finding) int { return slices.Index(levels, a.Level) - slices.Index(levels, b.Level) })
	return p.found, nil
}

func (p *Patient) addIf(is bool, f Finding) {
	if is {
		p.found = append(p.found, f)
	}
}

// addNames adds a finding about some names, if there are any. It puts their number before f.What.
func (p *Patient) addNames(names []string, one, many string, f Finding) {
	f.What, f.names = render.Count(len(names), one, many)+f.What, names
	p.addIf(len(names) > 0, f)
}

// IsIll reports whether something is to be done.
func IsIll(list []Finding) bool {
	return slices.ContainsFunc(list, func(f Finding) bool { return f.Level != Note })
}

// Write shows a finding to a person.
func (f Finding) Write(out io.Writer) {
	fmt.Fprintf(out, "%-7s %s: %s\n%s        %s\n", f.Level, f.Check, guard.Line(f.What), guard.ListSome("          ", f.names, mostNames), guard.Line(f.Means))
	if f.Fix != "" {
		fmt.Fprintf(out, "        --fix %s\n", guard.Line(f.Fix))
	}
	if f.Do != "" {
		fmt.Fprintf(out, "        hint: %s\n", guard.Line(f.Do))
	}
}

const mostNames = 5

// Fix repairs derived files: the views, the list of patterns, and what a Settle puts in order by itself. It
// commits hand edits unchanged.
func (p *Patient) Fix(ctx context.Context, dryRun bool) (workspace.Changed, error) {
	if p.root.TakesLost = p.lost; p.stale && !dryRun {
		if err := gitstore.DropLists(p.root.Dir(), true); err != nil {
			return workspace.Changed{}, err
		}
	}
	return p.Change(ctx, dryRun, func(m *repo.Memory) (repo.Message, error) {
		return repo.Message{Subject: "chore(memory): render what is derived"}, curate.RenderViews(m)
	})
}

// quietFor is how old what a program left must be: a younger file may be in use.
const quietFor = time.Minute

// checkLeft finds what a program that died left in the folder, and what this user cannot write to.
func (p *Patient) checkLeft() {
	locks, temps, rescued := findLeft(p.At.Root, p.Now.Add(-quietFor))
	p.addNames(locks, "lock of git is there", "locks of git are there", Finding{Check: "locks", Level: Broken, What: " for more than a minute",
		Means: "Nothing can be committed while a lock is there. What is learned waits in the queue meanwhile.",
		Do:    "look whether a git command still runs in the memory; if none does, remove the file"})
	p.addNames(temps, "temporary file was left", "temporary files were left", Finding{Check: "leftovers", Level: Note, What: " by a program that ended early",
		Means: "They take room and nothing else. The next commands remove those that are no longer needed."})
	p.addNames(rescued, "version of a file was put aside", "versions of files were put aside", Finding{Check: "rescued", Level: Note,
		Means: "A file was edited in the moment when mem wrote it. Both versions were kept.",
		Do:    "compare them with the files, and remove them when nothing in them is missed"})
	if err := p.CheckPlace(); err != nil {
		do := cmp.Or(p.HowToMove(), "'mem sync --remote DIR' keeps a copy in another place")
		p.addIf(true, Finding{Check: "place", Level: Odd, What: workspace.DescribeError(err), Do: do,
			Means: "'git worktree remove' and 'git submodule deinit' ask nothing before they delete the memory with its history."})
	}
	var closed []string
	for _, name := range []string{".", "core", ".git", ".git/objects", ".git/refs/heads", ".git/mem", ".git/mem/lock"} { // that each commit changes
		if err := disk.CheckWrite(filepath.Join(p.At.Root, filepath.FromSlash(name))); errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
			closed = append(closed, name)
		}
	}
	p.addIf(len(closed) > 0, Finding{Check: "access", Level: Broken, What: "this user cannot write to the memory", names: closed,
		Means: "Each command that writes fails, and nothing is learned.", Do: fault.Hint(disk.ErrWrite)})
}

// checkObjects asks git whether the history is whole.
func (p *Patient) checkObjects(ctx context.Context) error {
	problems, err := runFsck(ctx, p.At.Root, p.Deep)
	var stale []string // complaints that concern only the lists that git derives from packs and commits
	if all := problems; err == nil && len(all) > 0 {
		problems, err = runFsck(ctx, p.At.Root, p.Deep, "-c", "core.multiPackIndex=false", "-c", "core.commitGraph=false", "-c", "pack.readReverseIndex=false")
		stale = slices.DeleteFunc(all, func(line string) bool { return slices.Contains(problems, line) })
	}
	if errors.Is(err, exec.ErrNotFound) {
		p.addIf(true, Finding{Check: "history", Level: Note, What: "the history was not checked: git is not on the PATH", Means: "mem works without git; only git fsck looks at every object.", Do: "install git, and run mem doctor again"})
		return nil
	}
	if len(problems) == 1 && (strings.HasPrefix(problems[0], "fatal: not a git repository") || strings.HasPrefix(problems[0], "fatal: cannot change to")) {
		return err // nothing was looked at; what opens the memory says why
	}
	if _, errRun := gitstore.Run(gitstore.Command(ctx, p.At.Root, os.Environ(), "rev-parse", "--git-dir"), "", "cannot run"); errRun != nil {
		p.addIf(true, Finding{Check: "git", Level: Broken, What: errRun.Error(), Means: "What calls git fails: mem sync and mem purge, for example.",
			Do: "repair git's own configuration, or whom the folder belongs to"})
		problems = slices.DeleteFunc(problems, func(line string) bool { return strings.Contains(errRun.Error(), line) })
	}
	p.stale = len(stale) > 0
	p.addIf(p.stale, Finding{Check: "lists", Level: Odd, What: "a list that git keeps of its packs and commits is out of date", names: stale,
		Means: "Nothing is lost: the history is whole without the list. git fsck complains.", Fix: "removes the list; git makes it again when it needs it"})
	p.addNames(problems, "complaint of git fsck", "complaints of git fsck", Finding{Check: "history", Level: Broken, Do: fault.Hint(repo.ErrDamaged),
		Means: "A part of the history cannot be read. The files of the work tree may still be whole."})
	return err
}

// checkWork looks at what keeps commands, the worker and git from their work.
func (p *Patient) checkWork() {
	s := p.seen
	p.addIf(s.Blocked != "", Finding{Check: "blocked", Level: Broken, What: s.Blocked, Means: "Nothing can be committed till then. What is learned waits in the queue.", Do: fault.Hint(s.Block)})
	p.addIf(s.ReadOnly, Finding{Check: "version", Level: Odd, What: "a newer mem wrote this memory", Means: "This mem reads it and changes nothing.", Do: fault.Hint(index.ErrNewerVersion)})
	p.addIf(s.Queued > 0 && s.Blocked == "", Finding{Check: "queue", Level: Note, What: render.Count(s.Queued, "reflection waits", "reflections wait") + " to be committed", Means: "The next command that writes commits it.", Fix: "commits it"})
	lost, err := p.root.CheckLog()
	if s.Blocked != "" {
		lost, err = nil, nil
	}
	if p.lost = len(lost) > 0; err != nil && !s.ReadOnly {
		p.addIf(true, Finding{Check: "facts", Level: Broken, What: workspace.DescribeError(err), Means: "Nothing can be committed till then. Sessions read what was there before.", Do: fault.Hint(err)})
	}
	p.addNames(lost, "fact lies here", "facts lie here", Finding{Check: "lost", Level: Odd, What: " that no commit has",
		Means: "Lessons are missing. An older .git was put back, or two copies of the memory were mixed.", Fix: "commits them, so that they count"})
	var names []string
	for _, w := range s.Sessions {
		if w.Aside || w.Failure != "" {
			names = append(names, w.Session+": "+w.Failure)
		}
	}
	for _, m := range s.Models {
		p.addIf(m.State == oracle.Fails, Finding{Check: "model", Level: Odd, What: m.FormatLabel() + " cannot be asked: " + m.Reason, Means: "Sessions wait unless another model answers; the built-in rules do not stand in for it.", Do: "'mem model set' chooses another; 'mem model set heuristic --global' asks none"})
	}
	p.addNames(names, "session could not be reflected on", "sessions could not be reflected on", Finding{Check: "worker", Level: Odd,
		Means: "Nothing was learned from it yet.", Do: "'mem model' says who is asked, and 'mem worker --retry' tries again"})
	p.addIf(s.Unsynced.Reason != "", Finding{Check: "sync", Level: Odd, What: "the last sync in the background failed: " + s.Unsynced.Reason, Means: "Other machines do not have what was learned here since.", Do: "'mem sync' tries again and says more"})
	p.addIf(s.Packed.Failed != "", Finding{Check: "size", Level: Note, What: s.Packed.Failed, Means: "The repository takes more room than it needs.", Do: "the worker asks git again after more commits; 'git gc' in the memory does it now"})
}

// checkLessons looks for records that cannot be right, and for records that name missing things.
func (p *Patient) checkLessons() {
	exists, done := p.InProject()
	defer done()
	var future, empty, over, secret []string
	for it := range p.view.Index.All() {
		if it.LastSeen.After(p.Now.Add(24 * time.Hour)) {
			future = append(future, it.ID+" was last seen "+it.LastSeen.Format(time.DateOnly))
		}
		if strings.TrimSpace(index.StripAvoid(it.Text)) == "" {
			empty = append(empty, it.ID)
		}
		if it.IsShown() && it.Evidence != nil && len(it.Evidence.Paths) > 0 && !slices.ContainsFunc(it.Evidence.Paths, exists) {
			over = append(over, it.ID+" names "+it.Evidence.Paths[0])
		}
		if p.Deep && guard.CountSecrets(it.Text) > 0 {
			secret = append(secret, it.ID)
		}
	}
	if p.Deep { // then all is read that sessions may read
		rules, _ := curate.ListRules(p.view)
		for _, r := range rules {
			if guard.CountSecrets(r.Text) > 0 {
				secret = append(secret, r.ID)
			}
		}
	}
	p.addNames(future, "lesson comes from the future", "lessons come from the future", Finding{Check: "clock", Level: Odd,
		Means: "They rank above all others until then. A clock was wrong.", Do: "'mem show ID' says which session it was"})
	p.addNames(empty, "lesson says nothing", "lessons say nothing", Finding{Check: "empty", Level: Odd,
		Means: "Sessions read an empty line.", Do: "'mem retire ID' hides it"})
	p.addNames(secret, "lesson or rule holds", "lessons or rules hold", Finding{Check: "secrets", Level: Broken, What: " what looks like a secret",
		Means: "It is in the history. It is replaced wherever mem prints it, and not where git does.", Do: "change the secret, and take it out with 'mem purge'"})
	p.addNames(over, "lesson rests on files that are gone", "lessons rest on files that are gone", Finding{Check: "evidence", Level: Note,
		Means: "It may be over. Sessions are asked to verify it first.", Do: "'mem prove' looks again, and 'mem review' offers to retire it"})
}

func (p *Patient) checkFiles() {
	s := p.seen
	var edited, views []string
	for _, path := range s.Edited {
		switch {
		case slices.Contains(s.Held, path):
		case path == render.CorePath || path == render.LongTermPath:
			views = append(views, path)
		case path == repo.IndexPath && p.cannotRead(path):
			p.addIf(true, Finding{Check: "edits", Level: Odd, What: path + " cannot be read as it was edited",
				Means: "The next command that writes makes it anew of the log, and the edit is gone.", Do: "repair it before, if it matters", Fix: "makes it anew of the log"})
		default:
			edited = append(edited, path)
		}
	}
	p.addNames(s.Held, "file that you edited holds", "files that you edited hold", Finding{Check: "secrets", Level: Broken, What: " what looks like a secret",
		Means: "mem commits it no more than it shows it, so your edit is not in the history.", Do: fault.Hint(repo.ErrSecret)})
	p.addNames(views, "view is not as mem wrote it", "views are not as mem wrote them", Finding{Check: "views", Level: Odd,
		Means: "Sessions that read the file see something else than the lessons. What is written there does not count.", Fix: "keeps what is there in the history, and renders it again"})
	p.addNames(edited, "file was edited by hand", "files were edited by hand", Finding{Check: "edits", Level: Note,
		Means: "Your edit counts, and becomes a commit of its own with the next command that writes.", Fix: "commits it as it is, and renders what follows from it"})
	p.addIf(s.Stale != "", Finding{Check: "views", Level: Odd, What: s.Stale + " is not what the lessons and the configuration say", Means: "Sessions that read the file see an older state.", Fix: "renders it"})
}

func (p *Patient) cannotRead(name string) bool {
	data, err := os.ReadFile(filepath.Join(p.At.Root, filepath.FromSlash(name)))
	if err == nil {
		_, _, err = index.Load(data, p.Now)
	}
	return errors.Is(err, index.ErrUnreadable)
}

// checkBeat says whether agents still reach the memory.
func (p *Patient) checkBeat() {
	s := p.seen
	p.addIf(!s.Enabled || s.Off, Finding{Check: "hooks", Level: Odd, What: "hooks are switched off for this memory", Means: "Sessions are shown nothing, and nothing is learned from them.", Do: "'mem toggle on', or enabled = true, switches them on"})
	p.addIf(len(s.Hooks) == 0, Finding{Check: "hooks", Level: Note, What: "no agent has hooks here", Means: "Sessions neither read lessons by themselves nor are learned from.", Do: "'mem hook install AGENT' adds them: " + strings.Join(agent.Hooked(), ", ")})
	for _, h := range s.Hooks {
		f := Finding{Check: "hooks", Level: Note, What: h.Describe(), Means: "The agent reads lessons, and its sessions are learned from."}
		switch {
		case !h.Here && !h.Global && !h.Plugin:
			f.Level, f.Means, f.Do = Odd, "It was called before. Sessions of this agent are shown nothing any more.", "'mem hook install "+h.Agent+"' adds them again"
		case h.Off != "":
			f.Level, f.Means, f.Do = Odd, "Sessions of this agent are shown nothing, and nothing is learned from them.", "change the setting; an administrator's cannot be overridden"
		case h.CalledAt.IsZero():
			f.Means, f.Do = "No session of this agent reached the memory yet.", "start a session; if this stays so, 'mem hook install "+h.Agent+" --dry-run' shows what should be there"
		case p.Now.Sub(h.CalledAt) < quietDays*24*time.Hour:
			continue
		default:
			f.Means = fmt.Sprintf("For more than %d days no session of this agent reached the memory.", quietDays)
		}
		p.addIf(true, f)
	}
	p.addIf(strings.HasPrefix(s.LastAuto, "skipped") || strings.Contains(s.LastAuto, "failed"), Finding{Check: "hooks", Level: Note, What: "the last hook: " + s.LastAuto, Means: "It was not learned from.", Do: "'mem status' says what is pending"})
}

// quietDays is the number of days without a call of an agent's hooks after which the doctor mentions it.
const quietDays = 14

// runFsck returns the complaints of git fsck about the memory in a folder, without the person's and the machine's configuration:
// an error in that says nothing about the history. Unless deep, it does not read the content of files. The error may be exec.ErrNotFound.
func runFsck(ctx context.Context, dir string, deep bool, args ...string) (problems []string, err error) {
	args = append(args, "--git-dir=.git", "fsck", "--no-dangling", "--no-progress")
	if deep {
		args = append(args, "--strict")
	} else {
		args = append(args, "--connectivity-only")
	}
	cmd := gitstore.Command(ctx, dir, os.Environ(), args...)
	cmd.Env = append(cmd.Env, "HOME="+os.DevNull, "XDG_CONFIG_HOME="+os.DevNull, "GIT_CONFIG_NOSYSTEM=1")
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	err = cmd.Run()
	if errors.Is(err, exec.ErrNotFound) {
		return nil, exec.ErrNotFound
	}
	for line := range strings.Lines(out.String()) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "notice:") {
			problems = append(problems, line)
		}
	}
	if err != nil && len(problems) == 0 {
		problems = append(problems, err.Error())
	}
	return problems, ctx.Err()
}

// findLeft returns leftovers of a dead program, relative to the memory: git's locks, with their times, which
// block all commits; temporary files of mem's that were never put in place; and versions of files that mem put
// aside, for a person to judge. It skips files younger than since, which may be in use.
func findLeft(dir string, since time.Time) (locks, temps, rescued []string) {
	for _, folder := range []string{".", ".git", ".git/info", ".git/mem", ".git/mem/tmp", ".git/mem/rescue", ".git/refs/heads", ".git/logs/refs/heads", "core", "daily", "monthly", "rules", "patterns", "learnings"} {
		entries, _ := os.ReadDir(filepath.Join(dir, filepath.FromSlash(folder)))
		for _, e := range entries {
			info, err := e.Info()
			if err != nil || e.IsDir() || info.ModTime().After(since) {
				continue
			}
			switch path := strings.TrimPrefix(folder+"/"+e.Name(), "./"); {
			case strings.HasPrefix(path, ".git/mem/rescue/"):
				rescued = append(rescued, path)
			case strings.HasPrefix(path, ".git/mem/tmp/"), strings.HasPrefix(e.Name(), ".mem-") && strings.HasSuffix(path, "~"):
				temps = append(temps, path)
			case strings.HasPrefix(path, ".git/") && strings.HasSuffix(path, ".lock") && !strings.HasPrefix(path, ".git/mem/"):
				locks = append(locks, path+" since "+info.ModTime().UTC().Format(time.RFC3339))
			}
		}
	}
	return locks, temps, rescued
}
