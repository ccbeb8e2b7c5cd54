package ykman

import (
	"cmp"
	"context"
	"crypto"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"strings"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// GenerateKey implements driver.Driver.
func (d *Driver) GenerateKey(
	ctx context.Context, serial string, slot piv.Slot, managementKey secret.String, n driver.NewKey,
) (crypto.PublicKey, error) {
	args := []string{"piv", "keys", "generate", "--algorithm", cmp.Or(n.Type, piv.RSA2048).ToolName()}
	if n.PIN != "" {
		args = append(args, "--pin-policy", strings.ToUpper(n.PIN))
	}
	if n.Touch != "" {
		args = append(args, "--touch-policy", strings.ToUpper(n.Touch))
	}
	args = append(args, string(slot), "-")
	s := step{name: "generate key", serial: serial}
	out, err := d.change(ctx, s, call{args: args, lines: []secret.String{managementKey}, timeout: generateTimeout})
	if err != nil {
		return nil, err
	}
	key, err := parsePublicKey(out)
	if err != nil {
		return nil, unknown(&failure{text: err.Error()}, s)
	}
	return key, nil
}

func parsePublicKey(out []byte) (crypto.PublicKey, error) {
	block, _ := pem.Decode(out)
	if block == nil || block.Type != "PUBLIC KEY" {
		return nil, errors.New("no public key in the tool's output")
	}
	return x509.ParsePKIXPublicKey(block.Bytes)
}

// Request implements driver.Driver.
func (d *Driver) Request(
	ctx context.Context, serial string, slot piv.Slot, pin secret.String, key crypto.PublicKey, subject driver.Subject,
) ([]byte, error) {
	spki, err := x509.MarshalPKIXPublicKey(key)
	if err != nil {
		return nil, fault.New(fault.ToolFailed, "key_unusable",
			"The slot has a key that can't sign a request. Create a new key.").With(err)
	}
	s := step{name: "request", serial: serial, harmless: true, tries: fault.WrongPIN}
	out, err := d.change(ctx, s, call{
		args:  []string{"piv", "certificates", "request", "--subject", rfc4514(subject), string(slot), filePath, "-"},
		lines: []secret.String{pin},
		file:  pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: spki}),
	})
	if err != nil {
		return nil, err
	}
	block, _ := pem.Decode(out)
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return nil, unknown(&failure{text: "no request in the tool's output"}, s)
	}
	return block.Bytes, nil
}

// rfc4514 formats a subject, the most specific name first. It escapes special
// characters as hex pairs, the only escape of RFC 4514 section 2.4 that all
// versions of the tool read alike.
func rfc4514(s driver.Subject) string {
	var b strings.Builder
	for _, rdn := range []struct{ name, value string }{
		{"CN", s.CommonName}, {"OU", s.OrganizationalUnit}, {"O", s.Organization},
		{"L", s.Locality}, {"ST", s.Province}, {"C", s.Country},
	} {
		if rdn.value == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteByte(',')
		}
		b.WriteString(rdn.name)
		b.WriteByte('=')
		escape(&b, rdn.value)
	}
	return b.String()
}

func escape(b *strings.Builder, value string) {
	const hexDigits = "0123456789ABCDEF"
	for i := range len(value) {
		c := value[i]
		edge := i == 0 || i == len(value)-1
		if strings.IndexByte(`,+"\<>;=#`, c) >= 0 || c == ' ' && edge {
			b.Write([]byte{'\\', hexDigits[c>>4], hexDigits[c&0x0f]})
			continue
		}
		b.WriteByte(c)
	}
}

// attestationObject holds the certificate of the token's attestation key in
// slot f9 (Yubico, "PIV attestation").
const attestationObject = "5fff01"

// Attest implements driver.Driver. An error of the card is not a failure: tokens
// before 4.3 cannot attest, and no token attests imported keys.
func (d *Driver) Attest(ctx context.Context, serial string, slot piv.Slot) ([]*x509.Certificate, error) {
	rs, err := d.transmit(ctx, serial, "00f9"+string(slot)+"00", getObject(attestationObject))
	if err != nil {
		return nil, err
	}
	if !rs[0].ok() || !rs[1].ok() {
		return nil, nil
	}
	leaf := parseOrNil(rs[0].data)
	intermediate, unreadable := readCertificate(rs[1].data)
	if leaf == nil || intermediate == nil || unreadable {
		d.log.Warn("could not read the token's attestation", "serial", serial)
		return nil, nil
	}
	return []*x509.Certificate{leaf, intermediate}, nil
}

// parseOrNil parses a certificate, or returns nil if it is not one.
func parseOrNil(der []byte) *x509.Certificate {
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		return nil
	}
	return cert
}

// ImportCertificate implements driver.Driver.
func (d *Driver) ImportCertificate(
	ctx context.Context, serial string, slot piv.Slot, managementKey, pin secret.String, cert *x509.Certificate,
) error {
	args := []string{"piv", "certificates", "import"}
	lines := []secret.String{managementKey}
	if !pin.Empty() {
		args = append(args, "--verify")
		lines = append(lines, pin)
	}
	_, err := d.change(ctx, step{name: "import certificate", serial: serial, tries: fault.WrongPIN}, call{
		args:  append(args, string(slot), filePath),
		lines: lines,
		file:  pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert.Raw}),
	})
	return err
}

// WriteCapabilities implements driver.Driver. The tool writes the other object that Windows reads, the
// CHUID, at each import of a certificate, and this one never by itself.
func (d *Driver) WriteCapabilities(ctx context.Context, serial string, managementKey secret.String) error {
	_, err := d.change(ctx, step{name: "write CCC", serial: serial},
		call{args: []string{"piv", "objects", "generate", "CCC"}, lines: []secret.String{managementKey}})
	return err
}
