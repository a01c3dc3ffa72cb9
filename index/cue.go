package index

import (
	"bytes"
	"cmp"
	"fmt"
	"hash/crc32"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"
	"time"

	"mem/oracle/heuristic/shell"
	"mem/words"
)

// maxCues bounds the table: the lessons seen most often, and then latest, have a place.
const maxCues = 4096

// A CueKey names what a lesson is about: a command, an error or a file. Hooks look these keys up in a small
// table before and after most agent actions, while the agent waits; nearly always nothing is found.
type CueKey string

// CommandKey is the key of a command in its general form.
func CommandKey(general string) CueKey { return hashCue("command", general) }

// OfCure returns the key of lessons whose remedy is k's command, where that cure lasts longer than a shell.
func (k CueKey) OfCure() CueKey { return cureMark + k }

// IsOfCure reports whether OfCure returned the key.
func (k CueKey) IsOfCure() bool { return strings.HasPrefix(string(k), cureMark) }

const cureMark = "+"

// FailureKey is the key of a command that failed, for lessons that name no error.
func FailureKey(general string) CueKey { return hashCue("failure", general) }

// ErrorKey is the key of an error's signature without the prefix that a program, a log or a test runner adds: a
// lesson may leave that out.
func ErrorKey(signature string) CueKey {
	plain := strings.ToLower(signature)
	for _, mark := range []string{"#/#/# ", "e ", "✘ ", "× ", "[error] ", "uncaught ", "fatal ", "error: ", "fatal: "} {
		plain = strings.TrimPrefix(plain, mark)
	}
	return hashCue("error", plain)
}

// PathKey is the key of a file or folder, relative to the project or, of another, from the top.
func PathKey(path string) CueKey {
	return hashCue("path", strings.TrimSuffix(strings.TrimPrefix(path, "./"), "/"))
}

const keyLen = 16

func hashCue(kind, s string) CueKey {
	h := fnv.New64a()
	_, _ = h.Write([]byte(kind + "\x00" + words.Lower(s)))
	return CueKey(fmt.Sprintf("%0*x", keyLen, h.Sum64()))
}

// A CueLine is what a lesson says to an agent, which command it tells to run, if any, and by which key it was found.
type CueLine struct {
	ID, Text, Remedy string

	Program  string    // whose errors it is about, if it was found by one; "" for any
	Sessions int       // that it was seen in, as far as that is known
	Seen     time.Time // when it was last seen
	Key      CueKey
	Own      bool // it is of the person's own memory
}

// Said returns what the lesson says, without what describeCue puts behind it.
func (l CueLine) Said() string { return l.Text[:max(0, strings.LastIndex(l.Text, " ("))] }

// MakeCues returns the table of an index. The seal identifies what it was made of. Lessons that only rules
// found, in one session, are left out. A retired or superseded lesson has no text.
//
// It is lines of text: a head, and then a key, an id, a time, a number of sessions, a remedy, a program and a
// text each, parted by tabs.
func MakeCues(ix *Index, seal string) []byte {
	var body bytes.Buffer
	for _, it := range pickCues(ix) {
		remedy := ""
		if it.Remedy != nil && it.Remedy.Command != it.Cue.Command {
			remedy = words.FoldSpace(it.Remedy.Command)
		}
		keys := keysOfCue(it.Cue)
		if it.Cue.Lasts() && remedy != "" {
			keys = append(keys, CommandKey(generalForm(remedy)).OfCure())
		}
		for _, key := range keys {
			program := "" // of a key that is an error
			if key == ErrorKey(it.Cue.Error) {
				program = programOf(it)
			}
			fmt.Fprintf(&body, "%s\t%s\t%d\t%d\t%s\t%s\t%s\n", key, words.FoldSpace(it.ID), it.LastSeen.UnixMilli(), it.Sessions, remedy, program, describeCue(it))
		}
	}
	return append([]byte(cueHead(seal, body.Bytes())), body.Bytes()...)
}

// pickCues returns the lessons for a table: those that agents are shown, most seen first, then the retired and
// superseded ones.
func pickCues(ix *Index) []*Item {
	var about, gone []*Item
	for it := range ix.All() {
		switch {
		case it.Cue == nil, it.HasGap():
		case it.IsShown() && it.isConfirmed():
			about = append(about, it)
		case it.Status == Retired, it.Status == Superseded:
			gone = append(gone, it)
		}
	}
	slices.SortStableFunc(about, func(a, b *Item) int {
		return cmp.Or(cmp.Compare(b.Hits, a.Hits), b.LastSeen.Compare(a.LastSeen))
	})
	about = append(about, gone...)
	return about[:min(len(about), maxCues)]
}

// programOf returns the program whose error a lesson is about: that of its cue, which rules name as the tool as well; ""
// for one that names a folder, or none.
func programOf(it *Item) string {
	command := it.Cue.Command
	if command == "" && it.IsByRules() {
		command = it.Cue.Tool
	}
	if isFolder(it.Cue.Error) {
		return ""
	}
	return shell.Parse(command).MainPart().Program
}

// isFolder reports whether the error of a cue is a folder, in which whatever fails is to blame.
func isFolder(sign string) bool { return strings.Contains(sign, "/") && !strings.Contains(sign, " ") }

