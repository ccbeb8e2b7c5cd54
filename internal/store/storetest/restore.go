package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/apikey"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/backup/union"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notice"
	"github.com/keyward/keyward/internal/organization"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/user"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/webhook"
	"github.com/keyward/keyward/test/must"
)

// Restorable is an engine of which backups are made.
type Restorable interface {
	Engine
	// Backup keeps the database as it is.
	Backup(t testing.TB) Backup
	// Execute runs statements past the store: for what no history of one installation
	// does.
	Execute(t testing.TB, statements ...string)
	// Query asks past it for a number.
	Query(t testing.TB, query string) int64
}

// Backup restores what was kept into the database of which it is.
type Backup func(context.Context, union.Options) (union.Report, error)

// RunRestore holds an engine to what a restore over a living installation does. open is
// that of Run.
func RunRestore(t *testing.T, open func(t *testing.T) Restorable) {
	for name, run := range map[string]func(*testing.T, *restored){
		"accounts changed since":                   restoreAccounts,
		"accounts of the backup alone":             restoreAbsent,
		"organizations":                            restoreOrganizations,
		"a restore needs an administrator":         restoreAdministrator,
		"tokens and certificates":                  restoreTokens,
		"revocations":                              restoreRevocations,
		"nobody is signed in":                      restoreSessions,
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
			r := &restored{}
			r.fixture = setup(t, func(t *testing.T) Engine {
				r.Restorable = open(t)
				return r.Restorable
			})
			must.OK(t, r.PutSetting(t.Context(), union.InstallationSetting, settings.Value{Text: `{"id":"one"}`, UpdatedAt: Now}))
			run(t, r)
		})
	}
}

// restored is a fixture whose database is restored.
type restored struct {
	*fixture
	Restorable
}

// after is when they restore: two hours after what the suite does.
var after = Now.Add(2 * time.Hour)

func options() union.Options {
	return union.Options{At: after, Entry: entry("restore.completed", "backup"), Spare: "admin",
		Setting: "restoring", Value: settings.Value{Text: `"yes"`, UpdatedAt: after}}
}

func (r *restored) restore(t *testing.T, b Backup) union.Report {
	t.Helper()
	return must.Get(b(t.Context(), options()))(t)
}

func (r *restored) account(t *testing.T, login string) user.User {
	t.Helper()
	return must.Get(r.UserByLogin(t.Context(), login))(t)
}

// table is the report of one, as "inserted updated kept removed".
func table(t *testing.T, r union.Report, name string) string {
	t.Helper()
	i := slices.IndexFunc(r.Tables, func(t union.Table) bool { return t.Name == name })
	if i < 0 {
		t.Fatalf("nothing is reported of %s", name)
	}
	return fmt.Sprint(r.Tables[i].Inserted, r.Tables[i].Updated, r.Tables[i].Kept, r.Tables[i].Removed)
}

