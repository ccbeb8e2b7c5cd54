package applet

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"math/big"
)

const (
	tagTemplate    = 0xAC
	tagAlgorithm   = 0x80
	tagPublicKey   = 0x7F49
	tagPINPolicy   = 0xAA
	tagTouchPolicy = 0xAB
)

// generate is GENERATE ASYMMETRIC KEY PAIR (SP 800-73-4 part 2, 3.3.1) with
// Yubico's policies. An occupied slot is overwritten; its certificate stays.
func (c *Card) generate(cmd Command) ([]byte, Status) {
	if cmd.P1 != 0 || !slot(cmd.P2).valid() {
		return nil, WrongParameters
	}
	if !c.session.managed {
		return nil, SecurityNotSatisfied
	}
	template, ok := unwrap(cmd.Data, tagTemplate)
	if !ok {
		return nil, WrongData
	}
	alg, _ := template.get(tagAlgorithm)
	k, ok := policies(template)
	if !ok || len(alg) != 1 || !supports(c.state.Firmware, alg[0]) {
		return nil, WrongData
	}
	k.Algorithm = alg[0]
	private, err := c.newKey(k.Algorithm)
	if err != nil {
		return nil, Failure
	}
	pub, err := encodePublic(public(private))
	if err != nil {
		return nil, Failure
	}
	if status := c.store(slot(cmd.P2), k, private); status != OK {
		return nil, status
	}
	return object(tagPublicKey, pub), OK
}

// policies reads the optional PIN and touch policy of a new key.
func policies(l fields) (key, bool) {
	var k key
	if v, ok := l.get(tagPINPolicy); ok {
		if len(v) != 1 || v[0] > byte(pinAlways) {
			return key{}, false
		}
		k.PIN = pinPolicy(v[0])
	}
	if v, ok := l.get(tagTouchPolicy); ok {
		if len(v) != 1 || v[0] > byte(touchCached) {
			return key{}, false
		}
		k.Touch = touchPolicy(v[0])
	}
	return k, true
}

func (c *Card) newKey(alg byte) (any, error) {
	if bits := rsaBits(alg); bits != 0 {
		return c.generateRSA(bits)
	}
	switch alg {
	case algP256:
		return ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	case algP384:
		return ecdsa.GenerateKey(elliptic.P384(), rand.Reader)
	case algEd25519:
		_, private, err := ed25519.GenerateKey(rand.Reader)
		return private, err
	case algX25519:
		return ecdh.X25519().GenerateKey(rand.Reader)
	}
	return nil, errors.New("unknown algorithm")
}

// store stores a key in a slot.
func (c *Card) store(s slot, k key, private any) Status {
	raw, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		return Failure
	}
	k.PKCS8 = raw
	k.resolve(s)
	delete(c.session.touched, s)
	return c.update(func(next *state) { next.Keys[s] = k })
}

// importKey is Yubico's IMPORT ASYMMETRIC KEY: P1 algorithm, P2 slot.
func (c *Card) importKey(cmd Command) Status {
	if !slot(cmd.P2).valid() {
		return WrongParameters
	}
	if !c.session.managed {
		return SecurityNotSatisfied
	}
	list, ok := parseFields(cmd.Data)
	if !ok || !supports(c.state.Firmware, cmd.P1) {
		return WrongData
	}
	k, ok := policies(list)
	if !ok {
		return WrongData
	}
	private, err := readPrivate(cmd.P1, list)
	if err != nil {
		return WrongData
	}
	k.Algorithm, k.Imported = cmd.P1, true
	return c.store(slot(cmd.P2), k, private)
}

// readPrivate builds a private key from the fields of an import: 1 and 2 are an RSA
// key's primes (from which 3 to 5 follow), 6 is a scalar, 7 and 8 are the secrets of
// Ed25519 and X25519.
func readPrivate(alg byte, l fields) (any, error) {
	if bits := rsaBits(alg); bits != 0 {
		return readRSA(bits, l)
	}
	switch alg {
	case algP256:
		v, _ := l.get(0x06)
		return ecdsa.ParseRawPrivateKey(elliptic.P256(), v)
	case algP384:
		v, _ := l.get(0x06)
		return ecdsa.ParseRawPrivateKey(elliptic.P384(), v)
	case algEd25519:
		v, _ := l.get(0x07)
		if len(v) != ed25519.SeedSize {
			return nil, errors.New("wrong length")
		}
		return ed25519.NewKeyFromSeed(v), nil
	case algX25519:
		v, _ := l.get(0x08)
		return ecdh.X25519().NewPrivateKey(v)
	}
	return nil, errors.New("unknown algorithm")
}

// readRSA accepts primes of half the modulus each and the exponent 65537.
func readRSA(bits int, l fields) (*rsa.PrivateKey, error) {
	rawP, _ := l.get(0x01)
	rawQ, _ := l.get(0x02)
	if len(rawP) != bits/16 || len(rawQ) != bits/16 {
		return nil, errors.New("wrong length")
	}
	one, e := big.NewInt(1), big.NewInt(65537)
	p, q := new(big.Int).SetBytes(rawP), new(big.Int).SetBytes(rawQ)
	n := new(big.Int).Mul(p, q)
	if n.BitLen() != bits {
		return nil, errors.New("wrong length")
	}
	order := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
	d := new(big.Int).ModInverse(e, order)
	if d == nil {
		return nil, errors.New("the exponent does not fit")
	}
	k := &rsa.PrivateKey{PublicKey: rsa.PublicKey{N: n, E: int(e.Int64())}, D: d, Primes: []*big.Int{p, q}}
	if err := k.Validate(); err != nil {
		return nil, err
	}
	k.Precompute()
	return k, nil
}