// keysOfCue returns the keys of a cue. A cue with an error does not match other failures of the command. A cue
// whose error is a folder matches only after the command failed there.
func keysOfCue(c *Literals) (keys []CueKey) {
	command := generalForm(c.Command)
	if command != "" && !isFolder(c.Error) {
		keys = append(keys, CommandKey(command))
	}
	switch {
	case c.Error != "":
		keys = append(keys, ErrorKey(c.Error))
	case command != "":
		keys = append(keys, FailureKey(command))
	}
	return append(keys, PathKeys(c.Path)...)
}

// generalForm returns the form in which the command of a cue is looked up: of what a model wrote, such as
// "`bun test x` in web", the code. It is "" for a command that is run all the time, or with a flag that is not looked up.
func generalForm(command string) string {
	if _, code, ok := strings.Cut(command, "`"); ok {
		command, _, _ = strings.Cut(code, "`")
	}
	part := shell.Parse(command).MainPart()
	form := part.General(true)
	isLost := func(arg string) bool {
		flag, _, _ := strings.Cut(arg, "=")
		return strings.HasPrefix(flag, "-") && !words.ContainsWord(form, flag)
	}
	if shell.IsCommon(form) || slices.ContainsFunc(part.Arguments(), isLost) {
		return "" // without its flag it is about less than that
	}
	return form
}

// PathKeys returns the keys of the file or folder that a lesson is about, which may be written
// as if the project were the top.
func PathKeys(path string) (keys []CueKey) {
	if path != "" {
		keys = append(keys, PathKey(path))
	}
	if rest, ok := strings.CutPrefix(path, "/"); ok {
		keys = append(keys, PathKey(rest))
	}
	return keys
}

// describeCue is what an agent is told of a lesson: what it says, when that was last seen, and how often.
func describeCue(it *Item) string {
	if !it.IsShown() {
		return ""
	}
	text := words.FoldSpace(it.ShownText()) + " (" + it.LastSeen.UTC().Format(time.DateOnly)
	if it.Hits > 1 {
		text += fmt.Sprintf(", ×%d", it.Hits)
	}
	return text + ")"
}

// cueForm begins a table that this mem makes.
const (
	cueForm   = "mem cues 9 "
	cueFields = 7 // of a line
)

// IsOldCues reports whether another mem made a table, which this one cannot read.
func IsOldCues(table []byte) bool { return !bytes.HasPrefix(table, []byte(cueForm)) }

func cueHead(seal string, body []byte) string {
	sum := crc32.ChecksumIEEE(body) // another polynomial takes its time to prepare, in every hook
	return fmt.Sprintf(cueForm+"%s %08x\n", seal, sum)
}

// AreCuesOf reports whether a table is whole, and has this seal.
func AreCuesOf(table []byte, seal string) bool {
	_, body, _ := bytes.Cut(table, []byte("\n"))
	return bytes.HasPrefix(table, []byte(cueHead(seal, body)))
}

// FindCues returns the lines for these keys, in the order of the tables, then of the keys. Tables behind the
// first belong to the person's own memory: a lesson that the first table marks as retired or superseded is left
// out there.
func FindCues(tables [][]byte, keys []CueKey) (list []CueLine) {
	gone := map[string]bool{}
	for i, table := range tables {
		for _, l := range findCuesIn(table, keys) {
			if l.Own = i > 0; l.Text == "" {
				gone[l.ID] = true
			} else if !gone[l.ID] {
				list = append(list, l)
			}
		}
	}
	return list
}

// ListCueIDs returns the ids of the lessons that the tables have something to say of.
func ListCueIDs(tables [][]byte) map[string]bool {
	ids := map[string]bool{}
	for line := range bytes.Lines(bytes.Join(tables, nil)) {
		if f := strings.Split(string(line), "\t"); len(f) == cueFields && strings.TrimSpace(f[cueFields-1]) != "" {
			ids[f[1]] = true
		}
	}
	return ids
}

func findCuesIn(table []byte, keys []CueKey) (list []CueLine) {
	_, body, _ := bytes.Cut(table, []byte("\n"))
	for line := range bytes.Lines(body) {
		if at, _, _ := bytes.Cut(line, []byte("\t")); !slices.Contains(keys, CueKey(at)) {
			continue
		}
		if f := strings.Split(strings.TrimSuffix(string(line), "\n"), "\t"); len(f) == cueFields {
			seen, _ := strconv.ParseInt(f[2], 10, 64)
			sessions, _ := strconv.Atoi(f[3])
			list = append(list, CueLine{ID: f[1], Seen: time.UnixMilli(seen), Sessions: sessions, Remedy: f[4], Program: f[5], Text: f[6], Key: CueKey(f[0])})
		}
	}
	slices.SortStableFunc(list, func(a, b CueLine) int { return cmp.Compare(slices.Index(keys, a.Key), slices.Index(keys, b.Key)) })
	known := map[string]bool{}
	return slices.DeleteFunc(list, func(l CueLine) bool {
		is := known[l.ID]
		known[l.ID] = true
		return is
	})
}
