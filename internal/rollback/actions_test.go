package rollback_test

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"maps"
	"slices"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
)

// write does something that is audited.
func (w *world) write(ctx context.Context) error { return w.db.AppendAudit(ctx, entry(audit.Login)) }

func (w *world) seal(ctx context.Context, s *server) error {
	if err := w.write(ctx); err != nil {
		return err
	}
	return s.sealer.Run(ctx)
}

// request returns a new CSR.
func (w *world) request() string {
	w.signed++
	name := pkix.Name{CommonName: "alex", OrganizationalUnit: []string{fmt.Sprint(w.signed)}}
	der := must.Get(x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: name}, vaulttest.RSAKey()))(w.t)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

func (w *world) sign(ctx context.Context, s *server) (serial string, err error) {
	err = w.registered(ctx, s, func() error {
		signed, err := s.certs.Sign(ctx, w.alex, access.All(), token, cert.SignRequest{CSR: w.request()})
		serial = signed.Certificate.SerialNumber
		return err
	})
	return serial, err
}

// registered registers the agent again, as a page does, if an older vault has
// another secret of the access tokens.
func (w *world) registered(ctx context.Context, s *server, do func() error) error {
	err := do()
	if !fault.Is(err, fault.AgentNotRegistered) {
		return err
	}
	if err := w.registerAgent(ctx, s); err != nil {
		return err
	}
	return do()
}

// revoke revokes the oldest certificate that is still issued, if any.
func (w *world) revoke(ctx context.Context, s *server) (serial string, err error) {
	list, err := s.certs.List(ctx, access.All(), cert.Filter{Status: cert.Issued}, page.Request{Limit: page.MaxLimit})
	if err != nil || len(list.Items) == 0 {
		return "", err
	}
	serial = list.Items[len(list.Items)-1].SerialNumber
	_, err = s.certs.Revoke(ctx, w.alex, access.All(), serial, "superseded")
	return serial, err
}

// revokeUnknown revokes a certificate of the CA that has no record, by its PEM.
func (w *world) revokeUnknown(ctx context.Context, s *server) (serial string, err error) {
	csr := must.Get(vault.ParseCSR(func() []byte { b, _ := pem.Decode([]byte(w.request())); return b.Bytes }()))(w.t)
	issued, err := vaulttest.Sign(ctx, w.vault, vault.SignRequest{CSR: csr, CommonName: "alex"})
	if err != nil {
		return "", err
	}
	ended, err := s.certs.RevokeUnrecorded(ctx, w.alex, cert.RevokeAny{Certificate: cert.PEM(issued.Certificate.Raw), Reason: "superseded"})
	return ended.SerialNumber, err
}

// rotate changes a token's PIN, on the card, too.
func (w *world) rotate(ctx context.Context, s *server) error {
	_, err := w.rotates(ctx, s)
	return err
}

// rotates is rotate, and reports whether the PINs have left the vault: not if a
// rotation is continued.
func (w *world) rotates(ctx context.Context, s *server) (left bool, err error) {
	state, err := s.keys.Custody.Load(ctx, token)
	if err != nil {
		return false, err
	}
	if r := state.Document.Rotation; r != nil { // from a server that was killed: the page continues it
		_, err = s.keys.SettleRotation(ctx, w.alex, access.All(), token, r.ID, nil, custody.Pending)
		return false, err
	}
	return true, w.registered(ctx, s, func() error {
		r, err := s.keys.StartRotation(ctx, w.alex, access.All(), token, hwkey.RotationRequest{Fields: []piv.Field{piv.PIN}, Reason: "a change"})
		if err == nil {
			_, err = s.keys.SettleRotation(ctx, w.alex, access.All(), token, r.ID, nil, custody.Pending)
		}
		return err
	})
}

// release releases a token's secrets.
func (w *world) release(ctx context.Context, s *server) error {
	return w.registered(ctx, s, func() error {
		_, err := s.keys.Secrets(ctx, w.alex, access.All(), token, hwkey.ReleaseRequest{Reason: "forgotten PIN"})
		return err
	})
}

// reconcile does the leader's periodic tasks.
func (w *world) reconcile(ctx context.Context, s *server) error {
	if !s.guard.Publishes() {
		return nil
	}
	if err := s.certs.PublishRevocations(ctx); err != nil || !s.guard.Consistent() {
		return err
	}
	for _, task := range []func(context.Context) error{
		s.certs.LearnRevoked, s.certs.ReconcileIssuances, s.certs.Issuances.Tidy, s.keys.Reconcile, s.crl.Renew,
	} {
		if err := task(ctx); err != nil {
			return err
		}
	}
	return nil
}

// revoked returns the serial numbers of all certificates that either side has as revoked.
func (w *world) revoked() map[string]bool {
	w.t.Helper()
	ctx, all := context.Background(), map[string]bool{}
	for p := (page.Request{Limit: page.MaxLimit}); ; {
		list := must.Get(w.db.ListCertificates(ctx, access.All(), cert.Filter{Status: cert.Revoked, Now: w.now()}, p))(w.t)
		for _, c := range list.Items {
			all[c.SerialNumber], p.Before = true, c.ID
		}
		if list.NextCursor == nil {
			break
		}
	}
	published, not := must.Get(w.db.PublishedUnrecorded(ctx, w.now()))(w.t), must.Get(w.db.UnpublishedUnrecorded(ctx, 0, 100))(w.t)
	for _, r := range append(published, not...) {
		all[r.Serial] = true
	}
	maps.Copy(all, w.listed())
	return all
}

// listed returns those on the vault's CRL.
func (w *world) listed() map[string]bool {
	w.t.Helper()
	all := map[string]bool{}
	must.OK(w.t, w.vault.Revoked(context.Background(), func(r vault.Revocation) error { all[r.Serial] = true; return nil }))
	return all
}

// lost returns those certificates that are neither recorded nor in the vault's log.
func (w *world) lost(serials map[string]bool) []string {
	w.t.Helper()
	list := slices.Sorted(maps.Keys(serials))
	known := must.Get(w.db.KnownAmong(context.Background(), list))(w.t)
	must.OK(w.t, intentlog.EachIssuance(context.Background(), w.vault, func(e intentlog.Entry) error {
		known[e.SerialNumber] = true
		return nil
	}))
	return slices.DeleteFunc(list, func(serial string) bool { return known[serial] })
}

// verifications returns the checks of keyward audit verify that compare both sides, by subject.
func (w *world) verifications() map[string]func(context.Context) error {
	return map[string]func(context.Context) error{
		"the chain": func(ctx context.Context) error {
			anchor, err := chain.VaultAnchor(ctx, w.vault)
			if err == nil {
				_, err = chain.Verify(ctx, w.db, anchor)
			}
			return err
		},
		"releases": func(ctx context.Context) error { _, err := intentlog.VerifyReleases(ctx, w.vault, w.db); return err },
		"issuances": func(ctx context.Context) error {
			_, err := intentlog.VerifyIssuances(ctx, w.vault, w.db, w.now())
			return err
		},
	}
}
