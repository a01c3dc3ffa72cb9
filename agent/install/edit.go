package install

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/rogpeppe/go-internal/diff"

	"mem/fault"
	"mem/repo/disk"
)

// ErrChanged is wrapped when a file is no longer what Plan read.
var ErrChanged = fault.New(fault.Later, "another program changed it meanwhile", "run the command again")

// An Edit changes one file of a person: it is planned, shown, and then written.
type Edit struct {
	Path    string
	Project string      // folder that the file must be in; "" for any
	Mode    fs.FileMode // of a new file

	// Change returns the new content. Nil stands for a missing file, before and after.
	Change func(before []byte) ([]byte, error)

	Before, After []byte // set by Plan
	Left          error  // why PlanAgent leaves this optional edit out
	optional      bool
	within        string // folder that is not removed, were it empty
}

// Plan reads the file and works out the change. What cannot be replaced without
// losing something is refused, with an error that wraps ErrRefused.
func (e *Edit) Plan() (err error) {
	if e.Project != "" {
		if err := staysIn(e.Project, e.Path); err != nil {
			return err
		}
	}
	if e.Before, err = readFile(e.Path); err != nil {
		return err
	}
	if e.After, err = e.Change(e.Before); err != nil {
		return fmt.Errorf("%s: %w", e.Path, err)
	}
	return nil
}

// IsChange reports whether the planned edit changes anything.
func (e *Edit) IsChange() bool {
	return e.Left == nil && (!bytes.Equal(e.Before, e.After) || (e.Before == nil) != (e.After == nil))
}

// Diff shows the planned change.
func (e *Edit) Diff() []byte {
	from, to := e.Path, e.Path
	if e.Before == nil {
		from = "/dev/null"
	}
	if e.After == nil {
		to = "/dev/null"
	}
	_, text, _ := bytes.Cut(diff.Diff(from, e.Before, to, e.After), []byte("\n")) // without the line for patch(1)
	return text
}

// Write carries out the planned change, unless the file is no longer what Plan
// read: the error then wraps ErrChanged.
func (e *Edit) Write(files disk.Files) error {
	now, err := readFile(e.Path)
	if err != nil {
		return err
	}
	if !bytes.Equal(now, e.Before) || (now == nil) != (e.Before == nil) {
		return fmt.Errorf("%s: %w", e.Path, ErrChanged)
	}
	data := e.After
	if data == nil {
		if info, err := os.Lstat(e.Path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
			if err := files.RemoveFile(e.Path); err != nil {
				return fmt.Errorf("remove settings: %w", err)
			}
			e.removeFolders(files)
			return nil
		}
		data = []byte{} // a link stays one
	}
	if err := files.WriteFile(e.Path, data, e.Mode); err != nil {
		return fmt.Errorf("write configuration: %w", err)
	}
	return nil
}

// removeFolders removes the folders that held nothing but the file. A link to one is
// the person's.
func (e *Edit) removeFolders(files disk.Files) {
	for dir := filepath.Dir(e.Path); e.within != "" && dir != e.within; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(dir); err != nil || !info.IsDir() || files.RemoveFile(dir) != nil {
			return
		}
	}
}

// readFile reads a file that is to be changed; one that does not exist is nil.
// What cannot be replaced without losing something is refused.
func readFile(path string) ([]byte, error) {
	info, err := CheckFile(path)
	switch {
	case errors.Is(err, ErrRefused), info == nil && err == nil:
		return nil, err
	case err != nil:
		return nil, fmt.Errorf("read settings: %w", err)
	case info.Mode().Perm()&0o222 == 0:
		return nil, refuseFile(path, "it is read-only")
	case info.Size() > maxFile:
		return nil, refuseFile(path, fmt.Sprintf("it has more than %d bytes", maxFile))
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	return data, nil
}

// CheckFile describes a file that is to be replaced; nil for one that does not exist. What is no regular
// file, nor a link to one, is refused.
func CheckFile(path string) (fs.FileInfo, error) {
	info, err := os.Stat(path)
	_, errLink := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && errLink == nil:
		return nil, refuseFile(path, "it is a link that leads nowhere")
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err == nil && !info.Mode().IsRegular():
		return nil, refuseFile(path, "it is not a regular file")
	}
	return info, err
}

func refuseFile(path, why string) error { return fmt.Errorf("%s: %w: %s", path, ErrRefused, why) }

// staysIn refuses a path that links lead out of a folder. A project may come from another person, whose links
// must not decide which file is changed.
func staysIn(folder, path string) error {
	real, err := filepath.EvalSymlinks(path)
	for up := path; err != nil && up != filepath.Dir(up); { // the file may be new, and folders of it
		up = filepath.Dir(up)
		real, err = filepath.EvalSymlinks(up)
	}
	if at, err := filepath.EvalSymlinks(folder); err == nil {
		folder = at
	}
	if rel, err := filepath.Rel(folder, real); err != nil || !filepath.IsLocal(rel) {
		return refuseFile(path, "a link leads out of the project, to "+real)
	}
	return nil
}
