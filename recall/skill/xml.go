package skill

import (
	"strings"

	"mem/guard"
)

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
