//go:build unix

package disk_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"mem/repo/disk"

	"mem/envtest"
)

func open(t *testing.T, dir string) *disk.Dir {
	t.Helper()
	d, err := disk.Open(dir)
	envtest.NoError(t, err)
	t.Cleanup(func() { d.Close() })
	return d
}

// TestModes makes every kind of file and folder under umasks that take too little or too much.
func TestModes(t *testing.T) {
	for _, mask := range []int{0, 0o022, 0o077} {
		t.Run(fmt.Sprintf("%03o", mask), func(t *testing.T) {
			top := t.TempDir()
			defer syscall.Umask(syscall.Umask(mask))
			root := filepath.Join(top, "a", "b")
			envtest.NoError(t, disk.Files{}.MakeFolder(root))
			d := open(t, root)
			lock, err := d.AcquireLock(t.Context(), "lock", 0)
			envtest.NoError(t, err)
			err = errors.Join(
				lock.Release(), d.CreateFile("created"), d.MkdirAll("c/d"), d.AppendTo([]byte("x"), "logs/log"),
				d.WriteFile("e/f/written", []byte("x"), "temp"), d.WriteFile("temp/shared", []byte("x"), "temp"),
			)
			envtest.NoError(t, err)
			err = filepath.WalkDir(filepath.Join(top, "a"), func(path string, e fs.DirEntry, err error) error {
				if err != nil {
					return err
				}
				info, err := e.Info()
				if err != nil {
					return err
				}
				want := fs.FileMode(0o600)
				if e.IsDir() {
					want = 0o700
				}
				envtest.Same(t, want, info.Mode().Perm(), path)
				return nil
			})
			envtest.NoError(t, err)
		})
	}
}

// TestLinks follows no link, wherever in a path it is and wherever it leads.
func TestLinks(t *testing.T) {
	for _, target := range []string{"outside", "inside/folder", "inside/file", "../outside-file", "nothing", "link"} {
		t.Run(target, func(t *testing.T) {
			top := t.TempDir()
			root, outside := filepath.Join(top, "root"), filepath.Join(top, "outside")
			envtest.NoError(t, errors.Join(
				os.MkdirAll(filepath.Join(root, "inside", "folder"), 0o700), os.Mkdir(outside, 0o700),
				os.WriteFile(filepath.Join(top, "outside-file"), []byte("theirs"), 0o600),
				os.WriteFile(filepath.Join(root, "inside", "file"), []byte("theirs"), 0o600),
			))
			if target == "outside" {
				target = outside
			}
			envtest.NoError(t, os.Symlink(target, filepath.Join(root, "link")))
			d := open(t, root)
			for name, change := range map[string]func() error{
				"Append":        func() error { return d.AppendTo([]byte("x"), "link") },
				"Overwrite":     func() error { return d.WriteLoose("link", []byte("x")) },
				"Read":          func() error { _, err := d.ReadFile("link", 100); return err },
				"Acquire":       func() error { _, err := d.AcquireLock(t.Context(), "link", 0); return err },
				"Hold":          func() error { _, err := d.HoldFile(t.Context(), "link", 0); return err },
				"below, Append": func() error { return d.AppendTo([]byte("x"), "link/f") },
				"below, Create": func() error { return d.CreateFile("link/f") },
				"below, Write":  func() error { return d.WriteFile("link/f", []byte("x"), "temp") },
				"below, Read":   func() error { _, err := d.ReadFile("link/f", 100); return err },
				"below, Mkdir":  func() error { return d.MkdirAll("link/a/b") },
				"temp":          func() error { return d.WriteFile("f", []byte("x"), "link") },
			} {
				err := change()
				envtest.FailIf(t, err == nil, "%s followed a link to %s", name, target)
			}
			for _, folder := range []string{outside, filepath.Join(root, "inside", "folder")} {
				left, err := os.ReadDir(folder)
				envtest.FailIf(t, err != nil || len(left) > 0, "%s holds %v: %v", folder, left, err)
			}
			for _, file := range []string{filepath.Join(top, "outside-file"), filepath.Join(root, "inside", "file")} {
				data, err := os.ReadFile(file)
				envtest.FailIf(t, err != nil || string(data) != "theirs", "%s holds %q: %v", file, data, err)
			}
			envtest.FailIf(t, d.Exists("nothing"), "what the link leads to was made")
		})
	}
}

// TestSweep removes what a dead process left and nothing that is being written.
func TestSweep(t *testing.T) {
	d := open(t, t.TempDir())
	envtest.NoError(t, errors.Join(d.MkdirAll("spool"), d.CreateFile("spool/.mem-dead"), d.CreateFile("spool/.mem-alive"), d.CreateFile("spool/job")))
	held, err := d.HoldFile(t.Context(), "spool/.mem-alive", 0)
	envtest.NoError(t, err)
	defer held.Release()
	envtest.NoError(t, d.SweepFolder(t.Context(), "spool"))
	names, err := d.ListFolder("spool")
	envtest.FailIf(t, err != nil || fmt.Sprint(names) != "[.mem-alive job]", "left are %q, %v", names, err)
}

