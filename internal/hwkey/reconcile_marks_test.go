package hwkey_test

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/issuancelog"
	"github.com/keyward/keyward/internal/vault/vaulttest"
)

// TestReconcileKeepsRecords: what is on record is put down as that, though the
// vault has signed for the same key twice; the other one is revoked.
func TestReconcileKeepsRecords(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		signed, err := i.sign(t)
		must(t, err)
		_, err = i.engine.Sign(t.Context(), vault.SignRequest{CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "alex"})
		must(t, err)
		i.restart()
		i.reconcile(t, 11*time.Minute)
		entries, open := i.settled(t)
		if len(entries) != 1 || open != 0 || entries[0].Outcome != issuancelog.Recorded ||
			entries[0].SerialNumber != signed.Certificate.SerialNumber {
			t.Errorf("%+v, %d open", entries, open)
		}
		found, err := i.db.Certificate(t.Context(), access.All(), signed.Certificate.SerialNumber)
		if err != nil || found.Status != cert.Issued {
			t.Errorf("the one on record is %s, %v", found.Status, err)
		}
	})
}

// countingKV counts the documents that are read.
type countingKV struct {
	vault.KV

	read atomic.Int64
}

func (c *countingKV) Get(ctx context.Context, path string) (vault.Version, error) {
	c.read.Add(1)
	return c.KV.Get(ctx, path)
}

// TestReconcileReadsOnce: what was settled meanwhile is read once, however many
// entries are open.
func TestReconcileReadsOnce(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		_, db := i.watched()
		const settled, open = 6, 6
		for n := range settled + open {
			if n == settled {
				i.restart() // forgets nothing that is settled
				db.before = func() error { return fault.New(fault.DatabaseUnavailable, "outcome_unknown", "Lost.") }
			}
			if _, err := i.another(t, fmt.Sprint("key-", 10+n)); n < settled {
				must(t, err)
				must(t, i.certs.Issuances.Flush(t.Context()))
			}
		}
		kv := &countingKV{KV: i.engine}
		i.certs.Issuances = issuancelog.New(kv, i.now)
		i.reconcile(t, 11*time.Minute)
		if read := kv.read.Load(); read > settled+open+1 {
			t.Errorf("%d documents were read, of %d", read, settled+open)
		}
		if found, open := i.outcomes(t); found[issuancelog.Discarded] != 6 || open != 0 {
			t.Errorf("%v, %d open", found, open)
		}
	})
}
