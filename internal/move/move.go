package move

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/x509"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
)

// Move is a move, and what it works with.
type Move struct {
	Dir      string // of the source
	OldRows  OldDatabase
	OldVault OldVault

	NewRows  NewDatabase // nil in a dry run into a database without tables
	NewVault NewVault
	Setup    Setup

	Database, Vault string // where to, for people
	// Forget lets revocations go whose certificates are not on record: the new
	// vault puts nothing on its CRL that it is not shown.
	Forget bool
	// Page is how many rows, documents or revocations go at once; zero: as many
	// as is quick.
	Page int

	Now      func() time.Time
	Progress func(format string, args ...any)
	// At is told of each point at which the move may be broken off; an error
	// breaks it off. For tests; nil: none is.
	At func(point string) error

	state  State
	tables []Table           // those that are moved, in their order: the survey finds them
	ca     *x509.Certificate // of the old vault
	marked bool              // the directory is: whatever fails now breaks the move off
}

// Report is what was moved, or would be.
type Report struct {
	Tables      []Count
	Documents   int64
	Revocations int64 // those that the new CRL shows
	Ended       int64 // revocations of certificates that have ended, which no CRL need show
	Former      int64 // those of a CA before the present one, whose CRL does not speak for them
	Unknown     []string
	CRLNumber   uint64 // the old one
	Audit       chain.Report
	Setup       []Item // what the new vault lacks
	Obstacles   []error
	Before      time.Time // when it was done already
}

// Count is a table's rows.
type Count struct {
	Table string
	Rows  int64
}

// Obstacles are what stands in the way.
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

// step is a part of the move. It may be repeated from its beginning or from
// its place in the state.
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

// Run moves, or goes on where it was broken off.
func (m *Move) Run(ctx context.Context) (report Report, err error) {
	// A server of the target may run when all is done.
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

// before is the report of a move that is done.
func before(s *State) (r Report) {
	if done(s) {
		r.Before = s.At
	}
	return r
}

func (m *Move) run(ctx context.Context, mark *Mark, state *State) (Report, error) {
	m.marked = mark != nil
	// Of a move that is under way, the target is not empty.
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

// begin writes both marks, the directory's first: what is under way in the
// target has a source that no server changes.
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
	if errors.Is(err, ErrNotEmpty) && fresh { // a server has just begun there, and nothing was moved
		m.marked = false
		return nil, errors.Join(fmt.Errorf("%w: %s. Choose an empty one that no server uses", err, m.Database), unmark(m.Dir))
	}
	return mark, err
}

// marks reads both marks; they must be of one move.
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

// walk does the steps from the one that is under way.
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

// enter notes a step as under way; one that was goes on at its place.
func (m *Move) enter(ctx context.Context, name string) error {
	if m.state.Step != name {
		m.state = State{ID: m.state.ID, At: m.state.At, Step: name}
		if err := m.note(ctx); err != nil {
			return err
		}
	}
	return m.point("before " + name)
}

// note writes the place that was reached.
func (m *Move) note(ctx context.Context) error {
	return m.NewRows.PutSetting(ctx, StateName, m.state.value())
}

// finish says on both sides that the move is done. Each part may be repeated.
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

// page is how many go at once, of something of which so many is quick.
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
