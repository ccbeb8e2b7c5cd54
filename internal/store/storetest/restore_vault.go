package storetest

import (
	"errors"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/test/must"
)

// restoreVault: one without a database also ends what lets people in, but once: not when it
// resumes, and not when its job is lost.
func restoreVault(t *testing.T, r *restored) {
	then, key := r.signIn(t, r.alex), r.key(t, "then", r.admin, nil)
	j := r.startJob(t)
	o := options()
	o.Job, o.Runner = j.ID, "another"
	for _, goesOn := range []bool{false, true} {
		if err := r.RestoreVault(t.Context(), o, goesOn); !errors.Is(err, backup.ErrLost) {
			t.Errorf("of another's job: %v", err)
		}
	}
	refused(t, "its setting", errOf(r.Setting(t.Context(), o.Setting)), fault.NotFound)
	equal(t, "a session", r.session(t, then.ID).Active, true)

	o.Runner = "one"
	must.OK(t, r.RestoreVault(t.Context(), o, false))
	equal(t, "the setting", must.Get(r.Setting(t.Context(), o.Setting))(t).Text, o.Value.Text)
	equal(t, "a session", r.session(t, then.ID).Active, false)
	if r.state(t, then.token).Family.RevokedAt == nil {
		t.Error("a refresh family lives")
	}
	k, _ := must.Both(r.KeyByHash(t.Context(), key.Hash))(t)
	equal(t, "the API key", k.RevokedAt, &after)
	log := must.Get(r.ListAudit(t.Context(), access.All(), audit.Filter{}, page.Request{Limit: 1}))(t)
	equal(t, "log", log.Items[0].Action, "restore.completed")
	equal(t, "its details", log.Items[0].Details, o.Entry.Details+"; 1 sessions ended, 1 API keys revoked")

	now := r.signIn(t, r.bea)
	o.Value = settings.Value{Text: `"again"`, UpdatedAt: after}
	must.OK(t, r.RestoreVault(t.Context(), o, true))
	equal(t, "the setting", must.Get(r.Setting(t.Context(), o.Setting))(t).Text, o.Value.Text)
	equal(t, "a session since", r.session(t, now.ID).Active, true)
}
