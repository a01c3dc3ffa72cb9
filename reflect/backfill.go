package reflect

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"mem/facts"
	"mem/fault"
	"mem/guard"
	"mem/oracle"
	"mem/render"
	"mem/repo"
	"mem/session"
	"mem/trace"
)

// maxSilent is how many sessions in a row may get no answer before Run gives up: the next ones would get none either.
const maxSilent = 3

// errSilent is wrapped when no oracle answers.
var errSilent = fault.New(fault.Later, "no oracle answered", "none of these counts as read, and 'mem status' names them: "+oracle.AskLater)

// A Backfill learns from sessions that agents left on this machine before mem read them: it looks through them first, so
// that a person can see what that costs, and then reflects on one after the other.
type Backfill struct {
	Reflector Reflector
	Now       time.Time
	Version   string // of this program: another one may read sessions in another way
	Open      func(path string) (trace.Document, error)

	// Later queues a session that was asked about in vain; nil does not.
	Later func(s *session.Session, ended time.Time, why string) error
}

// A PastSession has something new in it.
type PastSession struct {
	Path, Agent, ID string
	Ended           time.Time
}

// Unread is a file that may be a session and could not be read.
type Unread struct {
	Path string `json:"path"`
	Why  string `json:"why"`
}

// A BackfillResult counts what there is, and what Run made of it.
type BackfillResult struct {
	Found    map[string]int `json:"found"` // by agent
	New      int            `json:"new"`
	Known    int            `json:"known"`
	Empty    int            `json:"empty"`
	Tokens   int            `json:"tokens"` // in and out, about, that a model needs
	Done     int            `json:"done"`   // sessions reflected on
	Failed   int            `json:"failed"` // that no model answered for: they wait
	Learned  int            `json:"learned"`
	Repeated int            `json:"repeated"`
	Stopped  string         `json:"stopped"` // why not all were; "" if they were
	Unread   []Unread       `json:"unread"`  // seen, and not read

	Fresh []PastSession `json:"-"` // oldest first
}

// LookThrough reads the sessions and sorts them, without asking an oracle. root is nil if there is no
// memory. It calls progress, which may be nil, with the number of sessions read so far.
func (b Backfill) LookThrough(ctx context.Context, root *repo.Root, list []trace.Listing, progress func(done, all int)) (*BackfillResult, error) {
	res := &BackfillResult{Found: map[string]int{}}
	known, err := TracesOf(root)
	if err != nil {
		return nil, err
	}
	seen := b.readSeen(root)
	defer seen.keep(root)
	for i, l := range list {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if progress != nil {
			progress(i+1, len(list))
		}
		if f, isSame := seen.find(l); isSame && known.Covers("", f.Trace, f.Mark) {
			res.Found[l.Agent]++
			res.Known++
			continue
		}
		doc, err := b.openSession(l.Path)
		if err != nil {
			res.Unread = append(res.Unread, Unread{l.Path, strings.TrimPrefix(err.Error(), l.Path+": ")})
			continue
		}
		res.Found[l.Agent]++
		part, reason := readPast(known, doc.Session, b.Now)
		switch {
		case reason == NothingNew:
			res.Known++
			seen.add(l, seenFile{l.Size, l.At.UTC(), Identity(doc.Session), newMark(doc.Session, b.Now)})
		case reason != "":
			res.Empty++
		default:
			res.Fresh = append(res.Fresh, PastSession{l.Path, l.Agent, doc.Session.ID, part.At})
			req, _ := b.Reflector.newRequest(part)
			res.Tokens += oracle.Estimate(req.System) + oracle.Estimate(req.Prompt) + req.MaxTokens
		}
	}
	slices.SortStableFunc(res.Fresh, func(a, b PastSession) int { return a.Ended.Compare(b.Ended) })
	res.New = len(res.Fresh)
	return res, nil
}

// A seenFile is the file of a session of which all was read.
type seenFile struct {
	Size  int64       `json:"size"`
	At    time.Time   `json:"at"`
	Trace string      `json:"trace"`
	Mark  *facts.Mark `json:"mark"`
}

// seenFiles are those files, which need not be read again while they are as they were. It is kept for speed alone.
type seenFiles struct {
	Version string              `json:"version"`
	Files   map[string]seenFile `json:"files"` // by path

	changed bool
}

func (b Backfill) readSeen(root *repo.Root) *seenFiles {
	var s seenFiles
	if root != nil {
		s = repo.ReadValue[seenFiles](root, repo.NoteSeen)
	}
	if s.Version != b.Version || s.Files == nil {
		s = seenFiles{Version: b.Version, Files: map[string]seenFile{}}
	}
	return &s
}

func (s *seenFiles) find(l trace.Listing) (f seenFile, isSame bool) {
	f, ok := s.Files[l.Path]
	return f, ok && f.Size == l.Size && f.At.Equal(l.At)
}

// add notes a file. What an agent prints has no size to know it by.
func (s *seenFiles) add(l trace.Listing, f seenFile) {
	if l.Size > 0 {
		s.Files[l.Path], s.changed = f, true
	}
}

