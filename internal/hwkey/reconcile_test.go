package hwkey_test

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/await"
)

// watchedCA is a vault's CA with hooks for a test.
type watchedCA struct {
	ca

	sign   func() error                     // once it is logged; its error is the answer, and nothing is signed
	revoke func(r []vault.Revocation) error // its error is the answer, and nothing is revoked
	after  func(r []vault.Revocation)       // once they are revoked
	listed int                              // how often all certificates were asked for
	refuse string                           // the serial number of one that is not revoked
}

func (w *watchedCA) Prepare(ctx context.Context, r vault.SignRequest) (vault.Prepared, error) {
	p, err := w.ca.Prepare(ctx, r)
	return vaulttest.Prepared{Prepared: p, Before: func() error {
		if w.sign == nil {
			return nil
		}
		return w.sign()
	}}, err
}

func (w *watchedCA) Revoke(ctx context.Context, r ...vault.Revocation) error {
	if w.revoke != nil {
		if err := w.revoke(r); err != nil {
			return err
		}
	}
	var failed error
	r = slices.DeleteFunc(slices.Clone(r), func(r vault.Revocation) bool {
		if r.Serial == w.refuse {
			failed = &vault.Unrevoked{Failed: map[string]error{r.Serial: vault.ErrInvalid}}
		}
		return r.Serial == w.refuse
	})
	err := cmp.Or(w.ca.Revoke(ctx, r...), failed)
	if err == nil && w.after != nil {
		w.after(r)
	}
	return err
}

func (w *watchedCA) Issued(ctx context.Context, each func(string) error) error {
	w.listed++
	return w.ca.Issued(ctx, each)
}

// watchedStore is the database with hooks before and after recording.
type watchedStore struct {
	cert.Store

	before, after func() error // its error is the answer
}

func (w *watchedStore) InsertCertificate(ctx context.Context, c cert.Certificate, entry audit.Entry, told ...notify.Message) (
	cert.Certificate, bool, error) {
	if w.before != nil {
		if err := w.before(); err != nil {
			return cert.Certificate{}, false, err
		}
	}
	stored, existed, err := w.Store.InsertCertificate(ctx, c, entry, told...)
	if err == nil && w.after != nil {
		if err := w.after(); err != nil {
			return cert.Certificate{}, false, err
		}
	}
	return stored, existed, err
}

// watched installs hooks before CA and database.
func (i *issuing) watched() (*watchedCA, *watchedStore) {
	ca, db := &watchedCA{ca: i.engine}, &watchedStore{Store: i.certs.Store}
	i.certs.PKI, i.certs.Store = ca, db
	return ca, db
}

// outcomes counts the settled entries by outcome.
func (i *issuing) outcomes(t *testing.T) (found map[intentlog.Outcome]int, open int) {
	t.Helper()
	entries, open := i.settled(t)
	found = map[intentlog.Outcome]int{}
	for _, e := range entries {
		found[e.Outcome]++
	}
	return found, open
}

// another signs for another token and key.
func (i *issuing) another(t *testing.T, serial string) (cert.Signed, error) {
	t.Helper()
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	must(t, err)
	i.register(t, serial, &i.alex)
	return i.certs.Sign(t.Context(), i.alex, scope(t, i.alex), serial, cert.SignRequest{CSR: csrOf(t, "alex", key)})
}

// TestReconcileSparesYoung: a certificate about to be recorded is not taken for an
// unrecorded one, though an older attempt with its key is open.
func TestReconcileSparesYoung(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		ca, db := i.watched()
		gone := map[bool]int{true: 1}[i.knows]        // the older attempt, if its serial number is known
		const older = 10*time.Minute + 10*time.Second // overdue now, and within the window of what is signed now
		i.turn(-older)
		ca.sign = func() error { return vault.ErrSlow }
		_, err := i.sign(t)
		code(t, "signing", err, fault.VaultUnavailable)
		ca.sign = nil
		i.turn(older)
		db.before = func() error { return i.certs.ReconcileIssuances(t.Context()) }
		signed, err := i.sign(t)
		must(t, err)
		if revoked, good := i.standing(t); revoked != gone || good != 1 {
			t.Errorf("%d revoked, %d good", revoked, good)
		}
		must(t, i.certs.Issuances.Flush(t.Context()))
		i.reconcile(t, 11*time.Minute)
		if found, open := i.outcomes(t); open != 0 || found[intentlog.Discarded] != gone {
			t.Errorf("%v, %d open", found, open)
		}
		found, err := i.db.Certificate(t.Context(), scope(t, i.alex), signed.Certificate.SerialNumber)
		if revoked, _ := i.standing(t); err != nil || found.Status != cert.Issued || revoked != gone {
			t.Errorf("in the end it is %s, %v; %d revoked", found.Status, err, revoked)
		}
	})
}

// TestReconcileLooksAgain: a certificate that a long-delayed request records while
// it is being revoked ends up revoked in its record, too.
func TestReconcileLooksAgain(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		ca, db := i.watched()
		arrived, goOn := make(chan struct{}), make(chan struct{})
		db.before = func() error { close(arrived); <-goOn; return nil }
		var wg sync.WaitGroup
		var signed cert.Signed
		var failed error
		csr := csrOf(t, "alex", vaulttest.RSAKey())
		wg.Go(func() {
			signed, failed = i.certs.Sign(t.Context(), i.alex, access.All(), "key-1", cert.SignRequest{CSR: csr})
		})
		await.From(t, "the request is about to record", arrived)
		ca.after = func([]vault.Revocation) { close(goOn); wg.Wait() }
		i.reconcile(t, 11*time.Minute)
		must(t, failed)
		found, err := i.db.Certificate(t.Context(), access.All(), signed.Certificate.SerialNumber)
		if err != nil || found.Status != cert.Revoked {
			t.Errorf("it is %s, %v", found.Status, err)
		}
	})
}

