package storetest

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/restore"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/test/must"
)

// Restorable is an engine that can be backed up.
type Restorable interface {
	Engine
	// RestoreVault is the store's.
	RestoreVault(ctx context.Context, o restore.Options, goesOn bool) error
	// Backup keeps the database as it is now.
	Backup(t testing.TB) Backup
	// Execute runs statements that bypass the store: for what no real history produces.
	Execute(t testing.TB, statements ...string)
	// Query runs a query for a number, bypassing the store.
	Query(t testing.TB, query string) int64
}

// Backup restores what was kept into the same database.
type Backup func(context.Context, restore.Options) (restore.Report, error)

// RunRestore tests an engine's restore over an installation in use. open is like Run's.
func RunRestore(t *testing.T, open func(t *testing.T) Restorable) {
	for name, run := range map[string]func(*testing.T, *restored){
		"accounts changed since":                   restoreAccounts,
		"accounts of the backup alone":             restoreAbsent,
		"organizations":                            restoreOrganizations,
		"tokens and certificates":                  restoreTokens,
		"revocations":                              restoreRevocations,
		"nobody is signed in":                      restoreSessions,
		"a restore of the vault alone":             restoreVault,
		"webhooks":                                 restoreWebhooks,
		"settings":                                 restoreSettings,
		"the log goes on":                          restoreLog,
		"an empty log is filled":                   restoreEmptyLog,
		"ids are above both":                       restoreIDs,
		"what contradicts is refused":              restoreContradictions,
		"another installation's":                   restoreAnother,
		"over a fresh installation":                restoreFresh,
		"whoever is not admitted restores nothing": restoreAdmission,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run(t, newRestored(t, open))
		})
	}
}

// restored is a fixture whose database is restored.
type restored struct {
	*fixture
	Restorable
}

func newRestored(t *testing.T, open func(t *testing.T) Restorable) *restored {
	t.Helper()
	r := &restored{}
	r.fixture = setup(t, func(t *testing.T) Engine {
		r.Restorable = open(t)
		return r.Restorable
	})
	must.OK(t, r.PutSetting(t.Context(), restore.InstallationSetting, settings.Value{Text: `{"id":"one"}`, UpdatedAt: Now}))
	return r
}

// after is the time of the restore: two hours after the suite's own.
var after = Now.Add(2 * time.Hour)

func options() restore.Options {
	return restore.Options{At: after, Entry: entry("restore.completed", "backup"),
		Setting: "restoring", Value: settings.Value{Text: `"yes"`, UpdatedAt: after}}
}

func (r *restored) restore(t *testing.T, b Backup) restore.Report {
	t.Helper()
	return must.Get(b(t.Context(), options()))(t)
}

func (r *restored) account(t *testing.T, login string) account.User {
	t.Helper()
	return must.Get(r.UserByLogin(t.Context(), login))(t)
}

// table is a table's report, as "inserted updated kept removed".
func table(t *testing.T, r restore.Report, name string) string {
	t.Helper()
	i := slices.IndexFunc(r.Tables, func(t restore.Table) bool { return t.Name == name })
	if i < 0 {
		t.Fatalf("nothing is reported of %s", name)
	}
	return fmt.Sprint(r.Tables[i].Inserted, r.Tables[i].Updated, r.Tables[i].Kept, r.Tables[i].Removed)
}

// restoreAccounts: accounts on both sides stay as they are today, whatever the backup says.
func restoreAccounts(t *testing.T, r *restored) {
	waking := r.disabled(t, "waking")
	same := r.user(t, "same", access.User, &r.b.ID)
	sameToo := r.user(t, "same-too", access.User, &r.b.ID)
	b := r.Backup(t)

	for _, change := range []struct {
		of account.User
		to func(u *account.User)
	}{
		{r.alex, func(u *account.User) { u.IsActive = false }},
		{waking, func(u *account.User) { u.IsActive = true }},
		{r.manager, func(u *account.User) { u.Role = access.User }},
		{r.bea, func(u *account.User) { u.OrganizationID = &r.a.ID }},
		{same, func(u *account.User) { u.Username, u.Email = "renamed", "renamed@example.org" }},
		{sameToo, func(u *account.User) { u.UPN, u.SID = otherUPN, otherSID }},
		{r.admin, func(u *account.User) { u.PasswordHash, u.PasswordChangedAt = "today's", Now.Add(-time.Hour) }},
	} {
		must.Both(r.edit(t, change.of, change.to))(t)
	}
	r.user(t, "since", access.User, &r.a.ID)
	var before []account.User
	for _, login := range []string{"admin", "alex", "waking", "manager", "bea", "renamed", "renamed@example.org", "since", "same-too"} {
		before = append(before, r.account(t, login))
	}
	report := r.restore(t, b)
	for _, was := range before {
		equal(t, was.Username, r.account(t, was.Username), was)
	}
	refused(t, "a former name", errOf(r.UserByLogin(t.Context(), "same")), fault.NotFound)
	equal(t, "none comes back", report.AccountCount, 0)
	equal(t, "kept", report.Kept, map[restore.Kept]int64{restore.Accounts: 7})
	equal(t, "users", table(t, report, "users"), "0 0 8 0")
	equal(t, "the setting", must.Get(r.Setting(t.Context(), "restoring"))(t).Text, `"yes"`)
}

