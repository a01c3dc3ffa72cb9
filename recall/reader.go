package recall

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"mem/repo"
)

// Empty files record, by their names, what a reader of a memory, such as a session, was shown, and
// what it did: many processes record at the same time, and none may wait.
const (
	hintsDir    = repo.PrivateDir + "/hints"
	turnsDir    = repo.PrivateDir + "/turns"
	failuresDir = repo.PrivateDir + "/failures"
	curesDir    = repo.PrivateDir + "/cures"
	maxHints    = 8  // to one reader
	maxReaders  = 64 // that are remembered
	hintNameLen = 16
	maxFailures = 64 // of one reader
)

// ClaimHint reports whether a reader is to be given a hint: it was not given this one, and did not get too many.
// Processes may ask at the same time, and where nothing can be noted there is no hint.
func ClaimHint(root *repo.Root, reader, hint string) bool {
	return note(root, hintsDir, reader, hint, maxHints)
}

// ClaimReminder reports whether a reader is to be reminded: it was not in the last ten prompts,
// which PassPrompt counts. Each kind of reminder counts for itself.
func ClaimReminder(root *repo.Root, reader, kind string) bool {
	folder, names, err := openReader(root, turnsDir, reader)
	isOpen := !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, kind+".") })
	return err == nil && isOpen && root.Dir().CreateFile(folder+"/"+kind+".0") == nil
}

// PassPrompt counts a prompt of a reader, if it was reminded lately.
func PassPrompt(root *repo.Root, reader string) {
	folder := turnsDir + "/" + hashName(reader)
	names, _ := root.Dir().ListFolder(folder)
	for _, name := range names {
		if kind, n, _ := strings.Cut(name, "."); n == "9" {
			_ = root.Dir().Remove(folder + "/" + name)
		} else {
			_ = root.Dir().Rename(folder+"/"+name, fmt.Sprintf("%s/%s.%c", folder, kind, n[0]+1))
		}
	}
}

// NoteCure notes that a reader ran what a lesson tells to run.
func NoteCure(root *repo.Root, reader, id string) { note(root, curesDir, reader, id, maxFailures) }

// IsCured reports whether NoteCure was called for the reader and the lesson.
func IsCured(root *repo.Root, reader, id string) bool {
	return root.Dir().Exists(curesDir + "/" + hashName(reader) + "/" + hashName(id))
}

// NoteFailure notes that a command failed which a reader ran.
func NoteFailure(root *repo.Root, reader, command string) {
	note(root, failuresDir, reader, command, maxFailures)
}

// TakeFailure reports whether a command failed that works now, and forgets it.
func TakeFailure(root *repo.Root, reader, command string) bool {
	name := failuresDir + "/" + hashName(reader) + "/" + hashName(command)
	return root.Dir().Exists(name) && root.Dir().Remove(name) == nil
}

// ForgetFailures is for a reader that changed what its commands work on.
func ForgetFailures(root *repo.Root, reader string) {
	_ = root.Dir().RemoveAll(failuresDir + "/" + hashName(reader))
}

// note records what a reader was shown or did; false if it is already recorded, too much, or not written.
func note(root *repo.Root, in, reader, what string, most int) bool {
	folder, names, err := openReader(root, in, reader)
	return err == nil && len(names) < most && root.Dir().CreateFile(folder+"/"+hashName(what)) == nil
}

// openReader makes the folder of a reader, if there is none, and returns what is in it. It makes room first: the older
// half of the readers goes once there are too many.
func openReader(root *repo.Root, in, reader string) (folder string, names []string, err error) {
	d := root.Dir()
	folder = in + "/" + hashName(reader)
	if names, err = d.ListFolder(folder); err != nil || names != nil {
		return folder, names, err
	}
	if readers, _ := d.ListFolder(in); len(readers) >= maxReaders {
		age := func(name string) int64 {
			info, err := d.Lstat(in + "/" + name)
			if err != nil {
				return 0
			}
			return info.ModTime().UnixNano()
		}
		slices.SortFunc(readers, func(x, y string) int { return cmp.Compare(age(x), age(y)) })
		for _, name := range readers[:len(readers)/2] {
			_ = d.RemoveAll(in + "/" + name) // else the next reader tries
		}
	}
	return folder, nil, d.MkdirAll(folder)
}

// hashName is a name for a file that stands for any text.
func hashName(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s)))[:hintNameLen] }
