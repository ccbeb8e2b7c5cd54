package resource

import (
	"bytes"
	"context"
	"crypto"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"io"
	"log/slog"
	"math/big"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	xocsp "golang.org/x/crypto/ocsp"

	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/ocsp"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/must"
)

// noRevocations knows every certificate, and no revocation.
type noRevocations struct{}

func (noRevocations) RevocationStatus(context.Context, ocsp.Issuer, string) (ocsp.Status, error) {
	return ocsp.Status{Known: true}, nil
}

func (noRevocations) RevocationMark(context.Context) (string, error) { return "", nil }

// BenchmarkOCSP compares, over connections that stay open: a handler that does nothing else, with an
// answer from the cache; and raw RSA-2048 signatures, with answers that are signed for each request.
func BenchmarkOCSP(b *testing.B) {
	engine := must.Get(embedded.Open(b.Context(), embedded.Options{
		Path: b.TempDir(), PublicBase: "http://localhost", CAKeyType: piv.RSA3072, Logger: slog.New(slog.DiscardHandler),
	}))(b)
	b.Cleanup(func() { _ = engine.Close() })
	s := httpapi.New(httpapi.Options{Version: "test", Auth: tokens{}, SiteURL: "https://keyward.example"})
	responder := &ocsp.Responder{
		PKI: engine, CAs: &pki.CRLCache{PKI: engine, Now: time.Now}, Records: noRevocations{}, TTL: time.Hour,
		Log: slog.New(slog.DiscardHandler), Now: time.Now,
	}
	Register(s, Services{OCSP: responder})
	go func() { _ = responder.Follow(b.Context()) }()
	ca := must.Get(x509.ParseCertificate(must.Get(vault.ActiveCA(b.Context(), engine))(b).Chain[0]))(b)
	request := must.Get(xocsp.CreateRequest(&x509.Certificate{SerialNumber: big.NewInt(1 << 60)}, ca, nil))(b)
	var size int
	post := func(b *testing.B, handler http.Handler, body func(n uint64) []byte) {
		b.Helper()
		srv := httptest.NewServer(handler)
		b.Cleanup(srv.Close)
		send := func(n uint64) {
			res := must.Get(http.Post(srv.URL+"/api/pki/ocsp", "application/ocsp-request", bytes.NewReader(body(n))))(b)
			answer := must.Get(io.ReadAll(res.Body))(b)
			must.OK(b, res.Body.Close())
			size = len(answer)
		}
		send(0)
		for n := uint64(1); b.Loop(); n++ {
			send(n)
		}
	}
	same := func(uint64) []byte { return request }
	b.Run("cached", func(b *testing.B) { post(b, s, same) })
	b.Run("bare handler", func(b *testing.B) {
		answer := make([]byte, size)
		post(b, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			_, _ = w.Write(answer)
		}), same)
	})
	b.Run("signed live", func(b *testing.B) {
		post(b, s, func(n uint64) []byte { // another certificate each time
			serial := new(big.Int).SetUint64(1<<62 + n)
			return must.Get(xocsp.CreateRequest(&x509.Certificate{SerialNumber: serial}, ca, nil))(b)
		})
	})
	b.Run("raw signature", func(b *testing.B) {
		key := must.Get(rsa.GenerateKey(rand.Reader, 2048))(b)
		digest := make([]byte, 32)
		for b.Loop() {
			must.Get(key.Sign(rand.Reader, digest, crypto.SHA256))(b)
		}
	})
}
