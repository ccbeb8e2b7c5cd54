package resource

import (
	"context"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/httpapi/apitest"
)

// tokens is an Authenticator for the edge alone: the bearer names a role, an API key by
// -1 and so on, or the fault that checks 1 to 3 end with. The real one is tested in
// package session and, as a whole, in package app.
type tokens struct{}

func (tokens) Authenticate(_ context.Context, bearer string, _ httpapi.RequestInfo) (access.Actor, account.User, error) {
	organization := int64(7)
	switch role := access.Role(bearer); {
	case role == access.GlobalAdmin:
		return access.Actor{UserID: 1, Username: "root", Role: role, SessionID: 11}, account.User{ID: 1,
			Username: "root", Role: role, IsActive: true, AuthSource: account.Local}, nil
	case role.Valid():
		return access.Actor{UserID: 2, Username: "ann", Role: role, OrganizationID: &organization,
			SessionID: 12}, account.User{ID: 2, Username: "ann", Role: role, IsActive: true, AuthSource: account.Local}, nil
	case strings.HasPrefix(bearer, "-"):
		id, err := strconv.ParseInt(bearer[1:], 10, 64)
		return access.Actor{APIKeyID: id, Username: "api-key:ci", Role: access.GlobalAdmin, KeyScopes: access.KeyScopes}, account.User{}, err
	default:
		return access.Actor{}, account.User{}, fault.New(fault.Code(bearer), "", "refused")
	}
}

// setup serves the API with the given services.
func setup(t *testing.T, svc Services, change ...func(*httpapi.Options)) (*httpapi.Server, string) {
	t.Helper()
	o := httpapi.Options{Version: "test", Auth: tokens{}, SiteURL: "https://keyward.example"}
	for _, c := range change {
		c(&o)
	}
	s := httpapi.New(o)
	Register(s, svc)
	srv := httptest.NewServer(s)
	t.Cleanup(srv.Close)
	return s, srv.URL
}

var do = apitest.Do

func as(role access.Role, more ...string) []string {
	return append([]string{"Authorization", "Bearer " + string(role)}, more...)
}
