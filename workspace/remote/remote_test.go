package remote

import (
	"testing"

	"mem/envtest"
)

// TestAnonymousAddress names where a repository would answer those who do not sign in: a
// host that is reached by ssh serves the same one over the web.
func TestAnonymousAddress(t *testing.T) {
	for address, want := range map[string]string{
		"/srv/mem.git":                     "",
		"../mem.git":                       "",
		"file:///srv/mem.git":              "",
		`C:\mem.git`:                       "",
		"https://ada:key@host/ada/mem.git": "https://host/ada/mem.git",
		"http://host:8080/mem.git":         "http://host:8080/mem.git",
		"git://host/mem.git":               "git://host/mem.git",
		"git@host:ada/mem.git":             "https://host/ada/mem.git",
		"ssh://git@host:2222/ada/mem.git":  "https://host/ada/mem.git",
	} {
		envtest.Same(t, want, anonymousAddress(address), address)
	}
}

// TestShowURL prints no password.
func TestShowURL(t *testing.T) {
	for address, want := range map[string]string{
		"https://ada:key@host/mem.git": "https://host/mem.git",
		"git@host:ada/mem.git":         "git@host:ada/mem.git",
		"/srv/a@b/mem.git":             "/srv/a@b/mem.git",
	} {
		envtest.Same(t, want, showURL(address), address)
	}
}
