package driver

import (
	"crypto"
	"crypto/x509"
	"errors"

	"github.com/keyward/keyward/internal/piv"
)

// ErrKeyMismatch is what ImportCertificate answers when the slot's key is not
// the certificate's.
var ErrKeyMismatch = errors.New("the slot's key is not the certificate's")

// Token is one connected token.
type Token struct {
	Serial          string
	Model           string
	FirmwareVersion string
	FormFactor      string
	Reader          string
}

// Found is what a look into the readers showed.
type Found struct {
	Tokens []Token
	// InUse are the readers whose token another program keeps to itself.
	InUse []string
	// Complete is false when a reader may hold a token that could not be read.
	Complete bool
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
	Version piv.Version
	PIN     Counter
	PUK     Counter

	ManagementKeyAlgorithm piv.Cipher
	ManagementKeyDefault   *bool // nil before firmware 5.3
	// ManagementKeyOnToken is set when other software keeps the management
	// key on the token, derived from or protected by the PIN. The tool then
	// asks for the PIN where it otherwise asks for the key.
	ManagementKeyOnToken bool

	Slots map[piv.Slot]SlotState
}

// SlotState is what a token tells about one slot.
type SlotState struct {
	HasKey      bool             // false also when the token cannot tell (before 5.3)
	Key         crypto.PublicKey // nil when unknown
	Type        piv.KeyType      // empty when unknown
	Generated   bool             // made on the token, not imported
	PINPolicy   string           // default, never, once, always; empty when unknown
	TouchPolicy string           // default, never, always, cached; empty when unknown
	Certificate *x509.Certificate
	// Unreadable is set when the slot holds an object that is no
	// certificate.
	Unreadable bool
}

// Occupied tells whether something would be lost by a new key.
func (s SlotState) Occupied() bool { return s.HasKey || s.Certificate != nil || s.Unreadable }

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
