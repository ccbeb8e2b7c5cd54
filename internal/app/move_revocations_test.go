//go:build exhaustive

package app_test

import (
	"crypto/rand"
	"crypto/x509"
	"database/sql"
	"encoding/base64"
	"encoding/hex"
	"io"
	"math/big"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/vault/embedded/issuance"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// TestMoveRevocations: revocations of unrecorded certificates block the move until they
// are dropped. Those of a former CA stay recorded, and so do those of expired
// certificates: no CRL of the current CA lists them.
func TestMoveRevocations(t *testing.T) {
	t.Parallel()
	s := newSmall(t)
	s.revokeInVault(t, vault.Revocation{Serial: "51525354", At: time.Now(), NotAfter: time.Now().Add(time.Hour)},
		vault.Revocation{Serial: "61626364", At: time.Now().Add(-2 * time.Hour), NotAfter: time.Now().Add(-time.Hour)})
	s.formerCA(t, "71727374")
	before := files(t, s.cfg.Data)
	want := app.MoveRequest{From: s.cfg, To: s.target(t, engine.Postgres(t)), Credentials: filepath.Join(t.TempDir(), "credentials")}
	for _, want.DryRun = range []bool{true, false} {
		report, err := app.Move(t.Context(), want, io.Discard)
		if len(report.Obstacles) != 1 || !strings.Contains(report.Obstacles[0].Error(), "not on record, such as 51525354") ||
			!strings.Contains(report.Obstacles[0].Error(), "--forget-unknown") || (err == nil) != want.DryRun {
			t.Errorf("dry %v: in the way %v, %v", want.DryRun, report.Obstacles, err)
		}
		if report.Revocations != 1 || report.Former != 1 || report.Ended != 1 || len(report.Unknown) != 1 {
			t.Errorf("%d revocations, %d of a former CA, %d ended, %q unknown", report.Revocations, report.Former, report.Ended, report.Unknown)
		}
	}
	s.untouched(t, before, false)
	want.ForgetUnknown = true
	report := must.Get(app.Move(t.Context(), want, io.Discard))(t)
	if len(report.Unknown) != 1 || report.Unknown[0] != "51525354" {
		t.Errorf("what was left behind is told as %q", report.Unknown)
	}
	s.untouched(t, before, true)
	s.serves(t, want.To, want.Credentials)
}

// revokeInVault revokes only in the old vault.
func (s small) revokeInVault(t *testing.T, list ...vault.Revocation) {
	t.Helper()
	engine := must.Get(embedded.Open(t.Context(), embedded.Options{
		Path: filepath.Join(s.cfg.Data, "vault.db"), Seal: embedded.FileSeal(filepath.Join(s.cfg.Data, "seal.key")), PublicBase: s.cfg.SiteURL,
	}))(t)
	must.OK(t, engine.Revoke(t.Context(), list...))
	must.OK(t, engine.Close())
}

// formerCA records a revoked certificate signed by another CA of the same name, and
// lets the old vault list it as its reconciler does.
func (s small) formerCA(t *testing.T, serial string) {
	t.Helper()
	ca, key := must.Both(issuance.NewRoot(piv.ECP256, "Keyward Root CA", time.Now()))(t)
	template := &x509.Certificate{
		SerialNumber: new(big.Int).SetBytes(must.Get(hex.DecodeString(serial))(t)), NotBefore: time.Now(), NotAfter: time.Now().Add(time.Hour),
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, ca, ca.PublicKey, key))(t)
	db := must.Get(sql.Open("sqlite", filepath.Join(s.cfg.Data, "keyward.db")))(t)
	defer func() { must.OK(t, db.Close()) }()
	var columns string
	must.OK(t, db.QueryRowContext(t.Context(), `SELECT group_concat(name) FROM pragma_table_info('certificates')
		WHERE name NOT IN ('id', 'serial_number', 'der')`).Scan(&columns))
	must.Get(db.ExecContext(t.Context(), "INSERT INTO certificates (serial_number, der, "+columns+") SELECT $1, $2, "+columns+
		" FROM certificates WHERE serial_number = $3", serial, base64.StdEncoding.EncodeToString(der), s.revoked))(t)
	s.revokeInVault(t, vault.Revocation{Serial: serial, At: time.Now(), NotAfter: template.NotAfter})
}