// TestReconcileGoesOn: an unreadable page and a certificate whose revocation is
// refused do not hold up other pages; the vault's certificates are listed once for all.
func TestReconcileGoesOn(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		ca, db := i.watched()
		_, err := i.engine.Put(t.Context(), "_issuances/open/0000000000000001_page", vault.Data(`{"entries":"none"}`), 0)
		must(t, err)
		lost := fault.New(fault.DatabaseUnavailable, "outcome_unknown", "Lost.")
		db.before = func() error { return lost }
		for _, serial := range []string{"key-2", "key-3", "key-4"} {
			_, err := i.another(t, serial)
			code(t, "signing", err, fault.DatabaseUnavailable)
		}
		db.before = nil
		var first string
		ca.revoke = func(r []vault.Revocation) error {
			if first == "" {
				first = r[0].Serial
			}
			if r[0].Serial == first {
				return vault.ErrInvalid
			}
			return nil
		}
		i.turn(11 * time.Minute)
		if err := i.certs.ReconcileIssuances(t.Context()); !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("it does not say what is wrong: %v", err)
		}
		open, err := i.engine.List(t.Context(), "_issuances/open")
		if err != nil || len(open) != 2 {
			t.Errorf("open: %v, %v", open, err)
		}
		if want := map[bool]int{false: 1}[i.knows]; ca.listed != want {
			t.Errorf("the certificates were listed %d times, want %d", ca.listed, want)
		}
		ca.revoke = nil
		if err := i.certs.ReconcileIssuances(t.Context()); err == nil {
			t.Error("a page that is none is not said")
		}
		must(t, i.engine.DestroyPath(t.Context(), "_issuances/open/"+open[0]))
		if found, open := i.outcomes(t); found[intentlog.Discarded] != 3 || open != 0 {
			t.Errorf("%v, %d open", found, open)
		}
		if revoked, good := i.standing(t); revoked != 3 || good != 0 {
			t.Errorf("%d revoked, %d good", revoked, good)
		}
	})
}

// TestUnclearCommit: if the database does not say whether the record was committed,
// the certificate is not revoked at once; the reconciler finds out later.
func TestUnclearCommit(t *testing.T) {
	t.Parallel()
	lost := func() error { return fault.New(fault.DatabaseUnavailable, "outcome_unknown", "Lost.") }
	for name, c := range map[string]struct {
		before, after func() error
		want          intentlog.Outcome
		revoked       int
	}{
		"it stands":   {nil, lost, intentlog.Recorded, 0},
		"it does not": {lost, nil, intentlog.Discarded, 1},
	} {
		t.Run(name, func(t *testing.T) {
			onEachCA(t, func(t *testing.T, i *issuing) {
				_, db := i.watched()
				db.before, db.after = c.before, c.after
				_, err := i.sign(t)
				code(t, "signing", err, fault.DatabaseUnavailable)
				must(t, i.certs.Issuances.Flush(t.Context()))
				if revoked, good := i.standing(t); revoked != 0 || good != 1 {
					t.Errorf("at first %d revoked, %d good", revoked, good)
				}
				i.reconcile(t, 11*time.Minute)
				if found, open := i.outcomes(t); found[c.want] != 1 || open != 0 {
					t.Errorf("%v, %d open", found, open)
				}
				if revoked, good := i.standing(t); revoked != c.revoked || good != 1-c.revoked {
					t.Errorf("in the end %d revoked, %d good", revoked, good)
				}
			})
		})
	}
}

// TestRevocationRefused: a certificate that the vault refuses to revoke keeps no
// other off the CRL, and is no error for someone who revokes another.
func TestRevocationRefused(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		ca, _ := i.watched()
		first, err := i.another(t, "key-2")
		must(t, err)
		second, err := i.another(t, "key-3")
		must(t, err)
		ca.refuse = first.Certificate.SerialNumber
		revoke := func(c cert.Certificate) error {
			_, err := i.certs.Revoke(t.Context(), i.admin, access.All(), c.SerialNumber, "superseded")
			return err
		}
		err = revoke(first.Certificate)
		f, ok := fault.As(err)
		if !ok || f.Code != fault.VaultUnavailable || f.Reason != "revocation_refused" || !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("the one: %v", err)
		}
		must(t, revoke(second.Certificate))
		if revoked, good := i.standing(t); revoked != 1 || good != 1 {
			t.Errorf("%d revoked, %d good", revoked, good)
		}
		ca.refuse = ""
		must(t, i.certs.PublishRevocations(t.Context()))
		if revoked, good := i.standing(t); revoked != 2 || good != 0 {
			t.Errorf("in the end %d revoked, %d good", revoked, good)
		}
	})
}

// TestReconcileKeepsRecords: a recorded certificate is logged as such, though the
// vault has signed for the same key twice; the other one is revoked.
func TestReconcileKeepsRecords(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		signed, err := i.sign(t)
		must(t, err)
		_, err = vaulttest.Sign(t.Context(), i.engine, vault.SignRequest{CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "alex"})
		must(t, err)
		i.restart()
		i.reconcile(t, 11*time.Minute)
		entries, open := i.settled(t)
		if len(entries) != 1 || open != 0 || entries[0].Outcome != intentlog.Recorded ||
			entries[0].SerialNumber != signed.Certificate.SerialNumber {
			t.Errorf("%+v, %d open", entries, open)
		}
		found, err := i.db.Certificate(t.Context(), access.All(), signed.Certificate.SerialNumber)
		if err != nil || found.Status != cert.Issued {
			t.Errorf("the one on record is %s, %v", found.Status, err)
		}
	})
}
