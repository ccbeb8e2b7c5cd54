package vault

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/x509"
	"encoding/asn1"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/piv"
)

// Errors that every engine returns, wrapped or bare; test with errors.Is.
var (
	// ErrNotFound: nothing at that path, or it was deleted.
	ErrNotFound = errors.New("vault: not found")
	// ErrCAS: the current version is not the one that the writer expected.
	// Nothing was written.
	ErrCAS = errors.New("vault: check-and-set mismatch")
	// ErrUnavailable: the engine cannot be reached. Whether a write happened
	// is unknown.
	ErrUnavailable = errors.New("vault: unavailable")
	// ErrSealed: the engine is there, but has no key to open its data. Nothing was written. It and
	// those that follow, up to ErrSlow, are ErrUnavailable in errors.Is, for callers that need not
	// tell them apart.
	ErrSealed error = away("sealed")
	// ErrStandby: none of the engine's nodes is active. Nothing was written.
	ErrStandby error = away("standing by")
	// ErrDenied: the engine no longer accepts our credentials, or they lack a permission, or it was
	// never set up for Keyward. Nothing was written.
	ErrDenied error = away("access denied")
	// ErrBusy: the engine accepts no more calls for the moment. Nothing was written.
	ErrBusy error = away("too many requests")
	// ErrOutdated: the engine has an older state than before, as after a restore from a snapshot.
	ErrOutdated error = away("older than before")
	// ErrSlow: no answer in time. Whether a write happened is unknown.
	ErrSlow error = away("no answer in time")
	// ErrEnded: the CA's certificate has expired. Nothing was written.
	ErrEnded = errors.New("vault: the CA certificate has expired")
	// ErrInvalid: a malformed path, CSR or parameter. Nothing was written.
	ErrInvalid = errors.New("vault: invalid request")
	// ErrTampered: stored data fails authentication. Never served.
	ErrTampered = errors.New("vault: stored data was changed outside the vault")
)

// away is a reason to be unavailable.
type away string

func (a away) Error() string      { return "vault: " + string(a) }
func (away) Is(target error) bool { return target == ErrUnavailable }

// Version is the latest version of a document.
type Version struct {
	Number int // 1, 2, …
	Data   Data
}

// Metadata is what is known of a path apart from its data.
type Metadata struct {
	CurrentVersion int
	CreatedAt      time.Time
	UpdatedAt      time.Time
}

// KV is a key-value store with the semantics of Vault's KV v2; that tool's own ways to delete,
// undelete and read former versions are left to its operator. A write that returned nil is durable.
type KV interface {
	// Get returns the latest version. ErrNotFound when there is none or the
	// latest was deleted.
	Get(ctx context.Context, path string) (Version, error)
	// Put writes a new version and returns its number. cas is the version
	// that must be current: 0 for "does not exist yet", otherwise ErrCAS. A
	// deleted version still counts as current. The engine may keep data: it
	// must not be changed afterwards.
	Put(ctx context.Context, path string, data Data, cas int) (int, error)
	// Metadata returns what is known of a path. ErrNotFound when nothing was
	// ever there.
	Metadata(ctx context.Context, path string) (Metadata, error)
	// DestroyPath removes a path with all its versions and metadata. An absent path is no error.
	DestroyPath(ctx context.Context, path string) error
	// List returns the entries directly below prefix (either "" or a path
	// without a trailing slash), sorted; those that have entries below them
	// end in "/". Deleted ones are listed too. An empty list is no error.
	List(ctx context.Context, prefix string) ([]string, error)
}

// SignRequest asks for one end-entity certificate. The extensions that the
// CSR asks for are never copied: names and usages come from here alone. CRL
// distribution point and CA issuer URL are the engine's own and the same for
// every certificate.
type SignRequest struct {
	CSR        CSR    // its signature is checked
	Usage      Usage  // zero: DefaultUsage of the key
	CommonName string // required

	Organization, OrganizationalUnit, Country string // empty: none

	Emails    []string
	DNSNames  []string
	IPs       []string
	URIs      []string
	UPN       string        // user principal name ([MS-WCCE], section 2.2.2.7.7.4); empty: none
	Principal Principal     // zero: none. A remote engine leaves it out
	SID       string        // S-1-5-… (KB5014754). A remote engine puts it into a URI
	TTL       time.Duration // zero is the role's maximum (8760h); never past the CA's notAfter
}

// Usage is what a certificate may be used for.
type Usage struct {
	Profile  string // whose usages these are; a remote engine has a role for each
	Key      x509.KeyUsage
	Purposes []asn1.ObjectIdentifier // extended key usages
}

