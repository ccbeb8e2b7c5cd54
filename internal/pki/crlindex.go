package pki

import (
	"cmp"
	"context"
	"encoding/asn1"
	"encoding/hex"
	"fmt"
	"hash/maphash"
	"math"
	"slices"
	"sync"
	"time"

	"golang.org/x/crypto/cryptobyte"
	cbasn1 "golang.org/x/crypto/cryptobyte/asn1"

	"github.com/keyward/keyward/internal/vault"
)

// RevokedOn returns a certificate's entry on the current list of a CA, by ID; nil if there is none. Unlike
// the database's, a list can't be changed by whoever writes the database.
func (c *CRLCache) RevokedOn(ctx context.Context, ca, serialNumber string) (*vault.Revocation, error) {
	serial, err := vault.ParseSerial(serialNumber)
	if err != nil {
		return nil, err
	}
	list, _, err := c.CRLOf(ctx, ca)
	if err != nil {
		return nil, err
	}
	index, err := list.index()
	if err != nil {
		return nil, err
	}
	return index.find(list.DER, serial)
}

// Version names the cached lists; empty while there are none.
func (c *CRLCache) Version() (version string) {
	known := c.known.Load()
	if known == nil {
		if known = c.lent.Load(); known == nil {
			return ""
		}
	}
	for _, l := range c.lists(*known) {
		if list := l.crl.Load(); list != nil {
			version += list.ETag
		}
	}
	return version
}

// listIndex finds the entries of a list: their places, sorted by the hash of their serial numbers. At a
// million entries that is 16 MB.
type listIndex []indexed

type indexed struct {
	key    uint64
	offset uint32
}

// indexSeed makes the keys unpredictable: whoever asks chooses the serial numbers.
var indexSeed = maphash.MakeSeed()

// makeIndex makes a list's index, once.
func makeIndex(der []byte) func() (listIndex, error) {
	return sync.OnceValues(func() (index listIndex, err error) {
		if len(der) > math.MaxUint32 {
			return nil, errList
		}
		err = eachRevoked(der, func(e revokedEntry) error {
			index = append(index, indexed{maphash.Bytes(indexSeed, e.serial), uint32(e.offset)}) // #nosec G115 -- checked above
			return nil
		})
		slices.SortFunc(index, func(a, b indexed) int { return cmp.Compare(a.key, b.key) })
		return index, err
	})
}

// find returns the entry of a serial number in its list; nil if there is none.
func (index listIndex) find(der, serial []byte) (*vault.Revocation, error) {
	key := maphash.Bytes(indexSeed, serial)
	at, _ := slices.BinarySearchFunc(index, key, func(i indexed, key uint64) int { return cmp.Compare(i.key, key) })
	for ; at < len(index) && index[at].key == key; at++ {
		rest := cryptobyte.String(der[index[at].offset:])
		e, ok := readEntry(&rest)
		if !ok {
			return nil, errList
		}
		if !slices.Equal(e.serial, serial) {
			continue
		}
		reason, err := e.reason()
		return &vault.Revocation{Serial: hex.EncodeToString(serial), At: e.at, Reason: reason}, err
	}
	return nil, nil
}

// revokedEntry is an entry of a CRL (RFC 5280, section 5.1.2.6).
type revokedEntry struct {
	serial     []byte // without leading zeros
	at         time.Time
	extensions cryptobyte.String
	offset     int // in the list
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
	behind := len(tbs) + len(outer) + len(in)
	for !list.Empty() {
		offset := len(der) - behind - len(list)
		e, ok := readEntry(&list)
		if !ok {
			return errList
		}
		e.offset = offset
		if err := each(e); err != nil {
			return err
		}
	}
	return nil
}

func readEntry(list *cryptobyte.String) (e revokedEntry, ok bool) {
	var entry, serial cryptobyte.String
	if !list.ReadASN1(&entry, cbasn1.SEQUENCE) || !entry.ReadASN1(&serial, cbasn1.INTEGER) || !readTime(&entry, &e.at) ||
		!entry.Empty() && !entry.ReadASN1(&e.extensions, cbasn1.SEQUENCE) {
		return e, false
	}
	for len(serial) > 1 && serial[0] == 0 {
		serial = serial[1:]
	}
	e.serial = serial
	return e, true
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
