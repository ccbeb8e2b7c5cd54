package rollback

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Mark is how far the database knows the vault to have come in one respect.
//
// The two sides are copied one after the other, the vault first. What the vault knows of
// the database is then older than the database's copy. In the other direction, what
// changes by itself could be ahead: an epoch or number only counts as evidence once it was
// in the database for a round (RoundEvery), or after any server's start or stop. So neither
// falls between the copies. What people did in between, above all a revocation, is found:
// the vault's copy lacks it.
//
// A start or stop does not wait for a round: a vault copied before it and a database copied
// after it are the same files as when only the vault is restored just after a start, as
// when an upgrade is undone. The two cases cannot be told apart, and a false alarm is the
// lesser evil.
type Mark struct {
	Value   uint64 // the highest seen
	Settled uint64 // the value over a RoundEvery ago, or before any server's start or stop: a vault below it is older
}

// Marks stores the marks in the database.
type Marks interface {
	// VaultMarks returns all marks by name; empty before the first is recorded.
	VaultMarks(ctx context.Context) (map[string]Mark, error)
	// RaiseVaultMark records a value; a lower one than before changes nothing. The first
	// value of a name is settled.
	RaiseVaultMark(ctx context.Context, name string, value uint64) error
	// AgeVaultMarks settles the values of its previous call; with atOnce the current ones.
	AgeVaultMarks(ctx context.Context, atOnce bool) error
}

// RoundEvery is how often the epoch is raised.
const RoundEvery = 10 * time.Minute

// epochMark is the mark of the vault's epoch.
const epochMark = "epoch"

// CRLMark names the mark of a CA's CRL number; ca is its certificate, DER.
func CRLMark(ca []byte) string {
	sum := sha256.Sum256(ca)
	return "crl_" + hex.EncodeToString(sum[:])
}
