package remote_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// lacks returns what setup finds to do, one per line.
func lacks(t *testing.T, s *remote.Setup) (lines []string) {
	t.Helper()
	for _, item := range must.Get(s.Examine(t.Context()))(t) {
		for _, what := range item.Lacks {
			lines = append(lines, item.Name+": "+what)
		}
	}
	return lines
}

// TestSetup: what is lacking is shown and made, then nothing is lacking; later changes are found
// and corrected.
func TestSetup(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	o := server.Operator()
	dir := filepath.Join(t.TempDir(), "credentials")
	setup := must.Get(remote.NewSetup(t.Context(), o, remote.Preparation{
		CAKeyType: piv.ECP256, Credentials: remote.Credentials{Directory: dir},
	}))(t)
	defer func() { must.OK(t, setup.Close()) }()
	if found := lacks(t, setup); len(found) < 10 {
		t.Errorf("only these are lacking: %q", found)
	}
	apply := func() {
		t.Helper()
		for _, item := range must.Get(setup.Examine(t.Context()))(t) {
			if err := item.Apply(t.Context()); err != nil {
				t.Errorf("%s: %v", item.Name, err)
			}
		}
		if found := lacks(t, setup); len(found) != 0 {
			t.Errorf("afterwards these are lacking: %q", found)
		}
	}
	apply()
	for _, name := range []string{"role_id", "secret_id"} {
		info := must.Get(os.Stat(filepath.Join(dir, name)))(t)
		if info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, info.Mode())
		}
	}
	m := o.Mounts
	for path, change := range map[string]map[string]any{
		m.KV + "/config":      {"cas_required": false},
		m.PKI + "/config/crl": {"expiry": "96h"},
		m.PKI + "/roles/" + m.Role: {
			"server_flag": true, "ttl": "24h", "no_store": true, "client_flag": false, "code_signing_flag": true,
			"ext_key_usage": []string{"TimeStamping"}, "ext_key_usage_oids": []string{"1.3.6.1.5.5.7.3.9"},
			"policy_identifiers": []string{"1.2.3.4"}, "not_before_duration": "1h", "basic_constraints_valid_for_non_ca": true,
			"organization": []string{"Acme"}, "ou": []string{"IT"}, "country": []string{"DE"}, "locality": []string{"Ulm"},
			"province": []string{"BW"}, "street_address": []string{"1 Main St"}, "postal_code": []string{"89073"},
		},
		"sys/policies/acl/" + m.Role:    {"policy": `path "` + m.KV + `/data/*" { capabilities = ["read"] }`},
		"auth/approle/role/" + m.Role:   {"token_ttl": "12h", "token_num_uses": 5, "secret_id_num_uses": 7, "secret_id_ttl": "1h"},
		"sys/mounts/" + m.PKI + "/tune": {"max_lease_ttl": "24h"},
		m.PKI + "/config/urls":          {"crl_distribution_points": []string{"https://elsewhere.example/crl"}},
	} {
		server.Call(t, http.MethodPost, path, change)
	}
	server.Call(t, http.MethodPatch, m.PKI+"/issuer/default", map[string]any{
		"leaf_not_after_behavior": "err", "issuing_certificates": []string{"https://elsewhere.example/ca"},
	})
	is := server.Call(t, http.MethodGet, m.PKI+"/config/issuers", nil)
	server.Call(t, http.MethodPost, m.PKI+"/config/issuers", map[string]any{"default": is["default"], "default_follows_latest_issuer": true})
	names := func(parts ...string) {
		t.Helper()
		found := lacks(t, setup)
		for _, part := range parts {
			if !slices.ContainsFunc(found, func(line string) bool { return strings.Contains(line, ": "+part) }) {
				t.Errorf("not found: %s among %q", part, found)
			}
		}
	}
	names(
		"cas_required is", "expiry is", "has another text", "max_lease_ttl is", "crl_distribution_points is",
		"server_flag is", "ttl is", "no_store is", "client_flag is", "code_signing_flag is", "ext_key_usage is", "ext_key_usage_oids is",
		"policy_identifiers is", "not_before_duration is", "basic_constraints_valid_for_non_ca is", "organization is", "ou is", "country is",
		"locality is", "province is", "street_address is", "postal_code is",
		"leaf_not_after_behavior is", "issuing_certificates is", "default_follows_latest_issuer is",
		"token_ttl is", "token_num_uses is", "secret_id_num_uses is", "secret_id_ttl is",
	)
	apply()
	// Settings that Vault does not accept together with these.
	server.Call(t, http.MethodPost, m.PKI+"/roles/"+m.Role, map[string]any{"generate_lease": true})
	server.Call(t, http.MethodPost, "auth/approle/role/"+m.Role, map[string]any{"token_type": "batch"})
	names("generate_lease is", "token_type is")
	apply()
}

// TestSetupOfSeveral: each CA gets its own addresses; the one that signs keeps those that it had.
func TestSetupOfSeveral(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	o := server.Prepared(t)
	earlier(t, o.Mounts)
	ref := byHand(t, o.Mounts, true)
	to := server.Operator()
	to.Mounts = o.Mounts
	server.Prepare(t, to)
	crls := func(ref string) string {
		t.Helper()
		list, _ := server.Call(t, http.MethodGet, o.Mounts.PKI+"/issuer/"+ref, nil)["crl_distribution_points"].([]any)
		return fmt.Sprint(list...)
	}
	for _, ca := range must.Get(open(t, o).CAs(t.Context()))(t) {
		if ca.First != ca.Active {
			t.Errorf("%s: first %v, active %v", ca.ID, ca.First, ca.Active)
		}
		if ca.Active && crls(ref) != vaultserver.PublicBase+"/api/pki/crl" {
			t.Errorf("its list is said to be at %s", crls(ref))
		}
	}
	other := map[string]any{"crl_distribution_points": []string{"https://elsewhere.example/crl"}}
	server.Call(t, http.MethodPatch, o.Mounts.PKI+"/issuer/"+ref, other)
	setup := must.Get(remote.NewSetup(t.Context(), to, remote.Preparation{}))(t)
	defer func() { must.OK(t, setup.Close()) }()
	if found := lacks(t, setup); !slices.ContainsFunc(found, func(line string) bool {
		return strings.HasPrefix(line, `settings of the CA "Second CA" (`) && strings.Contains(line, "crl_distribution_points is")
	}) {
		t.Errorf("it lacks %q", found)
	}
	if crls(ref) != "https://elsewhere.example/crl" {
		t.Error("looking changed it")
	}
}

// TestSetupKeepsOthers: someone else's engine is left alone, and reported.
func TestSetupKeepsOthers(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	o := server.Operator()
	server.Call(t, http.MethodPost, "sys/mounts/"+o.Mounts.KV, map[string]any{"type": "kv", "options": map[string]string{"version": "1"}})
	setup := must.Get(remote.NewSetup(t.Context(), o, remote.Preparation{}))(t)
	defer func() { must.OK(t, setup.Close()) }()
	items := must.Get(setup.Examine(t.Context()))(t)
	if items[0].Hopeless == nil || items[0].Apply(t.Context()) == nil {
		t.Errorf("%+v", items[0])
	}
}
