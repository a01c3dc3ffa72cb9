package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mem/fault"
	"mem/guard"
	"mem/lazy"
	"mem/project"
	"mem/repo"
	"mem/repo/gitstore"
	"mem/workspace"
)

// Errors that callers tell apart. Nothing was sent.
var (
	errNoRemote = fault.New(fault.Missing, "no remote is named", "name one: mem sync --remote NAME|URL")
	errPublic   = fault.New(fault.Refused, "anyone can read it", "make it private; or say --public, once")
)

// besideCode is the ref of a memory in the repository of the code: no branch, so that
// hosts do not offer to merge it.
const besideCode = "refs/mem/main"

var validRef = lazy.New(`^refs/(heads|mem)/[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*$`)

type peer struct {
	name     string // in the memory's own configuration
	url      string
	ref      string // of the memory there
	tracking string // where this clone notes what it has
	isNew    bool   // the configuration does not name it yet
}

func (p peer) show() string {
	return guard.Line(p.name + " (" + showURL(p.url) + ", " + strings.TrimPrefix(p.ref, "refs/heads/") + ")")
}

func showURL(address string) string {
	if u, err := url.Parse(address); err == nil && u.User != nil && u.Scheme != "" && u.Scheme != "ssh" {
		u.User = nil
		return u.String()
	}
	return address
}

// findPeer finds the remote to sync with: the remote or address that the person named, the memory's only remote
// or its origin, or, with the person's consent, a remote of the code's repository that holds a memory.
func (s *session) findPeer(ctx context.Context) (p peer, err error) {
	remotes := listRemotes(gitDirOf(s.w))
	p = peer{name: s.opts.Remote, ref: s.opts.Ref}
	if p.name == "" && len(remotes) > 0 {
		if p.name = slices.Sorted(maps.Keys(remotes))[0]; len(remotes) > 1 {
			p.name = "origin"
		}
	}
	switch address := remotes[p.name]; {
	case address != "":
		if p.url = address; p.ref == "" { // it may be one beside code
			spec := cmp.Or(gitstore.ListValues("remote", "fetch", gitDirOf(s.w), "config")[p.name]...)
			from, _, _ := strings.Cut(strings.TrimPrefix(spec, "+"), ":")
			if strings.HasPrefix(from, "refs/mem/") {
				p.ref = from
			}
		}
	case p.name == "":
		p, err = s.discover(ctx)
	default:
		p, err = s.nameNew(p, remotes)
	}
	if err != nil || s.root == nil { // what it has, it has once it is there
		return p, err
	}
	if p.ref == "" { // the branch of the memory
		if p.ref, _, err = s.root.FindHome(); err != nil {
			return p, err
		}
	}
	if !validRef.Get().MatchString(p.ref) {
		err = fault.Usagef("%q: not a ref that a memory can have: refs/heads/NAME, or refs/mem/NAME", p.ref)
	}
	p.tracking = "refs/remotes/" + p.name + "/" + strings.TrimPrefix(strings.TrimPrefix(p.ref, "refs/"), "heads/")
	return p, err
}

func gitDirOf(w *workspace.Workspace) string { return filepath.Join(w.At.Root, ".git") }

// listRemotes returns the remotes that the configuration of a repository names, with their addresses.
func listRemotes(gitDir string) map[string]string {
	remotes := map[string]string{}
	for name, urls := range gitstore.ListValues("remote", "url", gitDir, "config") {
		if address := cmp.Or(urls...); address != "" && name != "" {
			remotes[name] = address
		}
	}
	return remotes
}

func listCodeRemotes(w *workspace.Workspace) map[string]string {
	if code, ok := project.Find(w.At.Project); ok {
		return listRemotes(code.GitDir)
	}
	return nil
}

