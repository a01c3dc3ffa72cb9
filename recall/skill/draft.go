package skill

import (
	"fmt"
	"strings"

	"go.yaml.in/yaml/v4"
)

// A Draft is a skill to be written from lessons.
type Draft struct {
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

// Markdown returns the file of the draft. No agent is offered it before
// a person takes out the line that hides it.
func (d Draft) Markdown() ([]byte, error) {
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
	for _, section := range [...]struct {
		heading string
		avoid   bool
	}{{"Do", false}, {"Avoid", true}} {
		started := false
		for _, l := range d.Lessons {
			if l.Avoid != section.avoid {
				continue
			}
			if !started {
				fmt.Fprintf(&b, "\n## %s\n\n", section.heading)
				started = true
			}
			fmt.Fprintf(&b, "- %s\n", l.Text)
		}
	}
	return []byte(b.String()), nil
}
