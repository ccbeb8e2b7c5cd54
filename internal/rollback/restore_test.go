package rollback_test

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// TestRestoreInUse: whenever the process is killed, a restore over an
// installation in use is resumed, undoes no revocation, loses no PIN, and leaves no finding.
func TestRestoreInUse(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.installed(t)
	must.OK(t, w.guard().Start(t.Context()))
	w.busy(t)
	b := w.takeBackup(t)
	w.busy(t)
	revoked, pin := w.revoked(), w.pin()
	jwt := must.Get(w.vault.Get(t.Context(), "_keyward/jwt"))(t)
	w.restored(t, b, restore.InUse)
	if !w.pin().Equal(pin) {
		t.Error("the newer PIN is not the current one")
	}
	if now := must.Get(w.vault.Get(t.Context(), "_keyward/jwt"))(t); now.Data.Same(jwt.Data) {
		t.Error("the secret of the access tokens is the former one")
	}
	w.quiet(t, revoked)
}

// TestRestoreElsewhere: on a bare machine, and over an unused installation,
// everything is as in the backup; what the backup's vault knew beyond its database
// is lost, without an alarm.
func TestRestoreElsewhere(t *testing.T) {
	t.Parallel()
	for _, over := range []restore.Target{restore.Empty, restore.Fresh} {
		t.Run(string(over), func(t *testing.T) {
			t.Parallel()
			old := newWorld(t)
			old.installed(t)
			must.OK(t, old.guard().Start(t.Context()))
			old.busy(t)
			var dump bytes.Buffer
			must.Get(old.db.Dump(t.Context(), &dump, wholeDatabase))(t)
			must.Get(old.sign(t.Context(), old.servers[0]))(t) // after the dump, before the vault is read
			must.OK(t, old.release(t.Context(), old.servers[0]))
			must.OK(t, old.servers[0].certs.Issuances.Flush(t.Context()))
			must.OK(t, old.seal(t.Context(), old.servers[0]))
			late := must.Get(old.revoke(t.Context(), old.servers[0]))(t)
			b := old.takeBackup(t)
			b.dump = dump.Bytes()
			revoked, pin := old.revoked(), old.pin()
			number, _ := must.Both(old.vault.CRLNumber(t.Context(), vault.Active))(t)

			database, vaults := newPlaces(t, false)
			w := &world{t: t, now: time.Now, log: &logBook{}, database: database, vaults: vaults, alex: old.alex}
			w.open()
			t.Cleanup(w.close)
			if over == restore.Fresh {
				w.installedAs(t, "another")
				must.OK(t, w.guard().Start(t.Context()))
				must.OK(t, w.seal(t.Context(), w.servers[0]))
			}
			w.restored(t, b, over)
			if !w.pin().Equal(pin) {
				t.Error("the PIN is another")
			}
			if _, takes := w.vault.target().(replaceable); !takes {
				revoked = nil // a Vault signs with its own CA, whose CRL does not list them
			} else if now, _ := must.Both(w.vault.CRLNumber(t.Context(), vault.Active))(t); now <= number {
				t.Errorf("CRL number %d after %d", now, number)
			}
			if !w.recordedAsRevoked(late) {
				t.Error("what was revoked while the backup was made is on record as valid")
			}
			w.quiet(t, revoked)
		})
	}
}

func (w *world) recordedAsRevoked(serial string) bool {
	w.t.Helper()
	f := cert.Filter{Status: cert.Revoked, Now: w.now()}
	list := must.Get(w.db.ListCertificates(context.Background(), access.All(), f, page.Request{Limit: page.MaxLimit}))(w.t)
	return slices.ContainsFunc(list.Items, func(c cert.Certificate) bool { return c.SerialNumber == serial })
}

// TestRestoreLostSecrets: a document that the vault lost is restored from the backup
// and used, though the database knows of a later one.
func TestRestoreLostSecrets(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.installed(t)
	must.OK(t, w.guard().Start(t.Context()))
	w.busy(t)
	b, then := w.takeBackup(t), w.pin()
	w.busy(t)
	if m, ok := w.vaults.(mounts); ok {
		vaultserver.Shared(t).Destroy(t, m.options.Mounts, token+"/secrets")
	} else {
		must.OK(t, w.vault.DestroyPath(t.Context(), token+"/secrets"))
	}
	must.OK(t, w.restore(t.Context(), b, restore.InUse))
	if !w.pin().Equal(then) {
		t.Error("the PIN is not that of the backup")
	}
	must.OK(t, w.guard().SigningBlocked(t.Context()))
	w.signIn()
	must.OK(t, w.release(t.Context(), w.servers[0]))
	must.OK(t, w.guard().SigningBlocked(t.Context()))
}

// TestRestoreHeldBack: until a restore has ended, every server holds back secrets
// and signatures, but lets people in; accepting the vault abandons it.
func TestRestoreHeldBack(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	must.OK(t, w.guard().Start(t.Context()))
	other := w.server(w.now)
	must.OK(t, other.guard.Start(t.Context()))
	name, value := must.Both(w.guard().RestoreBegins(rollback.Unfinished{ID: "1", At: w.now(), Key: "backup.enc", Type: "full"}))(t)
	must.OK(t, w.db.PutSetting(t.Context(), name, value))
	for _, g := range []*rollback.Guard{w.guard(), other.guard} {
		must.OK(t, g.Poll(t.Context()))
		must.OK(t, g.Compare(t.Context()))
		if err := g.SigningBlocked(t.Context()); !fault.Is(err, fault.RecoveryRequired) {
			t.Errorf("held: %v", err)
		}
		must.OK(t, g.SignInBlocked())
		lines := strings.Join(g.VaultRolledBack().Lines(), "\n")
		_, vault := g.States()
		if vault != "older" || g.Consistent() || !strings.Contains(lines, "stopped halfway") || !strings.Contains(lines, "backup.enc") {
			t.Errorf("the vault is %q, and lacks %s", vault, lines)
		}
	}
	must.OK(t, w.guard().AcceptVault(t.Context(), rollback.By{}))
	must.OK(t, other.guard.Poll(t.Context()))
	for _, g := range []*rollback.Guard{w.guard(), other.guard} {
		must.OK(t, g.SigningBlocked(t.Context()))
	}
	must.OK(t, w.guard().RestoreEnds(t.Context())) // there is none
}

// TestRestoreHeldBackWithoutVault: the unfinished restore is recorded in the
// database, so it counts even while the vault is away, on a server that started
// without it, too.
func TestRestoreHeldBackWithoutVault(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	must.OK(t, w.guard().Start(t.Context()))
	late := w.server(w.now)
	w.life.cut(true, false)
	name, value := must.Both(w.guard().RestoreBegins(rollback.Unfinished{ID: "1", At: w.now(), Key: "backup.enc", Type: "full"}))(t)
	must.OK(t, w.db.PutSetting(t.Context(), name, value))
	for _, g := range []*rollback.Guard{w.guard(), late.guard} {
		must.OK(t, g.Poll(t.Context()))
		if f, held := fault.As(g.SigningBlocked(t.Context())); !held || f.Reason != "restore_unfinished" {
			t.Errorf("held: %v", f)
		}
		if _, vault := g.States(); vault != "older" {
			t.Errorf("the vault is %q", vault)
		}
	}
	w.life.cut(false, false)
	must.OK(t, w.guard().AcceptVault(t.Context(), rollback.By{}))
	must.OK(t, w.guard().SigningBlocked(t.Context()))
}
