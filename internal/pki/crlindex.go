package pki

import (
	"context"
	"encoding/asn1"
	"encoding/binary"
	"fmt"
	"slices"
	"sync"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/keyward/keyward/internal/vault"
)

// RevokedOn returns a certificate's entry on the current list; nil if there is none. Unlike the
// database's, a list can't be changed by whoever writes the database.
func (c *CRLCache) RevokedOn(ctx context.Context, serialNumber string) (*vault.Revocation, error) {
	serial, err := vault.ParseSerial(serialNumber)
	if err != nil {
		return nil, err
	}
	list, _, err := c.CRL(ctx)
	if err != nil {
		return nil, err
	}
	known, err := list.index()
	if err != nil {
		return nil, err
	}
	if _, found := slices.BinarySearch(known, indexKey(serial)); !found {
		return nil, nil
	}
	// Another serial number may have the same key.
	var entry *vault.Revocation
	err = eachRevoked(list.DER, func(e revokedEntry) error {
		if !slices.Equal(e.serial, serial) {
			return nil
		}
		entry = &vault.Revocation{Serial: serialNumber, At: e.at}
		entry.Reason, err = e.reason()
		return err
	})
	return entry, err
}

// indexed makes a list's index, once: its keys, sorted. At a million entries that is 8 MB.
func indexed(der []byte) func() ([]uint64, error) {
	return sync.OnceValues(func() (keys []uint64, err error) {
		err = eachRevoked(der, func(e revokedEntry) error {
			keys = append(keys, indexKey(e.serial))
			return nil
		})
		slices.Sort(keys)
		return keys, err
	})
}

// indexKey is the end of a serial number: its last eight bytes, which are random.
func indexKey(serial []byte) uint64 {
	var end [8]byte
	copy(end[max(0, 8-len(serial)):], serial[max(0, len(serial)-8):])
	return binary.BigEndian.Uint64(end[:])
}

// revokedEntry is an entry of a CRL (RFC 5280, section 5.1.2.6).
type revokedEntry struct {
	serial     []byte // without leading zeros
	at         time.Time
	extensions cryptobyte.String
}

var oidReason = asn1.ObjectIdentifier{2, 5, 29, 21}

// reason is the entry's reasonCode (RFC 5280, section 5.3.1).
func (e revokedEntry) reason() (vault.Reason, error) {
	for rest := e.extensions; !rest.Empty(); {
		var extension, value cryptobyte.String
		var oid asn1.ObjectIdentifier
		if !rest.ReadASN1(&extension, cbasn1.SEQUENCE) || !extension.ReadASN1ObjectIdentifier(&oid) ||
			!extension.SkipOptionalASN1(cbasn1.BOOLEAN) || !extension.ReadASN1(&value, cbasn1.OCTET_STRING) {
			return 0, errList
		}
		if oid.Equal(oidReason) {
			var code int
			if !value.ReadASN1Enum(&code) {
				return 0, errList
			}
			return vault.Reason(code), nil
		}
	}
	return vault.Unspecified, nil
}

var errList = fmt.Errorf("%w: its CRL can't be read", vault.ErrUnavailable)

// eachRevoked calls each with the entries of a CRL, DER, without keeping them: there may be a million.
func eachRevoked(der []byte, each func(revokedEntry) error) error {
	in := cryptobyte.String(der)
	var outer, tbs, list cryptobyte.String
	if !in.ReadASN1(&outer, cbasn1.SEQUENCE) || !outer.ReadASN1(&tbs, cbasn1.SEQUENCE) || !tbs.SkipOptionalASN1(cbasn1.INTEGER) ||
		!tbs.SkipASN1(cbasn1.SEQUENCE) || !tbs.SkipASN1(cbasn1.SEQUENCE) {
		return errList
	}
	for isTime(tbs) { // thisUpdate, nextUpdate
		var at time.Time
		if !readTime(&tbs, &at) {
			return errList
		}
	}
	if !tbs.PeekASN1Tag(cbasn1.SEQUENCE) {
		return nil // nothing is revoked
	}
	if !tbs.ReadASN1(&list, cbasn1.SEQUENCE) {
		return errList
	}
	for !list.Empty() {
		var entry, serial cryptobyte.String
		var e revokedEntry
		if !list.ReadASN1(&entry, cbasn1.SEQUENCE) || !entry.ReadASN1(&serial, cbasn1.INTEGER) || !readTime(&entry, &e.at) ||
			!entry.Empty() && !entry.ReadASN1(&e.extensions, cbasn1.SEQUENCE) {
			return errList
		}
		for len(serial) > 1 && serial[0] == 0 {
			serial = serial[1:]
		}
		e.serial = serial
		if err := each(e); err != nil {
			return err
		}
	}
	return nil
}

func isTime(from cryptobyte.String) bool {
	return from.PeekASN1Tag(cbasn1.UTCTime) || from.PeekASN1Tag(cbasn1.GeneralizedTime)
}

func readTime(from *cryptobyte.String, at *time.Time) bool {
	if from.PeekASN1Tag(cbasn1.UTCTime) {
		return from.ReadASN1UTCTime(at)
	}
	return from.ReadASN1GeneralizedTime(at)
}
