package agent

import (
	"context"
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strings"

	wire "github.com/keyward/keyward/api/agent"
	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
)

// generation is one generate-csr request with its secrets opened.
type generation struct {
	driver        driver.Driver
	serial        string
	slot          piv.Slot
	pin           secret.String
	managementKey secret.String
	subject       driver.Subject
	newKey        driver.NewKey
	overwrite     bool
	reuse         bool
}

func (s *server) generateCSR(ctx context.Context, in *body[wire.GenerateCSRRequest]) (*body[wire.GenerateCSRResult], error) {
	b := &in.Body
	o := s.opener(ctx, b.Encrypted, b.Serial)
	g := generation{
		driver: s.driver, serial: b.Serial, slot: slotOr9a(b.Slot), overwrite: b.Overwrite, reuse: b.ReuseKey,
		newKey: driver.NewKey{Type: piv.KeyType(b.KeyType), PIN: b.PINPolicy, Touch: b.TouchPolicy},
		subject: driver.Subject{
			CommonName: b.Subject.CommonName, Organization: b.Subject.Organization, OrganizationalUnit: b.Subject.OrganizationalUnit,
			Locality: b.Subject.Locality, Province: b.Subject.Province, Country: b.Subject.Country,
		},
	}
	g.pin = o.pin("pin", b.PIN)
	if b.ManagementKey != nil {
		g.managementKey = o.managementKey("management_key", *b.ManagementKey)
	}
	if o.err != nil {
		return nil, o.err
	}
	if err := checkGeneration(b); err != nil {
		return nil, err
	}
	var out wire.GenerateCSRResult
	err := s.hold(ctx, func(ctx context.Context) (err error) {
		out, err = g.run(ctx)
		return err
	})
	if err != nil {
		return nil, err
	}
	return reply(out), nil
}

func slotOr9a(slot string) piv.Slot {
	if slot == "" {
		return piv.Authentication
	}
	return piv.Slot(slot)
}

func checkGeneration(b *wire.GenerateCSRRequest) error {
	switch {
	case !b.ReuseKey && b.ManagementKey == nil:
		return fault.Invalid(fault.Wrong("management_key", "needed_for_key", "is required to create a key"))
	case b.ReuseKey && b.Overwrite:
		return fault.Invalid(fault.Wrong("overwrite", "contradicts_reuse_key", "contradicts reuse_key; choose one"))
	case b.ReuseKey && b.KeyType+b.PINPolicy+b.TouchPolicy != "":
		return fault.Invalid(fault.Wrong("reuse_key", "policies_of_new_key",
			"cannot be combined with key_type, pin_policy and touch_policy, which belong to a new key"))
	}
	for name, value := range map[string]string{ // their lengths are limited by the schema
		"subject.common_name": b.Subject.CommonName, "subject.organization": b.Subject.Organization,
		"subject.organizational_unit": b.Subject.OrganizationalUnit,
		"subject.locality":            b.Subject.Locality, "subject.province": b.Subject.Province,
	} {
		if !textinput.ValidLine(value, len(value)) || value != strings.TrimSpace(value) {
			return fault.Invalid(fault.Wrong(name, "no_plain_text", "must be plain text without control characters or spaces at its ends"))
		}
	}
	return nil
}

// run generates the key and the request, and verifies the request before
// returning it.
func (g *generation) run(ctx context.Context) (wire.GenerateCSRResult, error) {
	card, err := g.driver.Inspect(ctx, g.serial)
	if err != nil {
		return wire.GenerateCSRResult{}, err
	}
	key, err := g.key(ctx, card)
	if err != nil {
		return wire.GenerateCSRResult{}, err
	}
	der, err := g.driver.Request(ctx, g.serial, g.slot, g.pin, key, g.subject)
	if err != nil {
		return wire.GenerateCSRResult{}, err
	}
	csr, err := verifiedRequest(der, key)
	if err != nil {
		return wire.GenerateCSRResult{}, fault.New(fault.ToolFailed, "csr_unverified",
			"The request doesn't verify with the slot's key. Create a new key in the slot.").With(err)
	}
	chain, err := g.driver.Attest(ctx, g.serial, g.slot)
	if err != nil {
		return wire.GenerateCSRResult{}, err
	}
	out := wire.GenerateCSRResult{
		CSR: encodePEM("CERTIFICATE REQUEST", der), Attestation: []string{}, PublicKeySHA256: hash(csr.RawSubjectPublicKeyInfo),
	}
	for _, c := range chain {
		out.Attestation = append(out.Attestation, encodePEM("CERTIFICATE", c.Raw))
	}
	return out, nil
}

// key returns the slot's current key, or generates a new one.
func (g *generation) key(ctx context.Context, card driver.Card) (crypto.PublicKey, error) {
	slot := card.Slots[g.slot]
	if g.reuse {
		return slotKey(ctx, g.driver, g.serial, g.slot, slot, slot.Certificate)
	}
	if slot.Occupied() && !g.overwrite {
		return nil, fault.New(fault.SlotOccupied, "",
			"The slot has a key or a certificate. Choose overwrite, which destroys the key, or reuse_key.")
	}
	if err := ownKey(card); err != nil {
		return nil, err
	}
	// A wrong PIN would only show at the request, when the old key is already
	// gone. So the PIN is tried first, by changing it to itself.
	if err := g.driver.ChangePIN(ctx, g.serial, g.pin, g.pin); err != nil {
		return nil, err
	}
	return g.driver.GenerateKey(ctx, g.serial, g.slot, g.managementKey, g.newKey)
}

// slotKey finds a slot's public key: in the token's metadata, its attestation
// (firmware 4.3), or the slot's certificate if the caller trusts it.
func slotKey(
	ctx context.Context, d driver.Driver, serial string, name piv.Slot, slot driver.SlotState, trusted *x509.Certificate,
) (crypto.PublicKey, error) {
	if slot.Key != nil {
		return slot.Key, nil
	}
	chain, err := d.Attest(ctx, serial, name)
	if err != nil {
		return nil, err
	}
	if len(chain) > 0 {
		return chain[0].PublicKey, nil
	}
	if trusted != nil {
		return trusted.PublicKey, nil
	}
	return nil, fault.New(fault.Conflict, "no_key", "The slot has no key, or the token doesn't report it. Create a new key in it.")
}

// verifiedRequest parses a request and verifies that it is signed by the key that
// it names, and that this is the slot's key.
func verifiedRequest(der []byte, key crypto.PublicKey) (*x509.CertificateRequest, error) {
	csr, err := x509.ParseCertificateRequest(der)
	if err != nil {
		return nil, err
	}
	if err := csr.CheckSignature(); err != nil {
		return nil, err
	}
	if !piv.SameKey(csr.PublicKey, key) {
		return nil, errors.New("the request is for another key")
	}
	return csr, nil
}

func encodePEM(kind string, der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}))
}
