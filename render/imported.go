package render

import (
	"strings"

	"mem/index"
)

// ParseCore reads the lessons of a CORE.md, for the one import of a root that
// has the view and no index. Items under a heading that speaks of what went
// wrong are mistakes, all others are fixes; the notes in brackets that Core
// adds are dropped. Nothing else ever reads a view.
func ParseCore(data []byte) index.Reflection {
	var r index.Reflection
	mistakes := false
	for l := range strings.Lines(string(data)) {
		l = strings.TrimSpace(l)
		text, item := strings.CutPrefix(l, "- ")
		if !item {
			text, item = strings.CutPrefix(l, "* ")
		}
		switch {
		case strings.HasPrefix(l, "#"):
			mistakes = saysMistakes(l)
		case !item:
		case mistakes || index.SaysAvoid(text):
			r.Mistakes = append(r.Mistakes, imported(text))
		default:
			r.Fixes = append(r.Fixes, imported(text))
		}
	}
	return r
}

func imported(text string) index.Lesson {
	text = strings.TrimPrefix(text, "(pinned) ")
	if open := strings.LastIndex(text, " (m-"); open > 0 && strings.HasSuffix(text, ")") {
		text = text[:open]
	}
	return index.Lesson{Text: text, Origin: index.OriginImport}
}
