package topic_test

import (
	"testing"

	"pgregory.net/rapid"

	"mem/topic"

	"mem/envtest"
)

func TestDomain(t *testing.T) {
	for name, want := range map[string]string{
		"Coding": "coding", " mistakes": "mistake", "communication": "communications", "": "", "../rules": "", "tooling": "",
	} {
		envtest.Same(t, want, topic.Domain(name), name)
	}
}

func TestTags(t *testing.T) {
	got := topic.Tags([]string{"Null Handling", "go", "GO!", "--", "größe", "c++", "a/b", "seventh"})
	envtest.Same(t, []string{"a-b", "c", "go", "größe", "null-handling"}, got)
}

func TestTagHasItsForm(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		tag := topic.Tag(rapid.String().Draw(t, "s"))
		again := topic.Tag(tag)
		envtest.StopIf(t, again != tag || len(tag) > topic.MaxTag, "Tag(%q) = %q", tag, again)
	})
}
