package rollback

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"time"
)

// Mark is how far the database knows the vault to have come in one respect.
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
