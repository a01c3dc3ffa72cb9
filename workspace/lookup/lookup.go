// Package lookup says what the ids mean that commands print, and in which form each
// thing is shown: to a person, and as JSON. Nothing is changed.
package lookup
