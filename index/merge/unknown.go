package merge

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"mem/index"
)

// mergeUnknown keeps the unknown members of both sides, such as what pi-self-learning
// counts in them. Of two values the one that base does not have stands, else the larger.
func mergeUnknown(base, a, b []index.Member) []index.Member {
	if slices.EqualFunc(a, b, isSameMember) {
		return a // in the order of the file
	}
	out := index.MergeMembers(a, b)
	for i, m := range out {
		was, x, y := findMember(base, m.Name), findMember(a, m.Name), findMember(b, m.Name)
		switch {
		case x == nil || y == nil:
		case bytes.Equal(x, was):
			out[i].Value = y
		case !bytes.Equal(y, was) && compareValues(x, y) < 0:
			out[i].Value = y
		}
	}
	slices.SortFunc(out, func(a, b index.Member) int { return strings.Compare(a.Name, b.Name) })
	return out
}

func findMember(list []index.Member, name string) jsontext.Value {
	if i := slices.IndexFunc(list, func(m index.Member) bool { return m.Name == name }); i >= 0 {
		return list[i].Value
	}
	return nil
}

// compareValues puts counts in their order, and other JSON in some order.
func compareValues(a, b jsontext.Value) int {
	if a.Kind() == '0' && b.Kind() == '0' && len(a) != len(b) {
		return cmp.Compare(len(a), len(b))
	}
	return bytes.Compare(a, b)
}
