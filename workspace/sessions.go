package workspace

import (
	"mem/config"
	"mem/trace"
)

// FindSession returns the file of the project's session that was written last,
// of those in which a person spoke.
func (w *Workspace) FindSession(places trace.Places) (string, error) {
	places.Headless = w.Config.Headless == config.HeadlessPerson
	path, _, err := trace.FindLatest(places, w.At.Project)
	return path, err
}

// TakeHeadless takes the prompts of a headless run for a person's, if the person
// configured that.
func (w *Workspace) TakeHeadless(doc trace.Document, err error) (trace.Document, error) {
	if doc.Session != nil && w.Config.Headless == config.HeadlessPerson {
		doc.Session.TrustHeadless()
	}
	return doc, err
}
