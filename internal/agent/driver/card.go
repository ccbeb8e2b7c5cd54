package driver

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/x509"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// ErrKeyMismatch is what ImportCertificate answers when the slot's key is not
// the certificate's.
var ErrKeyMismatch = errors.New("the slot's key is not the certificate's")

// The values of a token fresh from the factory, and after a reset (Yubico,
// "PIV Tool: default values").
const (
	FactoryPIN           = "123456"
	FactoryPUK           = "12345678"
	FactoryManagementKey = "010203040506070801020304050607080102030405060708"
)

// Token is one connected token.
type Token struct {
	Serial          string
	Model           string
	FirmwareVersion string
	FormFactor      string
	Reader          string
}

// Counter is what the token tells about its PIN or PUK.
type Counter struct {
	Total   int   // -1 when the token does not tell
	Left    int   // -1 when the token does not tell
	Default *bool // nil when the token does not tell
}

// Unknown is the counter of a token that tells nothing.
var Unknown = Counter{Total: -1, Left: -1}

// Card is what a token tells without a secret.
type Card struct {
	Serial  string
	Version Version
	PIN     Counter
	PUK     Counter

	ManagementKeyAlgorithm Algorithm
	ManagementKeyDefault   *bool // nil before firmware 5.3
	// ManagementKeyOnToken is set when other software keeps the management
	// key on the token, derived from or protected by the PIN. The tool then
	// asks for the PIN where it otherwise asks for the key.
	ManagementKeyOnToken bool

	Slots map[Slot]SlotState
}

// SlotState is what a token tells about one slot.
type SlotState struct {
	HasKey      bool             // false also when the token cannot tell (before 5.3)
	Key         crypto.PublicKey // nil when unknown
	Algorithm   string           // RSA2048, ECCP256, …; empty when unknown
	Generated   bool             // made on the token, not imported
	PINPolicy   string           // default, never, once, always; empty when unknown
	TouchPolicy string           // default, never, always, cached; empty when unknown
	Certificate *x509.Certificate
	// Unreadable is set when the slot holds an object that is no
	// certificate.
	Unreadable bool
}

// KeyAlgorithm names a public key as SlotState.Algorithm does; empty for one of
// another kind.
func KeyAlgorithm(key crypto.PublicKey) string {
	switch k := key.(type) {
	case *rsa.PublicKey:
		return fmt.Sprintf("RSA%d", k.N.BitLen())
	case *ecdsa.PublicKey:
		return fmt.Sprintf("ECCP%d", k.Curve.Params().BitSize)
	case ed25519.PublicKey:
		return "ED25519"
	}
	return ""
}

// Occupied tells whether something would be lost by a new key.
func (s SlotState) Occupied() bool { return s.HasKey || s.Certificate != nil || s.Unreadable }

// Slot is a PIV key slot (NIST SP 800-73-4, part 1, table 4b).
type Slot string

// The slots that Keyward uses.
const (
	Authentication     Slot = "9a"
	Signature          Slot = "9c"
	KeyManagement      Slot = "9d"
	CardAuthentication Slot = "9e"
)

// Slots lists them in the order in which they are shown.
var Slots = []Slot{Authentication, Signature, KeyManagement, CardAuthentication}

// Valid tells whether s is one of the four.
func (s Slot) Valid() bool {
	for _, o := range Slots {
		if s == o {
			return true
		}
	}
	return false
}

// Policies of a new key, in lower case; empty is the token's default.
type Policies struct {
	PIN   string // default, never, once, always
	Touch string // default, never, always, cached
}

// Subject is the subject of a request. Empty fields are left out.
type Subject struct {
	CommonName         string
	Organization       string
	OrganizationalUnit string
	Locality           string
	Province           string
	Country            string
}

// Algorithm is a management key's algorithm, named as the token tools do.
type Algorithm string

// The algorithms of management keys.
const (
	TDES   Algorithm = "TDES"
	AES128 Algorithm = "AES128"
	AES192 Algorithm = "AES192"
	AES256 Algorithm = "AES256"
)

// KeyBytes is the length of such a key, 0 for an unknown algorithm.
func (a Algorithm) KeyBytes() int {
	switch a {
	case TDES, AES192:
		return 24
	case AES128:
		return 16
	case AES256:
		return 32
	}
	return 0
}

// Version is a firmware version.
type Version struct{ Major, Minor, Patch int }

// String is the form 5.4.3.
func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// AtLeast compares versions.
func (v Version) AtLeast(major, minor, patch int) bool {
	o := Version{major, minor, patch}
	if v.Major != o.Major {
		return v.Major > o.Major
	}
	if v.Minor != o.Minor {
		return v.Minor > o.Minor
	}
	return v.Patch >= o.Patch
}

// ParseVersion reads the form 5.4.3.
func ParseVersion(s string) (Version, error) {
	parts := strings.Split(s, ".")
	if len(parts) != 3 {
		return Version{}, errors.New("a version has three numbers")
	}
	var n [3]int
	for i, p := range parts {
		v, err := strconv.ParseUint(p, 10, 8)
		if err != nil {
			return Version{}, errors.New("a version's numbers are 0 to 255")
		}
		n[i] = int(v)
	}
	return Version{n[0], n[1], n[2]}, nil
}
