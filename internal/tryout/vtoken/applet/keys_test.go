package applet_test

import (
	"bytes"
	"crypto"
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/sha512"
	"math/big"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
	"github.com/keyward/keyward/test/must"
)

// use uses a slot's key: tag 81 to sign or decipher, 85 to agree.
func (c client) use(alg, slot byte, tag int, input []byte) ([]byte, int) {
	c.t.Helper()
	reply, sw := c.send(0x87, alg, slot, tlv(0x7C, tlv(0x82), tlv(tag, input)))
	if sw != 0x9000 {
		return nil, sw
	}
	return value(c.t, reply, 0x7C, 0x82), sw
}

func rsaPublic(t testing.TB, pub []byte) *rsa.PublicKey {
	e := new(big.Int).SetBytes(value(t, pub, 0x82))
	return &rsa.PublicKey{N: new(big.Int).SetBytes(value(t, pub, 0x81)), E: int(e.Int64())}
}

func ecPublic(t testing.TB, curve elliptic.Curve, pub []byte) *ecdsa.PublicKey {
	t.Helper()
	return must.Get(ecdsa.ParseUncompressedPublicKey(curve, value(t, pub, 0x86)))(t)
}

func TestRSASignAndDecipher(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.managed()
	pub := rsaPublic(t, c.generate(0x9A, 0x07))
	c.verify("123456")

	digest := sha256.Sum256([]byte("a message"))
	// EMSA-PKCS1-v1_5 (RFC 8017, 9.2) by hand: 00 01 FF… 00 DigestInfo.
	info := append(unhex(t, "30 31 30 0D 06 09 60 86 48 01 65 03 04 02 01 05 00 04 20"), digest[:]...)
	padded := append([]byte{0, 1}, bytes.Repeat([]byte{0xFF}, 256-3-len(info))...)
	padded = append(append(padded, 0), info...)
	signature, sw := c.use(0x07, 0x9A, 0x81, padded)
	if sw != 0x9000 {
		t.Fatalf("sign: %04X", sw)
	}
	if err := rsa.VerifyPKCS1v15(pub, crypto.SHA256, digest[:], signature); err != nil {
		t.Error(err)
	}

	sealed := must.Get(rsa.EncryptPKCS1v15(rand.Reader, pub, []byte("a secret")))(t)
	plain, sw := c.use(0x07, 0x9A, 0x81, sealed)
	if sw != 0x9000 || len(plain) != 256 || !bytes.HasSuffix(plain, []byte("\x00a secret")) {
		t.Errorf("decipher: %04X, % X", sw, plain)
	}
	for name, input := range map[string][]byte{
		"short": sealed[1:], "long": append([]byte{0}, sealed...), "above the modulus": bytes.Repeat([]byte{0xFF}, 256),
	} {
		if _, sw := c.use(0x07, 0x9A, 0x81, input); sw != 0x6A80 {
			t.Errorf("%s input: %04X, want 6A80", name, sw)
		}
	}
	if _, sw := c.use(0x11, 0x9A, 0x81, digest[:]); sw != 0x6A86 {
		t.Errorf("another algorithm than the key's: %04X, want 6A86", sw)
	}
}

func TestCurvesSignAndAgree(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		alg   byte
		curve elliptic.Curve
		agree ecdh.Curve
		hash  func() []byte
	}{
		{0x11, elliptic.P256(), ecdh.P256(), func() []byte { h := sha256.Sum256([]byte("m")); return h[:] }},
		{0x14, elliptic.P384(), ecdh.P384(), func() []byte { h := sha512.Sum384([]byte("m")); return h[:] }},
	} {
		c := setup(t)
		c.managed()
		pub := ecPublic(t, test.curve, c.generate(0x9D, test.alg))
		c.verify("123456")
		signature, sw := c.use(test.alg, 0x9D, 0x81, test.hash())
		if sw != 0x9000 || !ecdsa.VerifyASN1(pub, test.hash(), signature) {
			t.Errorf("%s: bad signature, %04X", test.curve.Params().Name, sw)
		}
		peer := must.Get(test.agree.GenerateKey(rand.Reader))(t)
		card := must.Get(pub.ECDH())(t)
		want := must.Get(peer.ECDH(card))(t)
		got, sw := c.use(test.alg, 0x9D, 0x85, peer.PublicKey().Bytes())
		if sw != 0x9000 || !bytes.Equal(got, want) {
			t.Errorf("%s: bad shared secret, %04X", test.curve.Params().Name, sw)
		}
		if _, sw := c.use(test.alg, 0x9D, 0x85, peer.PublicKey().Bytes()[1:]); sw != 0x6A80 {
			t.Errorf("%s: bad point: %04X, want 6A80", test.curve.Params().Name, sw)
		}
	}
}

