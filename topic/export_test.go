package topic

import "strings"

// A Line is a topic as the vocabulary writes it.
type Line struct {
	Tag, Domain string
	Words       []string
}

// Vocabulary returns the topics.
func Vocabulary() []Line {
	var list []Line
	for l := range strings.Lines(names + things + doings) {
		if fields := strings.Fields(l); l[0] != ' ' && len(fields) > 0 {
			list = append(list, Line{Tag: fields[0], Domain: fields[1]})
			_, l, _ = strings.Cut(l, " "+fields[1]+" ")
		}
		for w := range strings.SplitSeq(l, ",") {
			if w = strings.TrimSpace(w); w != "" {
				list[len(list)-1].Words = append(list[len(list)-1].Words, w)
			}
		}
	}
	return list
}
