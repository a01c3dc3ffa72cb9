package skill

import (
	"errors"
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"

	"mem/guard"
	"mem/index"
	"mem/render"
)

// A draft is a skill to be written from lessons.
type draft struct {
	Name        string
	Description string
	Lessons     []Lesson
}

// A Lesson is one line of a draft.
type Lesson struct {
	ID    string
	Text  string // one line
	Avoid bool
}

// ErrUnfit is wrapped when a lesson has no place in a skill.
var ErrUnfit = errors.New("not fit for a skill")

// pickLessons returns the lessons at these places of an index. One that is not
// shown to sessions, or that reads as an order, wraps ErrUnfit.
func pickLessons(ix *index.Index, places []int) ([]Lesson, error) {
	var list []Lesson
	for _, at := range places {
		it := &ix.Items[at]
		id, text := guard.Line(it.ID), guard.Line(it.Text)
		if it.Status != index.Active {
			return nil, fmt.Errorf("%s is %w: it is %s", id, ErrUnfit, guard.Line(string(it.Status)))
		}
		if problems := guard.Lint(it.ShownText()); len(problems) > 0 {
			return nil, fmt.Errorf("%s is %w: it reads as an order (%s)", id, ErrUnfit, problems[0].Rule)
		}
		list = append(list, Lesson{ID: id, Text: index.StripAvoid(text), Avoid: it.Kind == index.AntiPattern})
	}
	return list, nil
}

// DraftFrom returns the text of a skill made from the lessons at these places of an
// index, and their ids. Without a description the person is to write one.
func DraftFrom(ix *index.Index, places []int, name, description string) (ids []string, text string, err error) {
	d := draft{Name: name, Description: guard.Line(description)}
	if d.Lessons, err = pickLessons(ix, places); err != nil {
		return nil, "", err
	}
	for _, l := range d.Lessons {
		ids = append(ids, l.ID)
	}
	if d.Description == "" {
		d.Description = fmt.Sprintf("Draft from %s that mem kept. Say here what the skill does and when to use it.",
			render.Count(len(ids), "lesson", "lessons"))
	}
	data, err := d.markdown()
	return ids, string(data), err
}

// markdown returns the file of the draft. No agent is offered it before
// a person takes out the line that hides it.
func (d draft) markdown() ([]byte, error) {
	ids := make([]string, 0, len(d.Lessons))
	for _, l := range d.Lessons {
		ids = append(ids, l.ID)
	}
	head, err := yaml.Marshal(struct {
		Name        string            `yaml:"name"`
		Description string            `yaml:"description"`
		Metadata    map[string]string `yaml:"metadata"`
		Hidden      bool              `yaml:"disable-model-invocation"`
	}{d.Name, d.Description, map[string]string{"mem-items": strings.Join(ids, " ")}, true})
	if err != nil {
		return nil, fmt.Errorf("write frontmatter: %w", err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "---\n%s---\n\n# %s\n", head, d.Name)
	lists := map[bool]string{} // of what is to be avoided, and of the rest
	for _, l := range d.Lessons {
		lists[l.Avoid] += "- " + l.Text + "\n"
	}
	if lists[false] != "" {
		b.WriteString("\n## Do\n\n" + lists[false])
	}
	if lists[true] != "" {
		b.WriteString("\n## Avoid\n\n" + lists[true])
	}
	return []byte(b.String()), nil
}

// XML lists skills for a prompt: name, description and file of each, so that
// the rest is read when it is needed. Hidden skills are left out; without any
// other the list is "". Texts are scrubbed: others wrote them.
func XML(skills []Skill) string {
	escapes := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;", "'", "&apos;")
	var b strings.Builder
	for _, s := range skills {
		if s.Hidden {
			continue
		}
		b.WriteString("  <skill>\n")
		for _, f := range [...]struct{ name, text string }{
			{"name", s.Name}, {"description", s.Description}, {"location", s.Location},
		} {
			b.WriteString("    <" + f.name + ">" + escapes.Replace(guard.Scrub(f.text)) + "</" + f.name + ">\n")
		}
		b.WriteString("  </skill>\n")
	}
	if b.Len() == 0 {
		return ""
	}
	return "<available_skills>\n" + b.String() + "</available_skills>\n"
}
