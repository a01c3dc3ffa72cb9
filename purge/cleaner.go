package purge

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/text/unicode/norm"

	"mem/facts"
	"mem/guard"
	"mem/index"
	"mem/lazy"
	"mem/repo"
	"mem/repo/gitstore"
	"mem/topic"
)

// Limits of a file that is looked at and of the words that are searched for, in bytes, and of what a shortened form has of them, in
// bytes and letters.
const (
	maxFile  = 1 << 30
	minWords = 6
	minStart = 16
	maxStart = 300
)

type cleaner struct {
	ids   []string
	forms []finder // as they are, as JSON writes them, as names of files, over the ends of lines, and shortened: their beginning, and three dots
}

// A finder finds words, in one form, in a decomposed text. Only a text that contains part once it is folded can have them.
type finder struct {
	part []byte
	re   *lazy.Regexp
}

func newCleaner(w repo.Words) cleaner {
	c := cleaner{ids: w.IDs}
	for _, text := range w.Texts {
		for _, form := range formsOf(text) {
			fields := strings.Fields(form)
			longest := slices.MaxFunc(fields, func(a, b string) int { return len(a) - len(b) })
			for i, field := range fields {
				fields[i] = regexp.QuoteMeta(field)
			}
			c.forms = append(c.forms, finder{fold(longest), lazy.New(`(?i)` + strings.Join(fields, `[\s\v\x{85}\pZ]+(?:[>*|#-]+\s+)?`))})
			runes, least, rest := []rune(form), 0, ""
			for least < len(runes) && len(norm.NFC.String(string(runes[:least]))) < minStart { // as people count letters
				least++
			}
			for i := min(len(runes)-1, maxStart) - 1; i >= least; i-- {
				rest = "(?:" + regexp.QuoteMeta(string(runes[i])) + rest + ")?"
			}
			if least < len(runes) {
				start := string(runes[:least])
				c.forms = append(c.forms, finder{fold(start), lazy.New(`(?i)` + regexp.QuoteMeta(start) + rest + "…")})
			}
		}
	}
	return c
}

// formsOf returns the forms in which a text may be written, decomposed.
func formsOf(text string) (forms []string) {
	quoted, _ := jsontext.AppendQuote(nil, text)
	all := []string{text, string(quoted[1 : len(quoted)-1])}
	all = append(all, topic.Slug(text, ""), topic.Slug(index.AddAvoid(text), ""))
	for i, form := range all {
		if len(strings.TrimSpace(form)) >= minWords && !slices.Contains(all[:i], form) {
			forms = append(forms, norm.NFD.String(form))
		}
	}
	return forms
}

func (c cleaner) finds(data []byte) bool { return len(c.locate(norm.NFD.Bytes(data))) > 0 }

// locate returns the positions of the words in a decomposed text, in order. A match must end where a letter ends.
func (c cleaner) locate(text []byte) (list [][]int) {
	folded := fold(string(text))
	for _, f := range c.forms {
		if bytes.Contains(folded, f.part) {
			list = append(list, f.re.Get().FindAllIndex(text, -1)...)
		}
	}
	list = slices.DeleteFunc(list, func(at []int) bool { return at[1] < len(text) && !norm.NFC.Properties(text[at[1]:]).BoundaryBefore() })
	slices.SortFunc(list, func(a, b []int) int { return a[0] - b[0] })
	return list
}

// fold returns a decomposed text with all letters in one case: of those that differ in nothing else, the first in Unicode.
func fold(text string) []byte {
	return []byte(strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return unicode.ToUpper(r)
		}
		next := unicode.SimpleFold(r)
		for r < next {
			r, next = next, unicode.SimpleFold(next)
		}
		return next
	}, text))
}

// rename returns the name of a file without the words, which a name contains as a slug.
func (c cleaner) rename(name string) string {
	return strings.ReplaceAll(string(c.replace([]byte(name))), index.Gap, "purged")
}

// clean removes the words from a file. path is the new path of a fact; "" if the file is not a fact, or had none of the words. A
// fact that would mean something else without the words, such as one with a member of that name, wraps repo.ErrNotPurged.
func (c cleaner) clean(data []byte) (path string, cleaned []byte, err error) {
	isOf := slices.ContainsFunc(c.ids, func(id string) bool { return bytes.Contains(data, []byte(`"`+id+`"`)) })
	if !isOf && !c.finds(data) {
		return "", data, nil
	}
	f, err := facts.Parse(data)
	if err != nil {
		return "", c.cleanText(data), nil
	}
	f.Drop(c.ids)
	for i := range f.Notes {
		f.Notes[i].Text = string(c.cleanText([]byte(f.Notes[i].Text)))
	}
	_, cleaned, err = f.Encode()
	if cleaned = c.replace(cleaned); err != nil || bytes.Equal(cleaned, data) {
		return "", data, err
	}
	f, err = facts.Parse(cleaned)
	if _, again, err2 := f.Encode(); errors.Join(err, err2) != nil || !bytes.Equal(again, cleaned) {
		return "", data, fmt.Errorf("%w: what mem itself writes has such a word, and could not be read without it", repo.ErrNotPurged)
	}
	return facts.PathOf(f.N, cleaned), cleaned, nil
}

// drops reports whether a file with the words is deleted: a learning is about its lesson alone.
func (c cleaner) drops(name string) bool {
	return len(c.ids) > 0 && strings.HasPrefix(name, "learnings/")
}

