package purge

import "testing"

// The words go however they are written: as a slug, which may be cut, over the end of a
// line, as JSON, or cut by three dots.
func TestReplace(t *testing.T) {
	c := newCleaner(Words{Texts: []string{`Always use the zebra cache when building "prod" images of all our quokkas`}})
	for text, want := range map[string]string{
		`- always USE the zebra cache when building "prod" images of all our quokkas (×2)`:       "- [purged] (×2)",
		`{"a": "Always use the zebra cache when building \"prod\" images of all our quokkas"}`:   `{"a": "[purged]"}`,
		"learn(technical): always-use-the-zebra-cache-when-building-prod-images-of-all":          "learn(technical): [purged]",
		"avoid-always-use-the-zebra-cache-when-building-prod-images":                             "[purged]",
		"task: Always use the zebra cache when…":                                                 "task: [purged]",
		"> Always use the zebra\n> cache when building \"prod\"\n  images of all our quokkas.\n": "> [purged].\n",
		"Always use the zebra crossing":                                                          "Always use the zebra crossing",
	} {
		if got := string(c.clean([]byte(text))); got != want {
			t.Errorf("clean(%q) = %q, want %q", text, got, want)
		}
		if c.finds([]byte(want)) {
			t.Errorf("the words are found in %q", want)
		}
	}
	if got, want := c.rename("rules/always-use-the-zebra-cache-when-building-prod-images-of-all.md"), "rules/purged.md"; got != want {
		t.Errorf("rename = %q, want %q", got, want)
	}
}
