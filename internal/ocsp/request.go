package ocsp

import (
	"crypto"
	_ "crypto/sha1" //nolint:gosec // CertIDs name issuers by SHA-1 (RFC 5019, section 2.1.1)
	_ "crypto/sha256"
	_ "crypto/sha512"
	"encoding/asn1"
	"errors"
	"math/big"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/keyward/keyward/internal/vault"
)

// Limits of a request.
const (
	MaxRequest = 16 << 10 // bytes
	maxCertIDs = 64       // certificates in one request
	maxNonce   = 128      // bytes (RFC 9654, section 2.1)
)

// errMalformed: the bytes are no OCSPRequest that this responder reads.
var errMalformed = errors.New("ocsp: malformed request")

var (
	oidNonce  = asn1.ObjectIdentifier{1, 3, 6, 1, 5, 5, 7, 48, 1, 2}
	oidHashes = []struct {
		oid  asn1.ObjectIdentifier
		hash crypto.Hash
	}{
		{asn1.ObjectIdentifier{1, 3, 14, 3, 2, 26}, crypto.SHA1},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 1}, crypto.SHA256},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 2}, crypto.SHA384},
		{asn1.ObjectIdentifier{2, 16, 840, 1, 101, 3, 4, 2, 3}, crypto.SHA512},
	}
)

// request is an OCSPRequest (RFC 6960, section 4.1.1). Its signature, if any, is ignored: everybody
// gets the same answers.
type request struct {
	ids   []certID
	nonce []byte // nil: none
}

// certID is a CertID (RFC 6960, section 4.1.1).
type certID struct {
	raw               []byte      // DER, for the answer
	hash              crypto.Hash // zero: one that this responder doesn't know
	nameHash, keyHash []byte
	serial            string // as vault.Issued spells it; empty: no CA gives such a number
}

// parse reads a request. A critical extension that it doesn't know is errMalformed, too.
func parse(der []byte) (request, error) {
	var r request
	var outer, tbs, list cryptobyte.String
	in := cryptobyte.String(der)
	if len(der) > MaxRequest || !in.ReadASN1(&outer, cbasn1.SEQUENCE) || !in.Empty() || !outer.ReadASN1(&tbs, cbasn1.SEQUENCE) ||
		!outer.SkipOptionalASN1(explicit(0)) || !outer.Empty() {
		return r, errMalformed
	}
	var version cryptobyte.String
	var there bool
	if !tbs.ReadOptionalASN1(&version, &there, explicit(0)) || there && !isZero(version) ||
		!tbs.SkipOptionalASN1(explicit(1)) || !tbs.ReadASN1(&list, cbasn1.SEQUENCE) || list.Empty() {
		return r, errMalformed
	}
	for !list.Empty() {
		var one cryptobyte.String
		if len(r.ids) == maxCertIDs || !list.ReadASN1(&one, cbasn1.SEQUENCE) {
			return r, errMalformed
		}
		id, ok := readCertID(&one)
		if !ok || !readExtensions(&one, 0, nil) || !one.Empty() {
			return r, errMalformed
		}
		r.ids = append(r.ids, id)
	}
	if !readExtensions(&tbs, 2, &r.nonce) || !tbs.Empty() {
		return r, errMalformed
	}
	return r, nil
}

func explicit(n uint8) cbasn1.Tag { return cbasn1.Tag(n).ContextSpecific().Constructed() }

func isZero(version cryptobyte.String) bool {
	var n int
	return version.ReadASN1Integer(&n) && n == 0 && version.Empty()
}

func readCertID(from *cryptobyte.String) (id certID, ok bool) {
	var element, body, algorithm, serial cryptobyte.String
	if !from.ReadASN1Element(&element, cbasn1.SEQUENCE) {
		return id, false
	}
	id.raw = element
	var oid asn1.ObjectIdentifier
	var name, key cryptobyte.String
	if !element.ReadASN1(&body, cbasn1.SEQUENCE) || !body.ReadASN1(&algorithm, cbasn1.SEQUENCE) ||
		!algorithm.ReadASN1ObjectIdentifier(&oid) || !noParameters(algorithm) || !body.ReadASN1(&name, cbasn1.OCTET_STRING) ||
		!body.ReadASN1(&key, cbasn1.OCTET_STRING) || !body.ReadASN1(&serial, cbasn1.INTEGER) || !body.Empty() || serial.Empty() ||
		len(serial) > 1 && serial[0] == 0 && serial[1]&0x80 == 0 { // not DER: the same number in other bytes
		return id, false
	}
	id.nameHash, id.keyHash = name, key
	for _, known := range oidHashes {
		if known.oid.Equal(oid) {
			id.hash = known.hash
		}
	}
	if number := new(big.Int).SetBytes(serial); serial[0]&0x80 == 0 && number.BitLen() <= 8*vault.MaxSerial {
		id.serial = vault.SerialOf(number)
	}
	return id, true
}

// noParameters reports whether an AlgorithmIdentifier has none, or NULL: answers are kept by the bytes
// of a CertID, which must not be at the asker's choice.
func noParameters(rest cryptobyte.String) bool {
	var null cryptobyte.String
	return rest.Empty() || rest.ReadASN1(&null, cbasn1.NULL) && null.Empty() && rest.Empty()
}

// readExtensions reads explicit [n] Extensions, if they are there. nonce, if not nil, gets the
// nonce's value (RFC 9654, section 2.1).
func readExtensions(from *cryptobyte.String, n uint8, nonce *[]byte) bool {
	var wrapped, list cryptobyte.String
	var there bool
	if !from.ReadOptionalASN1(&wrapped, &there, explicit(n)) {
		return false
	}
	if !there {
		return true
	}
	if !wrapped.ReadASN1(&list, cbasn1.SEQUENCE) || !wrapped.Empty() {
		return false
	}
	for !list.Empty() {
		var extension, value, octets cryptobyte.String
		var oid asn1.ObjectIdentifier
		critical := false
		if !list.ReadASN1(&extension, cbasn1.SEQUENCE) || !extension.ReadASN1ObjectIdentifier(&oid) ||
			extension.PeekASN1Tag(cbasn1.BOOLEAN) && !extension.ReadASN1Boolean(&critical) ||
			!extension.ReadASN1(&value, cbasn1.OCTET_STRING) || !extension.Empty() {
			return false
		}
		switch {
		case oid.Equal(oidNonce) && nonce != nil:
			if *nonce != nil || !value.ReadASN1(&octets, cbasn1.OCTET_STRING) || !value.Empty() ||
				len(octets) == 0 || len(octets) > maxNonce {
				return false
			}
			*nonce = octets
		case critical:
			return false
		}
	}
	return true
}
