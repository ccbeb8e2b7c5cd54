package move

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/settings"
)

// StateName is the setting in the target with the state of the move.
const StateName = "move"

// ErrServed means that a server works on the target.
var ErrServed = errors.New("a server or another move is using the target database: stop it; the target must be empty")

// ErrNotEmpty means that the target database already has rows.
var ErrNotEmpty = errors.New("the database is not empty")

// State is the progress of a move, in the target.
type State struct {
	ID   string    `json:"id"`
	At   time.Time `json:"at"`
	Step string    `json:"step"` // the current one; stepDone after the last
	// Within the step:
	// Table is the table being moved; for revocations, vaultAlone after the recorded ones.
	Table string `json:"table,omitempty"`
	// Row is the position of the last moved row; for revocations, of the last recorded certificate.
	Row int64 `json:"row,omitempty"`
	// Number is how many rows of the table, or documents, were moved; for revocations,
	// how many of the old vault's own were processed.
	Number int64 `json:"number,omitempty"`
}

const stepDone = "done"

func (s State) value() settings.Value {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // impossible for strings and numbers
	}
	return settings.Value{Text: string(raw), UpdatedAt: s.At}
}

// ReadState returns the state in a database; nil if nothing was ever moved there.
func ReadState(ctx context.Context, from settings.Store) (*State, error) {
	v, err := from.Setting(ctx, StateName)
	if fault.Is(err, fault.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parse(v)
}

func parse(v settings.Value) (*State, error) {
	var s State
	if err := json.Unmarshal([]byte(v.Text), &s); err != nil || s.ID == "" {
		return nil, errors.New("the state of the move in the database is malformed")
	}
	return &s, nil
}

// RefuseTarget returns the error for a server starting on the target of an
// unfinished move; nil if there is none.
func RefuseTarget(ctx context.Context, from settings.Store) error {
	s, err := ReadState(ctx, from)
	if err != nil {
		return err
	}
	return refuse(s)
}

// RefuseState is RefuseTarget for a state already read.
func RefuseState(v settings.Value) error {
	s, err := parse(v)
	if err != nil {
		return err
	}
	return refuse(s)
}

// refuse returns the error for a move in this state; nil if there is no state.
func refuse(s *State) error {
	if s == nil || done(s) {
		return nil
	}
	return fmt.Errorf("a move into this database is in progress, or was interrupted (at %q): run keyward move again, it "+
		"continues where it stopped (docs/moving.md)", s.Step)
}