// restoreAccounts: nobody can do more than just before, nor than in the backup.
func restoreAccounts(t *testing.T, r *restored) {
	second := r.user(t, "second", access.OrgManager, &r.a.ID)
	third := r.user(t, "third", access.User, &r.a.ID)
	asleep := r.disabled(t, "asleep")
	r.user(t, "waking", access.User, &r.a.ID)
	same := r.user(t, "same", access.User, &r.b.ID)
	waking := r.account(t, "waking")
	must.Both(r.edit(t, waking, func(u *user.User) { u.IsActive = false }))(t)
	b := r.Backup(t)

	must.Both(r.edit(t, r.alex, func(u *user.User) { u.IsActive = false }))(t)                                         // dismissed
	must.Both(r.edit(t, r.manager, func(u *user.User) { u.Role = access.User }))(t)                                    // demoted
	must.Both(r.edit(t, r.bea, func(u *user.User) { u.OrganizationID = &r.a.ID }))(t)                                  // moved
	must.Both(r.edit(t, second, func(u *user.User) { u.Role, u.OrganizationID = access.GlobalAdmin, nil }))(t)         // promoted, away
	must.Both(r.edit(t, third, func(u *user.User) { u.Role = access.OrgManager }))(t)                                  // promoted
	must.Both(r.edit(t, waking, func(u *user.User) { u.IsActive = true }))(t)                                          // enabled
	must.Both(r.edit(t, same, func(u *user.User) { u.Username, u.Email = "renamed", "renamed@example.org" }))(t)       // another name
	must.Both(r.edit(t, r.admin, func(u *user.User) { u.PasswordHash, u.PasswordChangedAt = "newer", afterwards }))(t) // a new password
	since := r.user(t, "since", access.User, &r.a.ID)
	asAdmin := r.account(t, "admin")
	report := r.restore(t, b)

	type state struct {
		role             access.Role
		active, recovery bool
		organization     int64
	}
	for login, want := range map[string]state{
		"admin": {access.GlobalAdmin, true, false, 0}, "alex": {access.User, false, false, r.a.ID},
		"manager": {access.User, false, true, r.a.ID}, "bea": {access.User, false, true, r.a.ID},
		"second": {access.User, false, true, 0}, "third": {access.User, true, false, r.a.ID},
		"waking": {access.User, false, true, r.a.ID}, "asleep": {access.User, false, false, r.a.ID},
		"renamed": {access.User, true, false, r.b.ID}, "renamed@example.org": {access.User, true, false, r.b.ID},
		"since": {access.User, true, false, r.a.ID},
	} {
		u := r.account(t, login)
		equal(t, login, fmt.Sprint(state{u.Role, u.IsActive, u.DisabledByRecovery, value(u.OrganizationID)}), fmt.Sprint(want))
	}
	equal(t, "who restores", r.account(t, "admin"), asAdmin)
	equal(t, "since", r.account(t, "since"), since)
	refused(t, "a former name", errOf(r.UserByLogin(t.Context(), "same")), fault.NotFound)
	equal(t, "listed", report.Accounts, []union.Account{
		{ID: r.manager.ID, Username: "manager", Why: union.Demoted}, {ID: r.alex.ID, Username: "alex", Why: union.Disabled},
		{ID: r.bea.ID, Username: "bea", Why: union.Moved}, {ID: second.ID, Username: "second", Why: union.Moved},
		{ID: waking.ID, Username: "waking", Why: union.Inactive},
	})
	equal(t, "how many", report.AccountCount, 5)
	equal(t, "users", table(t, report, "users"), "0 5 5 0")
	equal(t, "asleep", r.account(t, "asleep"), asleep)
	equal(t, "the setting", must.Get(r.Setting(t.Context(), "restoring"))(t).Text, `"yes"`)
}

// restoreAbsent: an account that was not there comes back disabled, with what one signs
// in by; a password of the backup counts where it is newer.
func restoreAbsent(t *testing.T, r *restored) {
	gone := must.Get(r.InsertIdentity(t.Context(), issuer, "1", subject("gone"), []string{"gone"}, entry(audit.UserCreated, "user")))(t)
	asleep := r.disabled(t, "asleep")
	must.Both(r.edit(t, r.bea, func(u *user.User) { u.PasswordHash, u.PasswordChangedAt, u.MustChangePassword = "b", afterwards, true }))(t)
	b := r.Backup(t)
	for _, id := range []int64{gone.ID, asleep.ID} {
		r.Execute(t, fmt.Sprint("DELETE FROM identities WHERE user_id = ", id), fmt.Sprint("DELETE FROM logins WHERE user_id = ", id),
			fmt.Sprint("DELETE FROM users WHERE id = ", id))
	}
	must.Both(r.edit(t, r.bea, func(u *user.User) { u.PasswordHash, u.PasswordChangedAt, u.MustChangePassword = "a", Now, false }))(t)
	report := r.restore(t, b)

	for name, flagged := range map[string]bool{"gone": true, "asleep": false} {
		for _, login := range []string{name, name + "@example.org"} {
			u := r.account(t, login)
			equal(t, login, []bool{u.IsActive, u.DisabledByRecovery}, []bool{false, flagged})
		}
	}
	equal(t, "by its subject", must.Get(r.UserByIdentity(t.Context(), issuer, "1"))(t).ID, gone.ID)
	equal(t, "listed", report.Accounts, []union.Account{{ID: gone.ID, Username: "gone", Why: union.Absent}})
	bea := r.account(t, "bea")
	equal(t, "bea's password", bea.PasswordHash, "b")
	equal(t, "to be changed", bea.MustChangePassword, true)
	equal(t, "logins", table(t, report, "logins"), "4 0 8 0")

	// A name that somebody else has by now is not given twice.
	r.Execute(t, fmt.Sprint("DELETE FROM logins WHERE user_id = ", asleep.ID), fmt.Sprint("DELETE FROM users WHERE id = ", asleep.ID))
	r.user(t, "asleep", access.User, nil)
	refused(t, "a name that is another's", errOf(b(t.Context(), options())), fault.Conflict)
}

