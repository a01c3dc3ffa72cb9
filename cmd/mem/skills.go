package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mem/curate/lesson"
	"mem/guard"
	"mem/index"
	"mem/recall/skill"
	"mem/render"
	"mem/repo"
	"mem/repo/disk"
	"mem/workspace"
)

// errBadSkill is returned when --check finds a problem.
var errBadSkill = errors.New("skills are not as they should be")

type skillsOptions struct{ XML, Check bool }

func newSkills(env Env, g *globals) *cobra.Command {
	var opts skillsOptions
	c := &cobra.Command{
		Use:   "skills [PATH...]",
		Short: "List the skills that agents find here, and check them",
		Long: `List the Agent Skills that agents find from this folder, or those in each PATH: a
folder of skills or one file. Problems go to standard error.

mem looks, in this order, in .pi/skills here, in .agents/skills and .claude/skills
here and in the folders above up to the repository, then in your own: ~/.pi/agent/skills,
~/.agents/skills, ~/.claude/skills and ~/.codex/skills. After each of pi's folders come
the skills and the packages on this disk that pi's settings.json names beside it. If
two skills have one name, the first counts. A skill is a folder with a SKILL.md that has a description. Files
that .gitignore, .ignore or .fdignore exclude are skipped.`,
		Example: `  mem skills
  mem skills --check .claude/skills
  mem skills new release --from m-1f9c2a7e,m-0b12cd34`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return runSkills(env, g, opts, args) },
	}
	c.Flags().BoolVar(&opts.XML, "xml", false, "print the list that goes into a prompt")
	c.Flags().BoolVar(&opts.Check, "check", false, "print only problems, and fail if there are any")
	c.AddCommand(newSkillsNew(env, g))
	return g.addJSONFlag(c)
}

// runSkills lists the skills of these paths, or without any of where agents look.
func runSkills(env Env, g *globals, opts skillsOptions, paths []string) error {
	if g.JSON && opts.XML || opts.Check && (g.JSON || opts.XML) {
		return usagef("--json, --xml and --check exclude each other")
	}
	found, err := findSkills(env, paths)
	if err != nil {
		return err
	}
	for _, d := range found.Diagnostics {
		env.Note("%s: %s: %s", d.Kind, env.ShowPath(d.Path), guard.Line(d.Message))
	}
	switch {
	case opts.Check && len(found.Diagnostics) > 0:
		return errBadSkill
	case opts.Check:
	case g.JSON:
		return printJSON(env, found.Skills, "description")
	case opts.XML:
		env.Printf("%s", skill.XML(found.Skills))
	default:
		printSkills(env, found.Skills)
	}
	return nil
}

// findSkills looks where agents look, or in these paths.
func findSkills(env Env, paths []string) (skill.Found, error) {
	places := skill.Places(env.Dir, env.Home(), env.Getenv)
	if len(paths) > 0 {
		places = nil
	}
	for _, path := range paths {
		full := env.AbsPath(path)
		switch info, err := os.Stat(full); {
		case err != nil:
			return skill.Found{}, usagef("there is no folder or file %s", path)
		case info.IsDir():
			places = append(places, skill.Place{Name: "path", Path: full})
		case info.Mode().IsRegular() && strings.HasSuffix(full, ".md"):
			places = append(places, skill.Place{Name: "path", Path: filepath.Dir(full), File: filepath.Base(full)})
		default:
			return skill.Found{}, usagef("%s is neither a folder nor a Markdown file", path)
		}
	}
	return skill.Find(places...), nil
}

func printSkills(env Env, skills []skill.Skill) {
	if len(skills) == 0 {
		env.Note("no skills found; 'mem help skills' says where mem looks")
	}
	width := env.LineWidth()
	for _, s := range skills {
		note := ""
		if s.Hidden {
			note = ", not offered in the prompt"
		}
		env.Printf("%s (%s%s) %s\n", guard.Line(s.Name), s.Place, note, env.ShowPath(s.Location))
		env.Printf("  %s\n", render.Shorten(guard.Line(s.Description), width-3))
	}
}

// errTaken is wrapped when something has the name of a new skill.
var errTaken = errors.New("taken")

type skillsNewOptions struct {
	Name        string
	From        []string
	Description string
	In          string
}