// Firmware 5.7 has more algorithms, and an AES-192 management key.
func TestFirmware57(t *testing.T) {
	t.Parallel()
	old := setup(t)
	old.managed()
	for _, alg := range []byte{0x05, 0x16, 0xE0, 0xE1, 0x06, 0x00} {
		old.want(0x6A80, 0x47, 0, 0x9A, tlv(0xAC, tlv(0x80, []byte{alg})))
	}
	c := setup(t, firmware(t, "5.7.1"))
	if sw := c.manage(0x0A, factoryKey); sw != 0x9000 {
		t.Fatalf("AES-192 management key: %04X", sw)
	}
	pub := value(t, c.generate(0x9A, 0xE0), 0x86)
	c.verify("123456")
	signature, sw := c.use(0xE0, 0x9A, 0x81, []byte("message"))
	if sw != 0x9000 || !ed25519.Verify(pub, []byte("message"), signature) {
		t.Errorf("Ed25519: bad signature, %04X", sw)
	}
	card := must.Get(ecdh.X25519().NewPublicKey(value(t, c.generate(0x82, 0xE1), 0x86)))(t)
	peer := must.Get(ecdh.X25519().GenerateKey(rand.Reader))(t)
	want := must.Get(peer.ECDH(card))(t)
	if got, sw := c.use(0xE1, 0x82, 0x85, peer.PublicKey().Bytes()); sw != 0x9000 || !bytes.Equal(got, want) {
		t.Errorf("X25519: bad shared secret, %04X", sw)
	}
	c.must(0xF6, 0x83, 0x82, nil) // move 82 to 83
	c.want(0x6A88, 0xF7, 0, 0x82, nil)
	c.must(0xF7, 0, 0x83, nil)
	c.must(0xF6, 0xFF, 0x83, nil) // delete
	c.want(0x6A88, 0xF7, 0, 0x83, nil)
	c.want(0x6A88, 0xF6, 0xFF, 0x83, nil)
}

func TestImport(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.managed()
	k := must.Get(rsaPool())(t)
	p, q := k.Primes[0].Bytes(), k.Primes[1].Bytes()
	c.must(0xFE, 0x07, 0x9E, append(tlv(1, p), tlv(2, q)...)) // 9E needs no PIN
	sealed := must.Get(rsa.EncryptPKCS1v15(rand.Reader, &k.PublicKey, []byte("x")))(t)
	if plain, sw := c.use(0x07, 0x9E, 0x81, sealed); sw != 0x9000 || !bytes.HasSuffix(plain, []byte("\x00x")) {
		t.Errorf("imported RSA key: %04X", sw)
	}
	if origin := value(t, c.must(0xF7, 0, 0x9E, nil), 3); origin[0] != 2 {
		t.Errorf("origin %d, want 2 (imported)", origin[0])
	}
	c.want(0x6A80, 0xF9, 0x9E, 0, nil)                                                          // not attested
	c.want(0x6A80, 0xFE, 0x07, 0x9E, append(tlv(1, p), tlv(2, p[1:])...))                       // short prime
	c.want(0x6A80, 0xFE, 0x07, 0x9E, append(tlv(1, p), tlv(2, make([]byte, len(q)))...))        // no prime
	c.want(0x6A80, 0xFE, 0x11, 0x9E, tlv(6, make([]byte, 32)))                                  // zero
	c.want(0x6A80, 0xFE, 0x11, 0x9E, append(tlv(6, make([]byte, 31)), tlv(0xAA, []byte{9})...)) // policy
}

// PIN policies per slot, and the touch.
func TestPolicies(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	touches, finger := 0, true
	c := setup(t, func(o *applet.Options) {
		o.Now = func() time.Time { return now }
		o.Touch = func(applet.Command) bool { touches++; return finger }
	})
	c.managed()
	hash := make([]byte, 32)
	sign := func(slot byte, want int) {
		t.Helper()
		if _, sw := c.use(0x11, slot, 0x81, hash); sw != want {
			t.Errorf("slot %02X: %04X, want %04X", slot, sw, want)
		}
	}
	for _, slot := range []byte{0x9A, 0x9C, 0x9D, 0x9E} {
		c.generate(slot, 0x11)
	}
	sign(0x9A, 0x6982)
	sign(0x9C, 0x6982)
	sign(0x9D, 0x6982)
	sign(0x9E, 0x9000) // never
	c.verify("123456")
	sign(0x9A, 0x9000) // once: any number of times
	sign(0x9A, 0x9000)
	sign(0x9C, 0x9000) // always: once per PIN
	sign(0x9C, 0x6982)
	sign(0x9D, 0x9000)
	c.verify("123456")
	sign(0x9C, 0x9000)
	c.card.PowerOn()
	c.open()
	sign(0x9A, 0x6982)

	c.managed()
	c.generate(0x9E, 0x11, tlv(0xAA, []byte{1}), tlv(0xAB, []byte{2})) // touch always
	c.generate(0x82, 0x11, tlv(0xAA, []byte{1}), tlv(0xAB, []byte{3})) // touch cached
	if touches != 0 {
		t.Fatalf("%d touches were asked without need", touches)
	}
	sign(0x9E, 0x9000)
	sign(0x9E, 0x9000)
	finger = false
	sign(0x9E, 0x6982)
	finger = true
	sign(0x82, 0x9000)
	now = now.Add(14 * time.Second)
	sign(0x82, 0x9000) // cached
	if touches != 4 {
		t.Errorf("%d touches, want 4", touches)
	}
	now = now.Add(2 * time.Second)
	sign(0x82, 0x9000)
	if touches != 5 {
		t.Errorf("%d touches, want 5: the touch of 16 seconds ago is stale", touches)
	}
}
