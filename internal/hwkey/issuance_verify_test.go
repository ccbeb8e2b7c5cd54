package hwkey_test

import (
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/test/engine"
)

// TestVerifyAfterCrash: for what the server could not finish, the audit entry is
// compared with what the vault logged before; a certificate only in the database, as
// after a restore, is no fault.
func TestVerifyAfterCrash(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		crashed, err := i.another(t, "key-2")
		must(t, err)
		i.certs.Issuances = intentlog.NewIssuances(setup(t).pki, i.now) // of another vault
		older, err := i.another(t, "key-3")
		must(t, err)
		i.restart()
		verify := func() (intentlog.IssuanceReport, error) {
			return intentlog.VerifyIssuances(t.Context(), i.engine, i.db, i.now())
		}
		if seen, err := verify(); err != nil || seen.Recorded != 0 || seen.Unknown != 0 {
			t.Errorf("just signed: %+v, %v", seen, err)
		}
		i.reconcile(t, 11*time.Minute)
		seen, err := verify()
		if err != nil || seen.Recorded != 1 || seen.Unknown != 1 || !slices.Equal(seen.Newest, []string{older.Certificate.SerialNumber}) {
			t.Errorf("%+v, %v", seen, err)
		}
		for _, edit := range []string{
			"actor_id = actor_id + 1", "actor_id = NULL", "details = 'token key-9' || substr(details, 12)", "details = details || '; by API key 1'",
		} {
			var before struct {
				actor   *int64
				details string
			}
			db, serial := engine.SQL(t, i.dir), crashed.Certificate.SerialNumber
			must(t, db.QueryRowContext(t.Context(),
				"SELECT actor_id, details FROM audit_entries WHERE action = 'certificate.issued' AND target_id = $1", serial).
				Scan(&before.actor, &before.details))
			engine.Execute(t, i.dir, "UPDATE audit_entries SET "+edit+" WHERE action = 'certificate.issued' AND target_id = ?", serial)
			_, err = verify()
			if bad, ok := errors.AsType[*intentlog.BadIssuances](err); !ok || bad.Count != 1 || bad.First[0].SerialNumber != serial {
				t.Errorf("%s: %v", edit, err)
			}
			engine.Execute(t, i.dir, "UPDATE audit_entries SET actor_id = ?, details = ? WHERE action = 'certificate.issued' AND target_id = ?",
				before.actor, before.details, serial)
		}
	})
}