// nameNew makes a peer of the name of a remote of the code's repository, of an address
// or of a path.
func (s *session) nameNew(p peer, remotes map[string]string) (peer, error) {
	p.isNew, p.url = true, p.name
	switch ofCode := listCodeRemotes(s.w)[p.name]; {
	case ofCode != "" && !strings.ContainsAny(p.name, "/:"):
		p.url = fromFolder(s.w.At.Project, ofCode)
		if p.ref == "" {
			p.ref = besideCode
		}
	case !strings.ContainsAny(p.name, "/:\\"), filepath.Clean(fromFolder(s.w.Dir, p.name)) == s.w.At.Root:
		return p, fmt.Errorf("%q is not a remote of the memory or of the code, nor the address of another repository: %w", p.name, errNoRemote)
	default:
		p.url = fromFolder(s.w.Dir, p.name)
	}
	for name, address := range remotes {
		if address == p.url {
			p.name, p.isNew = name, false
			return p, nil
		}
	}
	p.name = "origin"
	said := gitstore.ListValues("remote", "url", gitDirOf(s.w), "config") // what names one without an address, too
	for _, names := range gitstore.ListValues("branch", "remote", gitDirOf(s.w), "config") {
		for _, name := range names {
			said[name] = names
		}
	}
	for n := 2; said[p.name] != nil; n++ {
		p.name = fmt.Sprintf("origin%d", n)
	}
	return p, nil
}

// fromFolder makes a path absolute, and leaves an address as it is.
func fromFolder(folder, address string) string {
	if strings.Contains(address, "://") || filepath.IsAbs(address) || isSSH(address) {
		return address
	}
	return filepath.Join(folder, address)
}

