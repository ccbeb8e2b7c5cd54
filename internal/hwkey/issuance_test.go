package hwkey_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/crlcache"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/vaultserver"
)

// issuing is a world whose CA is a remote vault's, which takes down what it
// signs.
type issuing struct {
	*world
	engine *remote.Engine
	way    *lossyCA
}

// lossyCA lets something happen once the CA has signed.
type lossyCA struct {
	*remote.Engine
	signed func() error // its error is what the caller gets; nil: nothing happens
}

func (l *lossyCA) Sign(ctx context.Context, r vault.SignRequest) (vault.Issued, error) {
	issued, err := l.Engine.Sign(ctx, r)
	if err == nil && l.signed != nil {
		err = l.signed()
	}
	return issued, err
}

func setupIssuing(t *testing.T) *issuing {
	t.Helper()
	w := setup(t)
	engine, err := remote.Open(t.Context(), vaultserver.Shared(t).Prepared(t))
	must(t, err)
	t.Cleanup(func() { must(t, engine.Close()) })
	i := &issuing{w, engine, &lossyCA{Engine: engine}}
	w.certs.PKI, w.certs.CRL = i.way, &crlcache.Cache{PKI: engine, Now: w.now}
	i.restart()
	w.register(t, "key-1", &w.alex)
	return i
}

// restart forgets what the server knew of issuances that are open.
func (i *issuing) restart() { i.certs.Issuances = cert.NewIssuanceLog(i.engine, i.now) }

func (i *issuing) sign(t *testing.T) (cert.Signed, error) {
	t.Helper()
	return i.certs.Sign(t.Context(), i.alex, scope(t, i.alex), "key-1", cert.SignRequest{CSR: csrOf(t, "alex", vaulttest.RSAKey())})
}

// reconcile lets so much time pass and has what is open settled.
func (i *issuing) reconcile(t *testing.T, later time.Duration) {
	t.Helper()
	i.turn(later)
	must(t, i.certs.ReconcileIssuances(t.Context()))
}

// settled gives every settled entry, and how many pages are open.
func (i *issuing) settled(t *testing.T) (entries []cert.Issuance, open int) {
	t.Helper()
	ctx := t.Context()
	names, err := i.engine.List(ctx, "_issuances/open")
	must(t, err)
	days, err := i.engine.List(ctx, "_issuances/settled")
	must(t, err)
	for _, day := range days {
		day = "_issuances/settled/" + day[:len(day)-1]
		ids, err := i.engine.List(ctx, day)
		must(t, err)
		for _, id := range ids {
			v, err := i.engine.Get(ctx, day+"/"+id)
			must(t, err)
			var sheet struct {
				Entries []cert.Issuance `json:"entries"`
			}
			must(t, json.Unmarshal(v.Data, &sheet))
			entries = append(entries, sheet.Entries...)
		}
	}
	return entries, len(names)
}

// standing counts the certificates of the vault: those on its CRL, and the
// others.
func (i *issuing) standing(t *testing.T) (revoked, good int) {
	t.Helper()
	listed := map[string]bool{}
	must(t, i.engine.Revoked(t.Context(), func(r vault.Revocation) error { listed[r.Serial] = true; return nil }))
	must(t, i.engine.Issued(t.Context(), func(serial string) error {
		if listed[serial] {
			revoked++
		} else {
			good++
		}
		return nil
	}))
	return revoked, good
}

// TestIssuanceRecorded: the vault knows for whom a certificate was, before and
// after it is on record, also when the server ended in between.
func TestIssuanceRecorded(t *testing.T) {
	t.Parallel()
	for name, crash := range map[string]bool{"orderly": false, "crash": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := setupIssuing(t)
			signed, err := i.sign(t)
			must(t, err)
			if entries, open := i.settled(t); len(entries) != 0 || open != 1 {
				t.Errorf("before: %+v, %d open", entries, open)
			}
			if crash {
				i.restart()
				i.reconcile(t, 9*time.Minute)
				if _, open := i.settled(t); open != 1 {
					t.Error("settled before its time")
				}
				i.reconcile(t, 2*time.Minute)
			} else {
				must(t, i.certs.Issuances.Flush(t.Context()))
			}
			entries, open := i.settled(t)
			c := signed.Certificate
			want := cert.Issuance{
				HWKeySerial: "key-1", Slot: c.Slot, Account: i.alex.UserID, CSRSHA256: c.CSRSHA256, PublicKeySHA256: c.PublicKeySHA256,
				Outcome: cert.Recorded, SerialNumber: c.SerialNumber,
			}
			if len(entries) != 1 || entries[0] != want || open != 0 {
				t.Errorf("%+v, want %+v; %d open", entries, want, open)
			}
			if revoked, good := i.standing(t); revoked != 0 || good != 1 {
				t.Errorf("%d revoked, %d good", revoked, good)
			}
		})
	}
}

// TestIssuanceUnrecorded: a certificate that was signed and not recorded is
// revoked: at once where the server knows it, else when it is looked for. One
// that the log does not name is left alone.
func TestIssuanceUnrecorded(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		signed func(*testing.T, *issuing) error
		code   fault.Code
		atOnce bool
	}{
		"answer lost": {func(*testing.T, *issuing) error { return vault.ErrSlow }, fault.VaultUnavailable, false},
		"token reset meanwhile": {func(t *testing.T, i *issuing) error {
			_, err := i.keys.Reset(t.Context(), i.manager, scope(t, i.manager), "key-1", "")
			return err
		}, fault.Conflict, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			i := setupIssuing(t)
			key, err := rsa.GenerateKey(rand.Reader, 2048)
			must(t, err)
			_, err = i.engine.Sign(t.Context(), vault.SignRequest{CSR: vaulttest.NewCSR(t, key), CommonName: "stranger"})
			must(t, err)
			i.way.signed = func() error { return c.signed(t, i) }
			_, err = i.sign(t)
			code(t, "signing", err, c.code)
			i.way.signed = nil
			if revoked, good := i.standing(t); (revoked == 1) != c.atOnce || revoked+good != 2 {
				t.Errorf("at first %d revoked, %d good", revoked, good)
			}
			again, err := i.sign(t) // of the same key: a certificate of its own
			must(t, err)
			must(t, i.certs.Issuances.Flush(t.Context()))
			i.restart()
			i.reconcile(t, 11*time.Minute)
			if revoked, good := i.standing(t); revoked != 1 || good != 2 {
				t.Errorf("in the end %d revoked, %d good", revoked, good)
			}
			entries, open := i.settled(t)
			outcomes := map[cert.Outcome]int{}
			for _, e := range entries {
				outcomes[e.Outcome]++
			}
			if open != 0 || outcomes[cert.Recorded] != 1 || outcomes[cert.Discarded] != 1 {
				t.Errorf("%v, %d open", outcomes, open)
			}
			found, err := i.db.Certificate(t.Context(), scope(t, i.alex), again.Certificate.SerialNumber)
			if err != nil || found.Status != cert.Issued {
				t.Errorf("the one on record is %s, %v", found.Status, err)
			}
		})
	}
}

// TestIssuanceNotTakenDown: what the vault does not take down, it does not
// sign.
func TestIssuanceNotTakenDown(t *testing.T) {
	t.Parallel()
	i := setupIssuing(t)
	i.kv.left.Store(0)
	i.certs.Issuances = cert.NewIssuanceLog(i.kv, i.now)
	_, err := i.sign(t)
	code(t, "signing", err, fault.VaultUnavailable)
	if revoked, good := i.standing(t); revoked+good != 0 {
		t.Errorf("%d certificates", revoked+good)
	}
}