func newSkillsNew(env Env, g *globals) *cobra.Command {
	var opts skillsNewOptions
	c := &cobra.Command{
		Use:   "new NAME --from ITEM...",
		Short: "Draft a skill from lessons",
		Long: `Write a new skill, NAME/SKILL.md, from the lessons with these ids.

It goes to .agents/skills in the project, which most agents read, or to the folder
given with --in, such as .claude/skills. Nothing that exists is changed: mem refuses
a name that another skill has, and a folder that is not empty. The draft is hidden
from agents: read it, say in its description when to use it, and remove the line
"disable-model-invocation: true".`,
		Example: `  mem skills new release --from m-1f9c2a7e,m-0b12cd34
  mem skills new release --from m-1f9c2a7e --in .claude/skills`,
		Args: func(_ *cobra.Command, args []string) error { return opts.takeArgs(args) },
		RunE: g.inMemory(env, opts.runSkillsNew),
	}
	c.Flags().StringSliceVar(&opts.From, "from", nil, "`ITEM`, the id of a lesson; several with commas, or one after the other")
	c.Flags().StringVar(&opts.Description, "description", "", "`TEXT` that says what the skill does and when to use it")
	c.Flags().StringVar(&opts.In, "in", "", "write to this `DIR` of skills instead of .agents/skills in the project")
	shown := completeSome(env, g, func(it *index.Item) bool { return it.Status == index.Active })
	_ = c.RegisterFlagCompletionFunc("from", shown)
	_ = c.MarkFlagDirname("in")
	c.ValidArgsFunction = func(c *cobra.Command, args []string, prefix string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp // the name must be new
		}
		return shown(c, args, prefix)
	}
	return g.addChangeFlags(c, "print the draft and write nothing")
}

// skillsNewResult is the JSON of mem skills new.
type skillsNewResult struct {
	Status workspace.Status `json:"status"` // "written", "planned"
	Name   string           `json:"name"`
	Path   string           `json:"path"`
	Items  []string         `json:"items"`
	Text   string           `json:"text"`
}

// takeArgs takes the name of the skill, and the lessons behind the first.
func (o *skillsNewOptions) takeArgs(args []string) error {
	if len(args) == 0 {
		return usagef("a skill needs a name")
	}
	o.Name = args[0]
	if len(args) > 1 && len(o.From) == 0 {
		return usagef("the lessons are named with --from")
	}
	if problems := skill.NameProblems(o.Name, o.Name); len(problems) > 0 {
		return usagef("%s", problems[0])
	}
	if o.From = append(o.From, args[1:]...); len(o.From) == 0 {
		return usagef("a skill is made from lessons: name them with --from")
	}
	return nil
}

func (o *skillsNewOptions) runSkillsNew(_ context.Context, w *work, m *repo.Memory, _ []string) error {
	base, folder, err := w.skillFolder(*o)
	if err != nil {
		return err
	}
	res := skillsNewResult{Status: workspace.Planned, Name: o.Name, Path: filepath.Join(base, folder, skill.FileName)}
	places, err := lesson.FindLessons(m.Index, o.From)
	if err != nil {
		return err
	}
	if res.Items, res.Text, err = skill.DraftFrom(m.Index, places, o.Name, o.Description); err != nil {
		return err
	}
	if !w.DryRun {
		res.Status = "written"
		err := w.env.Files.AddFile(base, filepath.Join(folder, skill.FileName), []byte(res.Text), 0o644) // all of it or none
		switch {
		case errors.Is(err, fs.ErrExist):
			return w.takenError(filepath.Join(base, folder))
		case err != nil:
			return fmt.Errorf("write skill: %w", err)
		}
	}
	switch {
	case w.JSON:
		return printJSON(w.env, res, "text")
	case w.DryRun:
		w.env.Note("would be written to %s", w.ShowPath(res.Path))
		w.env.Printf("%s", res.Text)
	default:
		w.env.Printf("wrote %s\n", w.ShowPath(res.Path))
		w.env.Hint("read it, say in its description when to use it, and remove the line 'disable-model-invocation: true': until then agents are not offered it")
	}
	return nil
}

// skillFolder returns where a new skill goes, as a trusted folder and a path in it.
// It fails if the name or the path is taken.
func (w *work) skillFolder(opts skillsNewOptions) (base, folder string, err error) {
	base, folder = w.At.Project, filepath.Join(".agents", "skills", opts.Name)
	if opts.In != "" {
		base, folder = w.AbsPath(opts.In), opts.Name
	}
	if base == "" {
		base = w.env.Dir
	}
	full := filepath.Join(base, folder)
	if rel, err := filepath.Rel(w.At.Root, full); err == nil && filepath.IsLocal(rel) {
		return "", "", usagef("%s is in the memory, which only holds what mem puts there", w.ShowPath(full))
	}
	if !disk.IsVacant(filepath.Join(full, skill.FileName)) {
		if !w.DryRun {
			w.env.Files.SweepAdded(base, filepath.Join(folder, skill.FileName))
		}
		return "", "", w.takenError(full)
	}
	found, err := findSkills(w.env, nil)
	if err != nil {
		return "", "", err
	}
	for _, s := range found.Skills {
		if s.Name == opts.Name {
			return "", "", fmt.Errorf("the name %q is that of the skill in %s%w", opts.Name, w.ShowPath(s.Location), hidden{errTaken})
		}
	}
	return base, folder, nil
}

func (w *work) takenError(folder string) error {
	return fmt.Errorf("there is something in %s%w", w.ShowPath(folder), hidden{errTaken})
}
