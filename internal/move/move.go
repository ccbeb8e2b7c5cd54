package move

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/vault"
)

// Move is a move and what it works with.
type Move struct {
	Dir      string // of the source
	OldRows  OldDatabase
	OldVault OldVault

	NewRows  NewDatabase // nil in a dry run into a database without tables
	NewVault NewVault
	Setup    Setup

	Database, Vault string // the target, for people
	// Forget leaves behind revocations of certificates without a record: the new vault's
	// CRL only lists certificates that it is shown.
	Forget bool
	// Page is how many rows, documents or revocations to move at once; zero for an
	// efficient number.
	Page int

	Now      func() time.Time
	Progress func(format string, args ...any)
	// At, if not nil, is called at each point at which the move may be interrupted; an
	// error interrupts it. For tests.
	At func(point string) error

	state  State
	tables []Table    // those to move, in order, from the survey
	cas    []vault.CA // of the old vault
	marked bool       // the directory is marked: any failure now interrupts the move
}

// Report is what was moved, or would be.
type Report struct {
	Tables      []Count
	Documents   int64
	Revocations int64 // those on the new CRL
	Ended       int64 // revocations of expired certificates, which no CRL need list
	Former      int64 // those of a former CA, which the current CA's CRL does not cover
	Unknown     []string
	CRLNumber   uint64 // the old vault's
	Audit       chain.Report
	Setup       []Item // what the new vault lacks
	Obstacles   []error
	Before      time.Time // when the move was already done
}

// Count is the number of a table's rows.
type Count struct {
	Table string
	Rows  int64
}

// Obstacles are reasons why the move cannot be done.
type Obstacles []error

// Error lists them, one a line.
func (o Obstacles) Error() string {
	var b strings.Builder
	b.WriteString("this is in the way:")
	for _, err := range o {
		b.WriteString("\n  " + err.Error())
	}
	return b.String()
}

// step is a part of the move. It may be repeated from its beginning or from its
// position in the state.
type step struct {
	name string
	do   func(*Move, context.Context) error
}

var steps = []step{
	{"vault", (*Move).prepareVault},
	{"rows", (*Move).moveRows},
	{"ids", (*Move).raiseIDs},
	{"documents", (*Move).moveDocuments},
	{"crl number", (*Move).raiseCRL},
	{"revocations", (*Move).moveRevocations},
	{"checks", (*Move).check},
}

// Run moves, or continues an interrupted move.
func (m *Move) Run(ctx context.Context) (report Report, err error) {
	// After the move, a server may be running on the target.
	mark, state, err := m.marks(ctx)
	if err != nil || done(state) {
		return before(state), err
	}
	err = m.NewRows.Alone(ctx, func(ctx context.Context) error {
		if mark, state, err = m.marks(ctx); err != nil || done(state) {
			report = before(state)
			return err
		}
		report, err = m.run(ctx, mark, state)
		return err
	})
	if err != nil && m.marked {
		err = fmt.Errorf("%w\nThe move was interrupted. Start it again with the same settings: it continues where it stopped. "+
			"Until then, no server starts on either side (docs/moving.md)", err)
	}
	return report, err
}

func done(s *State) bool { return s != nil && s.Step == stepDone }

// before returns the report of a finished move.
func before(s *State) (r Report) {
	if done(s) {
		r.Before = s.At
	}
	return r
}

func (m *Move) run(ctx context.Context, mark *Mark, state *State) (Report, error) {
	m.marked = mark != nil
	// The target of an interrupted move is not empty.
	report, err := m.survey(ctx, state == nil)
	if err != nil {
		return report, err
	}
	if len(report.Obstacles) > 0 {
		return report, Obstacles(report.Obstacles)
	}
	if state != nil {
		m.Progress("continuing the move of %s, at: %s", state.At.Format(time.RFC3339), state.Step)
		m.state = *state
	} else if mark, err = m.begin(ctx, mark); err != nil {
		return report, err
	}
	if err := m.walk(ctx); err != nil {
		return report, err
	}
	return report, m.finish(ctx, *mark)
}

