package ocsp_test

import (
	"bytes"
	"crypto"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"testing"
	"time"

	xocsp "golang.org/x/crypto/ocsp"

	"github.com/keyward/keyward/internal/ocsp"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// TestStatuses: what the records say, by an independent reader, with CAs and hashes of each kind.
func TestStatuses(t *testing.T) {
	t.Parallel()
	for _, key := range []piv.KeyType{piv.RSA2048, piv.ECP256, piv.ECP384} {
		t.Run(string(key), func(t *testing.T) {
			t.Parallel()
			r := newResponders(t, key)
			at := r.now.Add(-time.Hour)
			r.records.revoke("0a02", at, vault.KeyCompromise)
			for _, c := range []struct {
				hash   crypto.Hash
				serial string
				want   int
			}{
				{crypto.SHA1, "0a01", xocsp.Good}, {crypto.SHA256, "0a01", xocsp.Good}, {crypto.SHA512, "0a01", xocsp.Good},
				{crypto.SHA1, "0a02", xocsp.Revoked}, {crypto.SHA1, "0a03", xocsp.Unknown}, {crypto.SHA1, "00", xocsp.Unknown},
			} {
				a := r.Answer(t.Context(), request(t, nil, certID(t, r.ca, c.hash, c.serial)))
				got := must.Get(xocsp.ParseResponse(a.DER, r.ca))(t)
				if got.Status != c.want || !got.ThisUpdate.Equal(r.now) || got.NextUpdate.IsZero() != (c.want == xocsp.Unknown) ||
					c.want != xocsp.Unknown && !got.NextUpdate.Equal(r.now.Add(time.Hour)) {
					t.Errorf("%s by %v: %+v", c.serial, c.hash, got)
				}
				if a.Lasting != (c.want != xocsp.Unknown) {
					t.Errorf("%s: lasting %v", c.serial, a.Lasting)
				}
				if c.want == xocsp.Revoked && (!got.RevokedAt.Equal(at) || got.RevocationReason != xocsp.KeyCompromise) {
					t.Errorf("the revocation: %+v", got)
				}
				signer := got.Certificate
				if signer == nil || signer.NotAfter.After(r.now.Add(vault.ResponderTTL)) || len(signer.ExtKeyUsage) != 1 ||
					signer.ExtKeyUsage[0] != x509.ExtKeyUsageOCSPSigning || signer.KeyUsage != x509.KeyUsageDigitalSignature ||
					!hasNoCheck(signer) || signer.CheckSignatureFrom(r.ca) != nil {
					t.Fatalf("the signer's certificate: %+v", signer)
				}
			}
		})
	}
}

func hasNoCheck(c *x509.Certificate) bool {
	for _, x := range c.Extensions {
		if x.Id.String() == "1.3.6.1.5.5.7.48.1.5" && bytes.Equal(x.Value, []byte{5, 0}) {
			return true
		}
	}
	return false
}

// basic are the parts of a response that x/crypto/ocsp doesn't show.
type basic struct {
	Data struct {
		Responder asn1.RawValue
		At        time.Time
		Responses []struct {
			ID, Status, This asn1.RawValue
			Next             asn1.RawValue `asn1:"optional"`
		}
		Extensions []pkix.Extension `asn1:"explicit,tag:1,optional"`
	}
	Algorithm pkix.AlgorithmIdentifier
	Signature asn1.BitString
	Certs     asn1.RawValue `asn1:"explicit,tag:0"`
}

func parts(t *testing.T, der []byte) (b basic) {
	t.Helper()
	var outer struct {
		Status asn1.Enumerated
		Bytes  struct {
			Type asn1.ObjectIdentifier
			DER  []byte
		} `asn1:"explicit,tag:0"`
	}
	must.Get(asn1.Unmarshal(der, &outer))(t)
	must.Get(asn1.Unmarshal(outer.Bytes.DER, &b))(t)
	return b
}

// TestNonceAndSeveral: a nonce comes back in an answer for this request alone, and each of several
// certificates is answered for, as it was named.
func TestNonceAndSeveral(t *testing.T) {
	t.Parallel()
	r := newResponders(t, piv.ECP256)
	r.records.revoke("0a02", r.now, vault.Unspecified)
	other := *r.ca
	other.RawSubject = append([]byte(nil), r.ca.RawSubject...)
	other.RawSubject[len(other.RawSubject)-1]++
	ids := [][]byte{
		certID(t, r.ca, crypto.SHA1, "0a01"), certID(t, r.ca, crypto.SHA256, "0a02"),
		certID(t, r.ca, crypto.SHA1, "0a03"), certID(t, &other, crypto.SHA1, "0a01"),
	}
	nonce := []byte("sixteen bytes ok")
	a := r.Answer(t.Context(), request(t, nonce, ids...))
	b := parts(t, a.DER)
	if a.Lasting || len(b.Data.Responses) != 4 {
		t.Fatalf("lasting %v, %d answers", a.Lasting, len(b.Data.Responses))
	}
	for i, want := range []int{0, 1, 2, 2} { // good, revoked, unknown, another issuer's
		if got := b.Data.Responses[i]; got.Status.Tag != want || !bytes.Equal(got.ID.FullBytes, ids[i]) {
			t.Errorf("answer %d: %+v", i, got)
		}
	}
	if revoked := b.Data.Responses[1].Status.Bytes; len(revoked) != 17 { // a time, and no reason
		t.Errorf("unspecified: %x", revoked)
	}
	if x := b.Data.Extensions; len(x) != 1 || !bytes.Equal(x[0].Value, append([]byte{4, 16}, nonce...)) {
		t.Errorf("the nonce: %+v", x)
	}
	before := r.records.queries
	r.Answer(t.Context(), request(t, nonce, ids[0]))
	r.Answer(t.Context(), request(t, nonce, ids[0]))
	if r.records.queries != before+2 {
		t.Error("an answer with a nonce was given twice")
	}
}

// TestProtocolErrors: OCSP's own errors, unsigned.
func TestProtocolErrors(t *testing.T) {
	t.Parallel()
	r := newResponders(t, piv.ECP256)
	id := certID(t, r.ca, crypto.SHA1, "0a01")
	other := *r.ca
	other.RawSubject = append([]byte(nil), other.RawSubject...)
	other.RawSubject[len(other.RawSubject)-1]++
	many := make([][]byte, 65)
	for i := range many {
		many[i] = id
	}
	whole := request(t, nil, id)
	for name, c := range map[string]struct {
		der  []byte
		want byte
	}{
		"nothing":              {nil, 1},
		"not DER":              {[]byte("GET / HTTP/1.0"), 1},
		"cut short":            {whole[:len(whole)-1], 1},
		"more behind":          {append(bytes.Clone(whole), 0), 1},
		"no certificate":       {request(t, nil), 1},
		"65 certificates":      {request(t, nil, many...), 1},
		"an empty nonce":       {request(t, []byte{}, id), 1},
		"a nonce of 129 bytes": {request(t, make([]byte, 129), id), 1},
		"another issuer":       {request(t, nil, certID(t, &other, crypto.SHA1, "0a01")), 6},
		"an issuer in no hash": {request(t, nil, must.Get(asn1.Marshal(struct {
			Algorithm pkix.AlgorithmIdentifier
			Name, Key []byte
			Serial    int
		}{pkix.AlgorithmIdentifier{Algorithm: asn1.ObjectIdentifier{1, 2, 3}}, nil, nil, 5}))(t)), 6},
	} {
		if a := r.Answer(t.Context(), c.der); !bytes.Equal(a.DER, []byte{0x30, 3, 0x0a, 1, c.want}) || a.Lasting {
			t.Errorf("%s: %x", name, a.DER)
		}
	}
	r.records.fail(errors.New("the database is away"))
	if a := r.Answer(t.Context(), whole); !bytes.Equal(a.DER, []byte{0x30, 3, 0x0a, 1, 3}) {
		t.Errorf("without records: %x", a.DER)
	}
}

// TestCached: an answer is signed once for half its life, and never again after any server has
// revoked something; and each time while it is not known whether one has.
func TestCached(t *testing.T) {
	t.Parallel()
	r := newResponders(t, piv.ECP256)
	der := request(t, nil, certID(t, r.ca, crypto.SHA1, "0a01"))
	if bytes.Equal(r.Answer(t.Context(), der).DER, r.Answer(t.Context(), der).DER) {
		t.Error("the cache is used though nobody follows revocations")
	}
	stop := r.follow(t)
	var first *ocsp.Answer
	await.That(t, "it is cached", func() bool {
		first = r.Answer(t.Context(), der)
		return first == r.Answer(t.Context(), der)
	})
	r.pass(29 * time.Minute)
	if again := r.Answer(t.Context(), der); again != first {
		t.Error("signed anew within half its life")
	}
	r.pass(time.Minute)
	if r.Answer(t.Context(), der) == first {
		t.Error("not signed anew after half its life")
	}
	pending := request(t, nil, certID(t, r.ca, crypto.SHA1, "0a05"))
	if a := r.Answer(t.Context(), pending); a.Lasting || a == r.Answer(t.Context(), pending) {
		t.Error("the answer about a certificate that nobody has recorded yet is kept")
	}
	r.records.revoke("0a01", r.now, vault.Superseded)
	await.That(t, "the revocation is answered", func() bool {
		return must.Get(xocsp.ParseResponse(r.Answer(t.Context(), der).DER, r.ca))(t).Status == xocsp.Revoked
	})
	stop()
	await.That(t, "the cache is no longer used", func() bool {
		a := r.Answer(t.Context(), der)
		return a != r.Answer(t.Context(), der)
	})
}

// TestCacheKey: the bytes of a CertID, by which answers are kept, are not at the asker's choice.
func TestCacheKey(t *testing.T) {
	t.Parallel()
	r := newResponders(t, piv.ECP256)
	id := certID(t, r.ca, crypto.SHA1, "0a01")
	null := []byte{0x30, 9, 6, 5, 0x2b, 0x0e, 3, 2, 0x1a, 5, 0}
	if !bytes.Contains(id, null) {
		t.Fatalf("%x", id)
	}
	for parameters, want := range map[string]bool{"": true, "\x05\x00": true, "\x04\x02ab": false, "\x05\x00\x05\x00": false} {
		algorithm := append([]byte{0x30, byte(7 + len(parameters))}, null[2:9]...)
		other := bytes.Replace(id, null, append(algorithm, parameters...), 1)
		other[1] = byte(len(other) - 2)
		if a := r.Answer(t.Context(), request(t, nil, other)); a.Lasting != want {
			t.Errorf("parameters %x: %x", parameters, a.DER)
		}
	}
	long := bytes.Replace(id, []byte{2, 2, 0x0a, 1}, []byte{2, 4, 0, 0, 0x0a, 1}, 1)
	long[1] = byte(len(long) - 2)
	if a := r.Answer(t.Context(), request(t, nil, long)); len(long) != len(id)+2 || a.Lasting {
		t.Errorf("a serial number with zeros before it: %x", a.DER)
	}
}

// TestSigner: it is renewed before its end, outlived by no answer, and serves while the vault is
// away.
func TestSigner(t *testing.T) {
	t.Parallel()
	r := newResponders(t, piv.ECP256)
	der := request(t, nil, certID(t, r.ca, crypto.SHA1, "0a01"))
	signer := func() *x509.Certificate {
		t.Helper()
		return must.Get(xocsp.ParseResponse(r.Answer(t.Context(), der).DER, r.ca))(t).Certificate
	}
	first := signer()
	must.OK(t, r.Renew(t.Context()))
	if !signer().Equal(first) {
		t.Error("renewed on its first day")
	}
	r.pass(21 * 24 * time.Hour)
	must.OK(t, r.Renew(t.Context()))
	second := signer()
	if second.Equal(first) {
		t.Error("not renewed after 21 days")
	}
	must.OK(t, r.engine.Close())
	r.pass(22 * 24 * time.Hour)
	if err := r.Renew(t.Context()); err == nil {
		t.Error("renewed without a vault")
	}
	if !signer().Equal(second) {
		t.Error("the old signer doesn't serve")
	}
	r.pass(8*24*time.Hour - 10*time.Minute) // ten minutes before its end
	got := must.Get(xocsp.ParseResponse(r.Answer(t.Context(), der).DER, r.ca))(t)
	if !got.NextUpdate.Equal(second.NotAfter) {
		t.Errorf("an answer until %v, a signer until %v", got.NextUpdate, second.NotAfter)
	}
	r.pass(time.Hour)
	if a := r.Answer(t.Context(), der); !bytes.Equal(a.DER, []byte{0x30, 3, 0x0a, 1, 3}) {
		t.Errorf("after its end: %x", a.DER)
	}
}

// TestSignerOfTheFuture: one that was made while the clock was ahead is replaced.
func TestSignerOfTheFuture(t *testing.T) {
	t.Parallel()
	r := newResponders(t, piv.ECP256)
	r.pass(48 * time.Hour)
	must.OK(t, r.Renew(t.Context()))
	r.pass(-48 * time.Hour)
	got := must.Get(xocsp.ParseResponse(r.Answer(t.Context(), request(t, nil, certID(t, r.ca, crypto.SHA1, "0a01"))).DER, r.ca))(t)
	if got.Certificate.NotBefore.After(r.now) {
		t.Errorf("signed at %v by a signer from %v", r.now, got.Certificate.NotBefore)
	}
}

// TestSeveralCAs: each CA has a signer of its own, also once it no longer signs certificates.
func TestSeveralCAs(t *testing.T) {
	t.Parallel()
	r := newResponders(t, piv.ECP256)
	must.OK(t, r.Renew(t.Context()))
	next := must.Get(r.engine.NewCA(t.Context(), vault.NewCA{KeyType: piv.RSA2048, CommonName: "Next", SelfSigned: true}))(t)
	must.OK(t, r.engine.ActivateCA(t.Context(), next.ID))
	must.OK(t, r.cache.Look(t.Context()))
	must.OK(t, r.Renew(t.Context()))
	for _, ca := range []*x509.Certificate{r.ca, must.Get(x509.ParseCertificate(next.Chain[0]))(t)} {
		ask := request(t, nil, certID(t, ca, crypto.SHA1, "0a01"))
		for range 2 { // signed, and from the cache
			got := must.Get(xocsp.ParseResponse(r.Answer(t.Context(), ask).DER, ca))(t)
			if got.Status != xocsp.Good || got.Certificate.CheckSignatureFrom(ca) != nil {
				t.Errorf("%+v", got)
			}
		}
	}
	if n := len(r.Signers()); n != 2 {
		t.Errorf("%d signers", n)
	}
	foreign := newResponders(t, piv.ECP256).ca
	if a := r.Answer(t.Context(), request(t, nil, certID(t, foreign, crypto.SHA1, "0a01"))); !bytes.Equal(a.DER, []byte{0x30, 3, 0x0a, 1, 6}) {
		t.Errorf("about another's: %x", a.DER)
	}
}
