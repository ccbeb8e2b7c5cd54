package ocsp_test

import (
	"context"
	"crypto"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"log/slog"
	"math/big"
	"strconv"
	"sync"
	"testing"
	"time"

	xocsp "golang.org/x/crypto/ocsp"

	"github.com/keyward/keyward/internal/ocsp"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/must"
)

// records are those of a test: serial numbers with their revocations, nil for none.
type records struct {
	mu      sync.Mutex
	certs   map[string]*vault.Revocation
	mark    int
	err     error
	queries int
}

func (r *records) RevocationStatus(_ context.Context, _ ocsp.Issuer, serial string) (ocsp.Status, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.queries++
	revoked, known := r.certs[serial]
	return ocsp.Status{Known: known, Revoked: revoked, Pending: serial == "0a05"}, r.err
}

func (r *records) RevocationMark(context.Context) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strconv.Itoa(r.mark), r.err
}

func (r *records) revoke(serial string, at time.Time, reason vault.Reason) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mark++
	r.certs[serial] = &vault.Revocation{Serial: serial, At: at, Reason: reason}
}

func (r *records) fail(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.err = err
}

// responders is a responder with its CA, at a time of its own.
type responders struct {
	*ocsp.Responder

	records *records
	engine  *embedded.Engine
	cache   *pki.CRLCache
	ca      *x509.Certificate
	mu      sync.Mutex
	now     time.Time
}

func (r *responders) pass(d time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.now = r.now.Add(d)
}

func newResponders(t *testing.T, key piv.KeyType) *responders {
	t.Helper()
	r := &responders{now: time.Now().Truncate(time.Second)}
	r.records = &records{certs: map[string]*vault.Revocation{"0a01": nil, "0a02": nil, "0a05": nil}}
	clock := func() time.Time { r.mu.Lock(); defer r.mu.Unlock(); return r.now }
	r.engine = must.Get(embedded.Open(t.Context(), embedded.Options{
		Path: t.TempDir(), PublicBase: "http://localhost", CAKeyType: key, Logger: slog.New(slog.DiscardHandler), Now: clock,
	}))(t)
	t.Cleanup(func() { _ = r.engine.Close() })
	r.ca = must.Get(x509.ParseCertificate(must.Get(vault.ActiveCA(t.Context(), r.engine))(t).Chain[0]))(t)
	r.cache = &pki.CRLCache{PKI: r.engine, Now: clock}
	r.Responder = &ocsp.Responder{PKI: r.engine, CAs: r.cache, Records: r.records, TTL: time.Hour, Log: slog.New(slog.DiscardHandler)}
	r.Now = clock
	return r
}

// certID is a CertID of a serial number in hex.
func certID(t testing.TB, ca *x509.Certificate, hash crypto.Hash, serial string) []byte {
	t.Helper()
	number, ok := new(big.Int).SetString(serial, 16)
	if !ok {
		t.Fatal(serial)
	}
	der := must.Get(xocsp.CreateRequest(&x509.Certificate{SerialNumber: number}, ca, &xocsp.RequestOptions{Hash: hash}))(t)
	var request struct {
		TBS struct{ List []struct{ ID asn1.RawValue } }
	}
	must.Get(asn1.Unmarshal(der, &request))(t)
	return request.TBS.List[0].ID.FullBytes
}

// request is an OCSPRequest about these, with a nonce, or without if it is nil.
func request(t testing.TB, nonce []byte, ids ...[]byte) []byte {
	t.Helper()
	type single struct{ ID asn1.RawValue }
	var tbs struct {
		List       []single
		Extensions []pkix.Extension `asn1:"explicit,tag:2,optional,omitempty"`
	}
	for _, id := range ids {
		tbs.List = append(tbs.List, single{asn1.RawValue{FullBytes: id}})
	}
	if nonce != nil {
		tbs.Extensions = []pkix.Extension{{Id: asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 2}, Value: must.Get(asn1.Marshal(nonce))(t)}}
	}
	return must.Get(asn1.Marshal(struct{ TBS any }{tbs}))(t)
}

// follow has the responder follow revocations until the test's end, or until stop is called.
func (r *responders) follow(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() { _ = r.Follow(ctx) })
	stop = func() { cancel(); wg.Wait() }
	t.Cleanup(stop)
	return stop
}
