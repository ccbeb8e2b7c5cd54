package move

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/keyward/keyward/internal/durable"
)

// MarkFile is the mark in the source directory.
const MarkFile = "moved.json"

// Mark says where a directory's installation was moved.
type Mark struct {
	ID       string    `json:"id"`
	State    MarkState `json:"state"`
	At       time.Time `json:"at"`
	Database string    `json:"database"`
	Vault    string    `json:"vault"`
	Note     string    `json:"note"` // for anyone who finds it
}

// MarkState is the state of a move.
type MarkState string

// The states.
const (
	Moving MarkState = "moving"
	Moved  MarkState = "moved"
)

const note = "Keyward doesn't start on this directory. See docs/moving.md before you remove this file."

// ReadMark returns the mark of a directory; nil if there is none.
func ReadMark(dir string) (*Mark, error) {
	raw, err := os.ReadFile(filepath.Join(dir, MarkFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("the mark of a move: %w", err)
	}
	var m Mark
	if err := json.Unmarshal(raw, &m); err != nil || m.ID == "" {
		return nil, fmt.Errorf("%s in the data directory is malformed: it is the mark of a move (docs/moving.md)", MarkFile)
	}
	return &m, nil
}

// Refuse returns the error for a server starting on a marked directory; nil if it has no mark.
func Refuse(dir string) error {
	m, err := ReadMark(dir)
	switch {
	case err != nil || m == nil:
		return err
	case m.State == Moved:
		return fmt.Errorf("this installation was moved to %s and %s on %s: set DATABASE_URL and VAULT_ADDR. To move back for "+
			"good, see \"The way back\" in docs/moving.md (%s in the data directory is the mark)",
			m.Database, m.Vault, m.At.UTC().Format(time.DateOnly), MarkFile)
	}
	return fmt.Errorf("this installation is being moved to %s and %s: finish that with keyward move, or give it up as "+
		"described in docs/moving.md (%s in the data directory is the mark)", m.Database, m.Vault, MarkFile)
}

// write replaces the mark, durably.
func (m Mark) write(dir string) error {
	m.Note = note
	raw, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	// The mark has no secrets, so anyone who finds it may read it.
	err = durable.Replace(filepath.Join(dir, MarkFile), append(raw, '\n'), 0o644)
	if err != nil {
		return fmt.Errorf("the mark of the move: %w", err)
	}
	return nil
}

// unmark removes the mark from a directory of which nothing was moved.
func unmark(dir string) error {
	return errors.Join(os.Remove(filepath.Join(dir, MarkFile)), durable.SyncDir(dir))
}
