package main

import (
	"context"
	"errors"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"mem/guard"
	"mem/recall/skill"
	"mem/render"
)

// errBadSkill is returned when --check finds a problem.
var errBadSkill = errors.New("skills are not as they should be")

type skillsOptions struct {
	Paths []string // "" for where agents look
	JSON  bool
	XML   bool
	Check bool
}

func newSkills(env Env, g *globals) *cobra.Command {
	var opts skillsOptions
	c := &cobra.Command{
		Use:   "skills [PATH...]",
		Short: "List the skills that agents find here, and check them",
		Long: `List the Agent Skills that agents find from this folder, or those in each PATH: a
folder of skills or one file. Problems go to standard error.

mem looks, in this order, in .pi/skills here, in .agents/skills and .claude/skills
here and in the folders above up to the repository, then in your own: ~/.pi/agent/skills,
~/.agents/skills, ~/.claude/skills and ~/.codex/skills. If two skills have one name,
the first counts. A skill is a folder with a SKILL.md that has a description. Files
that .gitignore, .ignore or .fdignore exclude are skipped.`,
		Example: `  mem skills
  mem skills --check .claude/skills
  mem skills new release --from m-1f9c2a7e,m-0b12cd34`,
		Args: cobra.ArbitraryArgs,
		RunE: func(c *cobra.Command, args []string) error {
			opts.Paths = args
			return runSkills(c.Context(), env, opts)
		},
	}
	c.Flags().BoolVar(&opts.JSON, "json", false, "print JSON")
	c.Flags().BoolVar(&opts.XML, "xml", false, "print the list that goes into a prompt")
	c.Flags().BoolVar(&opts.Check, "check", false, "print only problems, and fail if there are any")
	c.AddCommand(newSkillsNew(env, g))
	return c
}

func runSkills(_ context.Context, env Env, opts skillsOptions) error {
	if opts.JSON && opts.XML || opts.Check && (opts.JSON || opts.XML) {
		return usagef("--json, --xml and --check exclude each other")
	}
	found, err := findSkills(env, opts.Paths)
	if err != nil {
		return err
	}
	for _, d := range found.Diagnostics {
		env.Note("%s: %s: %s", d.Kind, guard.Line(env.ShowPath(d.Path)), guard.Line(d.Message))
	}
	switch {
	case opts.Check && len(found.Diagnostics) > 0:
		return errBadSkill
	case opts.Check:
	case opts.JSON:
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
			places = append(places, skill.Folder("path", full))
		case info.Mode().IsRegular() && strings.HasSuffix(full, ".md"):
			places = append(places, skill.File("path", full))
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
	width := env.lineWidth()
	for _, s := range skills {
		note := ""
		if s.Hidden {
			note = ", not offered in the prompt"
		}
		env.Printf("%s (%s%s) %s\n", guard.Line(s.Name), s.Place, note, guard.Line(env.ShowPath(s.Location)))
		env.Printf("  %s\n", render.Shorten(guard.Line(s.Description), width-3))
	}
}