func (s *seenFiles) keep(root *repo.Root) {
	if root != nil && s.changed {
		_ = root.KeepValue(repo.NoteSeen, s) // without it the files are read again
	}
}

func (b Backfill) openSession(path string) (doc trace.Document, err error) {
	if doc, err = b.Open(path); err == nil && doc.Session == nil {
		err = trace.ErrUnknownFormat
	}
	return doc, err
}

// maxTogether is how many sessions rules read before what they taught becomes durable: to write the index and to flush
// takes as long for one as for all of them.
const maxTogether = 32

// Run reflects on the fresh sessions, one after the other, and calls done for each. It stops early when the budget is
// spent, or no oracle answers any more; Stopped says why. The error wraps errSilent if a session got no answer.
func (b Backfill) Run(ctx context.Context, root *repo.Root, res *BackfillResult, done func(place int, s PastSession, o Outcome)) error {
	together, silent, place := 1, 0, 0
	if list := b.Reflector.Oracles; len(list) == 0 || list[0].Name() == oracle.Code {
		together = maxTogether // what a model said may have cost money
	}
	for list := range slices.Chunk(res.Fresh, together) {
		outcomes, err := b.learnFrom(ctx, root, list)
		if ctx.Err() != nil {
			res.Stopped = "interrupted"
			return ctx.Err()
		} else if err != nil {
			res.Stopped = err.Error()
			return err
		}
		for i, o := range outcomes {
			if !o.Reason.MayPass() {
				silent = 0
				res.Done++
			} else if silent++; o.Reason == Spent || silent == maxSilent {
				res.Stopped = string(o.Reason)
			}
			fresh, again := o.CountLessons()
			res.Learned, res.Repeated = res.Learned+fresh, res.Repeated+again
			done(place, list[i], o)
			place++
		}
		if res.Failed = place - res.Done; res.Stopped != "" {
			break
		}
	}
	if res.Failed > 0 {
		return fmt.Errorf("%w for %s", errSilent, render.Count(res.Failed, "session", "sessions"))
	}
	return nil
}

// learnFrom reflects on some sessions, and counts all that they taught before it notes that they were read.
func (b Backfill) learnFrom(ctx context.Context, root *repo.Root, list []PastSession) ([]Outcome, error) {
	known, err := TracesOf(root)
	outcomes, read := make([]Outcome, len(list)), []Head{}
	var taught []*Pending
	var counted []*Outcome // of these
	for i, s := range list {
		doc, errOpen := b.openSession(s.Path)
		if errOpen != nil {
			outcomes[i].Reason = NothingNew // gone since it was found
			continue
		}
		g, reason := readPast(known, doc.Session, b.Now)
		if outcomes[i].Reason = reason; reason != "" || err != nil {
			continue
		}
		r := b.Reflector
		said := r.KeepWarnings()
		var p *Pending
		if p, reason, err = r.AskAbout(ctx, g); p != nil {
			taught, counted = append(taught, p), append(counted, &outcomes[i])
		}
		if outcomes[i].Reason = reason; !reason.MayPass() { // what a model was asked about, none is asked about again
			known.take(g.Trace, *g.Mark)
			read = append(read, g.Head)
		} else if b.Later != nil {
			err = b.Later(doc.Session, g.At, DescribeFailure(reason, *said))
		}
	}
	if err == nil {
		err = commitAll(ctx, root, taught, counted)
	}
	if err != nil {
		return nil, err
	}
	return outcomes, NoteRead(root, read...)
}

// WriteSurvey says for people what LookThrough found, and what Run costs: asks is the model
// that it would ask; "" for the heuristics. show is how a path is shown.
func (r *BackfillResult) WriteSurvey(out io.Writer, asks string, show func(string) string) {
	var each []string
	all := 0
	for _, a := range trace.Agents {
		if n := r.Found[a]; n > 0 {
			each = append(each, fmt.Sprintf("%d of %s", n, a))
			all += n
		}
	}
	if all == 0 {
		fmt.Fprintln(out, "found   no sessions")
	} else {
		fmt.Fprintf(out, "found   %s: %s\n", render.Count(all, "session", "sessions"), strings.Join(each, ", "))
		fmt.Fprintf(out, "new     %d; %d known already, %d without a word\n", r.New, r.Known, r.Empty)
	}
	switch {
	case r.New == 0:
	case asks == "":
		fmt.Fprintf(out, "cost    none: the built-in rules read them; a model would read about %s\n", render.Count(r.Tokens, "token", "tokens"))
	default:
		fmt.Fprintf(out, "cost    %s to %s, about %s\n", render.Count(r.New, "call", "calls"), asks, render.Count(r.Tokens, "token", "tokens"))
	}
	if n := len(r.Unread); n > 0 {
		fmt.Fprintf(out, "unread  %s, such as %s: %s\n", render.Count(n, "file", "files"), guard.Line(show(r.Unread[0].Path)), guard.Line(r.Unread[0].Why))
	}
}
