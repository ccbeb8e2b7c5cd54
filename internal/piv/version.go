package piv

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Version is a firmware version: major, minor, patch.
type Version [3]byte

// What came with which firmware (Yubico's release notes). Attestation, from
// 4.3, is asked for and not looked up.
var (
	// SinceMetadata: the card tells its keys, the tries left and whether
	// factory values are in use.
	SinceMetadata = Version{5, 3, 0}
	// SinceAES: the management key may be an AES key.
	SinceAES = Version{5, 4, 2}
	// SinceLargerKeys: RSA 3072 and 4096, Ed25519, X25519, MOVE KEY; the
	// factory's management key is an AES key.
	SinceLargerKeys = Version{5, 7, 0}
)

// ParseVersion reads the form 5.4.3: three numbers up to 255.
func ParseVersion(text string) (Version, error) {
	parts := strings.Split(text, ".")
	if len(parts) != 3 {
		return Version{}, errVersion
	}
	var v Version
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 8)
		if err != nil || strconv.FormatUint(n, 10) != part { // one spelling of each version
			return Version{}, errVersion
		}
		v[i] = byte(n)
	}
	return v, nil
}

var errVersion = errors.New("must be three numbers up to 255, such as 5.4.3")

// String is the form 5.4.3.
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }

// AtLeast tells whether v is since or later.
func (v Version) AtLeast(since Version) bool { return slices.Compare(v[:], since[:]) >= 0 }

// WeakRSA tells whether RSA keys that such a card has made can be computed
// from their public half (ROCA, CVE-2017-15361; Yubico, YSA-2017-01).
func (v Version) WeakRSA() bool { return v.AtLeast(Version{4, 2, 0}) && !v.AtLeast(Version{4, 3, 5}) }

// Cipher is what a management key of 24 bytes is for on such a card.
func (v Version) Cipher() Cipher {
	if v.AtLeast(SinceAES) {
		return AES192
	}
	return TDES
}

// MarshalText writes the form 5.4.3.
func (v Version) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText is ParseVersion.
func (v *Version) UnmarshalText(text []byte) (err error) {
	*v, err = ParseVersion(string(text))
	return err
}
