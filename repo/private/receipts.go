package private

import (
	"fmt"
	"path"
)

// Receipts are files of lines, one a month; older ones are dropped.
const (
	receiptsDir = dir + "/shown"
	maxMonths   = 24
	maxReceipts = 64 << 20 // bytes of a month that are read
)

// ReadReceipts returns the lines of all months from one on, "2026-01", the oldest first.
// A month that cannot be read is left out.
func (a *Area) ReadReceipts(from string) (lines []byte) {
	months, _ := a.d.ListFolder(receiptsDir) // none is kept before the first receipt
	for _, name := range months {
		if name >= from && path.Ext(name) == ".jsonl" {
			month, _ := a.d.ReadFile(receiptsDir+"/"+name, maxReceipts)
			lines = append(lines, month...)
		}
	}
	return lines
}

// AddReceipt adds a line to the receipts of a month, "2026-01". It may be lost in a power
// cut: who waits for it is an agent.
func (a *Area) AddReceipt(month string, line []byte) error {
	name := receiptsDir + "/" + month + ".jsonl"
	if !a.d.Exists(name) {
		if err := a.makeRoom(); err != nil {
			return fmt.Errorf("keep receipt: %w", err)
		}
	}
	if err := a.d.AppendLoose(name, append(line, '\n')); err != nil {
		return fmt.Errorf("keep receipt: %w", err)
	}
	return nil
}

// makeRoom prepares for another month. Receipts of earlier versions, in one file, go.
func (a *Area) makeRoom() error {
	if info, err := a.d.Lstat(receiptsDir); err == nil && !info.IsDir() {
		return a.d.Remove(receiptsDir)
	}
	months, err := a.d.ListFolder(receiptsDir)
	for len(months) >= maxMonths && err == nil {
		err = a.d.Remove(receiptsDir + "/" + months[0])
		months = months[1:]
	}
	return err
}