func isSSH(address string) bool {
	host, _, found := strings.Cut(address, ":")
	return found && len(host) > 1 && !strings.ContainsAny(host, `/\`)
}

// discover looks for a memory beside the code, and asks whether it is the one.
func (s *session) discover(ctx context.Context) (peer, error) {
	p, err := findBeside(ctx, s.w, 0)
	switch {
	case err != nil:
		return p, err
	case p.ref == "":
		return p, fmt.Errorf("the memory has no remote: %w", errNoRemote)
	case !s.w.MayAsk:
		return p, fmt.Errorf("%w: %s", errNoRemote, p.describeBeside())
	}
	return p, s.w.Confirm(ctx, p.show()+" has a memory of this project; bring it here?", "not synced")
}

// findBeside returns the memory that the remote of the code's repository has; one without a
// ref if there is none.
func findBeside(ctx context.Context, w *workspace.Workspace, limit time.Duration) (p peer, err error) {
	code := gitCLI{Folder: w.At.Project, Environ: w.Environ, Idle: limit, Limit: limit}
	remotes := listCodeRemotes(w)
	p = peer{name: "origin", isNew: true}
	if len(remotes) == 0 {
		return p, nil
	}
	if remotes[p.name] == "" {
		p.name = slices.Sorted(maps.Keys(remotes))[0]
	}
	p.url = fromFolder(w.At.Project, remotes[p.name])
	refs, err := code.listRefs(ctx, p.url, "refs/mem/*")
	for _, ref := range slices.Sorted(maps.Keys(refs)) {
		if validRef.Get().MatchString(ref) && (p.ref == "" || ref == besideCode) {
			p.ref = ref
		}
	}
	return p, err
}

func (p peer) describeBeside() string {
	command := "mem sync --remote " + p.name
	if p.ref != besideCode {
		command += " --ref " + p.ref
	}
	return guard.Line(p.show() + " has a memory of this project; '" + command + "' brings it here")
}

// keepPeer writes a new peer into the memory's configuration. Only a person adds one.
func (s *session) keepPeer() error {
	if !s.peer.isNew {
		return nil
	}
	if err := s.w.RequirePerson(false); err != nil {
		return err
	}
	s.before = ReadKnown(s.root)
	err := s.note("url", s.peer.url)
	if s.isTrial = err == nil; err == nil {
		err = s.note("fetch", "+"+s.peer.ref+":"+s.peer.tracking)
	}
	return err
}

// forgetPeer removes from the configuration a new peer that was not reached or not accepted, and its refs. It keeps the peer
// if the person has to resolve something with git or mem purge.
func (s *session) forgetPeer(ctx context.Context, why error) error {
	isUseless := s.peer.isNew && errors.Is(why, errUnfit)
	if !s.isTrial && !isUseless || errors.Is(why, repo.ErrConflict) || errors.Is(why, errUnpurged) {
		return nil
	}
	s.w.Note("%s is not kept as the remote; to try again, name it with --remote", s.peer.show())
	s.res.isForgotten = true
	out, err := s.git.run(ctx, "", "for-each-ref", "--format=%(refname)", "refs/remotes/"+s.peer.name+"/")
	for ref := range strings.Lines(string(out)) {
		err = errors.Join(err, s.git.dropRef(ctx, strings.TrimSpace(ref)))
	}
	return errors.Join(err, s.root.KeepValue(repo.NoteSync, s.before), gitstore.DropRemote(s.root.Dir(), s.peer.name))
}

// askOwner asks once who pushes to the remote, and records the answer. Sessions are shown all content of a
// remote that only the person pushes to, as after mem trust.
func (s *session) askOwner(ctx context.Context) error {
	trusted, err := s.root.ListOwnRemotes()
	if err != nil {
		return err
	}
	isTeam, isOwn := s.isNoted("memOther"), s.isNoted("memOwn") || trusted[s.peer.name] == s.peer.url // as mem trust noted
	if !s.opts.Own && !s.opts.Team {
		if isOwn || isTeam || !s.w.MayAsk || s.w.RequirePerson(false) != nil {
			return nil
		}
		question := s.peer.show() + ":\nwhat you alone send there is shown to your sessions at once; what a team sends waits for your approval\n"
		answer, err := s.w.Ask(ctx, question+"Who pushes to "+s.peer.name+": [m]e alone, a [t]eam? ")
		s.opts.Own, s.opts.Team = strings.HasPrefix(answer, "m"), strings.HasPrefix(answer, "t")
		if err != nil || !s.opts.Own && !s.opts.Team { // for now, a team
			return err
		}
	}
	if err := s.w.RequirePerson(false); err != nil || s.opts.Team && isTeam && !isOwn {
		return err
	}
	own, other := s.peer.url, ""
	if s.opts.Team {
		own, other = "", s.peer.url
	}
	err = errors.Join(s.note("memOwn", own), s.note("memOther", other))
	if err != nil || s.opts.Team && !isOwn {
		return err
	}
	return s.root.Accept(ctx, nil, map[string]string{s.peer.name: own})
}

// checkPublic refuses to send anything to a remote that answers those who do not sign in.
func (s *session) checkPublic(ctx context.Context) error {
	isAllowed, err := s.isAllowed("memPublic", s.opts.Public)
	if address := anonymousAddress(s.peer.url); err == nil && !isAllowed && address != "" && s.git.answersAnyone(ctx, address) {
		err = fmt.Errorf("%s: %w", s.peer.show(), errPublic)
	}
	return err
}

// isNoted reports whether the person gave before, for this peer, the answer that a key records.
func (s *session) isNoted(key string) bool {
	said := gitstore.ListValues("remote", key, gitDirOf(s.w), "config")[s.peer.name]
	return len(said) > 0 && said[len(said)-1] == s.peer.url
}

// isAllowed is isNoted for what the person may say now.
func (s *session) isAllowed(key string, isSaid bool) (bool, error) {
	if !isSaid {
		return s.isNoted(key), nil
	}
	err := s.w.RequirePerson(false)
	if err == nil {
		err = s.note(key, s.peer.url)
	}
	return true, err
}

func (s *session) note(key, value string) error {
	return gitstore.AddRemote(s.root.Dir(), s.peer.name, key, value)
}

// anonymousAddress is where a network address would answer those who do not sign in;
// "" for a path of this machine.
func anonymousAddress(address string) string {
	if isSSH(address) && !strings.Contains(address, "://") {
		host, path, _ := strings.Cut(address, ":")
		address = "ssh://" + host + "/" + strings.TrimPrefix(path, "/")
	}
	u, err := url.Parse(address)
	if err != nil {
		return ""
	}
	u.User = nil
	switch u.Scheme {
	case "http", "https", "git":
		return u.String()
	case "ssh", "git+ssh", "ssh+git": // hosts serve the same repository over the web
		return "https://" + u.Hostname() + u.Path
	}
	return ""
}
