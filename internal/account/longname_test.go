package account_test

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

var (
	admin     = access.Actor{Username: "admin", Role: access.GlobalAdmin}
	longEmail = strings.Repeat("n", 53) + "@example.org"
)

// people is the service on a real database, and a way to insert accounts that the
// service no longer creates.
func people(t *testing.T) (s *account.Users, insert func(username, email string) account.User) {
	t.Helper()
	db := engine.Store(t, t.TempDir(), store.Options{})
	s = &account.Users{Store: db, Organizations: db, Denials: &audit.Denials{Store: db}, Log: slog.New(slog.DiscardHandler), Now: time.Now}
	return s, func(username, email string) account.User {
		t.Helper()
		u := account.User{Username: username, Email: email, Role: access.User, IsActive: true, AuthSource: account.Local}
		return must.Get(db.InsertUser(t.Context(), u, audit.By(admin, audit.UserCreated, "user", "", "")))(t)
	}
}

// TestLongEmailAsUsername: an email that is also the username obeys its limit.
func TestLongEmailAsUsername(t *testing.T) {
	t.Parallel()
	s, insert := people(t)
	change := func(u account.User) (account.User, error) {
		done, err := s.Update(t.Context(), admin, access.All(), u.ID, account.UserPatch{Email: &longEmail})
		return done.User, err
	}
	same := insert("nina@example.org", "nina@example.org")
	before := must.Get(s.Get(t.Context(), access.All(), same.ID))(t)
	_, err := change(same)
	f, ok := fault.As(err)
	if !ok || f.Code != fault.InvalidRequest || len(f.Fields) != 1 || f.Fields[0].Field != "email" ||
		f.Fields[0].Code != "too_long_username" {
		t.Errorf("the username, too: %v", err)
	}
	if diff := cmp.Diff(before, must.Get(s.Get(t.Context(), access.All(), same.ID))(t)); diff != "" {
		t.Errorf("the refused change: %s", diff)
	}
	if got, err := change(insert("nils", "nils@example.org")); err != nil || got.Email != longEmail || got.Username != "nils" {
		t.Errorf("the email alone: %+v, %v", got, err)
	}
}

// TestImportFindsLongUsername: an account whose username is older than the limit is matched
// by its email.
func TestImportFindsLongUsername(t *testing.T) {
	t.Parallel()
	s, insert := people(t)
	insert(longEmail, longEmail)
	file := "email\n" + strings.ToUpper(longEmail[:1]) + longEmail[1:] + "\n"
	for _, dry := range []bool{true, false} {
		got := must.Get(s.Import(t.Context(), admin, access.All(), account.ImportRequest{File: []byte(file), DryRun: dry}))(t)
		if got.Unchanged != 1 || got.Created != 0 || got.Failed != 0 {
			t.Errorf("dry %v: %+v", dry, got)
		}
	}
	// Not so another account with that email: it has its own username.
	s, insert = people(t)
	insert("nina", longEmail)
	got := must.Get(s.Import(t.Context(), admin, access.All(), account.ImportRequest{File: []byte(file)}))(t)
	if got.Failed != 1 || got.Rows[0].Errors[0].Field != "email" || got.Rows[0].Errors[0].Code != "of_another" {
		t.Errorf("of another: %+v", got)
	}
}
