package move

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/tables"
	"github.com/keyward/keyward/internal/vault"
)

// Table is a table of the schema.
type Table = tables.Table

// Certificate is what the move needs of one on record.
type Certificate struct {
	Row     int64 // its place in the table
	Revoked bool
	vault.Revocation
}

// OldDatabase is the one that is moved from. It changes nothing.
type OldDatabase interface {
	chain.Store
	// MoveTables gives the tables of the schema.
	MoveTables(ctx context.Context) ([]Table, error)
	CountRows(ctx context.Context, table string) (int64, error)
	// Rows gives at most limit rows after a place, in the order of their
	// places, with the place of the last one: int64, string, bool or nil by
	// column.
	Rows(ctx context.Context, t Table, after int64, limit int) (rows [][]any, last int64, err error)
	// LastIDs is the highest id that each table has ever given.
	LastIDs(ctx context.Context) (map[string]int64, error)
	// RevokedAfter gives at most limit revoked certificates after a row.
	RevokedAfter(ctx context.Context, row int64, limit int) ([]Certificate, error)
	// Recorded gives those of these certificates that are on record.
	Recorded(ctx context.Context, serials []string) (map[string]Certificate, error)
}

// NewDatabase is the one that is moved to.
type NewDatabase interface {
	chain.Store
	settings.Store
	MoveTables(ctx context.Context) ([]Table, error)
	CountRows(ctx context.Context, table string) (int64, error)
	// InsertRows adds rows and notes the state of the move, all or nothing.
	// Emptied first are the rows that migrations made, when clear is set.
	InsertRows(ctx context.Context, t Table, rows [][]any, clear bool, state settings.Value) error
	// Begin notes the state of a move that begins, if no table has a row but
	// those that leftOut and made name: ErrNotEmpty otherwise. Both at once: no
	// server makes its first account in between.
	Begin(ctx context.Context, tables []string, state settings.Value) error
	// RaiseIDs lets the next id of a table be above last.
	RaiseIDs(ctx context.Context, table string, last int64) error
	// Alone runs a function while no server can work on the database;
	// ErrServed when one does.
	Alone(ctx context.Context, do func(context.Context) error) error
}

// OldVault is the one that is moved from.
type OldVault interface {
	vault.KV
	vault.RevokedLister
	// Chain gives the CA, and those above it (DER).
	Chain(ctx context.Context) ([][]byte, error)
	CRLNumber(ctx context.Context) (number uint64, thisUpdate time.Time, err error)
}

// NewVault is the one that is moved to.
type NewVault interface {
	vault.KV
	vault.PKI
	vault.RevokedLister
	// Takes tells whether it can keep a document as it is.
	Takes(data vault.Data) error
	// RaiseCRL has CRLs built until the number is above the given one.
	RaiseCRL(ctx context.Context, above uint64, each func(number uint64) error) error
}

// Item is one thing that the new vault needs.
type Item struct {
	Name     string
	Lacks    []string // none: it is as it should be
	Hopeless error    // why it cannot be made so
	Apply    func(context.Context) error
}

// Setup finds what the new vault lacks, the CA among it.
type Setup interface {
	Examine(ctx context.Context) ([]Item, error)
}
