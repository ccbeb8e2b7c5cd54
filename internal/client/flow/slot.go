package flow

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/piv"
)

// slot is what card and service report about one slot.
type slot struct {
	client.Slot
	records []client.Certificate // the service's for this slot, newest first
	present *client.Certificate  // the record of the certificate on the card; nil: none, or not ours
}

// live reports whether a record is neither revoked nor expired.
func live(c *client.Certificate) bool { return c != nil && c.Status == "issued" }

// told returns what the agent reports, or empty.
func told(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

// foreign reports whether the card's certificate is not ours.
func (s slot) foreign() bool { return s.Certificate != nil && s.present == nil }

// otherKey reports whether the card's certificate is certainly for another key than the
// slot's. A renewal that stopped after generating the key leaves that.
func (s slot) otherKey() bool {
	return s.Certificate != nil && s.PublicKeySHA256 != nil && *s.PublicKeySHA256 != s.Certificate.PublicKeySHA256
}

// key returns the SHA-256 of the slot's key, as far as the card reports it; else empty.
func (s slot) key() string {
	if s.PublicKeySHA256 != nil {
		return *s.PublicKeySHA256
	}
	if s.Certificate != nil {
		return s.Certificate.PublicKeySHA256
	}
	return ""
}

// readSlot reads the slot anew: this attempt may have changed the card.
func (r *run) readSlot(ctx context.Context) (slot, error) {
	if err := r.readCard(ctx, strings.ToLower(r.Slot)); err != nil {
		return slot{}, err
	}
	all, err := r.Backend.DeviceCertificates(ctx, r.Serial)
	if err != nil {
		return slot{}, err
	}
	var s slot
	if i := slices.IndexFunc(r.info.Slots, func(c client.Slot) bool { return strings.EqualFold(c.Slot, r.Slot) }); i >= 0 {
		s.Slot = r.info.Slots[i]
	}
	for _, c := range all {
		if strings.EqualFold(c.Slot, r.Slot) {
			s.records = append(s.records, c)
		}
	}
	if s.Certificate != nil {
		i := slices.IndexFunc(s.records, func(c client.Certificate) bool { return c.SerialNumber == s.Certificate.SerialNumber })
		if i >= 0 {
			s.present = &s.records[i]
		}
	}
	return s, nil
}

// keyCompromised is the reason that concerns only the slot's current key.
const keyCompromised = "key_compromised"

// ready checks whether a CSR would be signed before a key is generated or lost, and
// records whether the current key is compromised.
func (r *run) ready(ctx context.Context, s slot) (client.Subject, error) {
	r.tell(StepReadiness, "Checking that a certificate can be issued")
	got, err := r.Backend.SigningReadiness(ctx, r.Serial, r.Slot, s.key())
	if err != nil {
		return client.Subject{}, err
	}
	others := slices.DeleteFunc(slices.Clone(got.Reasons), func(reason string) bool { return reason == keyCompromised })
	r.compromised = len(others) < len(got.Reasons)
	if len(others) > 0 {
		o := &Stop{Code: NotReady, Text: "This token can't get a certificate right now: " + strings.Join(others, ", ") +
			". No key was created.", Reasons: others}
		o.WaysOut = []string{"Have this fixed, then run the same command again."}
		return client.Subject{}, o
	}
	r.wanted = wanted{cmp.Or(piv.KeyType(got.KeyType), piv.RSA2048), got.PINPolicy, got.TouchPolicy}
	return client.Subject{CommonName: got.Subject.CommonName, Email: got.Subject.Email}, nil
}

// wanted is how the profile wants a new key; empty policies: any.
type wanted struct {
	Type                   piv.KeyType
	PINPolicy, TouchPolicy string
}

// fits reports whether a key with these policies, as far as the token tells them, will do.
func (w wanted) fits(pin, touch *string) bool {
	return (w.PINPolicy == "" || pin == nil || *pin == w.PINPolicy) && (w.TouchPolicy == "" || touch == nil || *touch == w.TouchPolicy)
}

// mode says what happens to the slot's key.
type mode int

const (
	newKey    mode = iota // the slot is empty
	reuseKey              // the key stays
	overwrite             // a new key replaces the current one
)

// csr creates a request, with a new key or the current one.
func (r *run) csr(ctx context.Context, m mode, subject client.Subject) (client.GeneratedCSR, error) {
	text := "Creating a key and a request in slot " + r.Slot + "; touch the token if it blinks"
	if m == reuseKey {
		text = "Creating a request with the key in slot " + r.Slot + "; touch the token if it blinks"
	}
	r.tell(StepKey, text)
	n := client.NewCSR{
		Slot: r.Slot, PIN: r.proven[piv.PIN].Secret(), ManagementKey: r.proven[piv.ManagementKey].Optional(),
		Subject: subject, Overwrite: m == overwrite, ReuseKey: m == reuseKey,
	}
	if m != reuseKey {
		n.PINPolicy, n.TouchPolicy = r.wanted.PINPolicy, r.wanted.TouchPolicy
		if r.wanted.Type != piv.RSA2048 { // which every agent makes, older ones without knowing key_type
			n.KeyType = string(r.wanted.Type)
		}
	}
	return r.Agent.GenerateCSR(ctx, r.Serial, n)
}

// sign has a request signed. Without a valid attestation, the server requires the same
// of the user as before a release of secrets.
func (r *run) sign(ctx context.Context, c client.GeneratedCSR) (signed client.Signed, err error) {
	return r.signAs(ctx, c, false)
}

// signAs is sign; a renewal gets a new certificate for a key that has one.
func (r *run) signAs(ctx context.Context, c client.GeneratedCSR, renewal bool) (signed client.Signed, err error) {
	request := client.CSR{CSR: c.CSR, Slot: r.Slot, Attestation: c.Attestation, Reason: r.Reason, Renew: renewal}
	err = r.registered(ctx, func() error {
		return r.recently(ctx, func() error {
			signed, err = r.Backend.SignCSR(ctx, r.Serial, request)
			return err
		})
	})
	return signed, err
}

// issue has a request signed and stores the certificate on the card.
func (r *run) issue(ctx context.Context, c client.GeneratedCSR) (Result, error) {
	r.tell(StepSign, "Having the certificate issued")
	signed, err := r.sign(ctx, c)
	if err != nil {
		return Result{}, err
	}
	return r.install(ctx, signed)
}

func (r *run) install(ctx context.Context, signed client.Signed) (Result, error) {
	r.tell(StepImport, "Storing the certificate in slot "+r.Slot)
	err := r.Agent.ImportCertificate(ctx, r.Serial, client.Import{
		Slot: r.Slot, Certificate: signed.Certificate,
		ManagementKey: r.proven[piv.ManagementKey].Secret(), PIN: r.proven[piv.PIN].Optional(),
	})
	if err != nil {
		return Result{}, err
	}
	return r.confirm(ctx, client.Certificate{SerialNumber: signed.SerialNumber, NotAfter: signed.NotAfter})
}

// confirm reports that the card holds the certificate.
func (r *run) confirm(ctx context.Context, c client.Certificate) (Result, error) {
	r.tell(StepInstalled, "Recording that the certificate is on the token")
	return r.result(c), r.Backend.Installed(ctx, c.SerialNumber)
}

func (r *run) result(c client.Certificate) Result {
	return Result{
		Serial: r.Serial, Slot: r.Slot,
		CertificateSerialNumber: c.SerialNumber, NotAfter: c.NotAfter.UTC().Format("2006-01-02T15:04:05Z"),
	}
}

// mayOverwrite asks before something is lost that Keyward did not store, and before a
// decryption key is replaced: old messages need it.
func (r *run) mayOverwrite(ctx context.Context, text string) error {
	if r.planned && r.Slot == string(piv.KeyManagement) { // whoever loses that key loses the mail: only who names the slot may
		return &Stop{Code: Occupied, Text: "Slot " + r.Slot + " was kept as it is.", WaysOut: []string{"Set up that slot by itself."}}
	}
	yes, err := r.ask(ctx, AskOverwrite, text)
	if err != nil {
		return err
	}
	if !yes {
		return &Stop{Code: Occupied, Text: "Slot " + r.Slot + " was kept as it is.",
			WaysOut: []string{"Run the same command again and agree, or choose a different slot."}}
	}
	return nil
}