// begin writes both marks, the directory's first: once the target is marked, no
// server changes the source.
func (m *Move) begin(ctx context.Context, mark *Mark) (*Mark, error) {
	fresh := mark == nil
	if fresh {
		mark = &Mark{ID: rand.Text(), State: Moving, At: m.Now().UTC(), Database: m.Database, Vault: m.Vault}
		if err := mark.write(m.Dir); err != nil {
			return nil, err
		}
		m.marked = true
	}
	if err := m.point("source marked"); err != nil {
		return nil, err
	}
	tables, err := m.NewRows.MoveTables(ctx)
	if err != nil {
		return nil, err
	}
	m.state = State{ID: mark.ID, At: m.Now().UTC(), Step: steps[0].name}
	err = m.NewRows.Begin(ctx, emptyBefore(tables), m.state.value())
	if errors.Is(err, ErrNotEmpty) && fresh { // a server has just started there, and nothing was moved
		m.marked = false
		return nil, errors.Join(fmt.Errorf("%w: %s. Choose an empty one that no server uses", err, m.Database), unmark(m.Dir))
	}
	return mark, err
}

// marks reads both marks, which must belong to the same move.
func (m *Move) marks(ctx context.Context) (*Mark, *State, error) {
	mark, err := ReadMark(m.Dir)
	if err != nil {
		return nil, nil, err
	}
	var state *State
	if m.NewRows != nil {
		if state, err = ReadState(ctx, m.NewRows); err != nil {
			return nil, nil, err
		}
	}
	switch {
	case state != nil && mark == nil:
		return nil, nil, fmt.Errorf("something was moved into this database, or should have been, but %s is not marked as "+
			"moved, so it may have changed since. Give up this database and this vault, and move into empty ones (docs/moving.md)", m.Dir)
	case state != nil && mark.ID != state.ID:
		return nil, nil, errors.New("another installation was moved into this database: choose an empty one")
	case state == nil && mark != nil && mark.State == Moved, mark != nil && (mark.Database != m.Database || mark.Vault != m.Vault):
		return nil, nil, fmt.Errorf("%s was moved, or is being moved, to %s and %s: use these", m.Dir, mark.Database, mark.Vault)
	}
	return mark, state, nil
}

// walk does the steps from the current one on.
func (m *Move) walk(ctx context.Context) error {
	begun := false
	for _, s := range steps {
		if begun = begun || s.name == m.state.Step; !begun {
			continue
		}
		m.Progress("%s", s.name)
		if err := m.enter(ctx, s.name); err != nil {
			return err
		}
		if err := s.do(m, ctx); err != nil {
			return err
		}
		if err := m.point("after " + s.name); err != nil {
			return err
		}
	}
	if !begun {
		return fmt.Errorf("the state of the move has a step %q that this program doesn't know: use the one that started it", m.state.Step)
	}
	return nil
}

// enter records a step as current; if it already was, it continues at its position.
func (m *Move) enter(ctx context.Context, name string) error {
	if m.state.Step != name {
		m.state = State{ID: m.state.ID, At: m.state.At, Step: name}
		if err := m.note(ctx); err != nil {
			return err
		}
	}
	return m.point("before " + name)
}

// note saves the position.
func (m *Move) note(ctx context.Context) error {
	return m.NewRows.PutSetting(ctx, StateName, m.state.value())
}

// finish records on both sides that the move is done. Each part may be repeated.
func (m *Move) finish(ctx context.Context, mark Mark) error {
	if mark.State != Moved {
		mark.State, mark.At = Moved, m.Now().UTC()
		if err := mark.write(m.Dir); err != nil {
			return err
		}
		if err := m.point("source marked as moved"); err != nil {
			return err
		}
	}
	if err := m.NewVault.DestroyPath(ctx, vaultMark); err != nil {
		return err
	}
	if err := m.point("vault's mark removed"); err != nil {
		return err
	}
	m.state = State{ID: m.state.ID, At: m.Now().UTC(), Step: stepDone}
	return m.note(ctx)
}

// page returns the page size, given an efficient number.
func (m *Move) page(quick int) int { return cmp.Or(m.Page, quick) }

func (m *Move) point(name string) error {
	if m.At == nil {
		return nil
	}
	return m.At(name)
}

func (m *Move) plan(ctx context.Context) ([]Table, error) {
	from, err := m.OldRows.MoveTables(ctx)
	if err != nil {
		return nil, err
	}
	to := from
	if m.NewRows != nil {
		if to, err = m.NewRows.MoveTables(ctx); err != nil {
			return nil, err
		}
	}
	return plan(from, to)
}
