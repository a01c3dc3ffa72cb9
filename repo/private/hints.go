package private

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Bounds of what readers are given beside their work.
const (
	hintsDir    = dir + "/hints"
	turnsDir    = dir + "/turns"
	failuresDir = dir + "/failures"
	maxHints    = 8  // to one reader
	maxReaders  = 64 // that are remembered
	hintNameLen = 16
	maxFailures = 64 // of one reader
)

// ClaimHint reports whether a reader, such as a session, is to be given a hint: it was not
// given this one, and did not get too many. Processes may ask at the same time, and
// where nothing can be noted there is no hint.
func (a *Area) ClaimHint(reader, hint string) bool {
	return a.note(hintsDir, reader, hint, maxHints)
}

// ClaimReminder reports whether a reader is to be reminded: it was not in the last ten prompts,
// which PassPrompt counts. Each kind of reminder counts for itself.
func (a *Area) ClaimReminder(reader, kind string) bool {
	folder, names, err := a.openReader(turnsDir, reader)
	isOpen := !slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, kind+".") })
	return err == nil && isOpen && a.d.CreateFile(folder+"/"+kind+".0") == nil
}

// PassPrompt counts a prompt of a reader, if it was reminded lately.
func (a *Area) PassPrompt(reader string) {
	folder := turnsDir + "/" + hashName(reader)
	names, _ := a.d.ListFolder(folder)
	for _, name := range names {
		if kind, n, _ := strings.Cut(name, "."); n == "9" {
			_ = a.d.Remove(folder + "/" + name)
		} else {
			_ = a.d.Rename(folder+"/"+name, fmt.Sprintf("%s/%s.%c", folder, kind, n[0]+1))
		}
	}
}

// NoteFailure notes that a command failed which a reader ran.
func (a *Area) NoteFailure(reader, command string) {
	a.note(failuresDir, reader, command, maxFailures)
}

// note adds what a reader was given or did to what is noted of it, and reports whether that is new, and not too much.
func (a *Area) note(in, reader, what string, most int) bool {
	folder, names, err := a.openReader(in, reader)
	return err == nil && len(names) < most && a.d.CreateFile(folder+"/"+hashName(what)) == nil
}

// TakeFailure reports whether a command failed that works now, and forgets it.
func (a *Area) TakeFailure(reader, command string) bool {
	name := failuresDir + "/" + hashName(reader) + "/" + hashName(command)
	_, err := a.d.Lstat(name)
	return err == nil && a.d.Remove(name) == nil
}

// ForgetFailures is for a reader that changed what its commands work on.
func (a *Area) ForgetFailures(reader string) { _ = a.d.RemoveAll(failuresDir + "/" + hashName(reader)) }

// openReader makes the folder of a reader, if there is none, and returns what is in it.
func (a *Area) openReader(in, reader string) (folder string, names []string, err error) {
	folder = in + "/" + hashName(reader)
	names, err = a.d.ListFolder(folder)
	if err == nil && names == nil {
		a.forgetReaders(in)
		err = a.d.MkdirAll(folder)
	}
	return folder, names, err
}

// forgetReaders makes room for a reader: the older half goes once there are too many.
func (a *Area) forgetReaders(in string) {
	names, err := a.d.ListFolder(in)
	if err != nil || len(names) < maxReaders {
		return
	}
	age := func(name string) int64 {
		info, err := a.d.Lstat(in + "/" + name)
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Compare(age(x), age(y)) })
	for _, name := range names[:len(names)/2] {
		_ = a.d.RemoveAll(in + "/" + name) // else the next reader tries
	}
}

// hashName is a name for a file that stands for any text.
func hashName(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s)))[:hintNameLen] }

// Receipts are files of lines, one a month; older ones are dropped.
const (
	receiptsDir = dir + "/shown"
	maxMonths   = 24
	maxReceipts = 64 << 20 // bytes of a month that are read
)

// ReadReceipts returns the lines of all months from one on, "2026-01", the oldest first.
// A month that cannot be read is left out.
func (a *Area) ReadReceipts(from string) (lines []byte) {
	months, _ := a.d.ListFolder(receiptsDir) // none is kept before the first receipt
	for _, name := range months {
		if name >= from && path.Ext(name) == ".jsonl" {
			month, _ := a.d.ReadFile(receiptsDir+"/"+name, maxReceipts)
			lines = append(lines, month...)
		}
	}
	return lines
}

// AddReceipt adds a line to the receipts of a month, "2026-01". It may be lost in a power
// cut: who waits for it is an agent.
func (a *Area) AddReceipt(month string, line []byte) error {
	name := receiptsDir + "/" + month + ".jsonl"
	if !a.d.Exists(name) {
		if err := a.makeRoom(); err != nil {
			return err
		}
	}
	return a.d.AppendLoose(name, append(line, '\n'))
}

// makeRoom prepares for another month. Receipts of earlier versions, in one file, go.
func (a *Area) makeRoom() error {
	if info, err := a.d.Lstat(receiptsDir); err == nil && !info.IsDir() {
		return a.d.Remove(receiptsDir)
	}
	months, err := a.d.ListFolder(receiptsDir)
	for len(months) >= maxMonths && err == nil {
		err = a.d.Remove(receiptsDir + "/" + months[0])
		months = months[1:]
	}
	return err
}
