package private

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"slices"
)

// Bounds of what readers are given beside their work.
const (
	hintsDir    = dir + "/hints"
	maxHints    = 8  // to one reader
	maxReaders  = 64 // that are remembered
	hintNameLen = 16
)

// ClaimHint reports whether a reader, such as a session, is to be given a hint: it was not
// given this one, and did not get too many. Processes may ask at the same time, and
// where nothing can be noted there is no hint.
func (a *Area) ClaimHint(reader, hint string) bool {
	folder := hintsDir + "/" + hashName(reader)
	names, err := a.d.ListFolder(folder)
	if err == nil && names == nil {
		a.forgetReaders()
		err = a.d.MkdirAll(folder)
	}
	return err == nil && len(names) < maxHints && a.d.CreateFile(folder+"/"+hashName(hint)) == nil
}

// forgetReaders makes room for a reader: the older half goes once there are too many.
func (a *Area) forgetReaders() {
	names, err := a.d.ListFolder(hintsDir)
	if err != nil || len(names) < maxReaders {
		return
	}
	age := func(name string) int64 {
		info, err := a.d.Lstat(hintsDir + "/" + name)
		if err != nil {
			return 0
		}
		return info.ModTime().UnixNano()
	}
	slices.SortFunc(names, func(x, y string) int { return cmp.Compare(age(x), age(y)) })
	for _, name := range names[:len(names)/2] {
		_ = a.d.RemoveAll(hintsDir + "/" + name) // else the next reader tries
	}
}

// hashName is a name for a file that stands for any text.
func hashName(s string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(s)))[:hintNameLen] }