func restoreOrganizations(t *testing.T, r *restored) {
	c, d := r.organization(t, "Cup"), r.organization(t, "Dish")
	closed := r.organization(t, "Closed")
	r.editOrganization(t, closed, func(o *organization.Organization) { o.IsActive = false })
	b := r.Backup(t)
	rename := func(o organization.Organization, name string) {
		t.Helper()
		r.editOrganization(t, o, func(o *organization.Organization) { o.Name = name })
	}
	// a and b have exchanged their names, that of c is another's, which has d's.
	rename(r.a, "X")
	rename(r.b, "Acme")
	rename(r.a, "Bolt")
	rename(d, "D")
	rename(c, "Dish")
	rename(closed, "Open")
	since := r.organization(t, "Cup")
	r.editOrganization(t, closed, func(o *organization.Organization) { o.IsActive = true })
	r.editOrganization(t, r.b, func(o *organization.Organization) { o.EmailDomains = []string{"example.org", "example.net"} })
	report := r.restore(t, b)
	for id, want := range map[int64]string{
		r.a.ID: "Acme true", r.b.ID: "Bolt true", c.ID: "Dish true", d.ID: "D true", closed.ID: "Closed false", since.ID: "Cup true",
	} {
		o := must.Get(r.Organization(t.Context(), access.All(), id))(t)
		equal(t, "organization", fmt.Sprint(o.Name, " ", o.IsActive), want)
	}
	equal(t, "domains", must.Get(r.Organization(t.Context(), access.All(), r.b.ID))(t).EmailDomains,
		[]string{"example.org", "example.net"})
	equal(t, "organizations", table(t, report, "organizations"), "0 3 3 0")
	rename(since, "Acme 2") // names are unique, and looked up as they are
	_, err := r.tryOrganization(t, since, func(o *organization.Organization) { o.Name = "ACME" })
	refused(t, "a name that came back", err, fault.Conflict)
}

// restoreAdministrator: one is left, or nothing happens.
func restoreAdministrator(t *testing.T, r *restored) {
	must.Both(r.edit(t, r.alex, func(u *user.User) { u.Role, u.OrganizationID = access.GlobalAdmin, nil }))(t)
	must.Both(r.edit(t, r.admin, func(u *user.User) { u.IsActive = false }))(t)
	b := r.Backup(t)
	must.Both(r.edit(t, r.admin, func(u *user.User) { u.IsActive = true }))(t)
	must.Both(r.edit(t, r.alex, func(u *user.User) { u.IsActive = false }))(t)
	for spare, code := range map[string]fault.Code{
		"": fault.Conflict, "nobody": fault.NotFound, "alex": fault.NotFound, "bea": fault.NotFound,
	} {
		o := options()
		o.Spare = spare
		refused(t, "with "+spare, errOf(b(t.Context(), o)), code)
		equal(t, "admin", r.account(t, "admin").IsActive, true)
	}
	r.restore(t, b)
	equal(t, "admin", r.account(t, "admin").IsActive, true)
	equal(t, "alex", r.account(t, "alex").IsActive, false)
}

