package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"mem/guard"
	"mem/recall/skill"
	"mem/render"
)

// errBadSkill is returned when --check finds a problem.
var errBadSkill = errors.New("skills are not as they should be")

func newSkills(env Env, g *globals) *cobra.Command {
	check := false
	c := &cobra.Command{
		Use:   "skills [PATH...]",
		Short: "List the skills that agents find here, and check them",
		Long: `List the Agent Skills that agents find from this folder, or those in each PATH: a
folder of skills or one file. Problems go to standard error.

mem looks, in this order, in .pi/skills here, in .agents/skills and .claude/skills
here and in the folders above up to the repository, then in your own: ~/.pi/agent/skills,
~/.agents/skills, ~/.claude/skills and ~/.codex/skills. If two skills have one name, the
first counts. A skill is a folder with a SKILL.md that has a description. Files that
.gitignore, .ignore or .fdignore exclude are skipped.`,
		Example: `  mem skills
  mem skills --check .claude/skills`,
		Args: cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error { return runSkills(env, g, check, args) },
	}
	c.Flags().BoolVar(&check, "check", false, "print only problems, and fail if there are any")
	return g.addJSONFlag(c)
}

// runSkills lists the skills of these paths, or without any of where agents look.
func runSkills(env Env, g *globals, check bool, paths []string) error {
	if g.JSON && check {
		return usagef("--json and --check exclude each other")
	}
	found, err := findSkills(env, paths)
	if err != nil {
		return err
	}
	for _, d := range found.Diagnostics {
		env.Note("%s: %s: %s", d.Kind, env.ShowPath(d.Path), guard.Line(d.Message))
	}
	switch {
	case check && len(found.Diagnostics) > 0:
		return errBadSkill
	case check:
	case g.JSON:
		return printJSON(env, found.Skills, "description")
	case len(found.Skills) == 0:
		env.Note("no skills found; 'mem help skills' says where mem looks")
	default:
		width := env.LineWidth()
		for _, s := range found.Skills {
			note := ""
			if s.Hidden {
				note = ", not offered in the prompt"
			}
			env.Printf("%s (%s%s) %s\n", guard.Line(s.Name), s.Place, note, env.ShowPath(s.Location))
			env.Printf("  %s\n", render.Shorten(guard.Line(s.Description), width-3))
		}
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
