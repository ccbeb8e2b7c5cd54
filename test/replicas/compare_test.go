package replicas_test

import (
	"cmp"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"path/filepath"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/proxies"
)

// compare collects the clients' results and all records, once all work is done, and
// fails for every contradiction.
func (s *site) compare(t testing.TB) {
	t.Helper()
	s.record.begin(fault{name: "afterwards"})
	f := found{tokens: map[string]m{}, certificates: map[string]m{}}
	for _, w := range s.workers {
		f.jobs = append(f.jobs, w.done...)
	}
	for _, d := range s.admin.all(t, "/api/hwkey?limit=500") {
		f.tokens[d["serial"].(string)] = d
	}
	for _, c := range s.admin.all(t, "/api/certificates?limit=500") {
		f.certificates[c["serial_number"].(string)] = c
	}
	for _, action := range []string{"hwkey.", "certificate."} {
		f.log = append(f.log, s.admin.all(t, "/api/admin/audit?limit=500&outcome=success&action="+action)...)
	}
	unrecorded := s.orphans(t, f.certificates)
	f.custody = s.inVault(t, f.tokens)
	f.orphans = s.orphans(t, f.certificates)
	f.lists = s.lists(t, f.certificates)
	for _, w := range f.wrong() {
		t.Error(w)
	}
	s.verify(t)
	t.Logf("%d tokens went through their lives; %d certificates were signed and not recorded, and are revoked now",
		len(f.jobs), len(unrecorded))
}

// inVault returns what the vault holds of the tokens. First it does what a server does
// ten minutes later: what a killed server had signed and never recorded is revoked, by
// the issuance log.
func (s *site) inVault(t testing.TB, tokens map[string]m) map[string]custody.Document {
	t.Helper()
	ctx := t.Context()
	later := func() time.Time { return time.Now().Add(11 * time.Minute) }
	db := must.Get(store.OpenPostgres(ctx, store.Server{URL: secret.New(s.database.URL("keyward"))}, store.Options{Existing: true}))(t)
	defer func() { must.OK(t, db.Close()) }()
	engine := must.Get(remote.Open(ctx, s.options))(t)
	defer func() { must.OK(t, engine.Close()) }()
	certificates := &cert.Service{
		Store: db, PKI: engine, CRL: &pki.CRLCache{PKI: engine, Now: later}, Issuances: intentlog.NewIssuances(engine, later),
		Log: slog.New(slog.DiscardHandler), Now: later,
	}
	must.OK(t, certificates.ReconcileIssuances(ctx))
	custody, out := &custody.Store{Vault: engine, Now: time.Now}, map[string]custody.Document{}
	for serial := range tokens {
		out[serial] = must.Get(custody.Load(ctx, serial))(t).Document
	}
	return out
}

// lists returns the servers' CRLs, each as soon as it lists all revoked certificates.
func (s *site) lists(t testing.TB, certificates map[string]m) (lists []map[string]bool) {
	t.Helper()
	for n := range s.servers {
		c, listed := s.at(t, n), map[string]bool{}
		await.That(t, fmt.Sprintf("the CRL of server %d has what is revoked", n), func() bool {
			listed = crl(t, c)
			for serial, on := range certificates {
				if on["status"] == "revoked" && !listed[serial] {
					return false
				}
			}
			return true
		})
		lists = append(lists, listed)
	}
	return lists
}

// crl returns the serial numbers on a server's list.
func crl(t testing.TB, c *client) map[string]bool {
	t.Helper()
	req := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, c.base+"/api/pki/crl", nil))(t)
	res := must.Get(c.through.RoundTrip(req))(t)
	defer func() { _ = res.Body.Close() }()
	der := must.Get(io.ReadAll(res.Body))(t)
	list, err := x509.ParseRevocationList(der)
	if err != nil {
		t.Fatalf("%d %s: %v", res.StatusCode, der, err)
	}
	out := map[string]bool{}
	for _, e := range list.RevokedCertificateEntries {
		out[hexOf(e.SerialNumber.Bytes())] = true
	}
	return out
}

func hexOf(b []byte) string { return fmt.Sprintf("%x", b) }

// verify has the whole audit log and the schema checked, by command, after the servers
// have sealed the rest of it.
func (s *site) verify(t testing.TB) {
	t.Helper()
	for _, r := range s.servers {
		r.Stop(t)
	}
	t.Logf("%s: %s", proxies.Host, s.command(t, 0, cmp.Or(s.servers[0].program, filepath.Join(bin, "keyward")), "audit", "verify"))
}
