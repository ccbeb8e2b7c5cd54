// Package driver is the port between the agent's operations and whatever operates
// a PIV token: the ykman command-line tool in production, an in-process virtual
// card in tests.
//
// A driver does one step and knows no policy. It never runs two steps at once and
// is never called concurrently: the agent's queue ensures that. Serials are the
// token's own decimal numbers. Secrets are in plain text: PIN and PUK as ASCII,
// management keys as lower-case hex.
//
// Every method returns faults (package fault): token_not_found, token_in_use,
// wrong_pin and wrong_puk (with retries_left if the token reports it),
// pin_blocked, puk_blocked, wrong_management_key, pin_refused, tool_missing,
// tool_failed. A tool_failed with outcome_known=false means that the change may
// or may not have happened, for instance because the token was pulled.
package driver

import (
	"context"
	"crypto"
	"crypto/x509"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// OutcomeKnown is the extension member of a tool_failed fault that reports
// whether the token is certainly unchanged.
const OutcomeKnown = "outcome_known"

// ErrInUse means that another program has exclusive use of a token. The driver
// cannot tell which token: it need not be the one that the operation is for.
var ErrInUse = fault.New(fault.TokenInUse, "",
	"Another program, for example gpg's scdaemon, has exclusive use of a token on this computer. End that program "+
		"(gpgconf --kill scdaemon ends gpg's), then try again.")

// Tool describes the tool that drives the tokens.
type Tool struct {
	Name    string // for display, for example "ykman"
	Version string // empty when unknown
}

// Driver drives tokens, one step per call.
type Driver interface {
	// Tool returns the tool's name and version, or tool_missing when there is
	// none that works and is recent enough. It touches no token.
	Tool(ctx context.Context) (Tool, error)

	// List finds the connected tokens. readers, if not nil, names the readers
	// that hold a card now; nil means that they are unknown.
	List(ctx context.Context, readers []string) (Found, error)

	// Inspect reads everything that the token reports without a secret.
	Inspect(ctx context.Context, serial string) (Card, error)

	// ChangePIN and ChangePUK replace one secret with another. Both may be the
	// same, which tries a value without changing anything.
	ChangePIN(ctx context.Context, serial string, current, next secret.String) error
	ChangePUK(ctx context.Context, serial string, current, next secret.String) error

	// UnblockPIN sets a new PIN with the PUK and refills the PIN's tries.
	UnblockPIN(ctx context.Context, serial string, puk, next secret.String) error

	// SetRetries sets both totals and resets PIN and PUK to factory values.
	SetRetries(ctx context.Context, serial string, managementKey, pin secret.String, pinRetries, pukRetries int) error

	// TryManagementKey authenticates and changes nothing.
	TryManagementKey(ctx context.Context, serial string, alg piv.Cipher, key secret.String) error

	// ChangeManagementKey replaces the management key and its algorithm.
	ChangeManagementKey(ctx context.Context, serial string, current, next secret.String, alg piv.Cipher) error

	// TakeManagementKey replaces a management key that other software keeps on
	// the token under the PIN (Card.ManagementKeyOnToken); the token keeps no
	// copy of the new one.
	TakeManagementKey(ctx context.Context, serial string, pin, next secret.String, alg piv.Cipher) error

	// GenerateKey generates a key in the slot, destroying the old one.
	GenerateKey(ctx context.Context, serial string, slot piv.Slot, managementKey secret.String, n NewKey) (crypto.PublicKey, error)

	// Request signs a PKCS #10 request with the slot's key. It returns DER, which
	// the caller verifies.
	Request(ctx context.Context, serial string, slot piv.Slot, pin secret.String, key crypto.PublicKey, s Subject) ([]byte, error)

	// Attest returns the slot's attestation and the token's intermediate, or nil
	// without an error when the token cannot attest that key.
	Attest(ctx context.Context, serial string, slot piv.Slot) ([]*x509.Certificate, error)

	// ImportCertificate stores the certificate in the slot. With a PIN, it first
	// has the slot's key sign, and returns ErrKeyMismatch if the key is not the
	// certificate's; with an empty PIN it does not check.
	ImportCertificate(ctx context.Context, serial string, slot piv.Slot, managementKey, pin secret.String, cert *x509.Certificate) error

	// WriteCapabilities writes a new Card Capability Container.
	WriteCapabilities(ctx context.Context, serial string, managementKey secret.String) error

	// Reset wipes the PIV application: it deletes keys and certificates and
	// resets PIN, PUK and management key to factory values.
	Reset(ctx context.Context, serial string) error
}
