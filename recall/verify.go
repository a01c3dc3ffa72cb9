package recall

import (
	"path"
	"strings"

	"mem/guard"
	"mem/index"
	"mem/lazy"
)

// mostChecks bounds how often a context asks whether a path is there.
const mostChecks = 100

// pathsIn finds what can only be a path from the top of a project: folders and a file with an ending.
var pathsIn = lazy.New("`(\\.?[\\w-]+(?:/[\\w.-]+)+\\.[a-z]{1,5})`")

// markDrift marks the lessons of the project whose evidence is not there any
// more, those worth most first, until enough paths were asked for.
func (b *bundle) markDrift() {
	if b.opts.Exists == nil {
		return
	}
	checks := mostChecks
	exists := func(p string) bool {
		if checks--; checks < 0 {
			return true
		}
		return b.opts.Exists(p)
	}
	for _, e := range b.lessonsOf(pinned, said, proven, core, fresh, fitting) {
		if !e.source.Global { // the paths of other projects are not here
			e.verify = describeDrift(e.item, e.text, exists)
		}
	}
}

// describeDrift says what a lesson names that no longer exists; "" if nothing is missing. It checks
// paths in the words of learnings only, if their first folder exists.
func describeDrift(it *index.Item, text string, exists func(string) bool) string {
	if isEvidenceGone(it, exists) {
		return "the files that it was found in are gone"
	}
	if !it.IsLearning() || !strings.Contains(text, "/") {
		return "" // what is to be avoided may well not be there
	}
	for _, m := range pathsIn.Get().FindAllStringSubmatch(text, 5) {
		first, _, _ := strings.Cut(m[1], "/")
		if isCheckable(m[1]) && !exists(m[1]) && exists(first) {
			return "`" + m[1] + "` is gone"
		}
	}
	return ""
}

// isEvidenceGone reports whether none of the files is left that a lesson was
// found in, or none of them holds any more what it names.
func isEvidenceGone(it *index.Item, exists func(string) bool) bool {
	if it.Evidence == nil {
		return false
	}
	gone := it.CountFiles() == 0
	for _, p := range it.Evidence.Paths {
		if p = guard.Scrub(p); !isCheckable(p) {
			continue
		}
		if exists(p) {
			return false
		}
		gone = true
	}
	return gone
}

// isCheckable reports whether a path is one of a file that is there to stay, and neither a pattern nor made by a build.
func isCheckable(p string) bool {
	if path.IsAbs(p) || strings.ContainsAny(p, "*?[]{}<>$\\:\n") || strings.HasPrefix(p, "@") {
		return false
	}
	for part := range strings.SplitSeq(p, "/") {
		switch part {
		case "", "..", "dist", "build", "out", "target", "node_modules", "tmp":
			return false
		}
		if strings.Contains(part, "NNN") || strings.Contains(part, "YYYY") || strings.Contains(part, "XXX") {
			return false
		}
	}
	return true
}
