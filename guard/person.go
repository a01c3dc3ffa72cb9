package guard

import "mem/lazy"

// IsAboutPerson reports whether a text is what a person says about themselves: it stays in
// their own memory.
func IsAboutPerson(text string) bool { return aboutPerson.Get().MatchString(text) }

// aboutPerson are the words of a person about themselves.
var aboutPerson = lazy.New(`(^|[^\w/'])(I|I'm|I'd|I'll|I've|[Mm]e|[Mm]y|[Mm]ine|[Mm]yself)([^\w/']|$)`)
