package union

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"mem/frontmatter"
)

// The files of the folder of patterns. The end of the view says which number was given
// last.
const (
	patternIndex = "patterns/index.md"
	patternStart = "patterns/pattern-"
)

// laterNumbers returns the view that knows of the higher number.
func laterNumbers(ours, theirs []byte) []byte {
	last := func(data []byte) string {
		text := strings.TrimSpace(string(data))
		return text[strings.LastIndexByte(text, '\n')+1:]
	}
	o, t := last(ours), last(theirs)
	if cmp.Or(cmp.Compare(len(o), len(t)), strings.Compare(o, t)) < 0 {
		return theirs
	}
	return ours
}

// another stands before a pattern that another clone gave the same number as the one
// above it, until SeparatePatterns gives it one of its own.
const another = "<!-- mem: another pattern of this number -->\n"

// mergePatterns merges files of the folder. Of a number there is one. Two versions of one pattern are not
// mixed: what a person decided stands, of two decisions the later. Two patterns are
// both kept, and the older one keeps the number, which git may have taken for another's.
func mergePatterns(name string, base, ours, theirs []byte) ([]byte, error) {
	if name == patternIndex {
		return laterNumbers(ours, theirs), nil
	} else if !strings.HasPrefix(name, patternStart) {
		return joinFiles(base, ours, theirs)
	}
	var sides [3]map[string]string
	for i, data := range [][]byte{base, ours, theirs} {
		if hasConflict(string(data)) {
			return nil, fmt.Errorf("it holds a conflict: %w", ErrUnsure)
		}
		sides[i] = map[string]string{}
		for text := range strings.SplitSeq(string(data), another) {
			sides[i][cmp.Or(fieldOf(text, "key"), text)] = text
		}
	}
	all := maps.Clone(sides[1])
	maps.Copy(all, sides[2])
	var texts []string
	for key := range all {
		if text := choosePattern(sides[0][key], sides[1][key], sides[2][key]); text != "" {
			texts = append(texts, text)
		}
	}
	slices.SortFunc(texts, func(a, b string) int {
		return cmp.Or(strings.Compare(fieldOf(a, "detected"), fieldOf(b, "detected")), strings.Compare(a, b))
	})
	if len(texts) > 0 {
		texts[0] = withID(texts[0], strings.TrimSuffix(path.Base(name), ".md"))
	}
	return []byte(strings.Join(texts, another)), nil
}

// choosePattern returns the version of a pattern that stands; "" is none.
func choosePattern(base, ours, theirs string) string {
	switch {
	case base == theirs, base != ours && theirs == "":
		return ours
	case base == ours, ours == "":
		return theirs
	}
	rank := func(text string) string {
		status, isNews := fieldOf(text, "status"), "0"
		if status != fieldOf(base, "status") {
			isNews = "1" // that of base is pending where there is none
		}
		return isNews + map[string]string{"approved": "2", "rejected": "1"}[status] + fieldOf(text, "decided")
	}
	if c := cmp.Or(strings.Compare(rank(ours), rank(theirs)), strings.Compare(ours, theirs)); c < 0 {
		return theirs
	}
	return ours
}

func withID(text, id string) string {
	f, err := frontmatter.Parse([]byte(text))
	if err != nil || f.Value("id") == id {
		return text
	}
	f.Set("id", id)
	return string(f.Bytes())
}

func fieldOf(text, name string) string {
	f, err := frontmatter.Parse([]byte(text))
	if err != nil {
		return ""
	}
	return f.Value(name)
}

// maxNumber is the highest number of a pattern.
const maxNumber = 999_999

// SeparatePatterns gives each pattern a file of its own where two clones gave two of them
// one number: it returns the files that change, given all of them by path. The new
// numbers come after all that were given.
func SeparatePatterns(files map[string]string) map[string]string {
	last, changed := 0, map[string]string{}
	for name, text := range files {
		if name == patternIndex {
			name = text[max(0, strings.LastIndex(text, "pattern-")):]
		}
		_, after, _ := strings.Cut(name, "pattern-")
		var n int
		_, _ = fmt.Sscanf(after, "%d", &n) // 0 without one
		last = max(last, n)
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		texts := strings.Split(files[name], another)
		for _, text := range texts[1:] {
			if last++; last > maxNumber {
				return changed
			}
			id := fmt.Sprintf("pattern-%03d", last)
			changed[name], changed["patterns/"+id+".md"] = texts[0], withID(text, id)
		}
	}
	return changed
}
