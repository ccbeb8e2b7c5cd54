package hwkey_test

import (
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/vaultserver"
)

// ca is an engine that can list what it signed.
type ca interface {
	vault.Engine
	vault.RevokedLister
	vault.IssuedLister
}

// issuing is a world whose vault logs what it signs.
type issuing struct {
	*world
	engine ca
	knows  bool // the serial number before it signs
	way    *lossyCA
}

// lossyCA lets something happen after the CA has signed.
type lossyCA struct {
	ca
	signed func() error // its error is what the caller gets; nil: nothing happens
}

func (l *lossyCA) Prepare(ctx context.Context, r vault.SignRequest) (vault.Prepared, error) {
	p, err := l.ca.Prepare(ctx, r)
	return vaulttest.Prepared{Prepared: p, After: func() error {
		if l.signed == nil {
			return nil
		}
		return l.signed()
	}}, err
}

// onEachCA runs a test on the embedded vault and on a remote one.
func onEachCA(t *testing.T, test func(t *testing.T, i *issuing)) {
	t.Helper()
	t.Parallel()
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		w := setup(t)
		test(t, begin(t, w, w.pki, true))
	})
	t.Run("remote", func(t *testing.T) {
		t.Parallel()
		engine, err := remote.Open(t.Context(), vaultserver.Shared(t).Prepared(t))
		must(t, err)
		t.Cleanup(func() { must(t, engine.Close()) })
		test(t, begin(t, setup(t), engine, false))
	})
}

func begin(t *testing.T, w *world, engine ca, knows bool) *issuing {
	t.Helper()
	i := &issuing{w, engine, knows, &lossyCA{ca: engine}}
	w.kv.KV, w.certs.PKI, w.certs.CRL = engine, i.way, &pki.CRLCache{PKI: engine, Now: w.now}
	i.restart()
	w.register(t, "key-1", &w.alex)
	return i
}

// restart forgets what the server knew of open issuances.
func (i *issuing) restart() { i.certs.Issuances = intentlog.NewIssuances(i.engine, i.now) }

func (i *issuing) sign(t *testing.T) (cert.Signed, error) {
	t.Helper()
	return i.certs.Sign(t.Context(), i.alex, scope(t, i.alex), "key-1", cert.SignRequest{CSR: csrOf(t, "alex", vaulttest.RSAKey())})
}

// reconcile advances the clock and settles open issuances.
func (i *issuing) reconcile(t *testing.T, later time.Duration) {
	t.Helper()
	i.turn(later)
	must(t, i.certs.ReconcileIssuances(t.Context()))
}

// settled gives every settled entry, and how many batches are open.
func (i *issuing) settled(t *testing.T) (entries []intentlog.Issuance, open int) {
	t.Helper()
	names, err := i.engine.List(t.Context(), "_issuances/open")
	must(t, err)
	seen := map[string]bool{}
	must(t, intentlog.EachIssuance(t.Context(), i.engine, func(e intentlog.Entry) error {
		if e.Outcome != "" && !seen[e.ID] {
			seen[e.ID] = true
			entries = append(entries, e.Issuance)
		}
		return nil
	}))
	return entries, len(names)
}

// standing counts the certificates that the vault knows of: those on its CRL and the others.
func (i *issuing) standing(t *testing.T) (revoked, good int) {
	t.Helper()
	listed := map[string]bool{}
	must(t, i.engine.Revoked(t.Context(), func(r vault.Revocation) error { listed[r.Serial] = true; return nil }))
	seen := map[string]bool{}
	must(t, i.engine.Issued(t.Context(), func(serial string) error {
		if seen[serial] {
			return nil
		}
		seen[serial] = true
		if listed[serial] {
			revoked++
		} else {
			good++
		}
		return nil
	}))
	return revoked, good
}

// TestIssuanceRecorded: the vault knows whom a certificate is for, before and after
// it is recorded, even if the server stopped in between.
func TestIssuanceRecorded(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		for _, crash := range []bool{false, true} {
			serial := map[bool]string{false: "key-2", true: "key-3"}[crash]
			signed, err := i.another(t, serial)
			must(t, err)
			before, open := i.settled(t)
			if open != 1 {
				t.Errorf("before: %+v, %d open", before, open)
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
			want := intentlog.Issuance{
				HWKeySerial: serial, Slot: c.Slot, Account: i.alex.UserID, CSRSHA256: c.CSRSHA256, PublicKeySHA256: c.PublicKeySHA256,
				Outcome: intentlog.Recorded,
			}
			read, err := x509.ParseCertificate(c.DER)
			must(t, err)
			want.SetCertificate(read)
			if active, err := vault.ActiveCA(t.Context(), i.engine); err != nil {
				t.Error(err)
			} else if lister, ok := any(i.engine).(vault.IssuedLister); ok && lister.RevokesBySerial() { // the vault says it before it signs
				want.CA = active.ID
			}
			for n := range entries { // the audit entry is known where the server went on
				if (entries[n].EntrySHA256 == "") != (entries[n].HWKeySerial == "key-3") {
					t.Errorf("its audit entry: %+v", entries[n])
				}
				entries[n].EntrySHA256 = ""
			}
			if len(entries) != len(before)+1 || !slices.Contains(entries, want) || open != 0 {
				t.Errorf("%+v, want %+v; %d open", entries, want, open)
			}
			if revoked, _ := i.standing(t); revoked != 0 {
				t.Errorf("%d revoked", revoked)
			}
		}
	})
}