// cutRecord removes the record of a lesson from an index in mem's own layout.
func cutRecord(data []byte, id string) []byte {
	const end = "\n    }"
	at := max(0, bytes.Index(data, []byte("\n      \"id\": \""+id+`"`)))
	from, to := bytes.LastIndex(data[:at], []byte("\n    {")), bytes.Index(data[at:], []byte(end))
	if from < 0 || to < 0 {
		return data
	}
	head, rest := data[:from], data[at+to+len(end):]
	if !bytes.HasPrefix(rest, []byte(",")) {
		return slices.Concat(bytes.TrimSuffix(head, []byte(",")), rest)
	}
	return slices.Concat(head, rest[1:])
}

// cleanText removes the words from a file, and records and list items about the lesson. It returns the same
// slice if there are none.
func (c cleaner) cleanText(data []byte) []byte {
	for _, id := range c.ids {
		data = cutRecord(data, id)
	}
	if !c.finds(data) {
		return data
	}
	var out []byte
	for line := range bytes.Lines(data) {
		if len(c.ids) == 0 || !bytes.HasPrefix(bytes.TrimSpace(line), []byte("- ")) || !c.finds(line) {
			out = append(out, line...)
		}
	}
	return c.replace(out)
}

// replace replaces the words by index.Gap. Without any it returns the same slice; otherwise the text is
// decomposed if it was before, else composed.
func (c cleaner) replace(data []byte) (out []byte) {
	end, text := 0, norm.NFD.Bytes(data)
	for _, at := range c.locate(text) {
		if at[0] >= end { // else it has letters in common with the one before
			out = append(append(out, text[end:at[0]]...), index.Gap...)
		}
		end = max(end, at[1])
	}
	if end == 0 {
		return data
	}
	if out = append(out, text[end:]...); !norm.NFD.IsNormal(data) {
		out = norm.NFC.Bytes(out)
	}
	return out
}

// eachFile calls f for the regular files of a repository except git's objects. It skips files that another
// process removes meanwhile.
func (g git) eachFile(f func(name string) error) error {
	return gitstore.Walk(g.folder, ".", func(name string, e fs.DirEntry) error {
		if e.Type().IsRegular() && name != gitstore.PurgePath {
			return f(name)
		}
		return nil
	}, path.Join(g.dir, "objects"), copyPath)
}

// cleanFiles removes the words from the work tree and mem's private files, and gives commits and files their
// new ids. It deletes caches and the page last looked at, which can be made again.
func (p *purger) cleanFiles(c cleaner, ids map[string]string, res *Result) error {
	for _, name := range []string{"cues", "cache", "candidates", "report.html"} {
		if err := p.d.RemoveAll(gitstore.PrivateDir + "/" + name); err != nil {
			return err
		}
	}
	return p.eachFile(func(name string) error {
		data, err := p.d.ReadFile(name, maxFile)
		if err != nil {
			return fmt.Errorf("read %s: %w", guard.Line(name), err)
		}
		to, cleaned, err := c.cleanFile(name, data, ids)
		if err == nil && name == repo.KnownPath {
			cleaned, err = p.w.Reseal(cleaned, data)
		}
		if err != nil || bytes.Equal(cleaned, data) && to == name {
			return err
		}
		res.Files++
		return p.replaceFile(name, to, cleaned, c.drops(name))
	})
}

// replaceFile replaces the file with the words by its cleaned version, under its new name, or only deletes it.
func (p *purger) replaceFile(name, to string, cleaned []byte, isDropped bool) (err error) {
	if !isDropped {
		err = errors.Join(p.d.MkdirAll(path.Dir(to)), p.d.WriteFile(to, cleaned, gitstore.TempDir))
	}
	if err == nil && (isDropped || to != name) {
		err = errors.Join(p.d.Remove(name), p.d.SyncDirs(path.Dir(name)))
	}
	return err
}

// cleanFile returns the name and the content of a file without the words. Files in git's own formats are left
// alone: if one has the words, the final search names it.
func (c cleaner) cleanFile(name string, data []byte, ids map[string]string) (string, []byte, error) {
	switch {
	case strings.HasPrefix(name, gitstore.PrivateDir+"/") || name == stashLog: // they name commits
		return name, reCommit.Get().ReplaceAllFunc(c.replace(data), func(id []byte) []byte { return []byte(cmp.Or(ids[string(id)], string(id))) }), nil
	case strings.HasPrefix(name, ".git/"):
		return name, data, nil
	}
	to, cleaned, err := c.clean(data)
	if to == "" || !strings.HasPrefix(name, facts.Folder+"/") {
		to = c.rename(name)
	}
	return to, cleaned, err
}

// search returns the objects and files with the words. A fact that would be unreadable without them wraps repo.ErrNotPurged.
func (c cleaner) search(ctx context.Context, g git) (places []string, err error) {
	look := func(what string, data []byte) {
		if c.finds(data) {
			places = append(places, what)
			_, _, errFact := c.clean(data)
			err = cmp.Or(err, errFact)
		}
	}
	errRead := cmp.Or(gitstore.EachObject(ctx, g.folder, g.environ, look), g.eachFile(func(name string) error {
		data, err := os.ReadFile(filepath.Join(g.folder, filepath.FromSlash(name)))
		if c.finds([]byte(name)) {
			data = []byte(name) // is enough
		}
		look(name, data)
		return err
	}))
	return places, cmp.Or(errRead, err)
}

func (c cleaner) check(ctx context.Context, g git) error {
	places, err := c.search(ctx, g)
	if err == nil && len(places) > 0 {
		err = fmt.Errorf("%w, in %s", errLeft, guard.Line(strings.Join(places[:min(len(places), 5)], ", ")))
	}
	return err
}
