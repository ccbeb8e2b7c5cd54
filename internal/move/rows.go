package move

import (
	"context"
	"slices"
)

// pageRows is how many rows are read, and written in one transaction.
const pageRows = 500

// moveRows moves the tables one by one, from the state's position on.
func (m *Move) moveRows(ctx context.Context) error {
	begun := m.state.Table == ""
	for _, t := range m.tables {
		if begun = begun || t.Name == m.state.Table; !begun {
			continue
		}
		if m.state.Table != t.Name {
			m.state.Table, m.state.Row, m.state.Number = t.Name, 0, 0
		}
		if err := m.moveTable(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

func (m *Move) moveTable(ctx context.Context, t Table) error {
	clear := slices.Contains(made, t.Name) && m.state.Number == 0
	for {
		rows, last, err := m.OldRows.Rows(ctx, t, m.state.Row, m.page(pageRows))
		if err != nil {
			return err
		}
		if len(rows) == 0 && !clear {
			return nil
		}
		m.state.Row = last
		m.state.Number += int64(len(rows))
		if err := m.NewRows.InsertRows(ctx, t, rows, clear, m.state.value()); err != nil {
			return err
		}
		clear = false
		m.Progress("  %s: %d", t.Name, m.state.Number)
		if err := m.point("rows of " + t.Name); err != nil {
			return err
		}
	}
}

// raiseIDs makes new ids start above all ever assigned.
func (m *Move) raiseIDs(ctx context.Context) error {
	ids, err := m.OldRows.LastIDs(ctx)
	if err != nil {
		return err
	}
	for _, t := range m.tables {
		if last := ids[t.Name]; last > 0 {
			if err := m.NewRows.RaiseIDs(ctx, t.Name, last); err != nil {
				return err
			}
		}
	}
	return nil
}
