package rollback

import (
	"cmp"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/audit/chain"
)

// What is a kind of thing that one side lacks.
type What string

// The kinds.
const (
	Epochs       What = "epochs"        // of the vault: by how many it is behind
	CRLNumbers   What = "crl_numbers"   // of the vault: by how many its CRL is behind
	Revocations  What = "revocations"   // of the vault
	Secrets      What = "secrets"       // of the vault: tokens with an outdated document
	RestoreEnd   What = "restore_end"   // of the vault: a restore stopped halfway
	AuditEntries What = "audit_entries" // of the database: an upper bound
	AuditLog     What = "audit_log"     // of the database: what was sealed has another history
	Certificates What = "certificates"  // of the database
	Releases     What = "releases"      // of the database
)

// Missing is what one side lacks of one kind.
type Missing struct {
	What    What      `json:"what"`
	Count   int64     `json:"count"`
	AtLeast bool      `json:"at_least,omitempty"` // more than Count may be missing
	Some    []string  `json:"some,omitempty"`     // the first of their names: serial numbers, tokens
	From    time.Time `json:"from,omitzero"`      // their time range, if known
	To      time.Time `json:"to,omitzero"`
}

// maxSome limits Missing.Some.
const maxSome = 20

// missing counts names and keeps the first of them; nil if there are none.
func missing(what What, names []string) []Missing {
	if len(names) == 0 {
		return nil
	}
	some := slices.Sorted(slices.Values(names))
	return []Missing{{What: what, Count: int64(len(names)), Some: some[:min(len(some), maxSome)]}}
}

// Read is the input of a comparison; each mark was read before what it is compared with.
type Read struct {
	Marks              map[string]Mark // the database's marks of the vault; empty: none was ever written
	Epoch              uint64          // the vault's
	CRLMark            string          // name of the CRL's mark; empty: not read
	CRL                uint64          // the number of the vault's CRL
	MissingRevocations []string        // serial numbers of revocations that the vault once had and now lacks
	Ends               chain.Ends      // of the audit log
	Unknown            []Missing       // logged as done by the vault, missing in the database
}

// Differences is what each side lacks. A side that lacks nothing is not older.
type Differences struct {
	Vault    []Missing
	Database []Missing
}

// Compare determines which side is older. Without marks, as on the first start of a
// version that writes them, the vault is taken as it is.
func Compare(r Read) (o Differences) {
	for name, what := range map[string]What{epochMark: Epochs, r.CRLMark: CRLNumbers} {
		has := r.Epoch
		if what == CRLNumbers {
			has = r.CRL
		}
		if mark, known := r.Marks[name]; known && name != "" && has < mark.Settled {
			o.Vault = append(o.Vault, Missing{What: what, Count: int64(mark.Settled - has)}) // #nosec G115 -- counts of rounds and lists
		}
	}
	if _, begun := r.Marks[epochMark]; begun {
		o.Vault = append(o.Vault, missing(Revocations, r.MissingRevocations)...)
	}
	switch head, last := r.Ends.Vault, r.Ends.Database; {
	case r.Ends.Behind():
		o.Database = append(o.Database, Missing{
			What: AuditEntries, Count: max(head.LastID-last.LastID, 1), From: last.SealedAt, To: head.SealedAt,
		})
	case r.Ends.Other:
		o.Database = append(o.Database, Missing{What: AuditLog, Count: 1, To: head.SealedAt})
	}
	o.Database = append(o.Database, r.Unknown...)
	byKind := func(a, b Missing) int { return cmp.Compare(a.What, b.What) }
	slices.SortFunc(o.Vault, byKind)
	slices.SortFunc(o.Database, byKind)
	return o
}
