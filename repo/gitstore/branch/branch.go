// Package branch reads where a repository stands.
package branch

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"mem/repo/disk"
	"mem/repo/gitstore/gitread"
	"mem/repo/gitstore/object"
	"mem/repo/gitstore/reflog"
)

const folder = ".git"

// maxText bounds what is read of a small file.
const maxText = 1 << 20

// A Head is where the repository stands.
type Head struct {
	Ref string      // "refs/heads/main"; "" when detached
	Tip object.Hash // zero when there is no commit yet
}

// ReadHead reads where HEAD points. A branch without a commit is fine, but
// one whose ref is damaged is an error, and so is one that had commits before:
// neither may be mistaken for a new repository.
func ReadHead(d *disk.Dir) (Head, error) {
	text, err := d.ReadFile(folder+"/HEAD", maxText)
	if err != nil {
		return Head{}, gitread.AsDamage(fmt.Errorf("HEAD: %w", err))
	}
	target, symbolic := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: ")
	if !symbolic {
		tip, ok := object.ParseHash(target)
		if !ok {
			return Head{}, fmt.Errorf("%w: HEAD holds neither a branch nor a commit", object.ErrDamaged)
		}
		return Head{Tip: tip}, nil
	}
	target = strings.TrimSpace(target)
	if !IsRef(target) {
		return Head{}, fmt.Errorf("%w: HEAD points to %q", object.ErrDamaged, target)
	}
	tip, err := ReadRef(d, target)
	return Head{Ref: target, Tip: tip}, err
}

// IsRef reports whether name may be the full name of a branch.
func IsRef(name string) bool { return strings.HasPrefix(name, "refs/") && disk.IsPortable(name) }

// ReadRef reads a ref, loose or packed. Zero means that it was never born.
func ReadRef(d *disk.Dir, name string) (object.Hash, error) {
	tip, err := findRef(d, name)
	if err != nil || !tip.IsZero() {
		return tip, err
	}
	if _, exists := reflog.ReadTips(d, name); !exists {
		return object.Hash{}, nil
	}
	// Perhaps it was born since: the log is written after the ref.
	if tip, err = findRef(d, name); err == nil && tip.IsZero() {
		err = fmt.Errorf("%w: %s is gone; %s", object.ErrDamaged, name, reflog.DescribeLast(d, name))
	}
	return tip, err
}

// findRef is ReadRef, but returns zero for a ref that is gone.
func findRef(d *disk.Dir, name string) (object.Hash, error) {
	text, err := d.ReadFile(folder+"/"+name, maxText)
	if err == nil {
		if tip, ok := object.ParseHash(strings.TrimSpace(string(text))); ok {
			return tip, nil
		}
		return object.Hash{}, fmt.Errorf("%w: %s holds no commit; %s", object.ErrDamaged, name, reflog.DescribeLast(d, name))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return object.Hash{}, fmt.Errorf("read %s: %w", name, err)
	}
	packed, err := d.ReadFile(folder+"/packed-refs", 16*maxText)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return object.Hash{}, fmt.Errorf("read packed-refs: %w", err)
	}
	for line := range strings.Lines(string(packed)) {
		if h, ref, ok := strings.Cut(strings.TrimSpace(line), " "); ok && ref == name {
			if tip, ok := object.ParseHash(h); ok {
				return tip, nil
			}
		}
	}
	return object.Hash{}, nil
}

// Short is a branch as people name it.
func Short(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }
