package pki_test

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"math/big"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/test/must"
)

// maker is a test's CA, with an F9 below it.
type maker struct {
	root, f9       *x509.Certificate
	rootKey, f9Key crypto.Signer
}

func newKey(t testing.TB) crypto.Signer {
	t.Helper()
	return must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
}

func issue(t testing.TB, template, parent *x509.Certificate, key crypto.PublicKey, by crypto.Signer) *x509.Certificate {
	t.Helper()
	template.SerialNumber = big.NewInt(1)
	template.NotBefore, template.NotAfter = time.Unix(0, 0), time.Unix(1<<32, 0)
	return must.Get(x509.ParseCertificate(must.Get(x509.CreateCertificate(rand.Reader, template, parent, key, by))(t)))(t)
}

func named(cn string) *x509.Certificate { return &x509.Certificate{Subject: pkix.Name{CommonName: cn}} }

func ca(cn string) *x509.Certificate {
	c := named(cn)
	c.IsCA, c.BasicConstraintsValid, c.KeyUsage, c.MaxPathLen = true, true, x509.KeyUsageCertSign, 1
	return c
}

func newMaker(t testing.TB, f9 *x509.Certificate) maker {
	t.Helper()
	m := maker{rootKey: newKey(t), f9Key: newKey(t)}
	template := ca("Test Root")
	m.root = issue(t, template, template, m.rootKey.Public(), m.rootKey)
	m.f9 = issue(t, f9, m.root, m.f9Key.Public(), m.rootKey)
	return m
}

// ordinary is an F9 like those of current tokens.
func ordinary() *x509.Certificate {
	f9 := ca("Yubico PIV Attestation")
	f9.MaxPathLen, f9.MaxPathLenZero = 0, true
	return f9
}

func (m maker) verifier(t testing.TB) *pki.AttestationVerifier {
	t.Helper()
	return must.Get(pki.NewVerifier([]byte(encode(m.root.Raw))))(t)
}

// extensions of a leaf by the last number of their identifier.
type extensions map[int][]byte

func good() extensions {
	return extensions{3: {5, 4, 3}, 7: {2, 4, 0, 0xbc, 0x61, 0x4e}, 8: {2, 1}, 9: {1}} // serial 12345678
}

func (e extensions) leaf(cn string) *x509.Certificate {
	c := named(cn)
	for _, last := range []int{3, 7, 8, 9, 10, 11} {
		if value, ok := e[last]; ok {
			c.ExtraExtensions = append(c.ExtraExtensions, pkix.Extension{
				Id: asn1.ObjectIdentifier{1, 3, 6, 1, 4, 1, 41482, 3, last}, Value: value,
			})
		}
	}
	return c
}

const slot9a = "YubiKey PIV Attestation 9a"

// TestStatements: what a trusted maker's leaf may state, and how.
func TestStatements(t *testing.T) {
	t.Parallel()
	m := newMaker(t, ordinary())
	v := m.verifier(t)
	key := newKey(t)
	claim := pki.Expected{Key: key.Public(), Serial: "12345678", Slot: "9a"}
	for name, c := range map[string]struct {
		change func(extensions)
		cn     string
		want   error
	}{
		"good":                       {func(extensions) {}, slot9a, nil},
		"no form factor":             {func(e extensions) { delete(e, 9) }, slot9a, nil},
		"FIPS form factor":           {func(e extensions) { e[9] = []byte{0x83} }, slot9a, nil},
		"another slot":               {func(extensions) {}, "YubiKey PIV Attestation 9c", pki.ErrSlot},
		"a retired slot":             {func(extensions) {}, "YubiKey PIV Attestation 82", pki.ErrSlot},
		"no slot":                    {func(extensions) {}, "YubiKey PIV Attestation", pki.ErrMalformed},
		"a slot in capitals":         {func(extensions) {}, "YubiKey PIV Attestation 9A", pki.ErrMalformed},
		"another serial":             {func(e extensions) { e[7] = []byte{2, 4, 0, 0xbc, 0x61, 0x4f} }, slot9a, pki.ErrSerial},
		"no serial":                  {func(e extensions) { delete(e, 7) }, slot9a, pki.ErrNoSerial},
		"a negative serial":          {func(e extensions) { e[7] = []byte{2, 1, 0x80} }, slot9a, pki.ErrMalformed},
		"serial zero":                {func(e extensions) { e[7] = []byte{2, 1, 0} }, slot9a, pki.ErrMalformed},
		"a long serial":              {func(e extensions) { e[7] = []byte{2, 5, 1, 0, 0, 0, 0} }, slot9a, pki.ErrMalformed},
		"a serial and more":          {func(e extensions) { e[7] = append(e[7], 0) }, slot9a, pki.ErrMalformed},
		"a bare serial":              {func(e extensions) { e[7] = []byte{0, 0xbc, 0x61, 0x4e} }, slot9a, pki.ErrMalformed},
		"no firmware":                {func(e extensions) { delete(e, 3) }, slot9a, pki.ErrMalformed},
		"firmware as OCTET STRING":   {func(e extensions) { e[3] = []byte{4, 3, 5, 4, 3} }, slot9a, pki.ErrMalformed},
		"firmware of two numbers":    {func(e extensions) { e[3] = []byte{5, 4} }, slot9a, pki.ErrMalformed},
		"empty firmware":             {func(e extensions) { e[3] = []byte{} }, slot9a, pki.ErrMalformed},
		"no policies":                {func(e extensions) { delete(e, 8) }, slot9a, pki.ErrMalformed},
		"policies as OCTET STRING":   {func(e extensions) { e[8] = []byte{4, 2, 2, 1} }, slot9a, pki.ErrMalformed},
		"a PIN policy alone":         {func(e extensions) { e[8] = []byte{2} }, slot9a, pki.ErrMalformed},
		"a PIN policy of later":      {func(e extensions) { e[8] = []byte{6, 1} }, slot9a, pki.ErrUnknownValue},
		"PIN policy default":         {func(e extensions) { e[8] = []byte{0, 1} }, slot9a, pki.ErrUnknownValue},
		"a touch policy of later":    {func(e extensions) { e[8] = []byte{2, 4} }, slot9a, pki.ErrUnknownValue},
		"touch policy default":       {func(e extensions) { e[8] = []byte{2, 0} }, slot9a, pki.ErrUnknownValue},
		"a form factor of two bytes": {func(e extensions) { e[9] = []byte{4, 1} }, slot9a, pki.ErrMalformed},
		"an empty form factor":       {func(e extensions) { e[9] = []byte{} }, slot9a, pki.ErrMalformed},
		"a form factor of later":     {func(e extensions) { e[9] = []byte{0x0a} }, slot9a, pki.ErrUnknownValue},
		"contradiction before unknown": {func(e extensions) { e[7], e[9] = []byte{2, 1, 1}, []byte{0x0a} }, slot9a,
			pki.ErrSerial},
	} {
		e := good()
		c.change(e)
		leaf := issue(t, e.leaf(c.cn), m.f9, key.Public(), m.f9Key)
		got, err := v.Verify([]string{encode(leaf.Raw), encode(m.f9.Raw)}, claim)
		if !errors.Is(err, c.want) || (err == nil) != (got.Root == "Test Root") {
			t.Errorf("%s: %+v, %v; want %v", name, got, err, c.want)
		}
	}
	leaf := issue(t, good().leaf(slot9a), m.f9, key.Public(), m.f9Key)
	if _, err := v.Verify([]string{encode(leaf.Raw), encode(m.f9.Raw)}, pki.Expected{
		Key: newKey(t).Public(), Serial: "12345678", Slot: "9a"}); !errors.Is(err, pki.ErrKey) {
		t.Errorf("another key: %v", err)
	}
}

// TestDuplicateExtension: which of two counts would be ambiguous.
func TestDuplicateExtension(t *testing.T) {
	t.Parallel()
	m, key := newMaker(t, ordinary()), newKey(t)
	leaf := good().leaf(slot9a)
	leaf.ExtraExtensions = append(leaf.ExtraExtensions, leaf.ExtraExtensions[0])
	leaf.SerialNumber, leaf.NotBefore, leaf.NotAfter = big.NewInt(1), time.Unix(0, 0), time.Unix(1<<32, 0)
	der := must.Get(x509.CreateCertificate(rand.Reader, leaf, m.f9, key.Public(), m.f9Key))(t)
	_, err := m.verifier(t).Verify([]string{encode(der), encode(m.f9.Raw)},
		pki.Expected{Key: key.Public(), Serial: "12345678", Slot: "9a"})
	if !errors.Is(err, pki.ErrMalformed) {
		t.Errorf("%v, want ErrMalformed", err)
	}
}

// TestSlotCertificatePosesAsF9: a genuine attestation of a slot key, whose owner can
// sign anything with it, is in the place of F9, or between the two.
func TestSlotCertificatePosesAsF9(t *testing.T) {
	t.Parallel()
	for name, f9 := range map[string]*x509.Certificate{
		"F9 of today": ordinary(), "F9 without basicConstraints": named("Yubico PIV Attestation"),
	} {
		m, slotKey, software := newMaker(t, f9), newKey(t), newKey(t)
		genuine := issue(t, good().leaf(slot9a), m.f9, slotKey.Public(), m.f9Key)
		forged := issue(t, good().leaf(slot9a), genuine, software.Public(), slotKey)
		claim := pki.Expected{Key: software.Public(), Serial: "12345678", Slot: "9a"}
		for _, chain := range [][]*x509.Certificate{{forged, genuine, m.f9}, {forged, genuine}, {forged, genuine, m.f9, m.root}} {
			var texts []string
			for _, c := range chain {
				texts = append(texts, encode(c.Raw))
			}
			if s, err := m.verifier(t).Verify(texts, claim); err == nil {
				t.Errorf("%s, %d certificates: %+v", name, len(chain), s)
			}
		}
		if _, err := m.verifier(t).Verify([]string{encode(forged.Raw), encode(m.f9.Raw)}, claim); !errors.Is(err, pki.ErrSignature) {
			t.Errorf("%s, with the F9 that has not signed it: %v", name, err)
		}
		claim.Key = slotKey.Public()
		if _, err := m.verifier(t).Verify([]string{encode(genuine.Raw), encode(m.f9.Raw)}, claim); err != nil {
			t.Errorf("%s: the genuine one: %v", name, err)
		}
	}
}

// TestRealSlotCertificatePosesAsF9 does the same with real tokens' certificates:
// their keys are not available, but no chain of three gets as far as a signature.
func TestRealSlotCertificatePosesAsF9(t *testing.T) {
	t.Parallel()
	v, software := yubico(t), newKey(t)
	for _, c := range allChains(t) {
		genuine := must.Get(x509.ParseCertificate(c.leaf))(t)
		forged := issue(t, good().leaf(slot9a), &x509.Certificate{Subject: genuine.Subject, RawSubject: genuine.RawSubject},
			software.Public(), newKey(t))
		claim := pki.Expected{Key: software.Public(), Serial: "12345678", Slot: "9a"}
		for _, texts := range [][]string{{encode(forged.Raw), encode(c.leaf)}, {encode(forged.Raw), encode(c.leaf), encode(c.f9)}} {
			if s, err := v.Verify(texts, claim); err == nil {
				t.Errorf("%s: %+v", c.name, s)
			}
		}
	}
}

// TestF9: which certificates may issue a leaf.
func TestF9(t *testing.T) {
	t.Parallel()
	trusted, key := newMaker(t, ordinary()), newKey(t)
	claim := pki.Expected{Key: key.Public(), Serial: "12345678", Slot: "9a"}
	noCA := ordinary()
	noCA.IsCA, noCA.MaxPathLen, noCA.MaxPathLenZero = false, -1, false
	encipher := ordinary()
	encipher.KeyUsage = x509.KeyUsageKeyEncipherment
	below := func(f9 *x509.Certificate) maker { // another F9 of the trusted root
		m := trusted
		m.f9Key = newKey(t)
		m.f9 = issue(t, f9, m.root, m.f9Key.Public(), m.rootKey)
		return m
	}
	foreign := newMaker(t, ordinary()) // another root of the same name
	stranger := newMaker(t, ordinary())
	template := ca("Somebody Else")
	stranger.root = issue(t, template, template, stranger.rootKey.Public(), stranger.rootKey)
	stranger.f9 = issue(t, ordinary(), stranger.root, stranger.f9Key.Public(), stranger.rootKey)
	own := maker{f9Key: newKey(t)}
	own.f9 = issue(t, ordinary(), ordinary(), own.f9Key.Public(), own.f9Key)
	root := maker{f9: trusted.root, f9Key: trusted.rootKey}
	for name, c := range map[string]struct {
		m    maker
		want error
	}{
		"as it should be":                 {trusted, nil},
		"without basicConstraints":        {below(named("Yubico PIV Attestation")), nil},
		"said to be no CA":                {below(noCA), pki.ErrMalformed},
		"of a key for something else":     {below(encipher), pki.ErrMalformed},
		"of a CA that is not pinned":      {stranger, pki.ErrUnknownIssuer},
		"of a CA with a pinned CA's name": {foreign, pki.ErrSignature},
		"made by the owner":               {own, pki.ErrUnknownIssuer},
		"the pinned CA itself":            {root, pki.ErrMalformed},
	} {
		leaf := issue(t, good().leaf(slot9a), c.m.f9, key.Public(), c.m.f9Key)
		_, err := trusted.verifier(t).Verify([]string{encode(leaf.Raw), encode(c.m.f9.Raw)}, claim)
		if !errors.Is(err, c.want) {
			t.Errorf("F9 %s: %v, want %v", name, err, c.want)
		}
	}
	leaf := issue(t, good().leaf(slot9a), trusted.f9, key.Public(), trusted.f9Key)
	_, err := trusted.verifier(t).Verify([]string{encode(leaf.Raw), encode(below(ordinary()).f9.Raw)}, claim)
	if !errors.Is(err, pki.ErrSignature) {
		t.Errorf("another F9 of the same CA and name: %v", err)
	}
}

