package curate

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mem/topic"

	"mem/envtest"
)

// unit is one learning with tags between spaces.
func unitOf(id, tags string) unit {
	return unit{ID: id, Text: "Text of " + id, Tags: topic.Tags(strings.Fields(tags))}
}

// shape is a group without what follows from its units.
func shape(groups []*group) (list []string) {
	for _, g := range groups {
		var ids []string
		for _, u := range g.Units {
			ids = append(ids, u.ID)
		}
		list = append(list, fmt.Sprintf("%s: %s (%d, tight %v, %.2f)", strings.Join(g.Tags, "+"), strings.Join(ids, " "), len(g.Units), g.Tight, g.Cohesion))
	}
	return list
}

// TestFound: what sessions taught belongs together if one of two common tags says what it
// is about, and not only a side that most work has; captured learnings need no more than two common tags.
func TestFound(t *testing.T) {
	found := func(id, tags string) unit {
		u := unitOf(id, tags)
		u.Found = true
		return u
	}
	for _, test := range []struct {
		name  string
		units []unit
		want  []string
	}{
		{"names alone", []unit{found("1", "git npm"), found("2", "git npm"), found("3", "git npm")}, nil},
		{"three names", []unit{found("1", "git go npm"), found("2", "git go npm"), found("3", "git go npm")}, nil},
		{"a name and a subject", []unit{found("1", "git hook"), found("2", "git hook"), found("3", "git hook npm")}, []string{"git+hook: 1 2 3 (3, tight true, 1.00)"}},
		{"a name and what most work has", []unit{found("1", "bun config"), found("2", "bun config cache"), found("3", "bun config hook")}, nil},
		{"a name and what most work has, all the same", []unit{found("1", "bun config"), found("2", "bun config"), found("3", "bun config")}, []string{"bun+config: 1 2 3 (3, tight true, 1.00)"}},
		{"two subjects", []unit{found("1", "cache retry"), found("2", "cache retry"), found("3", "cache retry")}, []string{"cache+retry: 1 2 3 (3, tight true, 1.00)"}},
		{"captured", []unit{unitOf("1", "git npm"), unitOf("2", "git npm"), unitOf("3", "git npm")}, []string{"git+npm: 1 2 3 (3, tight true, 1.00)"}},
		{"captured, and one of a session", []unit{unitOf("1", "git npm"), unitOf("2", "git npm"), found("3", "git npm")}, nil},
		{"captured, beside one of a session", []unit{unitOf("1", "git npm"), unitOf("2", "git npm"), unitOf("3", "git npm"), found("4", "git npm")}, []string{"git+npm: 1 2 3 (3, tight true, 1.00)"}},
		{"a star", []unit{found("1", "git hook npm port"), found("2", "git hook"), found("3", "npm port"), found("4", "git npm")}, []string{"git+hook: 1 2 3 (3, tight false, 0.67)"}},
	} {
		envtest.Same(t, test.want, shape(findGroups(test.units)), test.name)
	}
}

