package storetest

import (
	"fmt"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/test/must"
)

// restoreIDs: no id is assigned again that either side has assigned.
func restoreIDs(t *testing.T, r *restored) {
	r.device(t, "abcd")
	gone := r.device(t, "gone")
	b := r.Backup(t)
	r.Execute(t, fmt.Sprint("DELETE FROM hwkeys WHERE id = ", gone.ID))
	since := r.user(t, "since", access.User, nil)
	r.restore(t, b)
	if d := r.device(t, "next"); d.ID <= gone.ID {
		t.Errorf("the next token has the id %d, after %d", d.ID, gone.ID)
	}
	if u := r.user(t, "next", access.User, nil); u.ID <= since.ID {
		t.Errorf("the next account has the id %d, after %d", u.ID, since.ID)
	}
}

// restoreContradictions: if one id is two things, or one thing has two ids, nothing happens, and
// the error names the table and the row.
func restoreContradictions(t *testing.T, r *restored) {
	d := r.device(t, "abcd")
	r.certificate(t, r.record("0a", "abcd"))
	c := r.id(t, "certificates", "serial_number = '0a'")
	k, w := r.key(t, "k", r.admin, nil), r.hook(t, nil)
	b := r.Backup(t)
	for _, c := range []struct {
		do, undo, table string
		id              int64
	}{
		{"UPDATE hwkeys SET serial_key = 'x'", "UPDATE hwkeys SET serial_key = 'abcd'", "hwkeys", d.ID},
		{"UPDATE certificates SET serial_number = 'x'", "UPDATE certificates SET serial_number = '0a'", "certificates", c},
		{"UPDATE certificates SET id = id + 70", "UPDATE certificates SET id = id - 70", "certificates", c},
		{"UPDATE api_keys SET hash = 'x'", fmt.Sprintf("UPDATE api_keys SET hash = '%s'", k.Hash), "api_keys", k.ID},
		{"UPDATE api_keys SET id = id + 70", "UPDATE api_keys SET id = id - 70", "api_keys", k.ID},
		{"UPDATE webhooks SET created_at = created_at + 1", "UPDATE webhooks SET created_at = created_at - 1", "webhooks", w.ID},
		{fmt.Sprint("UPDATE users SET created_at = created_at + 1 WHERE id = ", r.bea.ID),
			fmt.Sprint("UPDATE users SET created_at = created_at - 1 WHERE id = ", r.bea.ID), "users", r.bea.ID},
		{fmt.Sprint("UPDATE organizations SET created_at = created_at + 1 WHERE id = ", r.b.ID),
			fmt.Sprint("UPDATE organizations SET created_at = created_at - 1 WHERE id = ", r.b.ID), "organizations", r.b.ID},
	} {
		r.Execute(t, c.do)
		seen := r.newest(t)
		_, err := b(t.Context(), options())
		refused(t, c.do, err, fault.Conflict)
		if f, _ := fault.As(err); f != nil {
			equal(t, c.do, fmt.Sprint(f.Params["table"], f.Params["id"]), fmt.Sprint(c.table, c.id))
		}
		equal(t, "the log", r.newest(t), seen)
		r.Execute(t, c.undo)
	}
	r.restore(t, b)
}

// id returns the id of the only matching row.
func (r *restored) id(t *testing.T, table, where string) int64 {
	t.Helper()
	return r.Query(t, "SELECT id FROM "+table+" WHERE "+where)
}

// restoreAnother: another installation's backup changes nothing here.
func restoreAnother(t *testing.T, r *restored) {
	b := r.Backup(t)
	for _, id := range []string{`{"id":"two"}`, `{}`} {
		must.OK(t, r.PutSetting(t.Context(), restore.InstallationSetting, settings.Value{Text: id, UpdatedAt: Now}))
		r.device(t, "of "+id)
		o := options()
		o.ReplaceAll = true
		refused(t, "another", errOf(b(t.Context(), o)), fault.Conflict)
		must.Get(r.Device(t.Context(), access.All(), "of "+id))(t)
	}
}

