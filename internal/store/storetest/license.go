package storetest

import (
	"strconv"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/licensepolicy"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/test/must"
)

var licenseCases = map[string]func(*testing.T, *fixture){
	"history":   licenseHistory,
	"told once": licenseTold,
}

func licenseHistory(t *testing.T, f *fixture) {
	whole := licensepolicy.Record{
		At: Now, Operation: licensepolicy.Upload, Outcome: licensepolicy.Succeeded, Actor: "admin", Message: "standard, for Ünï GmbH",
		Reason: licensepolicy.ReplaceNewer,
		Summary: &licensepolicy.Summary{InstallationID: "abc=", CustomerName: "Ünï GmbH", CustomerEmail: "a@example.org",
			LicenseType: "standard",
			IssueDate:   Now.Truncate(time.Second), ExpiryDate: Now.Truncate(time.Second).Add(time.Hour)},
	}
	entry := audit.By(access.Actor{Username: "admin"}, audit.LicenseUploaded, "license", "abc=", "standard")
	must.OK(t, f.RecordLicense(t.Context(), whole, entry))
	for i := range 3 {
		r := licensepolicy.Record{At: Now, Operation: licensepolicy.Upload, Outcome: licensepolicy.Refused,
			Actor: "admin", Message: strconv.Itoa(i)}
		must.OK(t, f.RecordLicense(t.Context(), r, entry))
	}
	got := walk(t, 3, func(p page.Request) (page.Page[licensepolicy.Record], error) { return f.LicenseHistory(t.Context(), p) })
	equal(t, "messages", names(got, func(r licensepolicy.Record) string { return r.Message }), []string{"2", "1", "0", whole.Message})
	equal(t, "no summary", got[0].Summary, (*licensepolicy.Summary)(nil))
	whole.ID = got[3].ID
	equal(t, "the whole record", got[3], whole)
	equal(t, "entries", len(f.logged(t)), 4)
}

// licenseTold: of many servers that send the same message, one does.
func licenseTold(t *testing.T, f *fixture) {
	first, second := settings.Value{Text: "1", UpdatedAt: Now}, settings.Value{Text: "2", UpdatedAt: Now}
	tell := func(was, v settings.Value) bool {
		return must.Get(f.Notify(t.Context(), "told", was, v,
			notify.Message{Kind: notify.LicenseEnding, Message: "It ends.", At: Now}))(t)
	}
	equal(t, "the first", tell(settings.Value{}, first), true)
	equal(t, "another server", tell(settings.Value{}, first), false)
	equal(t, "what comes next", tell(first, second), true)
	equal(t, "too late", tell(first, second), false)
	list := must.Get(f.ListNotices(t.Context(), f.admin.ID, notify.Filter{}, page.Request{Limit: 9}))(t).Items
	equal(t, "notices", names(list, func(n notify.Notice) string { return string(n.Kind) + " " + n.Message }),
		[]string{"license_ending It ends.", "license_ending It ends."})
	equal(t, "a manager's", f.noticesOf(t, f.manager.ID), nil)
	equal(t, "what stands", must.Get(f.Setting(t.Context(), "told"))(t), second)
}
