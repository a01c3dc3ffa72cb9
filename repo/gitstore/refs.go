package gitstore

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

// A Head is where the repository stands.
type Head struct {
	Ref string      // "refs/heads/main"; "" when detached
	Tip object.Hash // zero when there is no commit yet
}

// ReadHead reads where HEAD points. A branch without a commit is fine, but
// one whose ref is damaged is an error, and so is one that had commits before:
// neither may be mistaken for a new repository.
func (s *Store) ReadHead() (Head, error) {
	text, err := s.d.ReadFile(gitDir+"/HEAD", maxSmall)
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
	if !isRef(target) {
		return Head{}, fmt.Errorf("%w: HEAD points to %q", object.ErrDamaged, target)
	}
	tip, err := s.readRef(target)
	return Head{Ref: target, Tip: tip}, err
}

// isRef reports whether name may be the full name of a branch.
func isRef(name string) bool { return strings.HasPrefix(name, "refs/") && disk.IsPortable(name) }

// readRef reads a ref, loose or packed. Zero means that it was never born.
func (s *Store) readRef(name string) (object.Hash, error) {
	tip, err := s.findRef(name)
	if err != nil || !tip.IsZero() {
		return tip, err
	}
	if _, exists := reflog.ReadTips(s.d, name); !exists {
		return object.Hash{}, nil
	}
	// Perhaps it was born since: the log is written after the ref.
	if tip, err = s.findRef(name); err == nil && tip.IsZero() {
		err = fmt.Errorf("%w: %s is gone; %s", object.ErrDamaged, name, reflog.DescribeLast(s.d, name))
	}
	return tip, err
}

// findRef is readRef, but returns zero for a ref that is gone.
func (s *Store) findRef(name string) (object.Hash, error) {
	text, err := s.d.ReadFile(gitDir+"/"+name, maxSmall)
	if err == nil {
		if tip, ok := object.ParseHash(strings.TrimSpace(string(text))); ok {
			return tip, nil
		}
		return object.Hash{}, fmt.Errorf("%w: %s holds no commit; %s", object.ErrDamaged, name, reflog.DescribeLast(s.d, name))
	}
	if !errors.Is(err, fs.ErrNotExist) {
		return object.Hash{}, fmt.Errorf("read %s: %w", name, err)
	}
	packed, err := s.d.ReadFile(gitDir+"/packed-refs", 16*maxSmall)
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

// shortRef is a branch as people name it.
func shortRef(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }
