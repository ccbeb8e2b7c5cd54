package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/webhook"
	"github.com/keyward/keyward/test/must"
)

// restoreSessions: everything that lets someone in has ended.
func restoreSessions(t *testing.T, r *restored) {
	then := r.signIn(t, r.alex)
	old, gone := r.key(t, "old", r.admin, nil), r.key(t, "gone", r.admin, nil)
	must.Both(r.edit(t, r.bea, func(*account.User) {}, func(c *account.UserChange) {
		c.Invite = &account.Invitation{Hash: "invited", ExpiresAt: after.Add(time.Hour)}
	}))(t)
	b := r.Backup(t)
	now := r.signIn(t, r.bea)
	young := r.key(t, "young", r.admin, nil)
	r.Execute(t, fmt.Sprint("DELETE FROM api_keys WHERE id = ", gone.ID))
	report := r.restore(t, b)
	for _, in := range []signedIn{then, now} {
		equal(t, "a session", r.session(t, in.ID).Active, false)
		if r.state(t, in.token).Family.RevokedAt == nil {
			t.Error("a refresh family lives")
		}
	}
	for _, k := range []session.APIKey{old, gone, young} {
		k, s := must.Both(r.KeyByHash(t.Context(), k.Hash))(t)
		refused(t, k.Name, k.MayAct(s, after), fault.TokenInvalid)
		equal(t, k.Name, k.RevokedAt, &after)
	}
	refused(t, "an invitation", errOf2(r.Invited(t.Context(), "invited")), fault.NotFound)
	equal(t, "ended", []int64{report.SessionsEnded, report.KeysRevoked}, []int64{2, 2})
}

// restoreWebhooks: nothing is sent where it is not sent today, and all of today's go on.
func restoreWebhooks(t *testing.T, r *restored) {
	same, other, gone, off := r.hook(t, nil), r.hook(t, &r.a), r.hook(t, nil), r.hook(t, nil)
	b := r.Backup(t)
	change := func(w webhook.Webhook, c webhook.Change) {
		t.Helper()
		must.Get(r.UpdateWebhook(t.Context(), access.All(), w.ID, c, entry(audit.WebhookUpdated, "webhook")))(t)
	}
	change(same, webhook.Change{Description: ptr("better"), SecretRef: ptr("newer"), ExpectSecretRef: "ref"})
	change(other, webhook.Change{URL: ptr("https://elsewhere.example.org/")})
	change(off, webhook.Change{IsActive: ptr(false)})
	r.Execute(t, fmt.Sprint("DELETE FROM webhooks WHERE id = ", gone.ID))
	since := r.hook(t, nil)
	report := r.restore(t, b)
	for id, want := range map[int64]string{
		same.ID: "better true newer", other.ID: " true ref", gone.ID: " false ref", off.ID: " false ref", since.ID: " true ref",
	} {
		w := must.Get(r.Webhook(t.Context(), access.All(), id))(t)
		equal(t, "webhook", fmt.Sprint(w.Description, " ", w.IsActive, " ", w.SecretRef), want)
	}
	equal(t, "where it sends", must.Get(r.Webhook(t.Context(), access.All(), other.ID))(t).URL, "https://elsewhere.example.org/")
	equal(t, "webhooks", table(t, report, "webhooks"), "1 0 4 0")
	equal(t, "kept", report.Kept, map[restore.Kept]int64{restore.Webhooks: 3})
	if !strings.Contains(strings.Join(fault.Texts(report.Warnings), "\n"), "webhooks") {
		t.Errorf("warnings: %q", report.Warnings)
	}
}

func restoreSettings(t *testing.T, r *restored) {
	put := func(name, text string) {
		t.Helper()
		must.OK(t, r.PutSetting(t.Context(), name, settings.Value{Text: text, UpdatedAt: Now}))
	}
	names := []string{"oidc", "password_policy", "move", "vault_older", "database_older_by", "audit_tail.syslog", "backup", "unknown"}
	for _, name := range names {
		put(name, `"then"`)
	}
	b := r.Backup(t)
	r.Execute(t, "DELETE FROM settings WHERE name = 'password_policy'")
	for _, name := range append(names, "since") {
		if name != "password_policy" {
			put(name, `"now"`)
		}
	}
	report := r.restore(t, b)
	for _, name := range append(names, "since") {
		if name == "password_policy" { // it was never set
			refused(t, name, errOf(r.Setting(t.Context(), name)), fault.NotFound)
			continue
		}
		equal(t, name, must.Get(r.Setting(t.Context(), name))(t).Text, `"now"`)
	}
	equal(t, "settings", table(t, report, "settings"), "0 0 9 0")
	equal(t, "kept", report.Kept, map[restore.Kept]int64{restore.SignOn: 1, restore.PasswordRules: 1})
	if !slices.Contains(fault.Texts(report.Warnings), "The setting unknown was not restored: this version doesn't know it.") {
		t.Errorf("warnings: %q", report.Warnings)
	}
}

// restoreLog: an existing log goes on.
func restoreLog(t *testing.T, r *restored) {
	r.told(t, 2)
	b := r.Backup(t)
	r.append(t, entry("x.since", "thing"))
	before := must.Get(r.AuditAfter(t.Context(), 0, 100))(t)
	report := r.restore(t, b)
	all := must.Get(r.AuditAfter(t.Context(), 0, 100))(t)
	equal(t, "the log", all[:len(before)], before)
	equal(t, "its end", len(all), len(before)+1)
	equal(t, "what it tells", all[len(before)].Details,
		"; over a living installation: 1 sessions ended, 0 API keys revoked, 0 accounts come back disabled")
	equal(t, "audit_entries", table(t, report, "audit_entries"), fmt.Sprint("0 0 ", len(before), " 0"))
	equal(t, "notices", len(must.Get(r.ListNotices(t.Context(), r.alex.ID, notify.Filter{}, page.Request{Limit: 9}))(t).Items), 2)
	equal(t, "warnings of what is as it should be", len(report.Warnings), 0)
	equal(t, "notes", len(report.Notes), 1)
}

// restoreEmptyLog: the backup's log comes if there is none, and followers go on at its end.
func restoreEmptyLog(t *testing.T, r *restored) {
	r.told(t, 2)
	w := r.hook(t, nil)
	before := must.Get(r.AuditAfter(t.Context(), 0, 100))(t)
	b := r.Backup(t)
	r.Execute(t, "DELETE FROM audit_entries", "DELETE FROM notices")
	end := must.Get(r.AuditEnd(t.Context()))(t)
	equal(t, "the end of none", end, 0)
	r.restore(t, b)
	all := must.Get(r.AuditAfter(t.Context(), 0, 100))(t)
	equal(t, "the log", all[:len(before)], before)
	equal(t, "its end", len(all), len(before)+1)
	equal(t, "where it ends", must.Get(r.AuditEnd(t.Context()))(t), all[len(before)].ID)
	equal(t, "notices", len(must.Get(r.ListNotices(t.Context(), r.alex.ID, notify.Filter{}, page.Request{Limit: 9}))(t).Items), 2)
	targets := must.Get(r.ActiveWebhooks(t.Context()))(t)
	equal(t, "a webhook goes on", []int64{targets[0].ID, targets[0].After}, []int64{w.ID, before[len(before)-1].ID})
}
