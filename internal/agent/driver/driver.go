// Package driver is the port between the agent's operations and whatever
// moves a PIV token: the ykman command-line tool in production, a virtual
// card in process in tests.
//
// A driver does one step and knows no policy. It never runs two steps at
// once and is never called concurrently: the agent's queue sees to that.
// Serials are the token's own decimal numbers. Secrets are the plain texts:
// PIN and PUK as ASCII, management keys as lower-case hex.
//
// Every method returns faults (package fault): token_not_found, token_in_use,
// wrong_pin and wrong_puk (extension retries_left where the token says it),
// pin_blocked, puk_blocked, wrong_management_key, pin_refused, tool_missing,
// tool_failed.
// A tool_failed with the extension outcome_known=false means that the change
// may or may not have happened, for instance because the token was pulled.
package driver

import (
	"context"
	"crypto"
	"crypto/x509"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// OutcomeKnown is the extension member of a tool_failed fault that tells
// whether the token is sure to be as before.
const OutcomeKnown = "outcome_known"

// ErrInUse is the fault of a token that another program keeps to itself. Which
// one it is cannot be asked: it need not be the one that the work is for.
var ErrInUse = fault.New(fault.TokenInUse, "",
	"Another program, for example gpg's scdaemon, has exclusive use of a token on this computer. End that program "+
		"(gpgconf --kill scdaemon ends gpg's), then try again.")

// Tool says what drives the tokens.
type Tool struct {
	Name    string // for people, for example "ykman"
	Version string // empty when unknown
}

// Driver drives tokens, one step a call.
type Driver interface {
	// Tool asks for the tool's version; tool_missing when there is none that
	// works and is recent enough. It touches no token.
	Tool(ctx context.Context) (Tool, error)

	// List finds the connected tokens. readers, when not nil, are the names
	// of the readers that hold a card now; nil means that nobody knows.
	List(ctx context.Context, readers []string) (Found, error)

	// Inspect reads everything that the token tells without a secret.
	Inspect(ctx context.Context, serial string) (Card, error)

	// ChangePIN and ChangePUK replace one secret by another, which may be
	// the same: that is how a value is tried without changing anything.
	ChangePIN(ctx context.Context, serial string, current, next secret.String) error
	ChangePUK(ctx context.Context, serial string, current, next secret.String) error

	// UnblockPIN sets a new PIN with the PUK and refills the PIN's tries.
	UnblockPIN(ctx context.Context, serial string, puk, next secret.String) error

	// SetRetries sets both totals; PIN and PUK become the factory's.
	SetRetries(ctx context.Context, serial string, managementKey, pin secret.String, pinRetries, pukRetries int) error

	// TryManagementKey authenticates and changes nothing.
	TryManagementKey(ctx context.Context, serial string, alg piv.Cipher, key secret.String) error

	// ChangeManagementKey replaces the management key and its algorithm.
	ChangeManagementKey(ctx context.Context, serial string, current, next secret.String, alg piv.Cipher) error

	// TakeManagementKey replaces a management key that other software keeps on
	// the token under the PIN (Card.ManagementKeyOnToken); the token keeps no
	// copy of the new one.
	TakeManagementKey(ctx context.Context, serial string, pin, next secret.String, alg piv.Cipher) error

	// GenerateKey makes a new RSA-2048 key in the slot, destroying the
	// former one.
	GenerateKey(ctx context.Context, serial string, slot piv.Slot, managementKey secret.String, p Policies) (crypto.PublicKey, error)

	// Request signs a PKCS #10 request with the slot's key. The answer is
	// DER; the caller verifies it.
	Request(ctx context.Context, serial string, slot piv.Slot, pin secret.String, key crypto.PublicKey, s Subject) ([]byte, error)

	// Attest gives the slot's attestation and the token's intermediate; nil
	// without an error when the token cannot attest that key.
	Attest(ctx context.Context, serial string, slot piv.Slot) ([]*x509.Certificate, error)

	// ImportCertificate stores the certificate in the slot. With a PIN it
	// first proves by a signature that the key is the certificate's, and
	// refuses (ErrKeyMismatch) if it is not; with an empty one it does not.
	ImportCertificate(ctx context.Context, serial string, slot piv.Slot, managementKey, pin secret.String, cert *x509.Certificate) error

	// Reset wipes the PIV application: keys and certificates are gone, PIN,
	// PUK and management key are the factory's.
	Reset(ctx context.Context, serial string) error
}
