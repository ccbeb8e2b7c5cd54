package vaultserver

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/test/must"
)

// PublicBase is the site in certificates of prepared mounts.
const PublicBase = "https://keys.example.org"

var count atomic.Int64

// Mounts names mounts and a role for one user.
func Mounts() remote.Mounts {
	n := fmt.Sprintf("%d-%s", count.Add(1), strings.ToLower(rand.Text()[:6]))
	return remote.Mounts{KV: "hwkeys-" + n, PKI: "pki-" + n, Role: "keyward-" + n}
}

// Operator returns options with all permissions, for new mounts.
func (s *Server) Operator() remote.Options {
	return remote.Options{
		Address: s.Address, CACert: s.CACert, Token: secret.Fixed(s.Root), Mounts: Mounts(), PublicBase: PublicBase,
		Logger: slog.New(slog.DiscardHandler), Timeout: time.Minute, // however slow the machine is
	}
}

// Prepare sets up what the options name, with a CA whose key is fast to generate.
func (s *Server) Prepare(t testing.TB, o remote.Options) {
	t.Helper()
	setup := must.Get(remote.NewSetup(t.Context(), o, remote.Preparation{CAKeyType: piv.ECP256, Profiles: Profiles}))(t)
	defer func() { must.OK(t, setup.Close()) }()
	for _, item := range must.Get(setup.Examine(t.Context()))(t) {
		if err := item.Apply(t.Context()); err != nil {
			t.Fatalf("%s: %v", item.Name, err)
		}
	}
}

// Profiles are the roles of all profiles.
func Profiles(ctx context.Context, kv vault.KV) (roles []remote.ProfileRole, err error) {
	list, err := (&profile.Service{Vault: kv}).List(ctx)
	for i, p := range list {
		for _, t := range p.Algorithms() {
			if i > 0 || t != piv.RSA2048 { // that is the specification's role
				roles = append(roles, remote.ProfileRole{KeyType: t, Usage: p.Usage(t), Organization: p.Subject.Organization})
			}
		}
	}
	return roles, err
}

// Prepared returns options for new mounts, as keyward vault setup creates them, with
// the AppRole that it creates.
func (s *Server) Prepared(t testing.TB) remote.Options {
	t.Helper()
	o := s.Operator()
	s.Prepare(t, o)
	return s.AppRole(t, o)
}

// Destroy deletes a document as an operator does: Keyward's own policy allows few of
// them.
func (s *Server) Destroy(t testing.TB, m remote.Mounts, path string) {
	t.Helper()
	s.Call(t, http.MethodDelete, m.KV+"/metadata/"+path, nil)
}

// AppRole replaces the options' token with the AppRole's ids.
func (s *Server) AppRole(t testing.TB, o remote.Options) remote.Options {
	t.Helper()
	role := "auth/approle/role/" + o.Mounts.Role
	o.Token = nil
	o.Login.RoleID = secret.Fixed(s.Call(t, http.MethodGet, role+"/role-id", nil)["role_id"].(string))
	o.Login.SecretID = secret.Fixed(s.Call(t, http.MethodPost, role+"/secret-id", map[string]any{})["secret_id"].(string))
	return o
}

// Settings returns a server's settings, by name, that make it use prepared mounts.
func Settings(t testing.TB, o remote.Options) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "vault-ca.pem")
	must.OK(t, os.WriteFile(file, o.CACert, 0o600))
	return map[string]string{
		"VAULT_ADDR": o.Address, "VAULT_CACERT": file, "VAULT_KV_MOUNT": o.Mounts.KV, "VAULT_PKI_MOUNT": o.Mounts.PKI,
		"VAULT_ROLE": o.Mounts.Role, "VAULT_ROLE_ID": must.Get(o.Login.RoleID())(t).Reveal(),
		"VAULT_SECRET_ID": must.Get(o.Login.SecretID())(t).Reveal(),
	}
}