// TestWriteFileWhileSwept writes while others sweep as fast as they can.
func TestWriteFileWhileSwept(t *testing.T) {
	dir := t.TempDir()
	done := make(chan struct{})
	var sweepers, writers sync.WaitGroup
	sweepers.Go(func() {
		d := open(t, dir)
		for {
			select {
			case <-done:
				return
			case <-time.After(100 * time.Microsecond):
			}
			envtest.Wraps(t, nil, d.SweepFolder(t.Context(), "."))
		}
	})
	for w := range 4 {
		writers.Go(func() {
			d := open(t, dir)
			for i := range 25 {
				envtest.Wraps(t, nil, d.WriteFile(fmt.Sprint(w, "-", i), []byte("x"), "."))
			}
		})
	}
	writers.Wait()
	close(done)
	sweepers.Wait()
	entries, err := os.ReadDir(dir)
	envtest.FailIf(t, err != nil || len(entries) != 100, "%d files, want 100: %v", len(entries), err)
}

// TestLockNamesHolder: what a lock held before does not stay behind the process id.
func TestLockNamesHolder(t *testing.T) {
	dir := t.TempDir()
	envtest.NoError(t, os.WriteFile(filepath.Join(dir, "lock"), []byte("99999999999999\n"), 0o600))
	lock, err := open(t, dir).AcquireLock(t.Context(), "lock", 0)
	envtest.NoError(t, err)
	defer lock.Release()
	data, err := os.ReadFile(filepath.Join(dir, "lock"))
	envtest.FailIf(t, err != nil || string(data) != fmt.Sprintln(os.Getpid()), "the lock holds %q, %v", data, err)
}

// TestLockReplaced takes a lock whose file was removed.
func TestLockReplaced(t *testing.T) {
	dir := t.TempDir()
	d := open(t, dir)
	first, err := d.AcquireLock(t.Context(), "lock", 0)
	envtest.NoError(t, err)
	_, err = d.AcquireLock(t.Context(), "lock", time.Millisecond)
	envtest.Wraps(t, disk.ErrLocked, err, "Acquire")
	time.AfterFunc(20*time.Millisecond, func() {
		_ = os.Remove(filepath.Join(dir, "lock"))
		_ = first.Release()
	})
	second, err := d.AcquireLock(t.Context(), "lock", 10*time.Second)
	envtest.NoError(t, err)
	defer second.Release()
	_, err = d.AcquireLock(t.Context(), "lock", time.Millisecond)
	envtest.Wraps(t, disk.ErrLocked, err, "two hold the lock")
}

// TestManyFiles publishes more files in more folders than may be open at once.
func TestManyFiles(t *testing.T) {
	d := open(t, t.TempDir())
	b := d.NewBatch("temp")
	for i := range 600 {
		envtest.NoError(t, b.Add(fmt.Sprintf("d%d/f", i), fmt.Append(nil, i)))
	}
	envtest.NoError(t, b.Publish())
	for i := range 600 {
		data, err := d.ReadFile(fmt.Sprintf("d%d/f", i), 10)
		envtest.StopIf(t, err != nil || string(data) != fmt.Sprint(i), "file %d holds %q: %v", i, data, err)
	}
	names, err := d.ListFolder("temp")
	envtest.FailIf(t, err != nil || len(names) > 0, "left behind: %q, %v", names, err)
}

// A reader beside a writer sees one version or the other, whole.
func TestReadBesideWriter(t *testing.T) {
	d := open(t, t.TempDir())
	versions := [2][]byte{bytes.Repeat([]byte("a"), 10), bytes.Repeat([]byte("b"), 5000)}
	envtest.NoError(t, d.WriteFile("f", versions[0], "."))
	done := make(chan struct{})
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			if err := d.WriteFile("f", versions[i%2], "."); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for range 5000 {
		data, info, err := d.ReadState("f", 1<<20)
		if err != nil || !bytes.Equal(data, versions[0]) && !bytes.Equal(data, versions[1]) || info.Size() != int64(len(data)) {
			t.Errorf("read %d bytes, %v", len(data), err)
			break
		}
	}
	close(done)
	writer.Wait()
}

// TestAddAfterRemove: the folder of temporary files is made when it is needed, whatever came before.
func TestAddAfterRemove(t *testing.T) {
	dir := t.TempDir()
	envtest.NoError(t, os.WriteFile(filepath.Join(dir, "old"), []byte("x"), 0o600))
	d, err := disk.Open(dir)
	envtest.NoError(t, err)
	defer d.Close()
	b := d.NewBatch("tmp/batch")
	b.Remove("old")
	if err := errors.Join(b.Add("new", []byte("y")), b.Publish()); err != nil || d.Exists("old") || !d.Exists("new") {
		t.Errorf("%v; old is there: %t, new: %t", err, d.Exists("old"), d.Exists("new"))
	}
}
