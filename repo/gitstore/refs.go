package gitstore

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"mem/fault"
	"mem/repo/disk"
)

const maxSmall = 1 << 20

// A Head is where the repository stands.
type Head struct {
	Ref string // "refs/heads/main"; "" when detached
	Tip Hash   // zero when there is no commit yet
}

// ReadHead reads where HEAD points. A branch without a commit is fine, but one whose ref is damaged is an error, and so
// is one that had commits before: neither may be mistaken for a new repository.
func (s *Store) ReadHead() (Head, error) {
	text, err := s.d.ReadFile(gitDir+"/HEAD", maxSmall)
	if err != nil {
		return Head{}, s.asHeadless(asDamage(fmt.Errorf("HEAD: %w", err)))
	}
	target, symbolic := strings.CutPrefix(strings.TrimSpace(string(text)), "ref: ")
	if !symbolic {
		tip, ok := ParseHash(target)
		if !ok {
			return Head{}, s.asHeadless(fmt.Errorf("%w: HEAD holds neither a branch nor a commit", ErrDamaged))
		}
		return Head{Tip: tip}, nil
	}
	target = strings.TrimSpace(target)
	if !isRef(target) {
		return Head{}, s.asHeadless(fmt.Errorf("%w: HEAD points to %q", ErrDamaged, target))
	}
	tip, err := s.readRef(target)
	return Head{Ref: target, Tip: tip}, err
}

// asHeadless explains a HEAD that git does not accept: run in the memory, git would work on the repository around it.
func (s *Store) asHeadless(err error) error {
	hint := "write 'ref: %s' into .git/HEAD there, and run no git in the memory before: it would work on the repository around it"
	return fmt.Errorf("%[2]w: %[1]w", fault.New(fault.Damaged, "git takes it for no repository", fmt.Sprintf(hint, cmp.Or(s.Home(), firstBranch))), err)
}

// homePath is where the branch that mem commits to is written down.
const homePath = PrivateDir + "/branch"

// Home returns the branch that mem commits to; "" if there is none yet.
func (s *Store) Home() string {
	data, _ := s.d.ReadFile(homePath, maxSmall)
	return strings.TrimSpace(string(data))
}

// SetHome writes down the branch that mem commits to, if there is none yet. The caller holds the lock at LockPath.
func (s *Store) SetHome(branch string) error {
	if s.Home() != "" || branch == "" {
		return nil
	}
	return s.d.WriteFile(homePath, []byte(branch+"\n"), TempDir)
}

// describeAway describes what is checked out instead of home, the branch that mem commits to; "" if home is
// checked out. An empty home stands for any branch.
func (h Head) describeAway(home string) string {
	switch branch := shortRef(cmp.Or(home, firstBranch)); {
	case h.Ref == "":
		return fmt.Sprintf("HEAD is detached; 'git switch %s' ends it", branch)
	case home != "" && h.Ref != home:
		return fmt.Sprintf("on branch %s, memory lives on %s; 'git switch %[2]s' goes back", shortRef(h.Ref), branch)
	}
	return ""
}

func isRef(name string) bool { return strings.HasPrefix(name, "refs/") && disk.IsPortable(name) }

// readRef reads a ref, loose or packed. Zero means that it was never born.
func (s *Store) readRef(name string) (Hash, error) {
	tip, err := s.FindRef(name)
	if err != nil || !tip.IsZero() {
		return tip, err
	}
	if log, err := s.d.Lstat(logs + name); err != nil || log.Size() == 0 {
		return Hash{}, nil
	}
	// Perhaps it was born since: the log is written after the ref.
	if tip, err = s.FindRef(name); err == nil && tip.IsZero() {
		err = fmt.Errorf("%w: %s is gone; %s", ErrDamaged, name, s.describeLast(name))
	}
	return tip, err
}

const maxRefs = 16 << 20

// FindRef is readRef for any ref, by its full name, but returns zero for a ref that is gone.
func (s *Store) FindRef(name string) (Hash, error) {
	text, err := s.d.ReadFile(gitDir+"/"+name, maxSmall)
	if errors.Is(err, fs.ErrNotExist) {
		packed, err := s.readPackedRefs()
		tip, _ := ParseHash(packed[name])
		return tip, err
	}
	if err != nil {
		return Hash{}, fmt.Errorf("read %s: %w", name, err)
	}
	tip, ok := ParseHash(strings.TrimSpace(string(text)))
	if other, isName := strings.CutPrefix(string(text), "ref: "); isName {
		return tip, fmt.Errorf("%w: %s is only another name of %s, by 'git symbolic-ref'; check that one out",
			ErrUnsupported, shortRef(name), shortRef(strings.TrimSpace(other)))
	}
	if !ok {
		return tip, fmt.Errorf("%w: %s holds no commit; %s", ErrDamaged, name, s.describeLast(name))
	}
	return tip, nil
}