// restoreTokens: facts of either side are there after it.
func restoreTokens(t *testing.T, r *restored) {
	r.device(t, "both", func(d *hwkey.Device) { d.Label, d.SecretsCounter = "then", 3 })
	lost := r.device(t, "lost", func(d *hwkey.Device) { d.SecretsCounter = 4 })
	r.certificate(t, r.record("0b", "both"))
	r.certificate(t, r.record("0c", "lost"))
	b := r.Backup(t)
	r.Execute(t, "DELETE FROM certificates WHERE serial_number = '0c'", fmt.Sprint("DELETE FROM hwkeys WHERE id = ", lost.ID))
	both := r.editDevice(t, "both", func(d *hwkey.Device) { d.Label, d.SecretsCounter, d.Status = "now", 9, hwkey.Active })
	since := r.device(t, "since")
	r.certificate(t, r.record("0d", "since"))
	must.Both(r.edit(t, r.alex, func(u *user.User) { u.OrganizationID = &r.b.ID }))(t)
	moved := func(d *hwkey.Device) { // with their owner, whom the restore has disabled
		d.OrganizationID, d.OrganizationName, d.OwnerActive = &r.b.ID, "Bolt", false
	}
	report := r.restore(t, b)

	device := func(serial string) hwkey.Device {
		t.Helper()
		return must.Get(r.Device(t.Context(), access.All(), serial))(t)
	}
	lost.SecretsCounter = 0 // its document is still to come
	for _, d := range []hwkey.Device{both, since, lost} {
		moved(&d)
		equal(t, d.Serial, device(d.Serial), d)
	}
	for _, serial := range []string{"0b", "0c", "0d"} {
		c := must.Get(r.Certificate(t.Context(), access.All(), serial))(t)
		equal(t, serial, fmt.Sprint(c.Status, *c.OrganizationID), fmt.Sprint("issued", r.b.ID))
	}
	equal(t, "hwkeys", table(t, report, "hwkeys"), "1 0 2 0")
	equal(t, "certificates", table(t, report, "certificates"), "1 0 2 0")
	equal(t, "nothing to publish", report.Unpublished, 0)
}

// restoreRevocations: none is undone, whichever side knows of it.
func restoreRevocations(t *testing.T, r *restored) {
	r.device(t, "abcd")
	serials := []string{"01", "02", "03", "04", "05", "06", "07", "08"}
	for _, serial := range serials {
		r.certificate(t, r.record(serial, "abcd", func(c *cert.Certificate) { c.NotAfter = after.Add(time.Hour) }))
	}
	r.certificate(t, r.record("09", "abcd", ofKey("stolen"), func(c *cert.Certificate) { c.NotAfter = after.Add(time.Hour) }))
	revoke := func(serial string, reason vault.Reason, at time.Time) {
		t.Helper()
		must.Get(r.RevokeCertificate(t.Context(), serial, reason, at, entry(audit.CertificateRevoked, "certificate")))(t)
	}
	never := "status = 'issued', revoked_at = NULL, revocation_reason = '', published_at = NULL"
	revoke("02", vault.Superseded, Now)    // in the backup alone
	revoke("03", vault.Superseded, Now)    // in both
	revoke("04", vault.Superseded, Now)    // earlier in the backup
	revoke("05", vault.KeyCompromise, Now) // for another reason since
	must.OK(t, r.MarkPublished(t.Context(), carried("02", "03", "04"), Now))
	must.OK(t, r.revokeUnrecorded(t, vault.Revocation{Serial: "0e", At: Now, Reason: vault.Superseded}, ""))
	must.OK(t, r.revokeUnrecorded(t, vault.Revocation{Serial: "0f", At: Now, Reason: vault.KeyCompromise}, "stolen"))
	r.Execute(t, fmt.Sprintf(`INSERT INTO unrecorded_revocations (serial_number, revoked_at, revocation_reason, not_after,
		public_key_sha256, der) VALUES ('06', %d, 'superseded', 0, '', '')`, Now.UnixMicro()))
	// 09 has a key that is compromised: in the backup alone
	r.Execute(t, "UPDATE certificates SET "+never+" WHERE serial_number = '09'")
	b := r.Backup(t)
	later := Now.Add(time.Hour)
	revoke("01", vault.Superseded, later) // since
	must.OK(t, r.MarkPublished(t.Context(), carried("01"), later))
	r.Execute(t, "UPDATE certificates SET "+never+" WHERE serial_number = '02'",
		fmt.Sprint("UPDATE certificates SET revoked_at = ", later.UnixMicro(), " WHERE serial_number = '04'"),
		fmt.Sprint("UPDATE certificates SET revocation_reason = 'superseded', published_at = ", later.UnixMicro(), " WHERE serial_number = '05'"),
		"DELETE FROM unrecorded_revocations WHERE serial_number <> '0e'")
	must.OK(t, r.MarkPublished(t.Context(), []vault.Revocation{{Serial: "0e", Reason: vault.Superseded}}, Now))
	must.OK(t, r.revokeUnrecorded(t, vault.Revocation{Serial: "08", At: later, Reason: vault.Superseded}, ""))
	must.OK(t, r.MarkPublished(t.Context(), []vault.Revocation{{Serial: "08", Reason: vault.Superseded}}, Now))
	report := r.restore(t, b)

	for serial, want := range map[string]string{
		"01": fmt.Sprint("revoked superseded ", later), "02": fmt.Sprint("revoked superseded ", Now),
		"03": fmt.Sprint("revoked superseded ", Now), "04": fmt.Sprint("revoked superseded ", Now),
		"05": fmt.Sprint("revoked keyCompromise ", Now), "06": fmt.Sprint("revoked superseded ", Now),
		"07": "issued ", "08": fmt.Sprint("revoked superseded ", later), "09": fmt.Sprint("revoked keyCompromise ", after),
	} {
		c := must.Get(r.Certificate(t.Context(), access.All(), serial))(t)
		got := fmt.Sprint(c.Status, " ", c.RevocationReason)
		if c.RevokedAt != nil {
			got += fmt.Sprint(" ", *c.RevokedAt)
		}
		equal(t, serial, got, want)
	}
	serialsOf := func(list []vault.Revocation) (out []string) {
		for _, r := range list {
			out = append(out, r.Serial)
		}
		slices.Sort(out)
		return out
	}
	equal(t, "to be published", serialsOf(must.Get(r.UnpublishedRevocations(t.Context(), 0, 50))(t)),
		[]string{"02", "04", "05", "06", "08", "09"})
	equal(t, "of no record", serialsOf(must.Get(r.UnpublishedUnrecorded(t.Context(), 0, 50))(t)), []string{"06", "0f"})
	equal(t, "reported", report.Unpublished, 8)
	equal(t, "the key", must.Get(r.KeyCompromised(t.Context(), "stolen"))(t), true)
}

