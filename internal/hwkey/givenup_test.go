package hwkey_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/issuancelog"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/await"
)

// TestIssuanceGivenUp: whoever goes before the page is written, and whom the
// vault denies a certificate, leaves nothing to search for.
func TestIssuanceGivenUp(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		ca, _ := i.watched()
		kv := &heldKV{KV: i.engine, arrived: make(chan struct{}), goOn: make(chan struct{})}
		i.certs.Issuances = issuancelog.New(kv, i.now)
		ctx, leave := context.WithCancel(t.Context())
		csr := csrOf(t, "alex", vaulttest.RSAKey())
		gone := make(chan error)
		go func() {
			_, err := i.certs.Sign(ctx, i.alex, access.All(), "key-1", cert.SignRequest{CSR: csr})
			gone <- err
		}()
		await.From(t, "the page is being written", kv.arrived)
		leave()
		code(t, "signing", await.From(t, "the answer", gone), fault.VaultUnavailable)
		close(kv.goOn)
		ca.sign = func() error { return vault.ErrDenied }
		_, err := i.sign(t) // its page is written after the first
		code(t, "signing", err, fault.VaultUnavailable)
		must(t, i.certs.Issuances.Flush(t.Context()))
		if found, open := i.outcomes(t); found[issuancelog.NotSigned] != 2 || open != 0 {
			t.Errorf("%v, %d open", found, open)
		}
	})
}

// TestWithdrawn: what the vault signed otherwise than asked for, and revoked, is
// put down with its serial number.
func TestWithdrawn(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		ca, _ := i.watched()
		ca.sign = func() error {
			return fmt.Errorf("%w: %w", vault.ErrDenied, &vault.Withdrawn{Serial: "4711", Why: errors.New("another subject")})
		}
		_, err := i.sign(t)
		code(t, "signing", err, fault.VaultUnavailable)
		must(t, i.certs.Issuances.Flush(t.Context()))
		entries, open := i.settled(t)
		if len(entries) != 1 || open != 0 || entries[0].Outcome != issuancelog.Discarded || entries[0].SerialNumber != "4711" {
			t.Errorf("%+v, %d open", entries, open)
		}
	})
}

// heldKV holds up the first write.
type heldKV struct {
	vault.KV

	once          sync.Once
	arrived, goOn chan struct{}
}

func (h *heldKV) Put(ctx context.Context, path string, data vault.Data, cas int) (int, error) {
	h.once.Do(func() { close(h.arrived); <-h.goOn })
	return h.KV.Put(ctx, path, data, cas)
}
