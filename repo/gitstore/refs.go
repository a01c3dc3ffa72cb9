package gitstore

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"mem/repo/disk"
	"mem/repo/gitstore/gitconfig"
	"mem/repo/gitstore/object"
)

// maxSmall bounds what is read of a small file.
const maxSmall = 1 << 20

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
		return Head{}, asDamage(fmt.Errorf("HEAD: %w", err))
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
	if _, exists := s.readTips(name); !exists {
		return object.Hash{}, nil
	}
	// Perhaps it was born since: the log is written after the ref.
	if tip, err = s.findRef(name); err == nil && tip.IsZero() {
		err = fmt.Errorf("%w: %s is gone; %s", object.ErrDamaged, name, s.describeLast(name))
	}
	return tip, err
}

// findRef is readRef, but returns zero for a ref that is gone.
func (s *Store) findRef(name string) (object.Hash, error) {
	text, err := s.d.ReadFile(gitDir+"/"+name, maxSmall)
	if err == nil {
		return s.parseRef(name, strings.TrimSpace(string(text)))
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

// parseRef reads what the file of a ref holds.
func (s *Store) parseRef(name, text string) (object.Hash, error) {
	tip, ok := object.ParseHash(text)
	if other, isName := strings.CutPrefix(text, "ref: "); isName {
		return tip, fmt.Errorf("%w: %s is only another name of %s, by 'git symbolic-ref'; check that one out",
			gitconfig.ErrUnsupported, shortRef(name), shortRef(strings.TrimSpace(other)))
	}
	if !ok {
		return tip, fmt.Errorf("%w: %s holds no commit; %s", object.ErrDamaged, name, s.describeLast(name))
	}
	return tip, nil
}

// shortRef is a branch as people name it.
func shortRef(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }

// git's logs of where a branch pointed.
const (
	logs    = gitDir + "/logs/"
	maxLog  = 64 << 20 // bytes that are read
	maxTail = 64 << 10 // bytes that are read of the newest

	// Own begins what mem says of a move.
	Own = "mem: "
)

// readTips returns what a ref pointed to, newest first, as far as its log can be read;
// exists says that there is a log.
func (s *Store) readTips(ref string) (tips []object.Hash, exists bool) {
	log, err := s.d.ReadFile(logs+ref, maxLog)
	for line := range strings.Lines(string(log)) {
		if f := strings.Fields(line); len(f) > 1 {
			if tip, ok := object.ParseHash(f[1]); ok {
				tips = append(tips, tip)
			}
		}
	}
	slices.Reverse(tips)
	return tips, err == nil && len(log) > 0
}

// describeLast says where a ref last pointed.
func (s *Store) describeLast(ref string) string {
	if tips, _ := s.readTips(ref); len(tips) > 0 {
		return "its log says that it pointed to " + tips[0].String()
	}
	return "its log is gone too"
}

// ReadOwn returns what mem itself made a ref point to, and what was cloned, the newest first, as far as its log says.
func (s *Store) ReadOwn(ref string) (own []object.Hash) {
	for _, line := range slices.Backward(s.readTail(ref)) {
		said, by, _ := strings.Cut(line, "\t")
		if f := strings.Fields(said); len(f) > 2 && isBy(by, Own, "clone:") { // else it is cut off
			to, _ := object.ParseHash(f[1])
			own = append(own, to)
		}
	}
	return own
}

// HasOwn reports whether mem itself moved a ref here.
func (s *Store) HasOwn(ref string) bool {
	return slices.ContainsFunc(s.readTail(ref), func(line string) bool {
		_, by, _ := strings.Cut(line, "\t")
		return isBy(by, Own)
	})
}

// findSetBack returns the commit that a branch named before "git reset --hard", and "git stash" with it, let it name
// its tip, which it took for HEAD: git looks before it has any lock, and commits may come between. Zero is none.
func (s *Store) findSetBack(head Head) (from object.Hash) {
	log := slices.DeleteFunc(s.readTail(head.Ref), func(line string) bool { return line == "" })
	if len(log) == 0 {
		return from
	}
	said, by, _ := strings.Cut(log[len(log)-1], "\t")
	f := strings.Fields(said)
	if by != "reset: moving to HEAD" || len(f) < 2 || f[1] != head.Tip.String() {
		return from
	}
	if from, _ = object.ParseHash(f[0]); from == head.Tip || s.FindKind(from) != object.KindCommit {
		return object.Hash{}
	}
	return from
}

// readTail returns the newest lines of a ref's log.
func (s *Store) readTail(ref string) []string {
	f, err := s.d.StreamFile(logs + ref)
	if err != nil {
		return nil
	}
	defer f.Close()
	size := int64(maxTail)
	if file, ok := f.(io.Seeker); ok {
		if end, err := file.Seek(0, io.SeekEnd); err == nil {
			size = min(size, end)
		}
		_, _ = file.Seek(-size, io.SeekEnd)
	}
	log := make([]byte, size)
	n, _ := io.ReadFull(f, log)
	return strings.Split(string(log[:n]), "\n")
}

// isBy reports whether what a log says of a move begins with one of these.
func isBy(by string, starts ...string) bool {
	return slices.ContainsFunc(starts, func(start string) bool { return strings.HasPrefix(by, start) })
}

// AppendLog notes a move of the branch ref that is checked out where git looks for it.
func (s *Store) AppendLog(ref string, from, to object.Hash, signature, said string) error {
	return s.d.AppendTo(logLine(from, to, signature, said), logs+ref, logs+"HEAD")
}

func logLine(from, to object.Hash, signature, said string) []byte {
	return fmt.Appendf(nil, "%s %s %s\t%s\n", from, to, signature, said)
}
