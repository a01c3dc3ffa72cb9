// Package disktest interferes with the changes that a disk.Dir makes: it stops
// a process at any of them, fails them, and works out what a power cut would
// have left on the disk. It is for tests alone.
package disktest

import (
	"errors"

	"mem/repo/disk"
)

// ErrKilled is what every change gets once the process is taken for dead.
var ErrKilled = errors.New("killed by the test")

// A Plan says which changes go wrong. The zero value lets all of them happen
// and counts them.
type Plan struct {
	At      int   // the first change that goes wrong, counted from 1; 0 for none
	Err     error // it fails with; nil means that the process dies there
	Forever bool  // so does every change after it
	Disk    *Disk // told of every change that is made; may be nil

	seen int
}

// Fault is the disk.Fault of the plan. One process at a time may use it.
func (p *Plan) Fault(op disk.Op) error {
	p.seen++
	switch {
	case p.At == 0 || p.seen < p.At:
	case p.Err == nil:
		return ErrKilled
	case p.seen == p.At || p.Forever:
		return p.Err
	}
	if p.Disk != nil {
		p.Disk.note(op)
	}
	return nil
}

// Seen is how many changes were asked for.
func (p *Plan) Seen() int { return p.seen }
