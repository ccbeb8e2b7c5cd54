package embedded_test

import (
	"crypto/x509"
	"encoding/pem"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/vault/embedded/issuance"
	"github.com/keyward/keyward/test/must"
)

// clock is a clock that the test sets.
type clock struct{ seconds atomic.Int64 }

func (c *clock) now() time.Time          { return time.Unix(c.seconds.Load(), 0).UTC() }
func (c *clock) advance(d time.Duration) { c.seconds.Add(int64(d / time.Second)) }

func list(t *testing.T, e *embedded.Engine) (vault.CRL, map[string]bool) {
	t.Helper()
	raw := must.Get(e.CRL(t.Context(), vault.Active))(t)
	parsed := must.Get(x509.ParseRevocationList(raw.DER))(t)
	serials := map[string]bool{}
	for _, r := range parsed.RevokedCertificateEntries {
		serials[fmt.Sprintf("%x", r.SerialNumber)] = true
	}
	return raw, serials
}

// TestCRLByTime: signed anew after an hour, and when the clock was set back.
func TestCRLByTime(t *testing.T) {
	t.Parallel()
	c := &clock{}
	c.seconds.Store(1_800_000_000)
	opts := options(t.TempDir())
	opts.Now = c.now
	e := open(t, opts)
	for _, step := range []struct {
		wait   time.Duration
		number uint64
	}{{0, 1}, {0, 1}, {59 * time.Minute, 1}, {2 * time.Minute, 2}, {59 * time.Minute, 2}, {-3 * time.Hour, 3}, {0, 3}} {
		c.advance(step.wait)
		got, _ := list(t, e)
		if got.Number != step.number || got.NextUpdate.Sub(got.ThisUpdate) != 48*time.Hour {
			t.Errorf("after %v: number %d, want %d", step.wait, got.Number, step.number)
		}
	}
}

// TestCRLExpiredEntries: RFC 5280, section 3.3: an entry is on at least one
// list issued after the certificate expired, whatever the outages; then it
// may go. It stays stored.
func TestCRLExpiredEntries(t *testing.T) {
	t.Parallel()
	c := &clock{}
	c.seconds.Store(1_800_000_000)
	opts := options(t.TempDir())
	opts.Now = c.now
	e := open(t, opts)
	must.OK(t, e.Revoke(t.Context(),
		vault.Revocation{Serial: "41", NotAfter: c.now().Add(time.Hour)}, vault.Revocation{Serial: "42"}))
	reopen := func() map[string]bool {
		must.OK(t, e.Close())
		e = open(t, opts)
		_, serials := list(t, e)
		return serials
	}
	list(t, e)
	c.advance(30 * 24 * time.Hour) // down all the while
	if !reopen()["41"] {
		t.Error("dropped before any list after its expiry showed it")
	}
	if s := reopen(); s["41"] || !s["42"] {
		t.Errorf("long after: %v", s)
	}
	count := 0
	if err := e.Revoked(t.Context(), func(vault.Revocation) error { count++; return nil }); err != nil || count != 2 {
		t.Errorf("%d stored, %v", count, err)
	}
	if err := e.Verify(t.Context()); err != nil {
		t.Error(err)
	}
}

func pemCA(t *testing.T, cert *x509.Certificate, key any) string {
	t.Helper()
	der := must.Get(x509.MarshalPKCS8PrivateKey(key))(t)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw})) +
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: der}))
}

func TestImportCA(t *testing.T) {
	t.Parallel()
	cert, key := must.Both(issuance.NewRoot(piv.ECP384, "Imported", time.Now()))(t)
	old, oldKey := must.Both(issuance.NewRoot(piv.ECP256, "Expired", time.Now().AddDate(-11, 0, 0)))(t)
	good := pemCA(t, cert, key)
	opts := options(t.TempDir()) // openssl ecparam -genkey and openssl req -x509 wrote it
	opts.ImportCA = secret.New("\ufeff" + string(must.Get(os.ReadFile("testdata/openssl-ca.pem"))(t)))
	open(t, opts)
	for name, text := range map[string]string{
		"expired": pemCA(t, old, oldKey), "another key": pemCA(t, cert, oldKey), "no key": good[:strings.Index(good, "-----BEGIN PRIVATE")],
		"no certificate": good[strings.Index(good, "-----BEGIN PRIVATE"):], "trailing text": good + "more", "nothing": "x",
	} {
		opts := options(t.TempDir())
		opts.ImportCA = secret.New(text)
		if _, err := embedded.Open(t.Context(), opts); !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
		opts.ImportCA = secret.New(good) // a refused import leaves nothing behind
		if ca, err := vault.ActiveCA(t.Context(), open(t, opts)); err != nil || string(ca.Chain[0]) != string(cert.Raw) {
			t.Errorf("after %s: %v", name, err)
		}
	}
}

// TestCRLAfterAStart: the file may be a restored copy, and lists were published since: the first
// number is above theirs, each further one is the next.
func TestCRLAfterAStart(t *testing.T) {
	t.Parallel()
	c := &clock{}
	c.seconds.Store(1_800_000_000)
	opts := options(t.TempDir())
	opts.Now = c.now
	e := open(t, opts)
	list(t, e)
	want := uint64(1)
	for _, down := range []time.Duration{0, 30 * time.Minute, 24 * time.Hour, -time.Hour} {
		must.OK(t, e.Close())
		c.advance(down)
		e = open(t, opts)
		want += 100 + 10*uint64(max(down, 0)/time.Minute)
		if got, _ := list(t, e); got.Number != want {
			t.Errorf("down for %v: number %d, want %d", down, got.Number, want)
		}
		must.OK(t, e.Revoke(t.Context(), vault.Revocation{Serial: fmt.Sprintf("%x", want|1<<39)}))
		want++
		if got, _ := list(t, e); got.Number != want {
			t.Errorf("after a revocation: number %d, want %d", got.Number, want)
		}
	}
}
