package driver

import (
	"crypto"
	"crypto/x509"
	"errors"

	"github.com/keyward/keyward/internal/piv"
)

// ErrKeyMismatch means that the certificate given to ImportCertificate is not for
// the slot's key.
var ErrKeyMismatch = errors.New("the slot's key is not the certificate's")

// Token is one connected token.
type Token struct {
	Serial          string
	Model           string
	FirmwareVersion string
	FormFactor      string
	Reader          string
}

// Found is the result of looking into the readers.
type Found struct {
	Tokens []Token
	// InUse lists the readers whose token another program uses exclusively.
	InUse []string
	// Complete is false when a reader may hold a token that could not be read.
	Complete bool
}

// Counter is what the token reports about its PIN or PUK.
type Counter struct {
	Total   int   // -1 when the token does not report it
	Left    int   // -1 when the token does not report it
	Default *bool // nil when the token does not report it
}

// Unknown is the counter of a token that reports nothing.
var Unknown = Counter{Total: -1, Left: -1}

// Card is what a token reports without a secret.
type Card struct {
	Serial  string
	Version piv.Version
	PIN     Counter
	PUK     Counter

	ManagementKeyAlgorithm piv.Cipher
	ManagementKeyDefault   *bool // nil before firmware 5.3
	// ManagementKeyOnToken is set when other software keeps the management key on
	// the token, derived from or protected by the PIN. The tool then prompts for
	// the PIN instead of the key.
	ManagementKeyOnToken bool
	// NoCapabilities is set when the token has no Card Capability Container, which Windows reads.
	NoCapabilities bool

	Slots map[piv.Slot]SlotState
}

// SlotState is what a token reports about one slot.
type SlotState struct {
	HasKey      bool             // also false when the token cannot report it (before 5.3)
	Key         crypto.PublicKey // nil when unknown
	Type        piv.KeyType      // empty when unknown
	Generated   bool             // on the token, not imported
	PINPolicy   string           // default, never, once, always; empty when unknown
	TouchPolicy string           // default, never, always, cached; empty when unknown
	Certificate *x509.Certificate
	// Unreadable is set when the slot holds an object that is not a certificate.
	Unreadable bool
}

// Occupied reports whether a new key would destroy anything.
func (s SlotState) Occupied() bool { return s.HasKey || s.Certificate != nil || s.Unreadable }

// NewKey says how to create a key; the policies are in lower case, and empty means the token's default.
type NewKey struct {
	Type  piv.KeyType // empty: RSA-2048
	PIN   string      // default, never, once, always
	Touch string      // default, never, always, cached
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
