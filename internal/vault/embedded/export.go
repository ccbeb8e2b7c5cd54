package embedded

import (
	"context"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded/issuance"
)

// ExportCAs implements vault.CAExporter.
func (e *Engine) ExportCAs(ctx context.Context) ([]vault.ExportedCA, error) {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return nil, err
	}
	set := v.cas.Load()
	var list []vault.ExportedCA
	for _, a := range set.all() {
		text, err := a.pem()
		if err != nil {
			return nil, err
		}
		list = append(list, vault.ExportedCA{CA: set.describe(a), PEM: text})
	}
	return list, nil
}

// pem is a CA's certificate, those above it, or its CSR, and the private key (PKCS #8).
func (a *authority) pem() (secret.String, error) {
	var text strings.Builder
	var err error
	add := func(kind string, der []byte) {
		if err == nil {
			err = pem.Encode(&text, &pem.Block{Type: kind, Bytes: der})
		}
	}
	for _, cert := range a.chain {
		add("CERTIFICATE", cert.Raw)
	}
	if len(a.chain) == 0 {
		add("CERTIFICATE REQUEST", a.csr)
	}
	key, failed := x509.MarshalPKCS8PrivateKey(a.key)
	if failed != nil {
		return secret.String{}, failed
	}
	add("PRIVATE KEY", key)
	return secret.New(text.String()), err
}

// parseExported reads what pem writes.
func parseExported(text secret.String) (*authority, error) {
	block, rest := textinput.PEM([]byte(text.Reveal()))
	if block == nil || block.Type != "CERTIFICATE REQUEST" {
		return importAuthority(text)
	}
	csr := block.Bytes
	if block, _ = textinput.PEM(rest); block == nil {
		return nil, invalid("a requested CA has no private key")
	}
	key, err := issuance.ParseKey(block)
	if err != nil {
		return nil, err
	}
	return newKeyed(key, nil, csr)
}

// RestoreCAs implements vault.CARestorer.
func (e *Engine) RestoreCAs(ctx context.Context, exported []vault.ExportedCA, how vault.CARestore) error {
	v, err := e.ready(ctx, "x")
	if err != nil {
		return err
	}
	var list []*authority
	for _, x := range exported {
		a, err := parseExported(x.PEM)
		if err != nil {
			return err
		}
		if x.Above > vault.HighestCRL {
			return fmt.Errorf("%w: no CRL has the number %d", vault.ErrInvalid, x.Above)
		}
		if x.First && len(a.chain) == 0 || x.Active && len(a.chain) == 0 {
			return invalid("the first or the active CA has no certificate")
		}
		list = append(list, a)
	}
	v.changing.Lock()
	defer v.changing.Unlock()
	var next *authorities
	return v.writer.do(context.WithoutCancel(ctx), 1<<20, func(t *txn) error {
		was, err := t.authorities()
		if err != nil {
			return err
		}
		want := was.united(exported, list, how)
		if err := t.restoreCAs(was, want, exported); err != nil {
			return err
		}
		if err := t.finish(); err != nil { // reading all compares it with the sum
			return err
		}
		if next, err = t.authorities(); err != nil {
			return err
		}
		next, err = v.lists(ctx, t.reader, next)
		return err
	}, func() { v.cas.Store(next) })
}

// united are the CAs with those restored.
func (s *authorities) united(exported []vault.ExportedCA, list []*authority, how vault.CARestore) *authorities {
	next := s
	for i, a := range list {
		if known := next.find(a.id); known == nil || len(known.chain) == 0 {
			next = next.with(a)
		}
		if !how.Replace {
			continue
		}
		if a = next.find(a.id); exported[i].Active {
			next = &authorities{next.first, a, next.later}
		}
		if exported[i].First && a != next.first {
			former := next.first
			next = &authorities{a, next.active, append(next.without(a.id).later, former)}
			if how.Drop {
				next = next.without(former.id)
			}
		}
	}
	if how.Replace && next.find(next.active.id) == nil { // dropped
		next.active = next.first
	}
	return next
}

// restoreCAs writes all records of CAs anew, with numbers of CRLs above those of both sides, and gives each
// revocation to the CA whose it is.
func (t *txn) restoreCAs(was, next *authorities, exported []vault.ExportedCA) error {
	marks := map[string]crlMark{}
	for _, a := range was.all() {
		mark, err := t.crlMark(crlKey(a.id, a == was.first))
		if err != nil {
			return err
		}
		marks[a.id] = mark
		for _, key := range [][]byte{caKey(a.id, a == was.first), crlKey(a.id, a == was.first)} {
			if err := t.delete(bucketPKI, key); err != nil {
				return err
			}
		}
	}
	for _, x := range exported {
		mark, known := marks[x.ID]
		if mark.number = max(mark.number, x.Above); !known {
			mark.made = time.Unix(0, 0) // no list of this CA has shown anything yet (see listed)
		}
		marks[x.ID] = mark
	}
	for _, a := range next.all() {
		if err := t.putCA(a, a == next.first); err != nil {
			return err
		}
		if len(a.chain) == 0 {
			continue
		}
		if err := t.seal(bucketPKI, crlKey(a.id, a == next.first), marks[a.id].encode()); err != nil {
			return err
		}
	}
	if err := t.seal(bucketPKI, keyActive, []byte(next.active.id)); err != nil {
		return err
	}
	return t.reassign(was.first.id, next.first.id)
}

// reassign follows a change of the first CA, whose revocations have no ID.
func (t *txn) reassign(was, next string) error {
	if was == next {
		return nil
	}
	var changed []entry
	err := t.tx.Bucket([]byte(bucketRevoked)).ForEach(func(serial, stored []byte) error {
		r, err := t.revocation(serial, stored)
		if err != nil {
			return err
		}
		switch r.CA {
		case "":
			r.CA = was
		case next:
			r.CA = ""
		default:
			return nil
		}
		changed = append(changed, entry{append([]byte(nil), serial...), r})
		return nil
	})
	for _, r := range changed {
		if err == nil {
			err = t.putRevocation(r)
		}
	}
	return err
}
