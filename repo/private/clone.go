package private

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"

	"mem/repo/gitstore"
)

const (
	replicaPath = dir + "/replica" // the name of this clone
	branchPath  = dir + "/branch"  // the branch that mem commits to
	markPath    = dir + "/trust"   // says that the person vouched for the root; see package trust

	replicaLength = 6
	maxLine       = 1 << 10
)

// ReadReplica returns the name of this clone and makes one up the first time,
// which RememberClone writes down. A folder that was copied gets a new one, so
// that two copies never count as one. isNew says that the root has no commit yet.
func (a *Area) ReadReplica(isNew bool, now time.Time) string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	place := host + ":" + a.d.FolderID()
	if data, err := a.d.ReadFile(replicaPath, maxLine); err == nil {
		id, at, _ := strings.Cut(strings.TrimSpace(string(data)), " ")
		if len(id) == replicaLength && at == place {
			return id
		}
	}
	// Not random, so that the same reflections at the same time give the same
	// bytes on one machine.
	seed := host + now.UTC().Format(time.RFC3339Nano)
	if !isNew {
		seed += place
	}
	sum := sha256.Sum256([]byte(seed))
	id := hex.EncodeToString(sum[:])[:replicaLength]
	a.newReplica = id + " " + place + "\n"
	return id
}

// RememberClone writes down the name of this clone, and the branch that mem commits
// to, where they are new. The caller holds the root's lock.
func (a *Area) RememberClone(branch string) error {
	if a.newReplica != "" {
		if err := a.d.WriteFile(replicaPath, []byte(a.newReplica), gitstore.TempDir); err != nil {
			return fmt.Errorf("name this clone: %w", err)
		}
		a.newReplica = ""
	}
	if a.OwnBranch() != "" {
		return nil
	}
	if err := a.d.WriteFile(branchPath, []byte(branch+"\n"), gitstore.TempDir); err != nil {
		return fmt.Errorf("note the branch: %w", err)
	}
	return nil
}

// OwnBranch returns the branch that mem commits to; "" if there is none yet.
func (a *Area) OwnBranch() string {
	data, err := a.d.ReadFile(branchPath, maxLine)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// ReadMark returns the mark of trust of the root.
func (a *Area) ReadMark() ([]byte, error) { return a.d.ReadFile(markPath, maxLine) }

// WriteMark replaces the mark of trust, and removes what another account made to
// speed up reading: the index itself is what was looked at.
func (a *Area) WriteMark(mark []byte) error {
	err := a.d.Remove(digestPath)
	if err == nil {
		err = a.writeShared(markPath, mark)
	}
	if err != nil {
		return fmt.Errorf("trust: %w", err)
	}
	return nil
}
