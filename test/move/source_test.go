package move_test

import (
	"context"
	"database/sql"
	"encoding/base64"
	"fmt"
	"log/slog"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/license/licensetest"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// newSource creates an installation of one machine with the given number of tokens, and
// for each five audit entries, a certificate and a document. One certificate in a
// hundred is revoked. Every third document has several versions.
func newSource(t testing.TB, tokens int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	file := filepath.Join(dir, "keyward.db")
	must.OK(t, storebench.Fill(t.Context(), file, storebench.Size{
		Organizations: 20, Users: max(tokens/2, 20), Devices: tokens, Sessions: tokens / 2, Certificates: tokens, Releases: tokens,
		Audit: 4 * tokens, Now: time.Now().UnixMicro(),
	}))
	engine := openSource(t, dir)
	defer func() { must.OK(t, engine.Close()) }()
	fillDocuments(t, engine, tokens)
	revoke(t, engine, file)
	l := licenseIn(t, engine)
	id := must.Get(l.InstallationID(t.Context()))(t)
	must.Get(l.Upload(t.Context(), licensetest.New(1).Issue(t, id, time.Now(), time.Now().AddDate(1, 0, 0)), false))(t)
	must.OK(t, engine.Revoke(t.Context(), vault.Revocation{Serial: "41", At: time.Now(), NotAfter: time.Now().Add(-time.Hour)}))
	for _, ca := range must.Get(engine.CAs(t.Context()))(t) {
		if len(ca.Chain) > 0 { // the new vault begins with a few lists
			must.OK(t, engine.RaiseCRL(t.Context(), ca.ID, 9, nil))
		}
	}
	db := must.Get(store.OpenSQLite(t.Context(), file, store.Options{}))(t)
	defer func() { must.OK(t, db.Close()) }()
	must.OK(t, (&chain.Sealer{Store: db, Vault: engine, Now: time.Now}).Run(t.Context()))
	return dir
}

func openSource(t testing.TB, dir string) *embedded.Engine {
	t.Helper()
	return must.Get(embedded.Open(t.Context(), embedded.Options{
		Path: filepath.Join(dir, "vault.db"), Seal: embedded.FileSeal(filepath.Join(dir, "seal.key")),
		PublicBase: vaultserver.PublicBase, CAKeyType: piv.ECP256, Logger: slog.New(slog.DiscardHandler),
	}))(t)
}

// licenseIn is the backend's access to the license in a vault.
func licenseIn(t testing.TB, kv vault.KV) *license.Service {
	t.Helper()
	return &license.Service{Vault: kv, Keys: licensetest.New(1).Keys(t), Log: slog.New(slog.DiscardHandler), Now: time.Now}
}

// atOnce is how many writes share an fsync.
const atOnce = 256

func fillDocuments(t testing.TB, engine *embedded.Engine, tokens int) {
	t.Helper()
	group, ctx := errgroup.WithContext(t.Context())
	group.SetLimit(atOnce)
	for n := 1; n <= tokens; n++ {
		group.Go(func() error { return putToken(ctx, engine, n) })
	}
	must.OK(t, group.Wait())
}

// putToken writes a document of a token's form and size.
func putToken(ctx context.Context, engine *embedded.Engine, n int) error {
	field := func(value string) map[string]any {
		return map[string]any{"current": value, "superseded": []any{map[string]any{"value": value + "0", "for": n, "age": 1}}, "first": "current"}
	}
	for version := range 1 + n%3/2 {
		data, err := vault.Encode(map[string]any{
			"fields": map[string]any{
				"pin": field(fmt.Sprint(10_000_000 + n + version)), "puk": field(fmt.Sprint(20_000_000 + n)),
				"management_key": field(fmt.Sprintf("%048x", n)),
			},
			"last_rotation_id": version, "for": n, "changed_at": time.Now().UTC().Format(time.RFC3339Nano),
		})
		if err != nil {
			return err
		}
		if _, err := engine.Put(ctx, fmt.Sprintf("bench-%08d/secrets", n), data, version); err != nil {
			return err
		}
	}
	return nil
}

// revoke replaces the recorded revoked certificates with real ones of two CAs, the second of which is
// active since, and which the vault has revoked, too. A third CA is only requested.
func revoke(t testing.TB, engine *embedded.Engine, file string) {
	t.Helper()
	db := must.Get(sql.Open("sqlite", file))(t)
	defer func() { must.OK(t, db.Close()) }()
	var rows int
	must.OK(t, db.QueryRowContext(t.Context(), "SELECT count(*) FROM certificates WHERE status = 'revoked'").Scan(&rows))
	csr := vaulttest.NewCSR(t, vaulttest.RSAKey())
	list := make([]vault.Revocation, rows)
	tx := must.Get(db.BeginTx(t.Context(), nil))(t)
	for i := range list {
		if i == rows/2 {
			next := must.Get(engine.NewCA(t.Context(), vault.NewCA{KeyType: piv.ECP384, CommonName: "Keyward Root CA 2", SelfSigned: true}))(t)
			must.OK(t, engine.ActivateCA(t.Context(), next.ID))
			must.Get(engine.NewCA(t.Context(), vault.NewCA{KeyType: piv.ECP256, CommonName: "Keyward Root CA 3"}))(t)
		}
		issued := must.Get(vaulttest.Sign(t.Context(), engine, vault.SignRequest{CSR: csr, CommonName: "user"}))(t)
		c := issued.Certificate
		list[i] = vault.Revocation{Serial: issued.Serial, CA: issued.CA, At: time.Now(), Reason: vault.Superseded, NotAfter: c.NotAfter}
		must.Get(tx.ExecContext(t.Context(), "UPDATE certificates SET serial_number = $1, der = $2, not_after = $3 WHERE id = $4",
			issued.Serial, base64.StdEncoding.EncodeToString(c.Raw), c.NotAfter.UnixMicro(), (i+1)*100))(t)
	}
	must.OK(t, tx.Commit())
	must.OK(t, engine.Revoke(t.Context(), list...))
}
