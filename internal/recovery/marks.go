package recovery

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Mark is how far the database knows the vault to have come in one matter.
type Mark struct {
	Value   uint64 // the highest that was seen
	Settled uint64 // that of over a RoundEvery ago, or before any server's start or stop: a vault below it is older
}

// Marks keeps them, in the database.
type Marks interface {
	// VaultMarks are all of them, by name; empty before the first is noted.
	VaultMarks(ctx context.Context) (map[string]Mark, error)
	// RaiseVaultMark notes a value; a lower one than there is changes nothing. The
	// first one of a name is settled.
	RaiseVaultMark(ctx context.Context, name string, value uint64) error
	// AgeVaultMarks settles what stood there when it was called last; with atOnce
	// what stands there now.
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
