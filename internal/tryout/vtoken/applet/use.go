package applet

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"math/big"
	"time"
)

// touchCache is how long a touch is valid under the policy "cached" (Yubico).
const touchCache = 15 * time.Second

// useKey signs, deciphers and agrees with a slot's private key.
func (c *Card) useKey(cmd Command, request fields) ([]byte, Status) {
	s := slot(cmd.P2)
	if !s.valid() || s == slotAttestation {
		return nil, WrongParameters
	}
	k, ok := c.state.Keys[s]
	if !ok {
		return nil, WrongData // what ykman expects for an empty slot
	}
	if k.Algorithm != cmd.P1 {
		return nil, WrongParameters
	}
	if !c.pinAllows(k.PIN) || !c.touchedFor(s, k.Touch) {
		return nil, SecurityNotSatisfied
	}
	private, err := k.private()
	if err != nil {
		return nil, Failure
	}
	if k.PIN == pinAlways {
		c.session.pinFresh = false
	}
	result, status := compute(private, request)
	if status != OK {
		return nil, status
	}
	return object(tagAuth, object(tagResponse, result)), OK
}

// pinAllows applies a PIN policy. "Always" requires a PIN that no earlier use of such a
// key has used up.
func (c *Card) pinAllows(p pinPolicy) bool {
	switch p {
	case pinNever:
		return true
	case pinAlways:
		return c.session.pinFresh
	}
	return c.session.pinVerified
}

// touchedFor applies a touch policy. A missing touch is answered with 6982.
func (c *Card) touchedFor(s slot, p touchPolicy) bool {
	if p != touchAlways && p != touchCached {
		return true
	}
	now := c.now()
	if at, ok := c.session.touched[s]; ok && p == touchCached && now.Sub(at) < touchCache {
		return true
	}
	if c.touch != nil && !c.touch(c.current) {
		return false
	}
	if c.session.touched == nil {
		c.session.touched = map[slot]time.Time{}
	}
	c.session.touched[s] = c.now()
	return true
}

// compute performs the operation that the key's type allows.
func compute(private any, request fields) ([]byte, Status) {
	input, sign := request.get(tagChallenge)
	point, agree := request.get(tagExponential)
	if sign == agree {
		return nil, WrongData
	}
	switch k := private.(type) {
	case *rsa.PrivateKey:
		if sign {
			return rawRSA(k, input)
		}
	case *ecdsa.PrivateKey:
		if sign {
			return signECDSA(k, input)
		}
		return agreeEC(k, point)
	case ed25519.PrivateKey:
		if sign {
			return ed25519.Sign(k, input), OK
		}
	case *ecdh.PrivateKey:
		if agree {
			return agreeOn(ecdh.X25519(), k, point)
		}
	}
	return nil, WrongData
}

// rawRSA is the private operation without padding, which the client adds or removes.
// The result is as long as the modulus.
func rawRSA(k *rsa.PrivateKey, input []byte) ([]byte, Status) {
	m := new(big.Int).SetBytes(input)
	if len(input) != k.Size() || m.Cmp(k.N) >= 0 {
		return nil, WrongData
	}
	return m.Exp(m, k.D, k.N).FillBytes(make([]byte, k.Size())), OK
}

// signECDSA signs any hash no longer than the curve's order: clients truncate or pad
// it.
func signECDSA(k *ecdsa.PrivateKey, hash []byte) ([]byte, Status) {
	if len(hash) == 0 || len(hash) > (k.Curve.Params().BitSize+7)/8 {
		return nil, WrongData
	}
	signature, err := ecdsa.SignASN1(rand.Reader, k, hash)
	if err != nil {
		return nil, Failure
	}
	return signature, OK
}

func agreeEC(k *ecdsa.PrivateKey, point []byte) ([]byte, Status) {
	curve := ecdh.P256()
	if k.Curve == elliptic.P384() {
		curve = ecdh.P384()
	}
	own, err := k.ECDH()
	if err != nil {
		return nil, Failure
	}
	return agreeOn(curve, own, point)
}

func agreeOn(curve ecdh.Curve, own *ecdh.PrivateKey, point []byte) ([]byte, Status) {
	peer, err := curve.NewPublicKey(point)
	if err != nil {
		return nil, WrongData
	}
	shared, err := own.ECDH(peer)
	if err != nil {
		return nil, WrongData
	}
	return shared, OK
}
