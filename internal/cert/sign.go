package cert

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
)

// Signed is the outcome of Sign.
type Signed struct {
	Certificate Certificate
	Chain       [][]byte // DER, issuer first
	Existed     bool     // the same CSR was signed before
	Warnings    []string // what the CSR asks for in vain, and an early end; English text for people
}

// SignRequest asks for a certificate.
type SignRequest struct {
	CSR         string   // PEM
	Slot        string   // empty: 9a
	Profile     string   // empty: the slot's
	Attestation []string // PEM: the slot's and its F9's; empty: those in the CSR, if any
	Reason      string   // required for someone else's token
	// Renew asks for another certificate though the same CSR has a live one.
	Renew bool
}

// renewAgain is how long a renewed certificate that nobody has reported as installed is returned to
// whoever asks for the renewal again: the answer may have been lost.
const renewAgain = time.Hour

// renewable reports whether a renewal replaces this live certificate.
func (c Certificate) renewable(now time.Time) bool {
	return c.InstalledAt != nil || now.Sub(c.NotBefore) > renewAgain
}

// Sign issues a certificate for a key on a token. The certificate is returned only
// after its record and audit entry are durable. Repeating a CSR while its
// certificate is live returns that certificate, unless it is to be renewed. A compromised
// key gets none.
func (s *Service) Sign(ctx context.Context, a access.Actor, scope access.Scope, serial string, r SignRequest) (Signed, error) {
	c, err := s.candidate(ctx, a, scope, serial, r)
	if err != nil {
		return Signed{}, err
	}
	cas, err := s.PKI.CAs(ctx)
	if err != nil {
		return Signed{}, vault.Fault(err)
	}
	switch before, err := s.Store.LiveByCSR(ctx, c.csr(), c.keyHash(), s.Now()); {
	case err == nil && r.Renew && before.renewable(s.Now()):
		c.renews = before.SerialNumber
	case err == nil:
		return c.signed(before, cas, true)
	case !fault.Is(err, fault.NotFound):
		return Signed{}, err
	}
	if s.SigningBlocked != nil {
		if err := s.SigningBlocked(ctx); err != nil {
			return Signed{}, err
		}
	}
	if err := s.mayGrow(ctx, c.device.Serial, c.slot); err != nil {
		return Signed{}, err
	}
	if err := s.maySign(ctx, c); err != nil {
		return Signed{}, err
	}
	if c.statement == nil {
		ctx = access.DemandRecent(ctx) // also checked where it is recorded
	}
	prepared, err := s.PKI.Prepare(ctx, c.request)
	if err != nil {
		return Signed{}, refusal(err)
	}
	i := c.issuance(prepared.Unsigned())
	intent, err := s.Issuances.Record(ctx, i)
	if err != nil {
		return Signed{}, vault.Fault(err)
	}
	signed, err := s.issue(ctx, c, prepared, cas, &i)
	if i.Outcome != "" {
		s.Issuances.Conclude(intent, i)
	}
	return signed, err
}

// issue has a certificate signed and recorded, and sets the issuance's outcome. It
// stays empty where the answer of vault or database was lost, or the revocation
// failed: ReconcileIssuances finds out.
func (s *Service) issue(
	ctx context.Context, c candidate, prepared vault.Prepared, cas []vault.CA, i *intentlog.Issuance,
) (Signed, error) {
	issued, err := prepared.Sign(ctx)
	if err != nil {
		err = refusal(err)
		if withdrawn, ok := errors.AsType[*vault.MisissuedError](err); ok {
			i.SerialNumber, i.Outcome = withdrawn.Serial, intentlog.Discarded
		} else if unsigned(err) {
			i.Outcome = intentlog.NotSigned
		}
		return Signed{}, err
	}
	record := c.record(issued)
	entry := c.entry(record, issued.Chain)
	i.SetCertificate(issued.Certificate)
	i.SetEntry(entry)
	stored, existed, err := s.Store.InsertCertificate(ctx, record, entry, c.notices(record, s.Now())...)
	switch {
	case err == nil && !existed:
		i.Outcome = intentlog.Recorded
	case err == nil || refused(err):
		if s.discard(ctx, record) {
			i.Outcome = intentlog.Discarded
		}
	}
	if err != nil {
		return Signed{}, err
	}
	if !existed {
		cas = []vault.CA{{ID: issued.CA, Chain: issued.Chain}} // another one may have become active meanwhile
	}
	return c.signed(stored, cas, existed)
}

