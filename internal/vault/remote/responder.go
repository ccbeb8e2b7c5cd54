package remote

import (
	"context"
	"crypto"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
)

// responderRole is the role of the OCSP signers' certificates.
func (m Mounts) responderRole() string { return m.Role + "-ocsp" }

// responderExtensions are those of an OCSP signer's certificate that the CSR asks for: pki/sign
// makes no id-pkix-ocsp-nocheck, and sign-verbatim copies what stands in the CSR.
func responderExtensions() []pkix.Extension {
	return []pkix.Extension{
		{Id: asn1.ObjectIdentifier{2, 5, 29, 15}, Critical: true, Value: []byte{3, 2, 7, 0x80}},             // digitalSignature
		{Id: asn1.ObjectIdentifier{2, 5, 29, 37}, Value: []byte{0x30, 10, 6, 8, 0x2b, 6, 1, 5, 5, 7, 3, 9}}, // OCSPSigning
		vault.NoCheck(),
	}
}

// IssueResponder implements vault.PKI, by pki/sign-verbatim.
func (e *Engine) IssueResponder(ctx context.Context, id string, key crypto.Signer) (*x509.Certificate, error) {
	csr, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{
		Subject: pkix.Name{CommonName: vault.ResponderName}, ExtraExtensions: responderExtensions(),
	}, key)
	if err != nil {
		return nil, err
	}
	set, err := e.anew(ctx)
	if err != nil {
		return nil, err
	}
	ca := set.find(id)
	if ca == nil {
		return nil, vault.ErrNotFound
	}
	m := e.opts.Mounts
	path := m.PKI + "/issuer/" + ca.ref + "/sign-verbatim/" + m.responderRole()
	if ca == set.active { // which is all that policies of earlier versions allow
		path = m.PKI + "/sign-verbatim/" + m.responderRole()
	}
	a, err := e.do(ctx, call{method: http.MethodPost, path: path, body: map[string]any{
		"csr": encodePEM("CERTIFICATE REQUEST", csr), "key_usage": []string{}, "ext_key_usage": []string{},
	}})
	if err != nil {
		if forbidden(err) {
			return nil, unprepared("the policy does not allow " + path)
		}
		if r, ok := errors.AsType[*refusal](err); ok && r.says("unknown role") {
			return nil, unprepared("the mount " + m.PKI + " has no role " + m.responderRole())
		}
		return nil, err
	}
	cert, err := a.certificate()
	if err != nil {
		return nil, err
	}
	switch {
	case cert.CheckSignatureFrom(ca.cert()) != nil:
		err = errors.New("another CA signed it")
	case !piv.SameKey(cert.PublicKey, key.Public()):
		err = errors.New("it differs in its public key")
	case cert.IsCA, cert.KeyUsage != x509.KeyUsageDigitalSignature,
		!slices.Equal(cert.ExtKeyUsage, []x509.ExtKeyUsage{x509.ExtKeyUsageOCSPSigning}), len(cert.UnknownExtKeyUsage) > 0:
		err = errors.New("it differs in its usages")
	case !slices.ContainsFunc(cert.Extensions, func(x pkix.Extension) bool { return x.Id.Equal(vault.NoCheck().Id) }):
		err = errors.New("it has no id-pkix-ocsp-nocheck")
	case cert.NotAfter.After(e.opts.Now().Add(vault.ResponderTTL + skew)):
		err = errors.New("it is valid too long")
	}
	if err != nil {
		return nil, fmt.Errorf("%w: the vault signed something else than an OCSP signer's certificate: %w", vault.ErrDenied, err)
	}
	return cert, nil
}

func (s *Setup) responderSettings() settings {
	m := s.engine.opts.Mounts
	return settings{"PKI role " + m.responderRole(), m.PKI + "/roles/" + m.responderRole(), http.MethodPost, []setting{
		{"allow_any_name", true},
		{"enforce_hostnames", false},
		{"key_type", "any"},
		{"ttl", vault.ResponderTTL},
		{"max_ttl", vault.ResponderTTL},
		{"no_store", true}, // each server has one made at its start, and none is ever revoked
		{"generate_lease", false},
		{"issuer_ref", "default"},
		{"not_before_duration", vault.ResponderBackdate},
	}}
}