// DefaultUsage is the specification's: clientAuth and emailProtection, digitalSignature and, for a
// key that can encipher, keyEncipherment, which EC and Ed25519 keys can't (RFC 5480, section 3;
// RFC 8410, section 5).
func DefaultUsage(key crypto.PublicKey) Usage {
	u := Usage{Profile: "default", Key: x509.KeyUsageDigitalSignature, Purposes: []asn1.ObjectIdentifier{
		{1, 3, 6, 1, 5, 5, 7, 3, 2}, {1, 3, 6, 1, 5, 5, 7, 3, 4},
	}}
	if _, ok := key.(*rsa.PublicKey); ok {
		u.Key |= x509.KeyUsageKeyEncipherment
	}
	return u
}

// Principal is a Kerberos principal of one component (RFC 4556, section 3.2.2).
type Principal struct{ Name, Realm string }

func (p Principal) String() string { return p.Name + "@" + p.Realm }

// Prepared is a certificate that has passed every check before its signature.
type Prepared interface {
	// Unsigned returns what is known of the certificate before its signature.
	Unsigned() Unsigned
	// Sign signs it, once: a second call is an error, and signs nothing. A remote
	// engine may still answer ErrInvalid, or ErrDenied with a *Withdrawn.
	Sign(ctx context.Context) (Issued, error)
}

// Unsigned is what an engine knows of a certificate that it is about to sign: nothing, if its vault
// shows none before.
type Unsigned struct {
	Serial   string   // as in Issued; empty: not known
	SHA256   [32]byte // of the TBSCertificate
	NotAfter time.Time
	CA       string // ID of the CA that would sign
}

// Issued is a signed certificate.
type Issued struct {
	Certificate *x509.Certificate // Raw is its DER
	Chain       [][]byte          // DER: issuer first, root last
	CA          string            // ID of the issuer
	Serial      string            // lower-case hex, even length, no leading 00, at most 20 bytes
}

// MisissuedError is the cause of an ErrDenied from Prepared.Sign: what was signed differs from
// the request, so it is issued to nobody and revoked.
type MisissuedError struct {
	Serial string // as in Issued
	Why    error
}

func (w *MisissuedError) Error() string {
	return "vault: something else was signed than was asked for: " + w.Why.Error()
}

// Unwrap returns the reason.
func (w *MisissuedError) Unwrap() error { return w.Why }

// Reason is a CRLReason of RFC 5280, section 5.3.1.
type Reason int

// The reasons that Keyward uses. certificateHold (6) and removeFromCRL (8)
// are not offered.
const (
	Unspecified          Reason = 0
	KeyCompromise        Reason = 1
	CACompromise         Reason = 2
	AffiliationChanged   Reason = 3
	Superseded           Reason = 4
	CessationOfOperation Reason = 5
	PrivilegeWithdrawn   Reason = 9
	AACompromise         Reason = 10
)

// Revocation names one certificate for the CRL. A remote engine that keeps no certificates needs
// the certificate itself; the embedded engine needs only the serial.
type Revocation struct {
	Serial      string // as in Issued
	CA          string // ID of the issuer; empty: as the certificate says, or else the first one
	At          time.Time
	Reason      Reason
	Certificate []byte    // DER; may be nil with the embedded engine
	NotAfter    time.Time // zero when unknown; an engine may drop the entry after it
}

// Unrevoked is the error of a Revoke that succeeded in part: the certificates it names are not
// revoked, the others are.
type Unrevoked struct{ Failed map[string]error } // why, by serial

func (u *Unrevoked) Error() string {
	return fmt.Sprintf("vault: %d certificates are not revoked, the first of them %v", len(u.Failed), u.Unwrap()[0])
}

// Unwrap returns the reasons, in the order of the serials.
func (u *Unrevoked) Unwrap() []error {
	var errs []error
	for _, serial := range slices.Sorted(maps.Keys(u.Failed)) {
		errs = append(errs, fmt.Errorf("%s: %w", serial, u.Failed[serial]))
	}
	return errs
}

// CRL is a signed certificate revocation list with its raw form.
type CRL struct {
	DER        []byte // shared between callers: do not change
	CA         []byte // DER of the certificate of the CA that signed it; likewise
	Number     uint64
	ThisUpdate time.Time
	NextUpdate time.Time
}

// Role is what the PKI signs; see DefaultRole.
type Role struct {
	KeyTypes []piv.KeyType // accepted subject key types: RSA2048 unless PKI_KEY_TYPES allows more
	MaxTTL   time.Duration
}

// DefaultRole has the settings that the specification lists: RSA 2048 only,
// 8760 hours at most.
func DefaultRole() Role {
	return Role{KeyTypes: []piv.KeyType{piv.RSA2048}, MaxTTL: 8760 * time.Hour}
}

