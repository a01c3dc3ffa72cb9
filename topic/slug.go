package topic

import (
	"slices"
	"strings"
)

// MaxSlug is how long a slug is at most, in bytes.
const MaxSlug = 60

// Slug returns a text as it may be part of the name of a file on any system:
// letters a to z, digits, and single hyphens between them. A longer text ends
// at a word. One that leaves nothing, or only the name of a device of Windows,
// is named after fallback, which must be a slug itself.
func Slug(text, fallback string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(text) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			b.WriteRune(r)
		case r == '\'' || r == '’': // "don't" is one word
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
		if b.Len() > 2*MaxSlug {
			break
		}
	}
	slug := strings.Trim(b.String(), "-")
	if len(slug) > MaxSlug {
		cut := strings.LastIndexByte(slug[:MaxSlug+1], '-')
		if cut < MaxSlug/2 { // one long word
			cut = MaxSlug
		}
		slug = strings.TrimRight(slug[:cut], "-")
	}
	switch {
	case slug == "":
		return fallback
	case device(slug):
		return slug + "-" + fallback
	}
	return slug
}

// device reports whether Windows takes a name for a device, whatever its
// extension.
func device(name string) bool {
	if slices.Contains([]string{"con", "prn", "aux", "nul"}, name) {
		return true
	}
	return len(name) == 4 && (name[:3] == "com" || name[:3] == "lpt") && name[3] >= '0' && name[3] <= '9'
}
