package ca

import (
	"bytes"
	"context"
	"crypto/x509"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/textinput"
	"github.com/keyward/keyward/internal/vault"
)

// maxChain is the longest chain.
const maxChain = 5

// readChain reads the certificate of a CA, and those above it, in any order: PEM. The certificate may come with
// those above it, or among them.
func readChain(certificate, chain string) (*x509.Certificate, []*x509.Certificate, error) {
	list, err := readPEM("certificate", certificate)
	if err != nil {
		return nil, nil, err
	}
	if len(list) == 0 {
		return nil, nil, fault.Invalid(fault.Wrong("certificate", "no_certificate_pem", "must be one PEM block CERTIFICATE"))
	}
	above, err := readPEM("chain", chain)
	return list[0], append(list[1:], above...), err
}

func readPEM(field, text string) (list []*x509.Certificate, err error) {
	for rest := []byte(text); ; {
		block, after := textinput.PEM(rest)
		if block == nil {
			if len(bytes.TrimSpace(after)) > 0 {
				return nil, fault.Invalid(fault.Wrong(field, "unusable_certificate_pem", "must hold PEM blocks CERTIFICATE and nothing else"))
			}
			return list, nil
		}
		cert, err := x509.ParseCertificate(block.Bytes)
		if block.Type != "CERTIFICATE" || err != nil || len(list) > 2*maxChain {
			return nil, fault.Invalid(fault.Wrong(field, "unusable_certificate_pem", "must hold PEM blocks CERTIFICATE and nothing else"))
		}
		list, rest = append(list, cert), after
	}
}

// judge returns the chain of a requested CA's certificate, from itself to the root.
func (s *Service) judge(ctx context.Context, c CA, cert *x509.Certificate, above []*x509.Certificate) ([]*x509.Certificate, error) {
	if !piv.SameKey(cert.PublicKey, c.Request.PublicKey) {
		return nil, fault.New(fault.CARejected, "ca_other_key", "This certificate is for another key than the request's. Send the one that was "+
			"made from this request.").About(fault.Wrong("certificate", "ca_other_key", "is for another key"))
	}
	list, err := s.PKI.CAs(ctx)
	if err != nil {
		return nil, vault.Fault(err)
	}
	for _, ca := range list {
		if len(ca.Chain) == 0 {
			continue
		}
		other, err := parse(ca.Chain[0])
		if err != nil {
			return nil, err
		}
		if strings.EqualFold(other.Subject.String(), cert.Subject.String()) { // however encoded
			return nil, fault.New(fault.CARejected, "ca_subject_taken", "The certificate has the subject of another CA here: programs would "+
				"confuse them. Have it signed with a subject that was never used.").
				About(fault.Wrong("certificate", "ca_subject_taken", "has another CA's subject"))
		}
	}
	path := []*x509.Certificate{cert}
	for last := cert; last.CheckSignatureFrom(last) != nil; {
		i := slices.IndexFunc(above, func(a *x509.Certificate) bool { return last.CheckSignatureFrom(a) == nil })
		if i < 0 || len(path) == maxChain {
			return nil, fault.New(fault.CARejected, "ca_chain", "The certificates don't lead from this CA to a self-signed root. Send all of "+
				"them, with the root.").About(fault.Wrong("chain", "ca_chain", "does not lead to a root"))
		}
		last = above[i]
		path = append(path, last)
	}
	var ders [][]byte
	for _, cert := range path {
		ders = append(ders, cert.Raw)
	}
	err = s.fits(ctx, ders)
	if unfit, ok := fault.As(err); ok && unfit.Code == fault.CARejected {
		err = unfit.About(fault.Wrong("certificate", "ca_unfit", "can't be used for a CA here"))
	}
	return path, err
}

// fits returns CARejected for a chain whose certificates nobody would accept now.
func (s *Service) fits(ctx context.Context, ders [][]byte) error {
	var chain []*x509.Certificate
	for _, der := range ders {
		cert, err := parse(der)
		if err != nil {
			return err
		}
		chain = append(chain, cert)
	}
	if err := pki.CheckAuthority(chain); err != nil {
		return err
	}
	for _, cert := range chain {
		if now := s.Now(); now.Before(cert.NotBefore) || now.After(cert.NotAfter) {
			return fault.Newf(fault.CARejected, "ca_validity", "The certificate of {subject} is valid from {from} to {until} only.", fault.Params{
				"subject": cert.Subject.String(), "from": cert.NotBefore.UTC().Format(time.DateOnly),
				"until": cert.NotAfter.UTC().Format(time.DateOnly),
			})
		}
	}
	used, err := s.Profiles.InUse(ctx)
	if err != nil {
		return err
	}
	for name := range used {
		p, err := s.Profiles.Get(ctx, name)
		if fault.Is(err, fault.NotFound) {
			continue
		}
		if err != nil {
			return err
		}
		if pki.CheckPurposes(chain, p.Usage(piv.RSA2048).Purposes) != nil {
			return fault.Newf(fault.CARejected, "ca_purposes", "Certificates of the profile {profile}, which a slot gets, could not come from this "+
				"CA: its extended key usages (EKU), or those of a CA above it, don't include theirs. Have it signed without EKU, or choose another "+
				"profile for the slot.", fault.Params{"profile": name})
		}
	}
	return nil
}