// TestIssuanceUnrecorded: a certificate that was signed but not recorded is revoked:
// at once if the server knows it, otherwise by the reconciler. Certificates not in
// the log are left alone.
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
		"lost and found meanwhile": {func(t *testing.T, i *issuing) error {
			for _, s := range []hwkey.Status{hwkey.Lost, hwkey.Suspended, hwkey.Assigned} {
				i.patched(t, hwkey.Patch{Status: &s})
			}
			return nil
		}, fault.Conflict, true},
		"another owner's meanwhile": {func(t *testing.T, i *issuing) error {
			for _, owner := range []*int64{&i.amy.UserID, &i.alex.UserID} {
				i.patched(t, hwkey.Patch{OwnerID: &owner})
			}
			return nil
		}, fault.Conflict, true},
	} {
		t.Run(name, func(t *testing.T) {
			onEachCA(t, func(t *testing.T, i *issuing) {
				key, err := rsa.GenerateKey(rand.Reader, 2048)
				must(t, err)
				_, err = vaulttest.Sign(t.Context(), i.engine, vault.SignRequest{CSR: vaulttest.NewCSR(t, key), CommonName: "stranger"})
				must(t, err)
				_, strangers := i.standing(t)
				i.way.signed = func() error { return c.signed(t, i) }
				_, err = i.sign(t)
				code(t, "signing", err, c.code)
				i.way.signed = nil
				if revoked, good := i.standing(t); (revoked == 1) != c.atOnce || revoked+good != strangers+1 {
					t.Errorf("at first %d revoked, %d good", revoked, good)
				}
				again, err := i.sign(t) // of the same key: a certificate of its own
				must(t, err)
				must(t, i.certs.Issuances.Flush(t.Context()))
				i.restart()
				i.reconcile(t, 11*time.Minute)
				if revoked, good := i.standing(t); revoked != 1 || good != strangers+1 {
					t.Errorf("in the end %d revoked, %d good", revoked, good)
				}
				outcomes, open := i.outcomes(t)
				if open != 0 || outcomes[intentlog.Recorded] != 1 || outcomes[intentlog.Discarded] != 1 {
					t.Errorf("%v, %d open", outcomes, open)
				}
				found, err := i.db.Certificate(t.Context(), scope(t, i.alex), again.Certificate.SerialNumber)
				if err != nil || found.Status != cert.Issued {
					t.Errorf("the one on record is %s, %v", found.Status, err)
				}
			})
		})
	}
}

// TestIssuanceDenied: what the vault denies was not signed; what it signed otherwise than
// asked for, and revoked, is logged with its serial number.
func TestIssuanceDenied(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		ca, _ := i.watched()
		for _, c := range []struct {
			denied error
			want   intentlog.Outcome
			serial string
		}{
			{vault.ErrDenied, intentlog.NotSigned, ""},
			{fmt.Errorf("%w: %w", vault.ErrDenied, &vault.MisissuedError{Serial: "4711", Why: errors.New("another subject")}),
				intentlog.Discarded, "4711"},
		} {
			ca.sign = func() error { return c.denied }
			_, err := i.sign(t)
			code(t, "signing", err, fault.VaultUnavailable)
			must(t, i.certs.Issuances.Flush(t.Context()))
			entries, open := i.settled(t)
			if open != 0 || !slices.ContainsFunc(entries, func(e intentlog.Issuance) bool {
				return e.Outcome == c.want && (c.serial == "" || e.SerialNumber == c.serial)
			}) {
				t.Errorf("%v: %+v, %d open", c.denied, entries, open)
			}
		}
	})
}

// patched is the token after a change.
func (i *issuing) patched(t *testing.T, p hwkey.Patch) {
	t.Helper()
	_, err := i.keys.Update(t.Context(), i.manager, scope(t, i.manager), "key-1", p)
	must(t, err)
}

// TestIssuanceNotLogged: what the vault can't log, it doesn't sign.
func TestIssuanceNotLogged(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		i.kv.left.Store(0)
		i.certs.Issuances = intentlog.NewIssuances(i.kv, i.now)
		ca, _ := i.watched()
		ca.sign = func() error { t.Error("signed"); return nil }
		_, err := i.sign(t)
		code(t, "signing", err, fault.VaultUnavailable)
		if revoked, good := i.standing(t); revoked+good != 0 {
			t.Errorf("%d certificates", revoked+good)
		}
	})
}
