package recovery_test

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/crlcache"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/recovery"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/user"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/vault/issuancelog"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
)

// world is an installation of one directory whose files come and go.
type world struct {
	t   *testing.T
	dir string
	log bytes.Buffer

	db     *store.DB
	vault  *embedded.Engine
	sealer *chain.Sealer
	certs  *cert.Service
	crl    *crlcache.Cache
	guard  *recovery.Guard

	made int // certificates
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir()}
	w.open()
	t.Cleanup(w.kill)
	now := time.Now()
	u := must.Get(w.db.InsertUser(t.Context(), user.User{
		Username: "alex", Email: "alex@example.org", Role: access.User, IsActive: true, AuthSource: user.Local,
		CreatedAt: now, UpdatedAt: now, PasswordChangedAt: now,
	}, entry(audit.UserCreated)))(t)
	must.Get(w.db.InsertDevice(t.Context(), hwkey.Device{Serial: "abcd", Status: hwkey.Active, OwnerID: &u.ID, RegisteredAt: now},
		entry(audit.HWKeyRegistered)))(t)
	return w
}

func entry(action audit.Action) audit.Entry { return audit.By(access.Actor{}, action, "", "", "") }

// open opens the files as they are; nothing is compared yet.
func (w *world) open() {
	w.t.Helper()
	w.db = must.Get(store.OpenSQLite(w.t.Context(), filepath.Join(w.dir, "keyward.db"), store.Options{}))(w.t)
	w.vault = must.Get(embedded.Open(w.t.Context(), embedded.Options{
		Path: filepath.Join(w.dir, "vault.db"), Seal: embedded.FileSeal(filepath.Join(w.dir, "seal.key")), PublicBase: "http://localhost",
		CAKeyType: piv.ECP256, Logger: slog.New(slog.DiscardHandler), Role: vault.DefaultRole(),
	}))(w.t)
	log := slog.New(slog.NewTextHandler(&w.log, nil))
	w.sealer = &chain.Sealer{Store: w.db, Vault: w.vault, Now: time.Now}
	w.crl = &crlcache.Cache{PKI: w.vault, Now: time.Now, Log: log}
	w.certs = &cert.Service{
		Store: w.db, PKI: w.vault, CRL: w.crl, Issuances: issuancelog.New(w.vault, time.Now), Log: log, Now: time.Now,
	}
	w.guard = w.server(time.Now)
	w.crl.Note = func(ctx context.Context, ca []byte, number uint64) error {
		return w.db.RaiseVaultMark(ctx, recovery.CRLMark(ca), number)
	}
}

// server is one that looks at the installation, with a clock of its own.
func (w *world) server(now func() time.Time) *recovery.Guard {
	known := cert.Standing{Service: w.certs, Engine: w.vault, KV: w.vault}
	return &recovery.Guard{
		Database: w.db, Vault: w.vault, CRL: known, Audit: w.sealer, Renew: (&session.Signer{Vault: w.vault}).Renew,
		Sources: []recovery.Source{{What: recovery.Certificates, Missing: known.Unrecorded, Lose: known.LoseUnrecorded}},
		Log:     slog.New(slog.NewTextHandler(&w.log, nil)), Now: now,
	}
}

// kill closes the files without another word.
func (w *world) kill() {
	if w.vault != nil {
		must.OK(w.t, w.vault.Close())
		must.OK(w.t, w.db.Close())
		w.vault = nil
	}
}

// copied are the files of a side.
type copied map[string][]byte

func (w *world) copy(names ...string) copied {
	w.t.Helper()
	c := copied{}
	for _, name := range names {
		c[name] = must.Get(os.ReadFile(filepath.Join(w.dir, name)))(w.t)
	}
	return c
}

// put puts files in place of those that are there; nobody has them open.
func (w *world) put(sides ...copied) {
	w.t.Helper()
	for _, side := range sides {
		for name, raw := range side {
			for _, rest := range []string{"-wal", "-shm"} {
				_ = os.Remove(filepath.Join(w.dir, name+rest))
			}
			must.OK(w.t, os.WriteFile(filepath.Join(w.dir, name), raw, 0o600))
		}
	}
}

// write has something happen that is audited.
func (w *world) write() {
	w.t.Helper()
	must.OK(w.t, w.db.AppendAudit(w.t.Context(), entry(audit.Login)))
}

func (w *world) seal() {
	w.t.Helper()
	w.write()
	must.OK(w.t, w.sealer.Run(w.t.Context()))
}

// revoke has a certificate made, recorded, revoked and published.
func (w *world) revoke() (serial string) {
	w.t.Helper()
	ctx := w.t.Context()
	issued := must.Get(w.vault.Sign(ctx, vault.SignRequest{CSR: vaulttest.NewCSR(w.t, vaulttest.RSAKey()), CommonName: "alex"}))(w.t)
	d := must.Get(w.db.Device(ctx, access.All(), "abcd"))(w.t)
	w.made++
	c := cert.Certificate{
		SerialNumber: issued.Serial, HWKeySerial: "abcd", Slot: "9a", CommonName: "alex", DER: issued.Certificate.Raw,
		NotBefore: issued.Certificate.NotBefore, NotAfter: issued.Certificate.NotAfter, CSRSHA256: fmt.Sprint(w.made, issued.Serial),
		PublicKeySHA256: issued.Serial, OwnerID: d.OwnerID, OwnerUsername: d.OwnerUsername, OwnerEmail: d.OwnerEmail, Generation: d.Generation,
		Status: cert.Issued,
	}
	must.Both(w.db.InsertCertificate(ctx, c, entry(audit.CertificateIssued)))(w.t)
	must.Get(w.db.RevokeCertificate(ctx, issued.Serial, vault.Superseded, time.Now(), entry(audit.CertificateRevoked)))(w.t)
	must.OK(w.t, w.certs.PublishRevocations(ctx))
	return issued.Serial
}

// found is what stands against each side: "vault", "database", both or nothing.
func found(g *recovery.Guard) (sides string) {
	if g.VaultOlder() != nil {
		sides += "vault "
	}
	if g.DatabaseOlder() != nil {
		sides += "database "
	}
	return sides
}
