package rollback_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/rollback"
)

// TestCompare: what counts as evidence that a side is older, and what does not.
func TestCompare(t *testing.T) {
	t.Parallel()
	early := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	late := early.Add(time.Hour)
	marks := func(epoch, crl uint64) map[string]rollback.Mark {
		return map[string]rollback.Mark{"epoch": {Value: epoch + 1, Settled: epoch}, "crl_x": {Value: crl + 1, Settled: crl}}
	}
	known := func(batch, last int64, at time.Time) chain.Head {
		return chain.Head{Batch: batch, LastID: last, SealedAt: at}
	}
	for name, c := range map[string]struct {
		read rollback.Read
		want rollback.Differences
	}{
		"a new installation": {},
		"no marks yet":       {read: rollback.Read{Epoch: 3, CRLMark: "crl_x", CRL: 1, MissingRevocations: []string{"aa"}}},
		"as it was":          {read: rollback.Read{Marks: marks(4, 9), Epoch: 4, CRLMark: "crl_x", CRL: 9}},
		"further":            {read: rollback.Read{Marks: marks(4, 9), Epoch: 7, CRLMark: "crl_x", CRL: 30}},
		"the CRL not read":   {read: rollback.Read{Marks: marks(4, 9), Epoch: 4}},
		"another CA":         {read: rollback.Read{Marks: marks(4, 9), Epoch: 4, CRLMark: "crl_y", CRL: 1}},
		"an older vault": {
			rollback.Read{Marks: marks(4, 9), Epoch: 3, CRLMark: "crl_x", CRL: 7, MissingRevocations: []string{"bb", "aa"}},
			rollback.Differences{Vault: []rollback.Missing{
				{What: rollback.CRLNumbers, Count: 2}, {What: rollback.Epochs, Count: 1},
				{What: rollback.Revocations, Count: 2, Some: []string{"aa", "bb"}},
			}},
		},
		"sealed further than the vault knows": {read: rollback.Read{
			Ends: chain.Ends{Vault: known(3, 10, early), Database: known(5, 20, late)},
		}},
		"an older database": {
			rollback.Read{Ends: chain.Ends{Vault: known(5, 20, late), Database: known(3, 10, early)}},
			rollback.Differences{Database: []rollback.Missing{{What: rollback.AuditEntries, Count: 10, From: early, To: late}}},
		},
		"both, of other histories": {
			rollback.Read{Marks: marks(4, 9), Epoch: 1, Ends: chain.Ends{Vault: known(5, 20, late), Database: known(6, 30, late), Other: true}},
			rollback.Differences{
				Vault:    []rollback.Missing{{What: rollback.Epochs, Count: 3}},
				Database: []rollback.Missing{{What: rollback.AuditLog, Count: 1, To: late}},
			},
		},
		"a certificate that was recorded": {
			rollback.Read{Unknown: []rollback.Missing{{What: rollback.Certificates, Count: 1, Some: []string{"aa"}}}},
			rollback.Differences{Database: []rollback.Missing{{What: rollback.Certificates, Count: 1, Some: []string{"aa"}}}},
		},
	} {
		if diff := cmp.Diff(c.want, rollback.Compare(c.read)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestMissingText: messages have numbers, names and times.
func TestMissingText(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 5, 4, 12, 0, 0, 0, time.UTC)
	for want, m := range map[string]rollback.Missing{
		"a revocation, which was published again: aa":          {What: rollback.Revocations, Count: 1, Some: []string{"aa"}},
		"3 revocations, which were published again: aa, bb, …": {What: rollback.Revocations, Count: 3, Some: []string{"aa", "bb"}},
		"at least 3 revocations, which were published again: aa, bb, …": {
			What: rollback.Revocations, Count: 3, AtLeast: true, Some: []string{"aa", "bb"},
		},
		"the current secrets of at least 2 tokens": {What: rollback.Secrets, Count: 2, AtLeast: true},
		"the sealed audit log: the one in the database is a different one, up to 2026-05-04T12:00:00Z": {
			What: rollback.AuditLog, Count: 1, To: at,
		},
		"up to 7 audit entries, from 2026-05-04T12:00:00Z to 2026-05-04T13:00:00Z": {
			What: rollback.AuditEntries, Count: 7, From: at, To: at.Add(time.Hour),
		},
		"2 things (of a later version)": {What: "of a later version", Count: 2},
	} {
		if got := m.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