func (s *Store) readPackedRefs() (map[string]string, error) {
	refs := map[string]string{}
	packed, err := s.d.ReadFile(gitDir+"/packed-refs", maxRefs)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return refs, fmt.Errorf("read packed-refs: %w", err)
	}
	for line := range strings.Lines(string(packed)) {
		if h, ref, ok := strings.Cut(strings.TrimSpace(line), " "); ok {
			refs[ref] = h
		}
	}
	return refs, nil
}

// ListRefs returns the refs below a folder that name a commit, and not another ref.
func (s *Store) ListRefs(folder string) (map[string]Hash, error) {
	refs, err := s.readPackedRefs()
	_ = fs.WalkDir(os.DirFS(s.d.Path()), gitDir+"/"+folder, func(name string, e fs.DirEntry, _ error) error { // there may be none
		if text, err := s.d.ReadFile(name, maxSmall); err == nil {
			refs[strings.TrimPrefix(name, gitDir+"/")] = strings.TrimSpace(string(text))
		}
		return nil
	})
	tips := map[string]Hash{}
	for ref, text := range refs {
		if tip, ok := ParseHash(text); ok && strings.HasPrefix(ref, folder+"/") {
			tips[ref] = tip
		}
	}
	return tips, err
}

func shortRef(ref string) string { return strings.TrimPrefix(ref, "refs/heads/") }

// git's logs of where a branch pointed.
const (
	logs   = gitDir + "/logs/"
	maxLog = 64 << 10 // bytes that are read of the newest

	// Own begins what mem says of a move.
	Own = "mem: "
)

// A move is a line of git's log of a branch.
type move struct {
	from, to Hash
	said     string
}

// readLog returns the latest moves of a ref, newest first, as far as git's log of it can be read.
func (s *Store) readLog(ref string) (moves []move) {
	f, err := s.d.StreamFile(logs + ref)
	if err != nil {
		return nil
	}
	defer f.Close()
	_, _ = f.Seek(-maxLog, io.SeekEnd) // fails for a short one
	log, _ := io.ReadAll(io.LimitReader(f, maxLog))
	for line := range strings.Lines(string(log)) {
		head, said, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		if f := strings.Fields(head); len(f) > 2 {
			from, _ := ParseHash(f[0])
			if to, ok := ParseHash(f[1]); ok { // else it is cut off
				moves = append(moves, move{from, to, said})
			}
		}
	}
	slices.Reverse(moves)
	return moves
}

func (s *Store) describeLast(ref string) string {
	if moves := s.readLog(ref); len(moves) > 0 {
		return "its log says that it pointed to " + moves[0].to.String()
	}
	return "its log is gone too"
}

// ReadOwn returns what mem itself made a ref point to, and what was cloned, newest first.
func (s *Store) ReadOwn(ref string) (own []Hash) {
	for _, m := range s.readLog(ref) {
		if strings.HasPrefix(m.said, Own) || strings.HasPrefix(m.said, "clone:") {
			own = append(own, m.to)
		}
	}
	return own
}

// findSetBack returns the commit that "git reset --hard" or "git stash" set the branch back from, or zero. Git
// reads HEAD before it takes a lock, so commits made in between are lost by its reset to what it read.
func (s *Store) findSetBack(head Head) (from Hash) {
	m := append(s.readLog(head.Ref), move{})[0]
	if m.said == "reset: moving to HEAD" && m.to == head.Tip && m.from != m.to && s.FindKind(m.from) == KindCommit {
		from = m.from
	}
	return from
}

// AppendLog notes a move of the branch ref that is checked out where git looks for it.
func (s *Store) AppendLog(ref string, from, to Hash, signature, said string) error {
	return s.d.AppendTo(logLine(from, to, signature, said), logs+ref, logs+"HEAD")
}

func logLine(from, to Hash, signature, said string) []byte {
	return fmt.Appendf(nil, "%s %s %s\t%s\n", from, to, signature, said)
}
