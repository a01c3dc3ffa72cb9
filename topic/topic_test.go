package topic_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"mem/topic"
)

func TestDomain(t *testing.T) {
	for name, want := range map[string]string{
		"Coding": "coding", " mistakes": "mistake", "communication": "communications", "": "", "../rules": "", "tooling": "",
	} {
		if got := topic.Domain(name); got != want {
			t.Errorf("Domain(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestTags(t *testing.T) {
	got := topic.Tags([]string{"Null Handling", "go", "GO!", "--", "größe", "c++", "a/b", "seventh"})
	if diff := cmp.Diff([]string{"a-b", "c", "go", "größe", "null-handling"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestTagHasItsForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tag := topic.Tag(rapid.String().Draw(t, "s"))
		if again := topic.Tag(tag); again != tag || len(tag) > topic.MaxTag {
			t.Fatalf("Tag(%q) = %q", tag, again)
		}
	})
}
