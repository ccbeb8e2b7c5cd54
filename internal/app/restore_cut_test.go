package app_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

var errHere = errors.New("cut off here")

// cutAt breaks a restore off at the nth of a kind of point.
func cutAt(point string, nth int) func(string) error {
	return func(is string) error {
		if is != point {
			return nil
		}
		if nth--; nth > 0 {
			return nil
		}
		return errHere
	}
}

// TestRestoreCutOff: wherever a restore stops, the database is as before, or it is as in
// the backup, and what is missing is held against it until the restore was resumed.
func TestRestoreCutOff(t *testing.T) {
	t.Parallel()
	w := newTownOfOneMachine(t)
	key := w.makesBackup(t)
	file := filepath.Join(w.data, "backups", key)
	must.OK(t, w.stop())
	living := saved{dir: t.TempDir()}
	copyFiles(t, w.data, living.dir, "keyward.db", "vault.db", "seal.key")
	if engine.OnPostgres() {
		living.kept = postgrestest.Keep(t, w.cfg.DatabaseURL.Reveal())
	}
	for _, cut := range []struct {
		point   string
		nth     int
		bare    bool
		changed bool
	}{
		{backup.AtChecked, 1, false, false}, {backup.AtDocument, 7, false, true}, {backup.AtDatabase, 1, true, true},
		{backup.AtVault, 1, true, true},
	} {
		t.Run(fmt.Sprint(cut.point, " ", cut.nth, ", bare: ", cut.bare), func(t *testing.T) {
			cfg := w.onBareMachine(t)
			if !cut.bare {
				copyFiles(t, living.dir, cfg.Data, "keyward.db", "vault.db", "seal.key")
				cfg = w.onCopy(t, cfg, living)
			}
			request := app.RestoreRequest{File: file, Password: secret.New(backupPassword), Via: "keyward restore", At: cutAt(cut.point, cut.nth)}
			out, err := app.Restore(t.Context(), cfg, request)
			if !errors.Is(err, errHere) || (out.Job.Outcome == backup.VaultIncomplete) != cut.changed {
				t.Errorf("it was cut off: %v, %+v", err, out.Job)
			}
			found, err := app.Recover(t.Context(), cfg, app.RecoverRequest{})
			if half := found.Vault != nil || err != nil; half != cut.changed {
				t.Errorf("after that: %+v, %v", found, err)
			}
			request.At, request.Resume = nil, cut.changed
			out, err = app.Restore(t.Context(), cfg, request)
			if err != nil || out.Job.Status != backup.Completed {
				t.Fatalf("resumed: %v, %+v", err, out.Job)
			}
			found, err = app.Recover(t.Context(), cfg, app.RecoverRequest{})
			if err != nil || found.Vault != nil || found.Database != nil {
				t.Errorf("in the end: %+v, %v", found, err)
			}
			must.Get(app.VerifyAudit(t.Context(), cfg, nil))(t)
		})
	}
}

// onCopy is the settings of a copy of the installation.
func (w *town) onCopy(t *testing.T, cfg config.Config, s saved) config.Config {
	t.Helper()
	if s.kept != "" {
		cfg.DatabaseURL = secret.New(postgrestest.Copy(t, s.kept))
	}
	return cfg
}