func TestR06Find(t *testing.T) {
	for _, test := range []struct {
		name  string
		units []unit
		want  []string
	}{
		{"nothing", nil, nil},
		{"two are not enough", []unit{unitOf("1", "a b"), unitOf("2", "a b")}, nil},
		{"three that share two tags", []unit{unitOf("1", "a b x"), unitOf("2", "a b y"), unitOf("3", "a b")}, []string{"a+b: 1 2 3 (3, tight true, 1.00)"}},
		{"one tag in common is not enough", []unit{unitOf("1", "a b"), unitOf("2", "a c"), unitOf("3", "a d")}, nil},
		{"without tags", []unit{unitOf("1", ""), unitOf("2", ""), unitOf("3", "")}, nil},
		{"more common tags go first", []unit{unitOf("1", "a b"), unitOf("2", "a b c d"), unitOf("3", "a b c d"), unitOf("4", "a b c d"), unitOf("5", "a b")},
			[]string{"a+b+c+d: 2 3 4 (3, tight true, 1.00)"}},
		{"then more members", []unit{unitOf("1", "a b"), unitOf("2", "a b"), unitOf("3", "a b"), unitOf("4", "c d"), unitOf("5", "c d"), unitOf("6", "c d"), unitOf("7", "c d")},
			[]string{"c+d: 4 5 6 7 (4, tight true, 1.00)", "a+b: 1 2 3 (3, tight true, 1.00)"}},
		{"what was taken counts no more", slices.Concat(of("1 x y z", "2 x y z", "3 x y z", "4 x y", "5 x y", "6 x y"), of("7 q r", "8 q r", "9 q r", "0 q r")),
			[]string{"x+y+z: 1 2 3 (3, tight true, 1.00)", "q+r: 0 7 8 9 (4, tight true, 1.00)", "x+y: 4 5 6 (3, tight true, 1.00)"}},
		{"a star of what is left", []unit{unitOf("1", "a b c d"), unitOf("2", "a b"), unitOf("3", "c d")}, []string{"a+b: 1 2 3 (3, tight false, 0.67)"}},
		{"both passes", []unit{unitOf("1", "x y"), unitOf("2", "x y"), unitOf("3", "x y"), unitOf("4", "a b c d"), unitOf("5", "a b"), unitOf("6", "c d")},
			[]string{"x+y: 1 2 3 (3, tight true, 1.00)", "a+b: 4 5 6 (3, tight false, 0.67)"}},
	} {
		envtest.Same(t, test.want, shape(findGroups(test.units)), test.name)
	}
}

// corpus makes learnings about things with tags out of a small vocabulary.
func corpus(random *rand.Rand, n, words int) (units []unit) {
	for i := range n {
		var tags []string
		for range 2 + random.IntN(4) {
			tags = append(tags, fmt.Sprintf("tag%d", random.IntN(words)))
		}
		slices.Sort(tags)
		units = append(units, unitOf(fmt.Sprintf("unit%05d", i), strings.Join(slices.Compact(tags), " ")))
	}
	return units
}

// The order in which learnings came does not matter.
func TestR06Shuffles(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	units := corpus(random, 120, 14)
	want := shape(findGroups(units))
	envtest.StopIf(t, len(want) < 5, "only %d groups: the corpus shows nothing", len(want))
	for range 200 {
		random.Shuffle(len(units), func(i, j int) { units[i], units[j] = units[j], units[i] })
		envtest.Same(t, want, shape(findGroups(units)))
	}
}

// Whenever some learning and those like it are three, there is a group; no
// learning is in two, and a tight group shares all its tags.
func TestR06Laws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.Uint64().Draw(t, "seed")
		n, words := rapid.IntRange(0, 40).Draw(t, "n"), rapid.IntRange(3, 12).Draw(t, "words")
		units := corpus(rand.New(rand.NewPCG(seed, 1)), n, words)
		star := false
		for _, u := range units {
			n := 0
			for _, o := range units {
				if u.ID == o.ID || shareTags(u.Tags, o.Tags) {
					n++
				}
			}
			star = star || n >= minUnits && len(u.Tags) >= minShared
		}
		groups := findGroups(units)
		envtest.Same(t, len(groups) > 0, star, shape(groups))
		seen := map[string]bool{}
		for _, g := range groups {
			for _, u := range g.Units {
				envtest.StopIf(t, seen[u.ID], "%s is in two groups", u.ID)
				seen[u.ID] = true
				for _, tag := range g.Tags {
					envtest.StopIf(t, g.Tight && !slices.Contains(u.Tags, tag), "%s lacks %s", u.ID, tag)
				}
			}
			if len(g.Units) < minUnits || len(g.Tags) < minShared {
				t.Fatalf("%q", shape([]*group{g}))
			}
		}
		rest := slices.DeleteFunc(units, func(u unit) bool { return seen[u.ID] })
		again := findGroups(rest)
		envtest.StopIf(t, len(again) > 0, "what was left still groups: %q", shape(again))
	})
}