// refusal is the fault for an error of the CA.
func refusal(err error) error {
	if errors.Is(err, vault.ErrInvalid) && !fault.Is(err, fault.CSRRejected) && !fault.Is(err, fault.ProfileUnsupported) {
		return fault.New(fault.CSRRejected, "ca_refused",
			"The CA refuses this CSR. Ask an administrator which keys and names its role allows.").With(err)
	}
	return vault.Fault(err)
}

func (c candidate) signed(record Certificate, cas []vault.CA, existed bool) (Signed, error) {
	chain, err := chainOf(cas, record.DER)
	if err != nil {
		return Signed{}, err
	}
	warns, err := warnings(c.request.CSR.Request(), record.DER, chain)
	return Signed{record, chain, existed, warns}, err
}

// chainOf returns the chain of the CA that signed a certificate; empty if the vault no longer has that CA.
func chainOf(cas []vault.CA, der []byte) ([][]byte, error) {
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil, err
	}
	ca, _ := vault.IssuerOf(cas, cert)
	return ca.Chain, nil
}

// unsigned reports whether a vault error means that nothing was signed.
func unsigned(err error) bool {
	return !fault.Is(err, fault.VaultUnavailable) || errors.Is(err, vault.ErrDenied) || errors.Is(err, vault.ErrBusy)
}

// refused reports whether a database error is its answer to the request rather than
// a failure on the way: then nothing was written.
func refused(err error) bool {
	f, ok := fault.As(err)
	return ok && f.Code != fault.DatabaseUnavailable && f.Code != fault.Internal
}

// candidate is a requested certificate: the requester, the token, and what is known of its key.
type candidate struct {
	actor     access.Actor
	device    hwkey.Device
	slot      string
	profile   string
	reason    string
	request   vault.SignRequest
	csrHash   string
	statement *pki.Statement // nil: no attestation that counts
	renews    string         // serial number of the live certificate of the same CSR; empty: none, or not to be renewed
}

func (c candidate) csr() CSR { return CSR{c.device.Serial, c.slot, c.csrHash, c.profile} }

// candidate parses a request and checks whatever does not depend on the requester.
func (s *Service) candidate(ctx context.Context, a access.Actor, scope access.Scope, serial string, r SignRequest) (candidate, error) {
	slot, err := checkSlot(r.Slot)
	if err != nil {
		return candidate{}, err
	}
	reason, err := hwkey.CheckReason(r.Reason)
	if err != nil {
		return candidate{}, err
	}
	d, err := s.Devices.Device(ctx, scope, serial)
	if err != nil {
		return candidate{}, err
	}
	csr, err := parseCSR(r.CSR)
	if err != nil {
		return candidate{}, err
	}
	if reasons := s.obstacles(d); len(reasons) > 0 {
		return candidate{}, reasons[0].err
	}
	p, err := s.Profiles.Of(ctx, r.Profile, piv.Slot(slot), piv.KeyTypeOf(csr.Request().PublicKey), d.OrganizationID)
	if err != nil {
		return candidate{}, err
	}
	request, err := s.request(p, csr, d, piv.Slot(slot))
	if err != nil {
		return candidate{}, err
	}
	keys := s.Keys
	keys.Attestation = stricter(keys.Attestation, AttestationMode(p.Attestation))
	attestation := r.Attestation
	if len(attestation) == 0 {
		attestation = pki.StapledAttestation(csr.Request().Extensions)
	}
	statement, err := keys.judge(csr.Request().PublicKey, d, slot, attestation)
	if err == nil {
		err = p.CheckStatement(statement)
	}
	if err != nil {
		return candidate{}, err
	}
	return candidate{
		actor: a, device: d, slot: slot, profile: p.Name, reason: reason, request: request,
		csrHash: hexSHA256(csr.Request().Raw), statement: statement,
	}, nil
}

