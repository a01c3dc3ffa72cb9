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

// errBadSkill is wrapped when --check found something.
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
		Long: `List the Agent Skills that are found from this folder, or in each PATH: a folder
of skills or one file. What is wrong with one is told on standard error.

Looked for are, in this order, .pi/skills here, .agents/skills and .claude/skills
here and in the folders above up to the repository, then your own: ~/.pi/agent/skills,
~/.agents/skills, ~/.claude/skills and ~/.codex/skills. Of two skills with one name
the first counts. A folder with a SKILL.md is a skill; without a description it is
none. What .gitignore, .ignore or .fdignore leave out is left out.`,
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
	c.Flags().BoolVar(&opts.Check, "check", false, "print nothing but what is wrong, and fail if anything is")
	c.AddCommand(newSkillsNew(env, g))
	return c
}

// skillsResult is the JSON of mem skills.
type skillsResult struct {
	Skills      []skillResult      `json:"skills"`
	Diagnostics []diagnosticResult `json:"diagnostics"`
}

type skillResult struct {
	Name          string            `json:"name"`
	Description   string            `json:"description"`
	Location      string            `json:"location"`
	Place         string            `json:"place"`     // "project", "user", "path"
	InPrompt      bool              `json:"in_prompt"` // false: disable-model-invocation
	License       string            `json:"license"`
	Compatibility string            `json:"compatibility"`
	AllowedTools  string            `json:"allowed_tools"`
	Metadata      map[string]string `json:"metadata"`
}

type diagnosticResult struct {
	Kind    string `json:"kind"` // "warning", "rejected", "collision"
	Path    string `json:"path"`
	Message string `json:"message"`
	Winner  string `json:"winner"` // of a collision
}

func runSkills(_ context.Context, env Env, opts skillsOptions) error {
	if n := count(opts.JSON, opts.XML, opts.Check); n > 1 {
		return usagef("--json, --xml and --check are %d answers to one question", n)
	}
	found, err := findSkills(env, opts.Paths)
	if err != nil {
		return err
	}
	if opts.JSON {
		return printJSON(env, skillsJSON(found))
	}
	w := env.world()
	for _, d := range found.Diagnostics {
		env.Note("%s: %s: %s", d.Kind, oneLine(w.ShowPath(d.Path)), oneLine(d.Message))
	}
	switch {
	case opts.Check && len(found.Diagnostics) > 0:
		return errBadSkill
	case opts.Check:
	case opts.XML:
		env.Printf("%s", skill.XML(found.Skills))
	default:
		printSkills(env, found.Skills)
	}
	return nil
}

// findSkills looks where agents look, or where it is told to. Others wrote
// what it finds: it is cleaned before anybody sees it.
func findSkills(env Env, paths []string) (skill.Found, error) {
	places := skill.Places(env.Dir, env.Home(), env.Getenv)
	if len(paths) > 0 {
		places = nil
	}
	for _, path := range paths {
		full := env.world().AbsPath(path)
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
	found := skill.Find(places...)
	for i := range found.Skills {
		s := &found.Skills[i]
		for _, text := range []*string{&s.Name, &s.Description, &s.License, &s.Compatibility, &s.AllowedTools, &s.Location} {
			*text = guard.Scrub(*text)
		}
		clean := map[string]string{}
		for k, v := range s.Metadata {
			clean[guard.Scrub(k)] = guard.Scrub(v)
		}
		s.Metadata = clean
	}
	for i := range found.Diagnostics {
		d := &found.Diagnostics[i]
		d.Path, d.Message, d.Winner = guard.Scrub(d.Path), guard.Scrub(d.Message), guard.Scrub(d.Winner)
	}
	return found, nil
}

func skillsJSON(found skill.Found) skillsResult {
	out := skillsResult{Skills: []skillResult{}, Diagnostics: []diagnosticResult{}}
	for _, s := range found.Skills {
		out.Skills = append(out.Skills, skillResult{
			s.Name, s.Description, s.Location, s.Place, !s.Hidden, s.License, s.Compatibility, s.AllowedTools, s.Metadata,
		})
	}
	for _, d := range found.Diagnostics {
		out.Diagnostics = append(out.Diagnostics, diagnosticResult(d))
	}
	return out
}

func printSkills(env Env, skills []skill.Skill) {
	if len(skills) == 0 {
		env.Note("no skills found; 'mem help skills' says where they are looked for")
	}
	width := env.Width()
	for _, s := range skills {
		note := ""
		if s.Hidden {
			note = ", not offered in the prompt"
		}
		env.Printf("%s (%s%s) %s\n", oneLine(s.Name), s.Place, note, oneLine(env.world().ShowPath(s.Location)))
		env.Printf("  %s\n", render.Shorten(oneLine(s.Description), width-3))
	}
}

// count returns how many are true.
func count(list ...bool) (n int) {
	for _, b := range list {
		if b {
			n++
		}
	}
	return n
}