// restoreFresh: an installation without tokens and certificates is replaced on request; its id and
// its vault stay.
func restoreFresh(t *testing.T, r *restored) {
	d := r.device(t, "abcd", func(d *hwkey.Device) { d.SecretsCounter = 7 })
	r.signIn(t, r.alex)
	key := r.key(t, "k", r.admin, nil)
	r.hook(t, nil)
	put := func(text string, names ...string) {
		for _, name := range names {
			must.OK(t, r.PutSetting(t.Context(), name, settings.Value{Text: text, UpdatedAt: Now}))
		}
	}
	put(`"then"`, "oidc", "audit_tail.syslog")
	log := must.Get(r.AuditAfter(t.Context(), 0, 100))(t)
	b := r.Backup(t)

	r.Execute(t, "DELETE FROM hwkeys", "DELETE FROM refresh_tokens", "DELETE FROM refresh_families", "DELETE FROM sessions",
		"DELETE FROM api_keys", "DELETE FROM audit_entries", "DELETE FROM webhooks", "DELETE FROM logins", "DELETE FROM users")
	put(`{"id":"two"}`, restore.InstallationSetting)
	put(`"now"`, "audit_tail.syslog", "audit_tail.file")
	must.OK(t, r.RaiseVaultMark(t.Context(), "epoch", 7))
	first := r.user(t, "first", access.GlobalAdmin, nil)
	in := r.signIn(t, first)

	refused(t, "unasked", errOf(b(t.Context(), options())), fault.Conflict)
	equal(t, "first", r.account(t, "first").ID, first.ID)
	o := options()
	o.ReplaceAll = true
	report := must.Get(b(t.Context(), o))(t)
	equal(t, "kind", report.Kind, restore.Fresh)
	refused(t, "first", errOf(r.UserByLogin(t.Context(), "first")), fault.NotFound)
	refused(t, "its session", errOf2(r.Authenticate(t.Context(), in.ID)), fault.NotFound)
	for login, want := range map[string]account.User{"admin": r.admin, "manager": r.manager, "bea": r.bea} {
		equal(t, login, r.account(t, login), want)
	}
	d.SecretsCounter = 0 // of no document yet
	equal(t, "the token", must.Get(r.Device(t.Context(), access.All(), "abcd"))(t), d)
	k, _ := must.Both(r.KeyByHash(t.Context(), key.Hash))(t)
	equal(t, "the key", k.RevokedAt, &after)
	equal(t, "the installation", must.Get(r.Setting(t.Context(), restore.InstallationSetting))(t).Text, `{"id":"two"}`)
	for _, name := range []string{"oidc", "audit_tail.syslog"} {
		equal(t, name, must.Get(r.Setting(t.Context(), name))(t).Text, `"then"`)
	}
	refused(t, "a place in the former log", errOf(r.Setting(t.Context(), "audit_tail.file")), fault.NotFound)
	equal(t, "marks", len(must.Get(r.VaultMarks(t.Context()))(t)), 1)
	all := must.Get(r.AuditAfter(t.Context(), 0, 100))(t)
	equal(t, "the log", all[:len(log)], log)
	equal(t, "its end", len(all), len(log)+1)
	if last := all[len(log)]; last.ID <= log[len(log)-1].ID || last.Action != "restore.completed" {
		t.Errorf("the last entry is %+v", last)
	}
	if next := r.user(t, "next", access.User, nil); next.ID <= first.ID {
		t.Errorf("the id of the first is given again: %d", next.ID)
	}
}

// restoreAdmission: an actor that was shut out meanwhile restores nothing.
func restoreAdmission(t *testing.T, r *restored) {
	b := r.Backup(t)
	in := r.signIn(t, r.admin)
	ctx := access.Admit(t.Context(), access.Admission{Actor: access.Actor{
		UserID: r.admin.ID, SessionID: in.ID, Role: access.GlobalAdmin}})
	must.Both(r.edit(t, r.manager, func(u *account.User) { u.IsActive = false }))(t)
	must.Both(r.edit(t, r.admin, func(*account.User) {}, endSessions))(t)
	_, err := b(ctx, options())
	refused(t, "whose session has ended", err, fault.SessionNotFound)
	equal(t, "manager", r.account(t, "manager").IsActive, false)
	entries := must.Get(r.AuditAfter(t.Context(), r.newest(t)-1, 9))(t)
	equal(t, "the last entry", entries[0].Action, audit.SessionEnded)
}
