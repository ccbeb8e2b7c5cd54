package ykman

import (
	"bytes"
	"compress/gzip"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"io"
	"math/big"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/piv"
)

// maxCertificate bounds an unpacked certificate, in bytes; the token's objects
// hold 3 KiB.
const maxCertificate = 64 << 10

// readSlot reads a slot from its metadata and certificate object. It leaves empty
// what it does not understand, but never makes the slot look free.
func readSlot(meta, object response) driver.SlotState {
	var s driver.SlotState
	if meta.ok() {
		s.HasKey = true
		readSlotMetadata(&s, meta.data)
	}
	switch {
	case object.ok():
		s.Certificate, s.Unreadable = readCertificate(object.data)
	case object.sw != swNotFound:
		s.Unreadable = true
	}
	if s.Type == "" && s.Certificate != nil {
		s.Type = piv.KeyTypeOf(s.Certificate.PublicKey)
	}
	return s
}

func readSlotMetadata(s *driver.SlotState, data []byte) {
	m, err := tlvs(data)
	if err != nil {
		return
	}
	if a := m[metaAlgorithm]; len(a) == 1 {
		s.Type = piv.KeyTypeByIdentifier(a[0])
	}
	if p := m[metaPolicy]; len(p) == 2 {
		s.PINPolicy, s.TouchPolicy = policy(piv.PINPolicies, p[0]), policy(piv.TouchPolicies, p[1])
	}
	if o := m[metaOrigin]; len(o) == 1 {
		s.Generated = o[0] == 1
	}
	s.Key = publicKey(s.Type, m[metaPublicKey])
}

// policy returns a policy's name, empty for an unknown one.
func policy(names []string, number byte) string {
	if int(number) < len(names) {
		return names[number]
	}
	return ""
}

// publicKey parses a public key in the format of GENERATE ASYMMETRIC KEY PAIR (SP
// 800-73-4, part 2, table 11); nil for an unknown one.
func publicKey(of piv.KeyType, data []byte) crypto.PublicKey {
	m, err := tlvs(data)
	if err != nil {
		return nil
	}
	modulus, exponent, point := m[0x81], m[0x82], m[0x86]
	switch of {
	case piv.RSA1024, piv.RSA2048, piv.RSA3072, piv.RSA4096:
		if len(modulus) == 0 || len(modulus) > 512 || len(exponent) == 0 || len(exponent) > 4 {
			return nil
		}
		e := new(big.Int).SetBytes(exponent).Int64()
		if e < 3 || e > 1<<31-1 {
			return nil
		}
		return &rsa.PublicKey{N: new(big.Int).SetBytes(modulus), E: int(e)}
	case piv.ECP256:
		return ecKey(elliptic.P256(), point)
	case piv.ECP384:
		return ecKey(elliptic.P384(), point)
	case piv.Ed25519:
		if len(point) == ed25519.PublicKeySize {
			return ed25519.PublicKey(point)
		}
	}
	return nil
}

func ecKey(curve elliptic.Curve, point []byte) crypto.PublicKey {
	key, err := ecdsa.ParseUncompressedPublicKey(curve, point)
	if err != nil {
		return nil
	}
	return key
}

// readCertificate parses a certificate object (SP 800-73-4, part 1, table 10): 53
// { 70 certificate, 71 whether it is gzipped }. The second result reports that
// the object holds something else.
func readCertificate(data []byte) (*x509.Certificate, bool) {
	outer, err := tlvs(data)
	if err != nil {
		return nil, true
	}
	object := outer[0x53]
	if len(object) == 0 { // a deleted certificate
		return nil, false
	}
	m, err := tlvs(object)
	if err != nil {
		return nil, true
	}
	der := m[0x70]
	if info := m[0x71]; len(info) == 1 && info[0]&0x01 != 0 {
		if der, err = gunzip(der); err != nil {
			return nil, true
		}
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, true
	}
	return cert, false
}

func gunzip(b []byte) ([]byte, error) {
	r, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(io.LimitReader(r, maxCertificate))
}
