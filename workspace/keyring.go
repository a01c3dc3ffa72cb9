package workspace

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"mem/fault"
	"mem/repo/disk"
)

// ErrKey is wrapped when the person's key cannot be read, made or used.
var ErrKey = fault.New(fault.Config, "the key to your memories cannot be used",
	"set HOME, or XDG_STATE_HOME to a folder of your own that can be written to; without its key a memory is yours again after 'mem trust'")

const (
	keyName   = "key"
	keyLength = 52   // of 260 random bits in base 32
	maxKey    = 1024 // bytes of the file that are looked at
)

// A keyring stores the person's one key where no project can reach it. Folder is mem's folder in the account's
// state, "" if none is known. A memory root that the person made or approved has a mark: an id and its HMAC
// under the key. The mark stays valid when the root moves on this account, and means nothing on another. The
// root's own content proves nothing: it may all come from a clone or an archive.
type keyring struct {
	Folder string
	Files  disk.Files
}

// sign returns the mark for a root with this id. It makes the key if there is none.
func (k keyring) sign(id string) ([]byte, error) {
	key, err := k.readKey()
	if errors.Is(err, fs.ErrNotExist) {
		key = (rand.Text() + rand.Text())[:keyLength]
		err = k.Files.AddFile(filepath.Join(k.Folder, keyName), []byte(key+"\n"), 0o600)
		if errors.Is(err, fs.ErrExist) { // another process was faster
			key, err = k.readKey()
		} else if err != nil {
			err = fmt.Errorf("%w: %w", ErrKey, err)
		}
	}
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(nil, "%s %s\n", id, seal(key, id)), nil
}

// hasSigned reports whether sign made a mark with the current key. The error means that this cannot be
// determined; a missing key is not an error.
func (k keyring) hasSigned(mark []byte) (bool, error) {
	key, err := k.readKey()
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	id, sum, _ := strings.Cut(strings.TrimSuffix(string(mark), "\n"), " ")
	return err == nil && hmac.Equal([]byte(sum), []byte(seal(key, id))), err
}

// Seal signs a line. What it returns Unseal reads.
func (k keyring) Seal(said string) ([]byte, error) {
	mark, err := k.sign(sealName(said))
	return slices.Concat([]byte(said+"\n"), mark), err
}

// Unseal returns what a note says that the person's key sealed; "" for another one.
func (k keyring) Unseal(note []byte) (said string, err error) {
	said, mark, _ := strings.Cut(string(note), "\n")
	isOwn, err := k.hasSigned([]byte(mark))
	if err != nil || !isOwn || !strings.HasPrefix(mark, sealName(said)+" ") {
		return "", err
	}
	return said, nil
}

// sealName is what is signed of a line.
func sealName(said string) string { return fmt.Sprintf("known-%x", sha256.Sum256([]byte(said))) }

// seal binds an id to a key.
func seal(key, id string) string {
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte("mem root\x00" + id))
	return hex.EncodeToString(h.Sum(nil))
}

func newID() string { return strings.ToLower(rand.Text()) }

// readKey reads the key. A short one would be easy to guess: a file that is not as
// sign wrote it is an error.
func (k keyring) readKey() (string, error) {
	if k.Folder == "" {
		return "", fmt.Errorf("%w: no folder is known for it, as neither HOME nor XDG_STATE_HOME names one by its whole path", ErrKey)
	}
	path := filepath.Join(k.Folder, keyName)
	data, err := disk.ReadRegular(path, maxKey)
	key := strings.TrimSpace(string(data))
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %w", ErrKey, err)
	case len(key) != keyLength:
		return "", fmt.Errorf("%w: %s is not a key", ErrKey, path)
	}
	return key, nil
}
