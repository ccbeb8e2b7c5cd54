package app_test

import (
	"database/sql"
	"errors"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

var errHere = errors.New("cut off here")

// cutAt aborts a restore at the nth point of a kind.
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

// TestRestoreCutOff: wherever a restore stops, the database is either unchanged or as
// in the backup; in the latter case, what is missing blocks it until the restore is
// resumed.
func TestRestoreCutOff(t *testing.T) {
	t.Parallel()
	w := newSingleMachine(t)
	pins := w.pins(t, "a-user", "10000")
	key := w.makesBackup(t)
	job := w.must(202, "POST", "/api/backup/trigger", w.tokens["admin"], map[string]any{"type": "database"})
	half := filepath.Join(w.data, "backups", w.ended(t, job, "Completed")["key"].(string))
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
			if held := found.Vault != nil || err != nil; held != cut.changed {
				t.Errorf("after that: %+v, %v", found, err)
			}
			killed(t, cfg, out.Job.ID)
			first := out.Job.ID
			request.At, request.Resume = nil, cut.changed
			if cut.changed { // no part of it ends the whole
				refused := request
				refused.Resume, refused.File = false, half
				if _, err := app.Restore(t.Context(), cfg, refused); !because(err, "restore_of_another_backup") {
					t.Errorf("a backup of the database alone: %v", err)
				}
				killed(t, cfg, out.Job.ID)
			}
			out, err = app.Restore(t.Context(), cfg, request)
			if err != nil || out.Job.Status != backup.Completed {
				t.Fatalf("resumed: %v, %+v", err, out.Job)
			}
			want := "Failed "
			if cut.changed {
				want = "Failed vault_incomplete"
			}
			if is := standing(t, cfg, first); is != want {
				t.Errorf("the job of the program that was killed is %q", is)
			}
			found, err = app.Recover(t.Context(), cfg, app.RecoverRequest{})
			if err != nil || found.Vault != nil || found.Database != nil {
				t.Errorf("in the end: %+v, %v", found, err)
			}
			must.Get(app.VerifyAudit(t.Context(), cfg, nil))(t)
			if !cut.changed {
				return // the complete restore has tests of its own
			}
			again := &fixture{start(t, cfg), w.people}
			again.healthy(t)
			if diff := cmp.Diff(pins, again.pins(t, "a-user", "10000")); diff != "" {
				t.Errorf("the PIN (-before +after):\n%s", diff)
			}
			must.OK(t, again.stop())
		})
	}
}

// onCopy returns the settings of a copy of the installation.
func (w *fixture) onCopy(t *testing.T, cfg config.Config, s saved) config.Config {
	t.Helper()
	if s.kept != "" {
		cfg.DatabaseURL = secret.New(postgrestest.Copy(t, s.kept))
	}
	return cfg
}

// database opens the database of the settings.
func database(t *testing.T, cfg config.Config) *sql.DB {
	t.Helper()
	if cfg.DatabaseURL.Empty() {
		return engine.SQL(t, cfg.Data)
	}
	return must.Get(sql.Open("pgx", cfg.DatabaseURL.Reveal()))(t)
}

// standing returns a job's status and outcome.
func standing(t *testing.T, cfg config.Config, job int64) (is string) {
	t.Helper()
	db := database(t, cfg)
	query := engine.Numbered("SELECT status || ' ' || outcome FROM backup_jobs WHERE id = ?")
	must.OK(t, db.QueryRowContext(t.Context(), query, job).Scan(&is))
	must.OK(t, db.Close())
	return is
}

// killed makes a job look as if its process had been killed: its end is missing.
func killed(t *testing.T, cfg config.Config, job int64) {
	t.Helper()
	db := database(t, cfg)
	result := must.Get(db.ExecContext(t.Context(), engine.Numbered(
		"UPDATE backup_jobs SET status = 'Running', active = 1, outcome = '', error_message = '', finished_at = NULL WHERE id = ?"), job))(t)
	if n := must.Get(result.RowsAffected())(t); n != 1 {
		t.Errorf("%d jobs were killed", n)
	}
	must.OK(t, db.Close())
}

func because(err error, reason string) bool {
	f, ok := fault.As(err)
	return ok && f.Reason == reason
}
