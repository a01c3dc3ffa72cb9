package topic_test

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"mem/topic"

	"mem/envtest"
)

func TestSlug(t *testing.T) {
	for text, want := range map[string]string{
		"Run `make check`, then push!": "run-make-check-then-push",
		"Don't guess":                  "dont-guess",
		"../../etc/passwd":             "etc-passwd",
		"":                             "note",
		"日本語":                          "note",
		"Größe in `ß` messen":          "groesse-in-ss-messen",
		"Gro\u0308ße":                  "groesse",
		"Éviter l’été à Łódź":          "eviter-lete-a-lodz",
		"日本語 für Anfänger":             "fuer-anfaenger",
		"Й не nft":                     "nft",
		"CON":                          "con-note",
		"lpt1":                         "lpt1-note",
		"com10":                        "com10",
		strings.Repeat("word ", 20):    "word-word-word-word-word-word-word-word-word-word-word-word",
		strings.Repeat("x", 100):       strings.Repeat("x", 60),
	} {
		envtest.Same(t, want, topic.Slug(text, "note"), text)
	}
}

func TestSlugIsAName(t *testing.T) {
	form := regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		slug := topic.Slug(text, "note")
		envtest.StopIf(t, !form.MatchString(slug) || len(slug) > topic.MaxSlug, "%q is no slug", slug)
	})
}
