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
	for l := range strings.Lines(vocabulary) {
		if l[0] == '#' || l[0] == '=' {
			continue
		}
		if head, rest, ok := strings.Cut(l, ": "); ok {
			tag, domain, _ := strings.Cut(head, " ")
			list, l = append(list, Line{Tag: tag, Domain: domain}), rest
		}
		for w := range strings.SplitSeq(l, ",") {
			if w = strings.TrimSpace(w); w != "" {
				list[len(list)-1].Words = append(list[len(list)-1].Words, w)
			}
		}
	}
	return list
}
