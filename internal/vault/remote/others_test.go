package remote_test

import (
	"fmt"
	"net/http"
	"reflect"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// ours are the paths of a token's secrets.
func ours(path string) bool { return strings.HasSuffix(path, "/secrets") || path == vault.RolesPath }

// examined runs Examine on a setup of its own.
func examined(t *testing.T, o remote.Options, p remote.Preparation) []remote.Item {
	t.Helper()
	p.CAKeyType, p.Ours = piv.ECP256, ours
	setup := must.Get(remote.NewSetup(t.Context(), o, p))(t)
	t.Cleanup(func() { must.OK(t, setup.Close()) })
	return must.Get(setup.Examine(t.Context()))(t)
}

// examine is examined, by name.
func examine(t *testing.T, o remote.Options, p remote.Preparation) map[string]remote.Item {
	t.Helper()
	items := map[string]remote.Item{}
	for _, item := range examined(t, o, p) {
		items[item.Name] = item
	}
	return items
}

// TestSecondInstallation: a second one in the same Vault takes nothing from the first, neither by
// mistake nor on request; under its own name both work.
func TestSecondInstallation(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	first, firstOptions := engine(t)
	m := firstOptions.Mounts
	policy := server.Call(t, http.MethodGet, "sys/policies/acl/"+m.Role, nil)
	role := server.Call(t, http.MethodGet, "auth/approle/role/"+m.Role, nil)

	second := server.Operator() // mounts of its own
	second.Mounts.Role = m.Role
	items := examine(t, second, remote.Preparation{})
	item := items["policy "+m.Role]
	if item.Hopeless == nil || !strings.Contains(item.Hopeless.Error(), "VAULT_ROLE="+m.Role+"-"+second.Mounts.KV) {
		t.Errorf("%+v", item)
	}
	if item.Apply(t.Context()) == nil {
		t.Error("it wrote the first one's policy")
	}
	second.Mounts.Role = m.Role + "-" + second.Mounts.KV
	server.Prepare(t, second)
	for _, e := range []*remote.Engine{first, open(t, server.AppRole(t, second))} {
		must.Get(e.Put(t.Context(), "12345678/secrets", vault.Data(`{"pin":"739164"}`), 0))(t)
	}
	if !reflect.DeepEqual(policy, server.Call(t, http.MethodGet, "sys/policies/acl/"+m.Role, nil)) ||
		!reflect.DeepEqual(role, server.Call(t, http.MethodGet, "auth/approle/role/"+m.Role, nil)) {
		t.Error("the first one's policy or AppRole is another now")
	}
	// The same mounts again: nothing belongs to others.
	for name, item := range examine(t, second, remote.Preparation{}) {
		if item.Hopeless != nil {
			t.Errorf("%s: %v %v", name, item.Lacks, item.Hopeless)
		}
	}
}

// TestOthersAppRole: an AppRole with another program's policy is left alone.
func TestOthersAppRole(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	o := server.Operator()
	path := "auth/approle/role/" + o.Mounts.Role
	server.Call(t, http.MethodPost, path, map[string]any{"token_policies": []string{"payroll"}})
	item := examine(t, o, remote.Preparation{})["AppRole "+o.Mounts.Role]
	if item.Hopeless == nil || item.Apply(t.Context()) == nil || !strings.Contains(strings.Join(item.Lacks, ""), "payroll") {
		t.Errorf("%+v", item)
	}
}

// TestOthersMount: a KV mount that another program uses is refused, or used without changing its
// settings; one whose documents expire is never used.
func TestOthersMount(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	o := server.Operator()
	m := o.Mounts
	config := m.KV + "/config"
	server.Call(t, http.MethodPost, "sys/mounts/"+m.KV, map[string]any{"type": "kv", "options": map[string]string{"version": "2"}})
	server.Call(t, http.MethodPost, config, map[string]any{"cas_required": false, "max_versions": 3})
	for n := range 21 { // those of tokens come first
		server.Call(t, http.MethodPost, fmt.Sprintf("%s/data/%d/secrets", m.KV, 41000000+n), map[string]any{"data": map[string]string{"x": "x"}})
	}
	server.Call(t, http.MethodPost, m.KV+"/data/payroll/secrets/database", map[string]any{"data": map[string]string{"password": "x"}})
	item := examine(t, o, remote.Preparation{})["settings of "+m.KV]
	if item.Hopeless == nil || !strings.Contains(strings.Join(item.Lacks, ""), "payroll/") ||
		!strings.Contains(item.Hopeless.Error(), "--shared-mount") {
		t.Errorf("%+v", item)
	}
	before := server.Call(t, http.MethodGet, config, nil)
	for _, item := range examined(t, o, remote.Preparation{SharedMount: true}) {
		if item.Hopeless != nil {
			t.Errorf("shared: %s: %v", item.Name, item.Hopeless)
			continue
		}
		must.OK(t, item.Apply(t.Context()))
	}
	if after := server.Call(t, http.MethodGet, config, nil); !reflect.DeepEqual(before, after) {
		t.Errorf("its settings were %v, are %v", before, after)
	}
	server.Call(t, http.MethodPost, config, map[string]any{"delete_version_after": "24h"})
	if item := examine(t, o, remote.Preparation{SharedMount: true})["settings of "+m.KV]; item.Hopeless == nil {
		t.Errorf("documents that end: %+v", item)
	}
}

// TestOthersAuthority: a CA that signs only for others' roles keeps its settings; Keyward's own CA
// with another role is still Keyward's.
func TestOthersAuthority(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	_, o := engine(t)
	server.Call(t, http.MethodPost, o.Mounts.PKI+"/roles/web", map[string]any{"allow_any_name": true})
	other := server.Operator()
	other.Mounts.PKI = o.Mounts.PKI
	item := examine(t, other, remote.Preparation{})["PKI mount "+o.Mounts.PKI]
	if item.Hopeless == nil || item.Apply(t.Context()) == nil || !strings.Contains(item.Hopeless.Error(), "VAULT_PKI_MOUNT") {
		t.Errorf("%+v", item)
	}
	own := server.Operator()
	own.Mounts, own.PublicBase = o.Mounts, "https://moved.example"
	for name, item := range examine(t, own, remote.Preparation{}) {
		if item.Hopeless != nil {
			t.Errorf("its own, with another address: %s: %v", name, item.Hopeless)
		}
	}
}

// TestPolicyOf: a policy is Keyward's for these mounts, in any version and with an operator's
// additions, or someone else's.
func TestPolicyOf(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	o := server.Operator()
	name := "policy " + o.Mounts.Role
	m := o.Mounts
	for policy, ours := range map[string]bool{
		`path "` + m.KV + `/data/*" { capabilities = ["read"] }`:                              true,
		remote.Policy(m) + `path "transit/sign/x" { capabilities = ["update"] }`:              true,
		"# path \"old/data/*\" {}\n" + remote.Policy(m):                                       true,
		`{"path": {"` + m.KV + `/data/*": {"capabilities": ["read"]}}}`:                       true,
		"# path \"" + m.KV + "/data/*\" {}\npath \"payroll/*\" { capabilities = [\"read\"] }": false,
		`path "secret*" { capabilities = ["read"] }`:                                          false,
		`path "sys/mounts/*" { capabilities = ["read"] }`:                                     false,
	} {
		server.Call(t, http.MethodPost, "sys/policies/acl/"+m.Role, map[string]any{"policy": policy})
		if item := examine(t, o, remote.Preparation{})[name]; (item.Hopeless == nil) != ours || len(item.Lacks) == 0 {
			t.Errorf("%s: %v %v", policy, item.Lacks, item.Hopeless)
		}
	}
}