// restoreSessions: whatever lets somebody in has ended.
func restoreSessions(t *testing.T, r *restored) {
	then := r.signIn(t, r.alex)
	old, gone := r.key(t, "old", r.admin, nil), r.key(t, "gone", r.admin, nil)
	must.Both(r.edit(t, r.bea, func(*user.User) {}, func(c *user.Change) {
		c.Invite = &user.Invitation{Hash: "invited", ExpiresAt: after.Add(time.Hour)}
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
	for _, k := range []apikey.Key{old, gone, young} {
		k, s := must.Both(r.KeyByHash(t.Context(), k.Hash))(t)
		refused(t, k.Name, k.MayAct(s, after), fault.TokenInvalid)
		equal(t, k.Name, k.RevokedAt, &after)
	}
	refused(t, "an invitation", errOf2(r.Invited(t.Context(), "invited")), fault.NotFound)
	equal(t, "ended", []int64{report.SessionsEnded, report.KeysRevoked}, []int64{2, 2})
}

// restoreWebhooks: nothing is sent to where it is not today.
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
		same.ID: " true newer", other.ID: " false ref", gone.ID: " false ref", off.ID: " false ref", since.ID: " true ref",
	} {
		w := must.Get(r.Webhook(t.Context(), access.All(), id))(t)
		equal(t, "webhook", fmt.Sprint(w.Description, " ", w.IsActive, " ", w.SecretRef), want)
		if id != since.ID {
			equal(t, "where it sends", w.URL, same.URL)
		}
	}
	equal(t, "webhooks", table(t, report, "webhooks"), "1 2 2 0")
	if !strings.Contains(strings.Join(report.Warnings, "\n"), "webhooks") {
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
		want := `"now"`
		if name == "oidc" || name == "password_policy" {
			want = `"then"`
		}
		equal(t, name, must.Get(r.Setting(t.Context(), name))(t).Text, want)
	}
	equal(t, "settings", table(t, report, "settings"), "1 1 8 0")
	if !slices.Contains(report.Warnings, "the setting unknown of the backup is not restored: this version does not know it") {
		t.Errorf("warnings: %q", report.Warnings)
	}
}

// restoreLog: a log that is there goes on.
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
	equal(t, "notices", len(must.Get(r.ListNotices(t.Context(), r.alex.ID, notice.Filter{}, page.Request{Limit: 9}))(t).Items), 2)
}

// restoreEmptyLog: the backup's comes where there is none, and its followers go on at its
// end.
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
	equal(t, "notices", len(must.Get(r.ListNotices(t.Context(), r.alex.ID, notice.Filter{}, page.Request{Limit: 9}))(t).Items), 2)
	targets := must.Get(r.ActiveWebhooks(t.Context()))(t)
	equal(t, "a webhook goes on", []int64{targets[0].ID, targets[0].After}, []int64{w.ID, before[len(before)-1].ID})
}
