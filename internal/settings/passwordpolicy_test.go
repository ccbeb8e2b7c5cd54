package settings_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/store/sqlitetest"
)

// replicas are two servers on one database.
func replicas(t testing.TB) (*store.DB, *settings.PasswordPolicies, *settings.PasswordPolicies) {
	t.Helper()
	db, err := store.OpenSQLite(t.Context(), sqlitetest.Put(t, filepath.Join(t.TempDir(), "keyward.db")), store.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	first := password.DefaultPolicy()
	first.MinLength = 10
	one := &settings.PasswordPolicies{Store: db, Default: first, Now: time.Now}
	two := *one
	return db, one, &two
}

func current(t testing.TB, s *settings.PasswordPolicies) password.Policy {
	t.Helper()
	p, err := s.PasswordPolicy(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestEveryReplicaAtOnce(t *testing.T) {
	t.Parallel()
	db, one, two := replicas(t)
	if got := current(t, two); got != one.Default {
		t.Fatalf("at first: %+v", got)
	}
	admin := access.Actor{UserID: 7, Username: "root", Role: access.GlobalAdmin}
	p := one.Default
	p.MinLength, p.MaxAgeDays, p.RejectCommon = 20, 90, false
	if err := one.Put(t.Context(), admin, p); err != nil {
		t.Fatal(err)
	}
	if got := current(t, two); got != p {
		t.Errorf("the other replica has %+v", got)
	}
	if err := two.Put(t.Context(), admin, p); err != nil {
		t.Fatal(err)
	}
	p.LockoutAttempts = 0
	if err := one.Put(t.Context(), admin, p); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("out of bounds: %v", err)
	}
	entries, err := db.ListAudit(t.Context(), access.All(), audit.Filter{Action: "settings."}, page.Request{Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range entries.Items {
		got = append(got, e.Actor+": "+e.TargetID+": "+e.Details)
	}
	want := "root: password_policy: nothing changed\n" +
		"root: password_policy: min_length 10 to 20, reject_common true to false, max_age_days 0 to 90"
	if strings.Join(got, "\n") != want {
		t.Errorf("audited %q", got)
	}
}

// TestStored: the stored policy may be older or newer than the server; an
// unreadable one does not weaken the policy.
func TestStored(t *testing.T) {
	t.Parallel()
	db, s, _ := replicas(t)
	for _, c := range []struct {
		text string
		want func(*password.Policy) // nil: an error
	}{
		{`{}`, func(*password.Policy) {}},
		{`{"min_length":12}`, func(p *password.Policy) { p.MinLength = 12 }},
		{`{"reject_common":false,"of_a_newer_version":[1]}`, func(p *password.Policy) { p.RejectCommon = false }},
		{`{"min_length":1}`, nil},
		{`{"lockout_attempts":0}`, nil},
		{`{"min_length":"12"}`, nil},
		{`{`, nil},
	} {
		if err := db.PutSetting(t.Context(), "password_policy", settings.Value{Text: c.text, UpdatedAt: time.Now()}); err != nil {
			t.Fatal(err)
		}
		got, err := s.PasswordPolicy(t.Context())
		if c.want == nil {
			if fault.CodeOf(err) != fault.Internal {
				t.Errorf("%s: %+v, %v; want an error that is nobody's fault", c.text, got, err)
			}
			continue
		}
		want := s.Default
		c.want(&want)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", c.text, got, err)
		}
	}
	if err := s.Put(t.Context(), access.Actor{}, s.Default); err != nil { // the last one was not JSON
		t.Fatal(err)
	}
	if got := current(t, s); got != s.Default {
		t.Errorf("repaired: %+v", got)
	}
}
