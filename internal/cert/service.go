package cert

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
)

// Devices tells of the tokens that certificates are for.
type Devices interface {
	Device(ctx context.Context, scope access.Scope, serial string) (hwkey.Device, error)
}

// Publisher shows new revocations on the published CRL.
type Publisher interface {
	Refresh(ctx context.Context) error
}

// Service is the domain's face to the edges.
type Service struct {
	Store   Store
	Devices Devices
	PKI     vault.PKI
	CRL     Publisher
	Policy  SubjectPolicy
	Log     *slog.Logger
	Now     func() time.Time

	publishing sync.Mutex   // one carrier at a time
	carried    atomic.Int64 // how often revocations went to the vault
	shown      atomic.Int64 // up to which of these the published CRL shows
}

func checkSlot(slot string) (string, error) {
	if slot == "" {
		return string(piv.Authentication), nil
	}
	if !piv.Slot(slot).Valid() {
		return "", fault.Invalid(fault.NotOneOf("slot", piv.Slots...))
	}
	return slot, nil
}

// Signed is the outcome of Sign.
type Signed struct {
	Certificate Certificate
	Chain       [][]byte // DER, issuer first
	Existed     bool     // the same CSR had been signed before
}

// Sign issues a certificate for a key on a token. Certificate, record and
// audit entry stand or fall together: the certificate is handed out only
// after the other two are durable. The same CSR again, while its certificate
// lives, gives that certificate.
func (s *Service) Sign(ctx context.Context, a access.Actor, scope access.Scope, serial, csrPEM, slot string) (Signed, error) {
	slot, err := checkSlot(slot)
	if err != nil {
		return Signed{}, err
	}
	d, err := s.Devices.Device(ctx, scope, serial)
	if err != nil {
		return Signed{}, err
	}
	csr, err := parseCSR(csrPEM)
	if err != nil {
		return Signed{}, err
	}
	if reasons := s.obstacles(d); len(reasons) > 0 {
		return Signed{}, reasons[0].err
	}
	request, err := s.Policy.names(csr, d)
	if err != nil {
		return Signed{}, err
	}
	sum := sha256.Sum256(csr.Request().Raw)
	csrHash := hex.EncodeToString(sum[:])
	chain, err := s.PKI.Chain(ctx)
	if err != nil {
		return Signed{}, vault.Fault(err)
	}
	switch before, err := s.Store.LiveByCSR(ctx, d.Serial, slot, csrHash, s.Now()); {
	case err == nil:
		return Signed{before, chain, true}, nil
	case !fault.Is(err, fault.NotFound):
		return Signed{}, err
	}
	record, err := s.issue(ctx, a, d, slot, csrHash, request)
	if err != nil {
		return Signed{}, err
	}
	stored, existed, err := s.Store.InsertCertificate(ctx, record,
		audit.By(a, audit.CertificateIssued, "certificate", record.SerialNumber,
			fmt.Sprintf("token %s, slot %s, subject %s", d.Serial, slot, record.Subject)).In(d.OrganizationID))
	if err != nil || existed {
		s.discard(ctx, record)
	}
	return Signed{stored, chain, existed}, err
}

func (s *Service) issue(
	ctx context.Context, a access.Actor, d hwkey.Device, slot, csrHash string, request vault.SignRequest,
) (Certificate, error) {
	issued, err := s.PKI.Sign(ctx, request)
	if fault.Is(err, fault.CSRRejected) {
		return Certificate{}, err
	}
	if errors.Is(err, vault.ErrInvalid) {
		return Certificate{}, fault.New(fault.CSRRejected, "ca_refused",
			"The CA refuses this CSR. Ask an administrator which keys and names its role allows.").With(err)
	}
	if err != nil {
		return Certificate{}, vault.Fault(err)
	}
	record := describe(issued.Certificate)
	record.SerialNumber, record.HWKeySerial, record.Slot = issued.Serial, d.Serial, slot
	record.CSRSHA256, record.IssuedBy = csrHash, a.Username
	record.OwnerID, record.OrganizationID, record.Generation = d.OwnerID, d.OrganizationID, d.Generation
	record.OwnerUsername, record.OwnerEmail = d.OwnerUsername, d.OwnerEmail
	return record, nil
}

