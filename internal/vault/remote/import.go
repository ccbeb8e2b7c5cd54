package remote

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"slices"

	"github.com/keyward/keyward/internal/textinput"
	"github.com/keyward/keyward/internal/vault"
)

// imported is a CA to import.
type imported struct {
	vault.ExportedCA

	cert *x509.Certificate // nil: it is only requested
	csr  []byte            // PEM
	key  []byte            // PEM
	id   string
}

// readImported reads the CAs. The first with a certificate is the active or the first one if none is said
// to be.
func readImported(list []vault.ExportedCA) ([]imported, error) {
	var all []imported
	for _, x := range list {
		i, err := readOne(x)
		if err != nil {
			return nil, err
		}
		all = append(all, i)
	}
	for _, flag := range []func(*imported) *bool{
		func(i *imported) *bool { return &i.Active }, func(i *imported) *bool { return &i.First },
	} {
		if !slices.ContainsFunc(all, func(i imported) bool { return *flag(&i) }) {
			if at := slices.IndexFunc(all, func(i imported) bool { return i.cert != nil }); at >= 0 {
				*flag(&all[at]) = true
			}
		}
	}
	return all, nil
}

// readOne reads the first certificate, which is the CA's, or else its CSR, and the key.
func readOne(x vault.ExportedCA) (imported, error) {
	i := imported{ExportedCA: x}
	for text := []byte(x.PEM.Reveal()); ; {
		block, rest := textinput.PEM(text)
		if block == nil {
			break
		}
		text = rest
		var err error
		switch {
		case block.Type == "CERTIFICATE" && i.cert == nil:
			if i.cert, err = x509.ParseCertificate(block.Bytes); err == nil {
				i.id = vault.CAID(i.cert.RawSubjectPublicKeyInfo)
			}
		case block.Type == "CERTIFICATE REQUEST":
			var csr *x509.CertificateRequest
			if csr, err = x509.ParseCertificateRequest(block.Bytes); err == nil {
				i.csr, i.id = []byte(encodePEM(block.Type, block.Bytes)), vault.CAID(csr.RawSubjectPublicKeyInfo)
			}
		case block.Type == "PRIVATE KEY":
			_, err = x509.ParsePKCS8PrivateKey(block.Bytes)
			i.key = []byte(encodePEM(block.Type, block.Bytes))
		}
		if err != nil {
			return i, invalid("the CA to import can't be read")
		}
	}
	if i.cert == nil && i.csr == nil || i.key == nil {
		return i, invalid("the CA to import lacks its certificate or its key")
	}
	return i, nil
}

// importItems are the items for imported CAs, one of which must be the default issuer. An existing one that
// has signed nothing is superseded; it stays in the mount.
func (s *Setup) importItems(ctx context.Context) (items []Item, err error) {
	all, err := readImported(s.want.ImportCAs)
	if err != nil {
		return nil, err
	}
	set, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	has, err := s.issuer(ctx)
	if err != nil {
		return nil, err
	}
	for _, i := range all {
		item := Item{Name: fmt.Sprintf("request of the CA %s", i.id), apply: func(ctx context.Context) error { return s.importRequest(ctx, i) }}
		if i.cert == nil {
			if _, err := s.engine.request(ctx, i.id); absent(err) || errors.Is(err, vault.ErrNotFound) {
				item.Lacks = []string{"is to be imported, with its key"}
			} else if err != nil {
				return nil, err
			}
			items = append(items, item)
			continue
		}
		item.Name = fmt.Sprintf("CA %q", i.cert.Subject.CommonName)
		item.apply = func(ctx context.Context) error { return s.importCA(ctx, all, i) }
		switch a := set.find(i.id); {
		case a == nil || !a.cert().Equal(i.cert):
			item.Lacks = []string{"is to be imported, with its key"}
		case i.First && !a.first: // an import was interrupted
			item.Lacks = []string{"is to have the addresses of the first one"}
		}
		if i.Active && has != nil && !has.Equal(i.cert) {
			const lacks = "is to be imported, with its key; the current one, %q, stays, but no longer signs"
			item.Lacks = []string{fmt.Sprintf(lacks, has.Subject.CommonName)}
			if item.Hopeless, err = s.superseded(ctx, has, all); err != nil {
				return nil, err
			}
		}
		items = append(items, item)
	}
	return items, nil
}

// superseded is the reason why the default issuer cannot be, if it is none of those imported.
func (s *Setup) superseded(ctx context.Context, has *x509.Certificate, all []imported) (hopeless, err error) {
	if slices.ContainsFunc(all, func(i imported) bool { return i.cert != nil && i.cert.Equal(has) }) {
		return nil, nil // an import was interrupted
	}
	signed, err := s.signed(ctx)
	if signed {
		hopeless = fmt.Errorf("the CA of the mount %s has signed certificates: choose another mount with VAULT_PKI_MOUNT",
			s.engine.opts.Mounts.PKI)
	}
	return hopeless, err
}

// importCA imports one of the CAs, gives it its addresses, and has the active one sign as soon as it is there.
func (s *Setup) importCA(ctx context.Context, all []imported, i imported) error {
	m := s.engine.opts.Mounts
	body := map[string]string{"pem_bundle": i.PEM.Reveal()}
	if _, err := s.engine.do(ctx, call{method: http.MethodPost, path: m.PKI + "/config/ca", body: body}); err != nil {
		return err
	}
	set, err := s.look(ctx)
	if err != nil {
		return err
	}
	a := set.find(i.id)
	if a == nil {
		return invalid("the vault took the CA, but does not show it")
	}
	if i.First { // which one that the mount had before is no more
		for _, other := range set.all {
			if other.first && other != a {
				if err := s.engine.set(ctx, other, false); err != nil {
					return err
				}
			}
		}
	}
	if err := s.engine.set(ctx, a, i.First); err != nil {
		return err
	}
	for _, i := range all {
		if a := set.find(i.id); i.Active && a != nil {
			return s.engine.main(ctx, a.ref)
		}
	}
	return nil
}

// importRequest imports the key of a requested CA.
func (s *Setup) importRequest(ctx context.Context, i imported) error {
	path := s.engine.opts.Mounts.PKI + "/keys/import"
	a, err := s.engine.do(ctx, call{method: http.MethodPost, path: path, body: map[string]string{"pem_bundle": string(i.key)}})
	if err != nil {
		return err
	}
	r := request{CSR: string(i.csr)}
	if err := a.decode(&r); err != nil {
		return err
	}
	r.CSR = string(i.csr)
	return s.engine.remember(ctx, i.id, r)
}

// signed reports whether the mount keeps certificates other than its CAs'.
func (s *Setup) signed(ctx context.Context) (bool, error) {
	m := s.engine.opts.Mounts
	serials, err := s.engine.list(ctx, m.PKI+"/certs")
	if err != nil {
		return false, err
	}
	for _, serial := range serials {
		a, err := s.engine.do(ctx, call{method: http.MethodGet, path: m.PKI + "/cert/" + serial})
		if err != nil {
			return false, err
		}
		cert, err := a.certificate()
		if err != nil {
			return false, err
		}
		if !cert.IsCA {
			return true, nil
		}
	}
	return false, nil
}
