package pki

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"math/big"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// madeList is a CRL of the standard library's making.
func madeList(tb testing.TB, entries ...x509.RevocationListEntry) []byte {
	tb.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(tb)
	ca := &x509.Certificate{Subject: pkix.Name{CommonName: "CA"}, KeyUsage: x509.KeyUsageCRLSign, SubjectKeyId: []byte{1}}
	now := time.Now().Truncate(time.Second)
	return must.Get(x509.CreateRevocationList(rand.Reader, &x509.RevocationList{
		Number: big.NewInt(1), ThisUpdate: now, NextUpdate: now.Add(time.Hour), RevokedCertificateEntries: entries,
	}, ca, key))(tb)
}

// TestRevokedOn: what stands on a list is found with its time and reason, whatever its serial
// number, and nothing else is.
func TestRevokedOn(t *testing.T) {
	t.Parallel()
	at := time.Now().UTC().Truncate(time.Second)
	late := time.Date(2051, 1, 2, 3, 4, 5, 0, time.UTC) // a GeneralizedTime
	number := func(hex string) *big.Int { n, _ := new(big.Int).SetString(hex, 16); return n }
	der := madeList(t,
		x509.RevocationListEntry{SerialNumber: number("7b"), RevocationTime: at},
		x509.RevocationListEntry{SerialNumber: number("ff00000000000000aa"), RevocationTime: at, ReasonCode: 1},
		x509.RevocationListEntry{SerialNumber: number("11000000000000aabb"), RevocationTime: late, ReasonCode: 4,
			ExtraExtensions: []pkix.Extension{{Id: []int{1, 2, 3}, Value: []byte{5, 0}}}},
	)
	list := &SignedCRL{DER: der, index: makeIndex(der), FetchedAt: at, NextUpdate: at.Add(time.Hour)}
	c := &CRLCache{Now: time.Now}
	c.known.Store(&[]vault.CA{{ID: "a", Chain: [][]byte{{}}}})
	c.list("a").crl.Store(list)
	for serial, want := range map[string]*vault.Revocation{
		"7b":                   {Serial: "7b", At: at},
		"ff00000000000000aa":   {Serial: "ff00000000000000aa", At: at, Reason: vault.KeyCompromise},
		"11000000000000aabb":   {Serial: "11000000000000aabb", At: late, Reason: vault.Superseded},
		"12000000000000aabb":   nil, // the same end
		"0100000000000000007b": nil,
		"7c":                   nil,
	} {
		got := must.Get(c.RevokedOn(t.Context(), "a", serial))(t)
		if (got == nil) != (want == nil) || got != nil && (!got.At.Equal(want.At) || got.Reason != want.Reason || got.Serial != want.Serial) {
			t.Errorf("%s: %+v, want %+v", serial, got, want)
		}
	}
	der = madeList(t)
	c.list("a").crl.Store(&SignedCRL{DER: der, index: makeIndex(der), FetchedAt: at, NextUpdate: at.Add(time.Hour)})
	if got := must.Get(c.RevokedOn(t.Context(), "a", "7b"))(t); got != nil {
		t.Errorf("on an empty list: %+v", got)
	}
}

// FuzzList: no bytes make the reader panic, and it reads what the standard library reads.
func FuzzList(f *testing.F) {
	f.Add(madeList(f))
	f.Add(madeList(f, x509.RevocationListEntry{SerialNumber: big.NewInt(7), RevocationTime: time.Now(), ReasonCode: 1}))
	f.Fuzz(func(t *testing.T, der []byte) {
		n := 0
		err := eachRevoked(der, func(e revokedEntry) error { n++; _, err := e.reason(); return err })
		if list, theirs := x509.ParseRevocationList(der); theirs == nil && (err != nil || len(list.RevokedCertificateEntries) != n) {
			t.Errorf("%d entries, %v; want %d", n, err, len(list.RevokedCertificateEntries))
		}
	})
}
