package storetest

import (
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var markCases = map[string]func(*testing.T, *fixture){
	"vault marks":                   vaultMarks,
	"an older vault is accepted":    acceptVault,
	"an older database is":          acceptDatabase,
	"accounts are kept":             acceptAccounts,
	"a setting in place of another": swapSetting,
	"published, then lacking":       unpublish,
	"the counter of the documents":  secretsCounter,
}

func vaultMarks(t *testing.T, f *fixture) {
	stand := func(what string, want map[string]rollback.Mark) {
		t.Helper()
		equal(t, what, must.Get(f.VaultMarks(t.Context()))(t), want)
	}
	stand("none", map[string]rollback.Mark{})
	must.OK(t, f.RaiseVaultMark(t.Context(), "epoch", 7))
	stand("the first", map[string]rollback.Mark{"epoch": {Value: 7, Settled: 7}})
	must.OK(t, f.RaiseVaultMark(t.Context(), "epoch", 9))
	must.OK(t, f.RaiseVaultMark(t.Context(), "epoch", 8))
	must.OK(t, f.RaiseVaultMark(t.Context(), "crl", 1))
	stand("raised", map[string]rollback.Mark{"epoch": {Value: 9, Settled: 7}, "crl": {Value: 1, Settled: 1}})
	must.OK(t, f.AgeVaultMarks(t.Context(), false))
	must.OK(t, f.RaiseVaultMark(t.Context(), "epoch", 12))
	stand("a round", map[string]rollback.Mark{"epoch": {Value: 12, Settled: 7}, "crl": {Value: 1, Settled: 1}})
	must.OK(t, f.AgeVaultMarks(t.Context(), false))
	stand("two rounds", map[string]rollback.Mark{"epoch": {Value: 12, Settled: 9}, "crl": {Value: 1, Settled: 1}})
	must.OK(t, f.AgeVaultMarks(t.Context(), true))
	stand("at once", map[string]rollback.Mark{"epoch": {Value: 12, Settled: 12}, "crl": {Value: 1, Settled: 1}})
}

func acceptVault(t *testing.T, f *fixture) {
	f.device(t, "abcd", func(d *hwkey.Device) { d.SecretsCounter = 5 })
	must.OK(t, f.RaiseVaultMark(t.Context(), "epoch", 12))
	f.seen = f.newest(t)
	must.OK(t, f.AcceptVault(t.Context(), rollback.VaultAcceptance{
		Marks: map[string]uint64{"epoch": 3, "crl": 8}, Setting: "older", Entry: entry(audit.SystemRecovered, "system"), At: Now,
	}))
	equal(t, "marks", must.Get(f.VaultMarks(t.Context()))(t),
		map[string]rollback.Mark{"epoch": {Value: 3, Settled: 3}, "crl": {Value: 8, Settled: 8}})
	equal(t, "the counter", must.Get(f.Device(t.Context(), access.All(), "abcd"))(t).SecretsCounter, 0)
	equal(t, "the setting", must.Get(f.Setting(t.Context(), "older"))(t).Text, "null")
	equal(t, "entries", f.logged(t), []string{"system.recovered system "})
}

// acceptDatabase: nobody who was signed in before still is, and only one administrator may sign in.
func acceptDatabase(t *testing.T, f *fixture) {
	in := f.signIn(t, f.alex)
	key := f.key(t, "k", f.admin, nil)
	for _, spare := range []string{"nobody", "manager", f.disabled(t, "gone").Username} {
		refused(t, spare, f.AcceptDatabase(t.Context(), rollback.DatabaseAcceptance{
			Accounts: rollback.Accounts{Disable: true, Spare: spare}, At: Now,
		}), fault.NotFound)
	}
	equal(t, "after a refusal", f.session(t, in.ID).Active, true)
	at := Now.Add(time.Minute)
	f.mails(t, 2)
	held := f.claimMail(t, Now, 1)[0]
	f.tell(t, notify.Message{Kind: notify.StoresDisagree, Params: notify.Params{"older": "database"}, At: Now})
	f.seen = f.newest(t)
	must.OK(t, f.AcceptDatabase(t.Context(), rollback.DatabaseAcceptance{
		Accounts: rollback.Accounts{Disable: true, Spare: "ADMIN@example.org"}, Entry: entry(audit.SystemRecovered, "system"), At: at,
	}))
	equal(t, "the session", f.session(t, in.ID).Active, false)
	outcome := func(m mail.Message) string { return string(m.Kind) + " " + string(m.Status) + " " + string(m.Error) }
	equal(t, "mail", names(f.outbox(t), outcome),
		[]string{"account_locked dropped outdated", "account_locked dropped outdated", "stores_disagree pending "})
	equal(t, "who had one decides nothing", f.finishMail(t, held, mail.Result{Status: mail.Sent, At: at}), false)
	if state := f.state(t, in.token); state.Family.RevokedAt == nil {
		t.Error("the refresh family lives")
	}
	k, _ := must.Both(f.KeyByHash(t.Context(), key.Hash))(t)
	refused(t, "the API key", k.MayAct(session.APIKeyDependencies{
		CreatorActive: true, CreatorRole: access.GlobalAdmin, OrganizationActive: true,
	}, at),
		fault.TokenInvalid)
	for name, active := range map[string]bool{"admin": true, "manager": false, "alex": false, "bea": false} {
		equal(t, name, must.Get(f.UserByLogin(t.Context(), name))(t).IsActive, active)
	}
	equal(t, "entries", f.logged(t), []string{"system.recovered system "})
	written := must.Get(f.AuditAfter(t.Context(), f.newest(t)-1, 1))(t)
	equal(t, "its details", written[0].Details, "; 1 sessions ended, 1 API keys revoked, 3 accounts disabled")

	// Accounts that it disabled differ from those that people disabled.
	waiting := func(what string, scope access.Scope, want ...string) {
		t.Helper()
		filter := account.UserFilter{DisabledByRecovery: true}
		names := []string{}
		for _, u := range must.Get(f.ListUsers(t.Context(), scope, filter, page.Request{Limit: 50}))(t).Items {
			names = append(names, u.Username)
			equal(t, what+": "+u.Username, u.DisabledByRecovery, true)
		}
		slices.Sort(names)
		equal(t, what, names, want)
	}
	waiting("all", access.All(), "alex", "bea", "manager")
	waiting("of an organization", inOrganization(f.b), "bea")
	for _, active := range []bool{true, false} {
		u, _ := must.Both(f.edit(t, f.alex, func(u *account.User) { u.IsActive = active }))(t)
		equal(t, "alex was looked at", u.DisabledByRecovery, false)
	}
	must.Both(f.edit(t, f.bea, func(u *account.User) { u.IsActive = false; u.MustChangePassword = true }))(t)
	waiting("the rest", access.All(), "bea", "manager")
}

// swapSetting: of two that saw the same value, one stores; a value that was stored again meanwhile
// counts as another.
func swapSetting(t *testing.T, f *fixture) {
	swap := func(what string, was, v settings.Value, want bool) {
		t.Helper()
		equal(t, what, must.Get(f.SwapSetting(t.Context(), "found", was, v))(t), want)
	}
	first := settings.Value{Text: "1", UpdatedAt: Now}
	swap("the first", settings.Value{}, first, true)
	swap("as if there were none", settings.Value{}, settings.Value{Text: "2", UpdatedAt: Now}, false)
	equal(t, "it", must.Get(f.Setting(t.Context(), "found"))(t), first)
	again := settings.Value{Text: "1", UpdatedAt: Now.Add(time.Microsecond)}
	swap("the same anew", first, again, true)
	swap("what was there before", first, settings.Value{Text: "3", UpdatedAt: Now}, false)
	equal(t, "it", must.Get(f.Setting(t.Context(), "found"))(t), again)
}

func acceptAccounts(t *testing.T, f *fixture) {
	must.OK(t, f.AcceptDatabase(t.Context(), rollback.DatabaseAcceptance{Entry: entry(audit.SystemRecovered, "system"), At: Now}))
	for _, name := range []string{"admin", "manager", "alex", "bea"} {
		equal(t, name, must.Get(f.UserByLogin(t.Context(), name))(t).IsActive, true)
	}
}

// unpublish: what the vault lacks is published to it again.
func unpublish(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	for _, serial := range []string{"aa", "ab", "ac"} {
		f.certificate(t, f.record(serial, "abcd"))
	}
	for _, serial := range []string{"aa", "ab"} {
		must.Get(f.RevokeCertificate(t.Context(), serial, vault.Superseded, Now, entry(audit.CertificateRevoked, "certificate")))(t)
	}
	published := func(after int64, ends time.Time, limit int) (serials []string, last int64) {
		t.Helper()
		serials, last, err := f.PublishedRevocations(t.Context(), after, ends, limit)
		must.OK(t, err)
		return serials, last
	}
	serials, _ := published(0, Now, 10)
	equal(t, "before", len(serials), 0)
	must.OK(t, f.MarkPublished(t.Context(), must.Get(f.UnpublishedRevocations(t.Context(), 0, 10))(t), Now))
	serials, last := published(0, Now, 1)
	equal(t, "the first", serials, []string{"aa"})
	serials, _ = published(last, Now, 10)
	equal(t, "the second", serials, []string{"ab"})
	serials, _ = published(0, must.Get(f.Certificate(t.Context(), access.All(), "aa"))(t).NotAfter, 10)
	equal(t, "those that end later", len(serials), 0)
	must.OK(t, f.Unpublish(t.Context(), []string{"ab", "ac", "ff"}))
	again := must.Get(f.UnpublishedRevocations(t.Context(), 0, 10))(t)
	if len(again) != 1 || again[0].Serial != "ab" {
		t.Errorf("to be carried: %v", again)
	}
}

// secretsCounter: the row takes what it shows of the document even without an entry.
func secretsCounter(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	d := must.Get(f.ChangeDevice(t.Context(), access.All(), "abcd", nil, func(s hwkey.Present) (hwkey.Change, error) {
		s.Device.SecretsCounter = 4
		return hwkey.Change{Device: s.Device}, nil
	}))(t)
	equal(t, "the counter", d.SecretsCounter, 4)
}