// restoreAbsent: a missing account comes back disabled, with its logins.
func restoreAbsent(t *testing.T, r *restored) {
	gone := must.Get(r.InsertIdentity(t.Context(), issuer, "1", subject("gone"), []string{"gone"}, entry(audit.UserCreated, "user")))(t)
	asleep := r.disabled(t, "asleep")
	must.OK(t, r.directory(t, gone, upn, sid))
	must.OK(t, r.directory(t, asleep, otherUPN, ""))
	b := r.Backup(t)
	for _, id := range []int64{gone.ID, asleep.ID} {
		r.Execute(t, fmt.Sprint("DELETE FROM identities WHERE user_id = ", id), fmt.Sprint("DELETE FROM logins WHERE user_id = ", id),
			fmt.Sprint("DELETE FROM directory_names WHERE user_id = ", id), fmt.Sprint("DELETE FROM users WHERE id = ", id))
	}
	report := r.restore(t, b)

	for name, flagged := range map[string]bool{"gone": true, "asleep": false} {
		for _, login := range []string{name, name + "@example.org"} {
			u := r.account(t, login)
			equal(t, login, []bool{u.IsActive, u.DisabledByRecovery}, []bool{false, flagged})
		}
	}
	equal(t, "by its subject", must.Get(r.UserByIdentity(t.Context(), issuer, "1"))(t).ID, gone.ID)
	equal(t, "listed", report.Accounts, []restore.Account{{ID: gone.ID, Username: "gone"}})
	equal(t, "logins", table(t, report, "logins"), "4 0 8 0")
	equal(t, "directory names", table(t, report, "directory_names"), "3 0 0 0")
	refused(t, "a UPN that came back", r.directory(t, r.bea, upn, ""), fault.Conflict)

	// A name that another account has by now is not assigned twice.
	r.Execute(t, fmt.Sprint("DELETE FROM directory_names WHERE user_id = ", asleep.ID),
		fmt.Sprint("DELETE FROM logins WHERE user_id = ", asleep.ID), fmt.Sprint("DELETE FROM users WHERE id = ", asleep.ID))
	must.OK(t, r.directory(t, r.bea, otherUPN, ""))
	refused(t, "a UPN that is another's", errOf(b(t.Context(), options())), fault.Conflict)
	must.OK(t, r.directory(t, r.bea, "", ""))
	r.user(t, "asleep", access.User, nil)
	refused(t, "a name that is another's", errOf(b(t.Context(), options())), fault.Conflict)
}

func restoreOrganizations(t *testing.T, r *restored) {
	c, d := r.organization(t, "Cup"), r.organization(t, "Dish")
	closed := r.organization(t, "Closed")
	r.editOrganization(t, closed, func(o *account.Organization) { o.IsActive = false })
	b := r.Backup(t)
	rename := func(o account.Organization, name string) {
		t.Helper()
		r.editOrganization(t, o, func(o *account.Organization) { o.Name = name })
	}
	// a and b have swapped names; c's name belongs to another, which has d's.
	rename(r.a, "X")
	rename(r.b, "Acme")
	rename(r.a, "Bolt")
	rename(d, "D")
	rename(c, "Dish")
	rename(closed, "Open")
	since := r.organization(t, "Cup")
	r.editOrganization(t, d, func(o *account.Organization) { o.UPNSuffixes, o.KerberosRealm = []string{"corp.example"}, "CORP" })
	r.editOrganization(t, closed, func(o *account.Organization) { o.IsActive = true })
	r.editOrganization(t, r.b, func(o *account.Organization) { o.EmailDomains = []string{"example.org", "example.net"} })
	report := r.restore(t, b)
	for id, want := range map[int64]string{
		r.a.ID: "Acme true", r.b.ID: "Bolt true", c.ID: "Dish true", d.ID: "D true", closed.ID: "Closed true", since.ID: "Cup true",
	} {
		o := must.Get(r.Organization(t.Context(), access.All(), id))(t)
		equal(t, "organization", fmt.Sprint(o.Name, " ", o.IsActive), want)
	}
	equal(t, "domains", must.Get(r.Organization(t.Context(), access.All(), r.b.ID))(t).EmailDomains,
		[]string{"example.org", "example.net"})
	equal(t, "suffixes", must.Get(r.Organization(t.Context(), access.All(), d.ID))(t).UPNSuffixes, []string{"corp.example"})
	equal(t, "organizations", table(t, report, "organizations"), "0 3 3 0")
	equal(t, "kept", report.Kept, map[restore.Kept]int64{restore.Organizations: 3})
	rename(since, "Acme 2") // names are unique, and looked up as they are
	_, err := r.tryOrganization(t, since, func(o *account.Organization) { o.Name = "ACME" })
	refused(t, "a name that came back", err, fault.Conflict)
}
