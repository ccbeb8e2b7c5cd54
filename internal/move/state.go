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

// StateName is the setting in the target that holds the state of the move.
const StateName = "move"

// ErrServed: a server works on the target.
var ErrServed = errors.New("a server or another move is using the target database: stop it; the target must be empty")

// ErrNotEmpty: the target's database has rows already.
var ErrNotEmpty = errors.New("the database is not empty")

// State is how far a move is, in the target.
type State struct {
	ID   string    `json:"id"`
	At   time.Time `json:"at"`
	Step string    `json:"step"` // the one under way; stepDone after the last
	// Within the step:
	// Table is the one whose rows are moved; of revocations, vaultAlone when those
	// on record are through.
	Table string `json:"table,omitempty"`
	// Row is the place of the last row that was moved; of revocations, that of the
	// last certificate on record.
	Row int64 `json:"row,omitempty"`
	// Number is how many rows of the table, or documents, were moved; of
	// revocations, how many of the old vault's own were looked at.
	Number int64 `json:"number,omitempty"`
}

const stepDone = "done"

func (s State) value() settings.Value {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // of texts and numbers there is none
	}
	return settings.Value{Text: string(raw), UpdatedAt: s.At}
}

// ReadState gives the state in a database; nil when nothing was ever moved
// there.
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

// RefuseTarget is the error of a server that would start on a database that a
// move is filling; nil when there is none, or when it is done.
func RefuseTarget(ctx context.Context, from settings.Store) error {
	s, err := ReadState(ctx, from)
	if err != nil {
		return err
	}
	return refuse(s)
}

// RefuseState is RefuseTarget where the state was read already.
func RefuseState(v settings.Value) error {
	s, err := parse(v)
	if err != nil {
		return err
	}
	return refuse(s)
}

// refuse is the error for a move that is in this state; nil is none.
func refuse(s *State) error {
	if s == nil || done(s) {
		return nil
	}
	return fmt.Errorf("a move into this database is in progress, or was interrupted (at %q): run keyward move again, it "+
		"continues where it stopped (docs/moving.md)", s.Step)
}
