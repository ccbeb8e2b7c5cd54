package move

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/schematables"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/vault"
)

// Table is a table of the schema.
type Table = schematables.Table

// Certificate is what the move needs of a recorded certificate.
type Certificate struct {
	Row     int64 // its position in the table
	Revoked bool
	vault.Revocation
}

// OldDatabase is the source database. It is never changed.
type OldDatabase interface {
	chain.Store
	// MoveTables returns the tables of the schema.
	MoveTables(ctx context.Context) ([]Table, error)
	CountRows(ctx context.Context, table string) (int64, error)
	// Rows returns at most limit rows after a position, in order, and the position of
	// the last: values are int64, string, bool or nil, by column.
	Rows(ctx context.Context, t Table, after int64, limit int) (rows [][]any, last int64, err error)
	// LastIDs returns the highest id ever assigned in each table.
	LastIDs(ctx context.Context) (map[string]int64, error)
	// RevokedAfter returns at most limit revoked certificates after a row.
	RevokedAfter(ctx context.Context, row int64, limit int) ([]Certificate, error)
	// Recorded returns those of these certificates that have a record.
	Recorded(ctx context.Context, serials []string) (map[string]Certificate, error)
}

// NewDatabase is the target database.
type NewDatabase interface {
	chain.Store
	settings.Store
	MoveTables(ctx context.Context) ([]Table, error)
	CountRows(ctx context.Context, table string) (int64, error)
	// InsertRows adds rows and saves the state of the move, all or nothing. With clear,
	// it first deletes the rows that migrations created.
	InsertRows(ctx context.Context, t Table, rows [][]any, clear bool, state settings.Value) error
	// Begin saves the state of a new move if no tables have rows, except those in
	// leftOut and made; otherwise ErrNotEmpty. It is atomic: no server can create its
	// first account in between.
	Begin(ctx context.Context, tables []string, state settings.Value) error
	// RaiseIDs makes the next id of a table higher than last.
	RaiseIDs(ctx context.Context, table string, last int64) error
	// Alone runs a function while no server can work on the database; ErrServed if one does.
	Alone(ctx context.Context, do func(context.Context) error) error
}

// OldVault is the source vault.
type OldVault interface {
	vault.KV
	vault.RevokedLister
	CAs(ctx context.Context) ([]vault.CA, error)
	CRLNumber(ctx context.Context, ca string) (number uint64, thisUpdate time.Time, err error)
}

// NewVault is the target vault.
type NewVault interface {
	vault.KV
	vault.PKI
	vault.RevokedLister
	// Takes reports why it cannot store a document unchanged; nil if it can.
	Takes(data vault.Data) error
	// RaiseCRL builds CRLs of a CA until the number is above the given one.
	RaiseCRL(ctx context.Context, ca string, above uint64, each func(number uint64) error) error
}

// Item is something that the new vault needs.
type Item struct {
	Name     string
	Lacks    []string // empty: nothing is missing
	Hopeless error    // why it cannot be fixed
	Apply    func(context.Context) error
}

// Setup finds what the new vault lacks, including the CA.
type Setup interface {
	Examine(ctx context.Context) ([]Item, error)
}