// entry returns the certificate's audit entry.
func (c candidate) entry(record Certificate, chain [][]byte) audit.Entry {
	attested := "not attested"
	if record.Attestation != nil {
		attested = "attested by " + record.Attestation.Root
	}
	if until, short := shortened(record.NotAfter, chain); short {
		attested += ", ends with the CA on " + until.UTC().Format(time.DateOnly)
	}
	return audit.By(c.actor, audit.CertificateIssued, "certificate", record.SerialNumber,
		fmt.Sprintf("%sprofile %s, subject %s%s, %s", intentlog.OfToken(c.device.Serial, c.slot), c.profile, record.Subject,
			alternatives(record.SANs), attested)).
		In(c.device.OrganizationID).Because(c.reason)
}

// alternatives are a certificate's other names in the audit log.
func alternatives(sans []SAN) (text string) {
	for _, san := range sans {
		text += ", " + san.Type + " " + san.Value
	}
	return text
}

// notices is the notice to the token's owner of a certificate that someone else requested.
func (c candidate) notices(record Certificate, now time.Time) []notify.Message {
	if c.device.OwnedBy(c.actor) || c.device.OwnerID == nil {
		return nil
	}
	return []notify.Message{{
		To: notify.Audience{UserID: *c.device.OwnerID}, Kind: notify.CertificateIssued, At: now,
		Params: notify.Params{
			"by": c.actor.Username, "serial": c.device.Serial, "label": c.device.Label, "slot": c.slot, "reason": c.reason,
			"certificate": record.SerialNumber, "attested": strconv.FormatBool(c.statement != nil),
		},
	}}
}

// issuance is what the vault logs before it signs.
func (c candidate) issuance(u vault.Unsigned) intentlog.Issuance {
	i := intentlog.Issuance{
		HWKeySerial: c.device.Serial, Slot: c.slot, Account: c.actor.UserID, APIKey: c.actor.APIKeyID,
		CSRSHA256: c.csrHash, PublicKeySHA256: c.keyHash(),
	}
	i.SetUnsigned(u)
	return i
}

// record is what the database has of the certificate.
func (c candidate) record(issued vault.Issued) Certificate {
	d := c.device
	record := describe(issued.Certificate)
	record.SerialNumber, record.HWKeySerial, record.Slot = issued.Serial, d.Serial, c.slot
	record.CSRSHA256, record.IssuedBy, record.Attestation = c.csrHash, c.actor.Username, proof(c.statement)
	record.OwnerID, record.OrganizationID, record.Generation = d.OwnerID, d.OrganizationID, d.Generation
	record.OwnerUsername, record.OwnerName, record.OwnerEmail = d.OwnerUsername, d.OwnerName, d.OwnerEmail
	record.OwnerUPN, record.OwnerSID, record.Profile, record.Renews = d.OwnerUPN, d.OwnerSID, c.profile, c.renews
	return record
}

// discard revokes a certificate that was signed but not recorded.
func (s *Service) discard(ctx context.Context, c Certificate) (revoked bool) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), publishTimeout)
	defer cancel()
	err := s.PKI.Revoke(ctx, vault.Revocation{
		Serial: c.SerialNumber, At: s.Now(), Reason: vault.CessationOfOperation, Certificate: c.DER, NotAfter: c.NotAfter,
	})
	if err != nil {
		s.Log.Error("a certificate that could not be recorded is not revoked yet; the reconciler keeps trying",
			"serial_number", c.SerialNumber, "error", err)
	}
	return err == nil
}