// TestSwappedF9: with any other of the 21 real F9 certificates, most of which have
// the same name, no real leaf verifies.
func TestSwappedF9(t *testing.T) {
	t.Parallel()
	v, all := yubico(t), allChains(t)
	f9s := map[string]bool{}
	for _, c := range all {
		f9s[string(c.f9)] = true
	}
	for _, c := range all {
		for f9 := range f9s {
			if f9 == string(c.f9) {
				continue
			}
			_, err := v.Verify(chain{c.name, c.leaf, []byte(f9)}.pem(), c.claim(t))
			if !errors.Is(err, pki.ErrSignature) {
				t.Errorf("%s under another F9: %v", c.name, err)
			}
		}
	}
}

// TestExtraRoots: a file of roots must not weaken verification.
func TestExtraRoots(t *testing.T) {
	t.Parallel()
	m := newMaker(t, ordinary())
	real := allChains(t)
	for name, c := range map[string]struct{ text, want string }{
		"none":                            {"", ""},
		"a root":                          {encode(m.root.Raw), ""},
		"a token's F9":                    {encode(m.f9.Raw), "path length"},
		"a real F9":                       {encode(real[len(real)-1].f9), "path length"},
		"a real F9 of before":             {encode(real[0].f9), "not a CA"},
		"a slot's attestation":            {encode(real[0].leaf), "not a CA"},
		"a private key":                   {"-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n", "only certificates"},
		"no certificate":                  {"-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n", "certificate 1"},
		"text":                            {"hello", "text after"},
		"text behind":                     {encode(m.root.Raw) + "hello", "text after"},
		"Yubico's own, which is no fault": {string(must.Get(os.ReadFile("yubico/intermediates.pem"))(t)), ""},
	} {
		v, err := pki.NewVerifier([]byte(c.text))
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if err != nil {
			continue
		}
		for _, c := range real[:3] {
			must.Get(v.Verify(c.pem(), c.claim(t)))(t)
		}
	}
}

// FuzzVerify: anything but the real chain is rejected with a known error.
func FuzzVerify(f *testing.F) {
	all := allChains(f)
	seed := all[len(all)-1]
	f.Add(encode(seed.leaf), encode(seed.f9))
	for _, c := range all[:8] {
		f.Add(encode(c.leaf), encode(c.f9))
	}
	f.Add("", "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n")
	v, claim := yubico(f), seed.claim(f)
	known := []error{
		pki.ErrMalformed, pki.ErrSignature, pki.ErrKey, pki.ErrSerial, pki.ErrSlot,
		pki.ErrUnknownIssuer, pki.ErrNoSerial, pki.ErrUnknownValue,
	}
	f.Fuzz(func(t *testing.T, leaf, f9 string) {
		s, err := v.Verify([]string{leaf, f9}, claim)
		if err == nil {
			if s.Serial == 0 || s.Slot != piv.Signature || s.Root != "Yubico Attestation Root 1" {
				t.Errorf("%+v", s)
			}
			return
		}
		for _, k := range known {
			if errors.Is(err, k) {
				return
			}
		}
		t.Errorf("an unknown error: %v", err)
	})
}