// discard revokes a certificate that was signed but not recorded, where the
// engine keeps it. The embedded engine keeps none: this copy is the only one
// and is forgotten with the request.
func (s *Service) discard(ctx context.Context, c Certificate) {
	if _, keeps := s.PKI.(vault.IssuedLister); !keeps {
		return
	}
	err := s.PKI.Revoke(context.WithoutCancel(ctx), vault.Revocation{
		Serial: c.SerialNumber, At: s.Now(), Reason: vault.CessationOfOperation, Certificate: c.DER, NotAfter: c.NotAfter,
	})
	if err != nil {
		s.Log.Error("a certificate that could not be recorded is not revoked yet; the reconciler goes on",
			"serial_number", c.SerialNumber, "error", err)
	}
}

// obstacle is why a token cannot get a certificate.
type obstacle struct {
	code string
	err  error
}

func (s *Service) obstacles(d hwkey.Device) []obstacle {
	var list []obstacle
	add := func(code string, f *fault.Error) { list = append(list, obstacle{code, f}) }
	if d.Status == hwkey.Suspended || d.Status == hwkey.Lost || d.Status == hwkey.Retired {
		add("hwkey_"+string(d.Status), fault.Newf(fault.PermissionDenied, "hwkey_out_of_use",
			"This token is {status}. Ask an administrator to bring it back.", fault.Params{"status": d.Status}))
	}
	if d.OwnerID == nil {
		add("owner_missing", fault.New(fault.Conflict, "owner_missing", "This token has no owner. Assign it first."))
	} else if !d.OwnerActive {
		add("owner_disabled", fault.New(fault.Conflict, "owner_disabled", "The account of this token's owner is disabled. Enable it first."))
	}
	if len(list) == 0 && !d.Status.Signs() {
		add("hwkey_"+string(d.Status), fault.Newf(fault.Conflict, "hwkey_not_signable",
			"This token is {status}: nothing is signed for it.", fault.Params{"status": d.Status}))
	}
	return list
}

// Readiness is the answer to signing-readiness.
type Readiness struct {
	Ready      bool
	Reasons    []string
	CommonName string
	Email      string
}

// Ready tells whether a CSR for that token and slot would be signed now,
// before a key is made or overwritten.
func (s *Service) Ready(ctx context.Context, scope access.Scope, serial, slot string) (Readiness, error) {
	if _, err := checkSlot(slot); err != nil {
		return Readiness{}, err
	}
	d, err := s.Devices.Device(ctx, scope, serial)
	if err != nil {
		return Readiness{}, err
	}
	out := Readiness{Reasons: []string{}, CommonName: d.OwnerUsername, Email: d.OwnerEmail}
	for _, o := range s.obstacles(d) {
		out.Reasons = append(out.Reasons, o.code)
	}
	if der, err := s.PKI.CA(ctx); err != nil {
		out.Reasons = append(out.Reasons, string(fault.VaultUnavailable))
	} else if ca, err := x509.ParseCertificate(der); err != nil || s.Now().After(ca.NotAfter) {
		out.Reasons = append(out.Reasons, "ca_expired")
	}
	out.Ready = len(out.Reasons) == 0
	return out, nil
}

// Get is NotFound outside scope.
func (s *Service) Get(ctx context.Context, scope access.Scope, serialNumber string) (Certificate, error) {
	return s.Store.Certificate(ctx, scope, serialNumber)
}

// LiveOf returns the live certificates of tokens that the actor may see.
func (s *Service) LiveOf(ctx context.Context, hwkeySerials []string) (map[string][]Certificate, error) {
	if len(hwkeySerials) == 0 {
		return nil, nil
	}
	return s.Store.LiveOf(ctx, hwkeySerials, s.Now())
}

// List returns the certificates in scope, newest first.
func (s *Service) List(ctx context.Context, scope access.Scope, f Filter, p page.Request) (page.Page[Certificate], error) {
	if f.Status != "" && f.Status != Issued && f.Status != Revoked && f.Status != Expired {
		return page.Page[Certificate]{}, fault.Invalid(fault.NotOneOf("status", Issued, Revoked, Expired))
	}
	f.Now = s.Now()
	return s.Store.ListCertificates(ctx, scope, f, p)
}

// PEM encodes a certificate.
func PEM(der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}