// PKI is a set of certificate authorities.
type PKI interface {
	// Prepare checks and lints a request; it signs and writes nothing. ErrInvalid
	// when the CSR does not fit the role; a CSRRejected fault, too, where the
	// engine knows why.
	Prepare(ctx context.Context, req SignRequest) (Prepared, error)
	// Revoke puts certificates on the CRLs of their CAs; when it returns nil, that is durable and
	// CRL shows it. Revoking again changes nothing and is no error: the first time and
	// reason stay, except that KeyCompromise replaces another reason. If some of
	// several could not be revoked, the error is an *Unrevoked, and the others are;
	// after any other error, possibly none is.
	Revoke(ctx context.Context, revocations ...Revocation) error
	// CRL returns a CA's current list, newly signed when a revocation or time
	// demands it. Its number never decreases, across restarts too. ErrNotFound for a CA
	// that the engine does not have, or that was only requested.
	CRL(ctx context.Context, ca string) (CRL, error)
	// CAs returns the certificate authorities, the active one first.
	CAs(ctx context.Context) ([]CA, error)
	// NewCA makes a key, and a certificate or a CSR of it. It changes nothing that is signed.
	NewCA(ctx context.Context, want NewCA) (CA, error)
	// InstallCA gives a requested CA its chain, DER, which the caller has judged (pki.CheckAuthority).
	// The same again is no error; ErrCAS if it has another; ErrNotFound.
	InstallCA(ctx context.Context, ca string, chain [][]byte) error
	// ActivateCA makes an installed CA sign from now on, in place of the one before. ErrNotFound.
	ActivateCA(ctx context.Context, ca string) error
	// WithdrawCA forgets a requested CA and its key. ErrCAS if it has a certificate; ErrNotFound.
	WithdrawCA(ctx context.Context, ca string) error
	// IssueResponder signs the certificate of a CA's delegated OCSP signer (RFC 6960,
	// section 4.2.2.2): OCSPSigning alone, digitalSignature, id-pkix-ocsp-nocheck, for
	// ResponderTTL, never past the CA's notAfter. No list shows it, and nobody revokes
	// it.
	IssueResponder(ctx context.Context, ca string, key crypto.Signer) (*x509.Certificate, error)
}

// RolesPath is the document in which the setup of a remote vault tells the server which roles it
// made: the server may not read roles.
const RolesPath = "certificate_profiles/roles"

// RequestsFolder has the CSRs of a remote vault's requested CAs, by ID.
const RequestsFolder = "certificate_authorities"

// EnginesOwn reports whether a document is a remote engine's or its setup's own.
func EnginesOwn(path string) bool {
	id, request := strings.CutPrefix(path, RequestsFolder+"/")
	return path == RolesPath || request && len(id) == len(CAID(nil))
}

// RevokedLister is a PKI that can list what it has revoked. The reconciler uses it to repair what a
// crash left between vault and database.
type RevokedLister interface {
	// Revoked yields every revoked serial with its time and reason, in no
	// particular order, until the callback returns an error.
	Revoked(ctx context.Context, each func(Revocation) error) error
}

// Numbered is a PKI whose CRL number can be raised: after a restore, the next one must be above all
// that were ever published.
type Numbered interface {
	// CRLNumber returns the number of a CA's last CRL, and its thisUpdate, zero if that is not known.
	// It builds none.
	CRLNumber(ctx context.Context, ca string) (number uint64, thisUpdate time.Time, err error)
	// RaiseCRL has CRLs built until the number is above the given one. each, if not nil, gets
	// numbers on the way, one soon after the start; its error ends the raising and is returned.
	// ErrInvalid, and nothing is built, if CheckRaise refuses the number.
	RaiseCRL(ctx context.Context, ca string, above uint64, each func(number uint64) error) error
}

// IssuedLister is a PKI that can list what it has signed. A remote vault keeps it. The embedded
// engine has the serial numbers that it logged (package intentlog) and no certificates: these
// exist only in memory until they are recorded.
type IssuedLister interface {
	// Issued yields serial numbers, some of them twice, in no particular order, until the callback
	// returns an error. A logged certificate may never have been signed.
	Issued(ctx context.Context, each func(serial string) error) error
	// Certificate returns DER; ErrNotFound if the engine keeps none with that serial number.
	Certificate(ctx context.Context, serial string) ([]byte, error)
	// RevokesBySerial reports whether Revoke accepts any serial number. Otherwise it needs the
	// certificate itself, unless the engine keeps it.
	RevokesBySerial() bool
}

// State is how the vault stands.
type State string

// The states, as the health response spells them.
const (
	Connected    State = "connected"
	Disconnected State = "disconnected"
	Sealed       State = "sealed"
	// Denied: the vault is there, and refuses Keyward's credentials. The health response says
	// disconnected.
	Denied State = "denied"
)

// Engine is a whole vault.
type Engine interface {
	KV
	PKI
	// State asks how the vault stands. It never blocks for longer than the
	// context allows and has no error: a vault that does not answer is
	// Disconnected.
	State(ctx context.Context) State
	Close() error
}
