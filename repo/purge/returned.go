package purge

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/text/unicode/norm"

	"mem/repo/disk"
	"mem/repo/gitstore"
	"mem/repo/gitstore/object"
)

// Errors of a memory to which git brought a history with what was purged. They come with
// gitstore.ErrBusy: what is to be written waits.
var (
	ErrReturned = errors.New("git brought back what was purged")
	ErrWords    = errors.New("words were purged, which this clone may have")
)

// wordsStart begins the names, in the index, of words that were purged: no lesson's id begins so. A name of
// three parts adds a commit that first held what was purged: where that is there again, so is the rest.
const wordsStart = "w-"

// Named returns the words with what the index calls them: a lesson by its ids, other words by names by which a clone
// tells whether it was told to purge them too, and not what they are.
func (w Words) Named() Words {
	w.Names = slices.Clone(w.IDs)
	if len(w.IDs) == 0 {
		for _, text := range w.Texts {
			sum := sha256.Sum256([]byte(norm.NFC.String(strings.ToLower(text))))
			w.Names = append(w.Names, fmt.Sprintf("%s%x", wordsStart, sum[:6]))
		}
	}
	return w
}

// with returns the words with names for the commits that first held them.
func (w Words) with(first []string) *Words {
	for _, name := range pickNames(w.Names, "", 1) {
		for _, id := range first {
			w.Names = append(w.Names, name+"-"+id)
		}
	}
	return &w
}

// HasBegun reports whether words may have left the files that the last commit still has: what differs is no edit of a person's then.
func (w Words) HasBegun() bool { return len(pickNames(w.Names, "", 2)) > 0 }

// ListWords returns the names of words among those of what was purged.
func ListWords(names []string) []string { return pickNames(names, wordsStart, 1) }

// pickNames returns the names that begin so and have so many parts behind the first.
func pickNames(names []string, start string, parts int) (list []string) {
	for _, name := range names {
		if strings.HasPrefix(name, start) && strings.Count(name, "-") == parts {
			list = append(list, name)
		}
	}
	return list
}

// FindPurged returns what purged lessons said, as far as git still has it. Of names that
// words have nothing can be told.
func (p Purger) FindPurged(ctx context.Context, names []string) (words Words, err error) {
	if words.IDs = pickNames(names, "m-", 1); len(words.IDs) > 0 {
		words.Texts, err = p.FindWordings(ctx, words.IDs...)
	}
	return words, err
}

// CheckReturned refuses what is to be written to a memory whose branch git moved, if what was purged, by these names, is here again and
// is not noted as about to be purged. Of lessons, which may show that by themselves, it is noted then. The caller has the lock.
func (p Purger) CheckReturned(ctx context.Context, d *disk.Dir, store *gitstore.Store, names []string, isBack bool) error {
	noted, _, err := p.ReadNote()
	for _, name := range pickNames(names, "", 2) {
		of, id := name[:strings.LastIndexByte(name, '-')], name[strings.LastIndexByte(name, '-')+1:]
		h, _ := object.ParseHash(id)
		switch isHere := store.FindKind(h) == object.KindCommit; {
		case !isHere || slices.Contains(noted.Names, of):
		case strings.HasPrefix(of, wordsStart):
			err = fmt.Errorf("%w: %w; 'mem purge -' with the same words takes them out", gitstore.ErrBusy, ErrWords)
		default:
			isBack = true
		}
	}
	if !isBack {
		return err
	}
	words, errFind := p.FindPurged(ctx, names)
	if errFind != nil {
		return fmt.Errorf("look for what was purged: %w", errFind)
	}
	if slices.ContainsFunc(words.Texts, func(text string) bool { return !slices.Contains(noted.Texts, text) }) {
		errNote := check(d, store)
		if errNote == nil {
			errNote = p.note(d, &words)
		}
		err = errors.Join(err, errNote, fmt.Errorf("%w: %w; 'mem purge --continue' takes it out again", gitstore.ErrBusy, ErrReturned))
	}
	return err
}
