package remote

import (
	"bytes"
	"context"
	"crypto/x509"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
	"github.com/keyward/keyward/internal/vault"
)

// What keyward move needs beside the port.

// Takes checks that the vault can keep a document as it is; vault.ErrInvalid otherwise.
func (e *Engine) Takes(data vault.Data) error {
	if err := data.Check(); err != nil {
		return err
	}
	return checkNumbers(data)
}

// CRLNumber implements vault.Numbered.
func (e *Engine) CRLNumber(ctx context.Context) (number uint64, thisUpdate time.Time, err error) {
	list, _, err := e.stands(ctx)
	if err != nil {
		return 0, time.Time{}, err
	}
	return list.Number.Uint64(), list.ThisUpdate, nil
}

// RaiseCRL implements vault.Numbered. It has the CRL rebuilt again and again, since no path of the
// vault sets the number. A list without entries takes a millisecond, and each entry 50 µs more.
func (e *Engine) RaiseCRL(ctx context.Context, above uint64, each func(number uint64) error) error {
	for atOnce := uint64(1); ; atOnce = min(2*atOnce, raiseAtOnce) {
		list, _, err := e.stands(ctx)
		if err != nil {
			return err
		}
		number := list.Number.Uint64()
		if err := vault.CheckRaise(number, above); err != nil {
			return err
		}
		if each != nil {
			if err := each(number); err != nil {
				return err
			}
		}
		if number > above {
			return nil
		}
		for range min(above+1-number, atOnce) {
			if err := e.build(ctx); err != nil {
				return err
			}
		}
	}
}

// raiseAtOnce is how many rebuilds there are at most before the list is read again.
const raiseAtOnce = 500

// Refused returns those of the wanted capabilities that the token lacks, each with its path.
func (e *Engine) Refused(ctx context.Context, want map[string][]string) ([]string, error) {
	paths := slices.Sorted(maps.Keys(want))
	body := map[string]any{"paths": paths}
	a, err := e.do(ctx, call{method: http.MethodPost, path: "sys/capabilities-self", body: body})
	if err != nil {
		return nil, err
	}
	said := map[string]any{}
	if err := a.decode(&said); err != nil {
		return nil, err
	}
	var refused []string
	for _, path := range paths {
		list, _ := said[path].([]any) // another form is none
		if slices.Contains(list, any("root")) {
			continue
		}
		for _, capability := range want[path] {
			if !slices.Contains(list, any(capability)) {
				refused = append(refused, capability+" "+path)
			}
		}
	}
	return refused, nil
}

// MoveRights are the capabilities, by path, that keyward move needs beyond those for setting up a
// vault without a CA of one's own; x stands for any name. What Vault lets anyone read, such as the
// list of issuers and the CRL, needs none. A list's path ends in a slash, as Vault requires.
func MoveRights(m Mounts) map[string][]string {
	m = m.named()
	return map[string][]string{
		m.KV + "/data/x":          {"create", "read", "update"}, // update: a second version, or one more try
		m.KV + "/metadata/":       {"list"},
		m.KV + "/metadata/x":      {"delete"}, // of the vault's mark
		m.KV + "/metadata/x/":     {"list"},
		m.PKI + "/certs/":         {"list"},
		m.PKI + "/config/ca":      {"update"},
		m.PKI + "/config/issuers": {"update"},
		m.PKI + "/crl/rotate":     {"read"},
		m.PKI + "/issuer/x":       {"read"},
		m.PKI + "/revoke":         {"update"},
	}
}

// readBundle returns the first certificate, which is the CA. The key must be there, too.
func readBundle(bundle secret.String) (*x509.Certificate, error) {
	var cert *x509.Certificate
	var key any
	for text := []byte(bundle.Reveal()); ; {
		block, rest := textinput.PEM(text)
		if block == nil {
			break
		}
		text = rest
		var err error
		switch {
		case block.Type == "CERTIFICATE" && cert == nil:
			cert, err = x509.ParseCertificate(block.Bytes)
		case block.Type == "PRIVATE KEY":
			key, err = x509.ParsePKCS8PrivateKey(block.Bytes)
		}
		if err != nil {
			return nil, invalid("the CA to import can't be read")
		}
	}
	if cert == nil || key == nil {
		return nil, invalid("the CA to import lacks its certificate or its key")
	}
	return cert, nil
}

// importedCA is the CA item for an imported CA, which must be the default issuer. An existing one
// that has signed nothing is superseded; it stays in the mount.
func (s *Setup) importedCA(ctx context.Context) (Item, error) {
	m := s.engine.opts.Mounts
	want, err := readBundle(s.want.ImportCA)
	item := Item{Name: "CA"}
	if err != nil {
		return item, err
	}
	item.Name = fmt.Sprintf("CA %q", want.Subject.CommonName)
	item.apply = s.importCA
	has, err := s.issuer(ctx)
	switch {
	case err != nil:
		return item, err
	case has == nil:
		item.Lacks = []string{"is to be imported, with its key"}
		return item, nil
	case bytes.Equal(has.Raw, want.Raw):
		return item, nil
	}
	const lacks = "is to be imported, with its key; the current one, %q, stays, but no longer signs"
	item.Lacks = []string{fmt.Sprintf(lacks, has.Subject.CommonName)}
	signed, err := s.signed(ctx)
	if signed {
		item.Hopeless = fmt.Errorf("the CA of the mount %s has signed certificates: choose another mount with VAULT_PKI_MOUNT", m.PKI)
	}
	return item, err
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
		var said struct {
			Certificate string `json:"certificate"`
		}
		if err := a.decode(&said); err != nil {
			return false, err
		}
		cert, err := parsePEM(said.Certificate)
		if err != nil {
			return false, err
		}
		if !cert.IsCA {
			return true, nil
		}
	}
	return false, nil
}

// importCA imports the bundle and makes its CA the default issuer.
func (s *Setup) importCA(ctx context.Context) error {
	m := s.engine.opts.Mounts
	want, err := readBundle(s.want.ImportCA)
	if err != nil {
		return err
	}
	body := map[string]string{"pem_bundle": s.want.ImportCA.Reveal()}
	if _, err := s.engine.do(ctx, call{method: http.MethodPost, path: m.PKI + "/config/ca", body: body}); err != nil {
		return err
	}
	issuers, err := s.engine.list(ctx, m.PKI+"/issuers")
	if err != nil {
		return err
	}
	for _, id := range issuers {
		a, err := s.engine.do(ctx, call{method: http.MethodGet, path: m.PKI + "/issuer/" + id})
		if err != nil {
			return err
		}
		var said struct {
			Certificate string `json:"certificate"`
			KeyID       string `json:"key_id"`
		}
		if err := a.decode(&said); err != nil {
			return err
		}
		cert, err := parsePEM(said.Certificate)
		if err != nil || said.KeyID == "" || !bytes.Equal(cert.Raw, want.Raw) {
			continue
		}
		return s.post(m.PKI+"/config/issuers", map[string]any{"default": id, "default_follows_latest_issuer": false})(ctx)
	}
	return invalid("the vault took the CA, but does not show it")
}
