package recall

import (
	"bytes"
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"mem/guard"
	"mem/index"
	"mem/repo"
)

// Bounds of the note that remembers what each session was shown, so that no lesson is shown twice, however many hooks run
// at the same time. A session that was forgotten is shown its lessons again, which is all that can happen.
const (
	maxRecords = 64  // sessions
	maxKey     = 200 // bytes of what names one
)

// A ShownRecord is what one session was shown.
type ShownRecord struct {
	Key    string    `json:"key"`
	At     time.Time `json:"at"`
	Items  []string  `json:"items"`           // ids of lessons
	Prompt bool      `json:"prompt,omitzero"` // its first prompt was answered as well
}

// Due says what a session is to be shown.
type Due int

// What a session is to be shown.
const (
	ShowNothing Due = iota
	ShowAll
	ShowRest // what fits its first prompt and was not shown before
	ShowNew  // what came since, as it still has what it was shown
)

// FindDue returns what to show a session at a prompt or at another moment: all if it was shown nothing
// (was is nil) or lost it, only news if it resumed, and the rest at its first prompt.
func FindDue(was *ShownRecord, atPrompt, anew, resumed bool) Due {
	switch {
	case was == nil || anew:
		return ShowAll
	case resumed:
		return ShowNew
	case atPrompt && !was.Prompt:
		return ShowRest
	}
	return ShowNothing
}

// CutKey bounds what names a session.
func CutKey(key string) string { return key[:min(len(key), maxKey)] }

// FindRecord returns what a session was shown; nil for nothing.
func FindRecord(root *repo.Root, key string) *ShownRecord {
	return findShown(repo.ReadValue[[]ShownRecord](root, repo.NoteTold), key)
}

// ClaimRecord replaces was by now before a session is shown something. With drop it removes the record, so
// that the session is shown its lessons again. It reports whether the note still held was: if not, another
// process was faster. Where no note can be kept a session may see its lessons twice, which is better than not
// at all. A session without a key, or without a record to drop, needs no claim.
func ClaimRecord(root *repo.Root, was *ShownRecord, now ShownRecord, drop bool) (ours bool) {
	if now.Key == "" || drop && was == nil {
		return true
	}
	ours = true
	_ = repo.AmendValue(root, repo.NoteTold, func(list []ShownRecord) []ShownRecord {
		is := findShown(list, now.Key)
		ours = (is == nil) == (was == nil) && (is == nil || is.At.Equal(was.At) && is.Prompt == was.Prompt && slices.Equal(is.Items, was.Items))
		if !ours {
			return list
		}
		list = slices.DeleteFunc(list, func(r ShownRecord) bool { return r.Key == now.Key })
		if !drop {
			list = append(list, now)
		}
		return list[max(0, len(list)-maxRecords):]
	})
	return ours
}

func findShown(list []ShownRecord, key string) *ShownRecord {
	for i := range list {
		if list[i].Key == key {
			return &list[i]
		}
	}
	return nil
}

// ClaimNews returns the lessons learned since a person last saw such news, the latest first. Each is returned
// once, to the first session that calls. On the first call for a memory, all its lessons count as known.
func ClaimNews(root *repo.Root, ix *index.Index) (news []*index.Item) {
	find := func(known []string) (list []*index.Item) {
		isKnown := map[string]bool{}
		for _, id := range known {
			isKnown[id] = true
		}
		for it := range ix.All() {
			if it.IsShown() && !isKnown[it.ID] {
				list = append(list, it)
			}
		}
		return list
	}
	if known := repo.ReadValue[[]string](root, repo.NoteNews); known != nil && len(find(known)) == 0 {
		return nil
	}
	isFirst := false
	err := repo.AmendValue(root, repo.NoteNews, func(known []string) []string {
		isFirst, news = known == nil, find(known)
		for _, it := range news {
			known = append(known, it.ID)
		}
		return known
	})
	if err != nil || isFirst {
		return nil
	}
	slices.SortStableFunc(news, func(x, y *index.Item) int { return y.LastSeen.Compare(x.LastSeen) })
	return news
}

// A Receipt says what a session was given to read, so that it can be held against what came of it.
type Receipt struct {
	At      time.Time   `json:"at"`
	Kind    ReceiptKind `json:"kind"`
	Agent   string      `json:"agent,omitempty"`
	Session string      `json:"session"`
	Tokens  int         `json:"tokens"`
	Items   []string    `json:"items"`            // of the project's memory
	Global  []string    `json:"global,omitempty"` // of the person's own
	Over    bool        `json:"over,omitzero"`    // AtAction: after what the agent did, not before

	Subagent bool `json:"subagent,omitzero"` // not the session itself was told, but an agent within it
}

// A ReceiptKind is the moment of a receipt.
type ReceiptKind string

// The moments.
const (
	AtStart  ReceiptKind = "start"
	AtPrompt ReceiptKind = "prompt"
	AtAction ReceiptKind = "action" // before or after what the agent does
	OnDemand ReceiptKind = "asked"
)

// maxName bounds the name of an agent or a session, in bytes.
const maxName = 200

// NewReceipt is the receipt of a context.
func NewReceipt(c Context, kind ReceiptKind, agent, session string, now time.Time) Receipt {
	r := Receipt{At: now.UTC(), Kind: kind, Agent: cutName(agent), Session: cutName(session), Tokens: c.Tokens, Items: []string{}}
	for _, why := range c.Why {
		switch {
		case !slices.Contains(c.Items, why.ID):
		case why.Memory == Global:
			r.Global = append(r.Global, why.ID)
		default:
			r.Items = append(r.Items, why.ID)
		}
	}
	return r
}

func cutName(s string) string {
	s = guard.Line(s)
	return strings.ToValidUTF8(s[:min(len(s), maxName)], "")
}

// Receipts are files of lines, one a month; older ones are dropped.
const (
	receiptsDir = repo.PrivateDir + "/shown"
	monthly     = "2006-01"
	maxMonths   = 24
	maxReceipts = 64 << 20 // bytes of a month that are read
)

// ListReceipts returns the receipts of a root from a month on, the oldest first. A month that cannot be read is left out, and
// so are lines that are not receipts.
func ListReceipts(root *repo.Root, from time.Time) (list []Receipt) {
	months, _ := root.Dir().ListFolder(receiptsDir) // none is kept before the first receipt
	for _, name := range months {
		if name >= from.UTC().Format(monthly) && path.Ext(name) == ".jsonl" {
			month, _ := root.Dir().ReadFile(receiptsDir+"/"+name, maxReceipts)
			list = append(list, parseReceipts(month)...)
		}
	}
	return list
}

func parseReceipts(file []byte) (list []Receipt) {
	for line := range bytes.Lines(file) {
		var r Receipt
		if json.Unmarshal(line, &r) == nil && r.Session != "" && !r.At.IsZero() {
			list = append(list, r)
		}
	}
	return list
}

// Keep keeps a receipt in a root. It may be lost in a power cut: who waits for it is an agent.
func (r Receipt) Keep(root *repo.Root) error {
	line, err := json.Marshal(r)
	if err != nil {
		return fmt.Errorf("keep receipt: %w", err) // a time that no calendar has
	}
	name := receiptsDir + "/" + r.At.Format(monthly) + ".jsonl"
	if !root.Dir().Exists(name) { // another month
		var months []string
		months, err = root.Dir().ListFolder(receiptsDir)
		for len(months) >= maxMonths && err == nil {
			err = root.Dir().Remove(receiptsDir + "/" + months[0])
			months = months[1:]
		}
	}
	return cmp.Or(err, root.Dir().AppendLoose(name, append(line, '\n')))
}
