package remote

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// settings are those that a path of the vault should have.
type settings struct {
	name   string // for people
	path   string
	method string // that sets them
	want   []setting
}

// setting is one of them; its value is a bool, an int, a string, a
// time.Duration or a []string, whose order does not matter.
type setting struct {
	name  string
	value any
}

func (s *Setup) kvSettings() settings {
	m := s.engine.opts.Mounts
	return settings{"settings of " + m.KV, m.KV + "/config", http.MethodPost, []setting{
		{"cas_required", true},                     // nobody overwrites what they have not seen
		{"delete_version_after", time.Duration(0)}, // no secret expires
	}}
}

// urlSettings: each CA has its own (addresses.go). The mount's would stand in the certificates of CAs that
// Vault makes, and lead to another CA's list.
func (s *Setup) urlSettings() settings {
	return settings{"URLs of the mount", s.engine.opts.Mounts.PKI + "/config/urls", http.MethodPost, []setting{
		{"crl_distribution_points", []string{}},
		{"issuing_certificates", []string{}},
		{"ocsp_servers", []string{}},
	}}
}

func (s *Setup) crlSettings() settings {
	m, validity := s.engine.opts.Mounts, cmp.Or(s.engine.opts.CRLValidity, 48*time.Hour)
	return settings{"CRL", m.PKI + "/config/crl", http.MethodPost, []setting{
		{"disable", false},
		{"expiry", validity + 24*time.Hour},
		// Keyward has the list rebuilt once for many revocations, and every hour; without Keyward,
		// Vault rebuilds it within a day.
		{"auto_rebuild", true},
		{"auto_rebuild_grace_period", validity},
	}}
}

// roleSettings are those that the specification lists ("Public PKI endpoints"); five that pin
// Vault's defaults to it; and Vault's defaults without which every certificate would differ from
// its request (judge.go), or none would be found.
func (s *Setup) roleSettings() settings {
	m := s.engine.opts.Mounts
	return settings{"PKI role " + m.Role, m.PKI + "/roles/" + m.Role, http.MethodPost, []setting{
		{"allow_any_name", true},
		{"enforce_hostnames", false},
		{"allow_subdomains", true},
		{"allow_localhost", true},
		{"allow_ip_sans", true},
		{"require_cn", true},
		{"key_type", "rsa"},
		{"key_bits", 2048},
		{"ttl", 8760 * time.Hour},
		{"max_ttl", 8760 * time.Hour},

		{"server_flag", false},
		{"email_protection_flag", true},
		{"key_usage", []string{"DigitalSignature", "KeyEncipherment"}},
		{"use_csr_sans", false},
		{"use_csr_common_name", false},

		{"no_store", false},       // what was signed and not recorded is found in the vault's list
		{"generate_lease", false}, // which would revoke a certificate with the token that requested it
		{"issuer_ref", "default"},
		{"client_flag", true},
		{"code_signing_flag", false},
		{"ext_key_usage", []string{}},
		{"ext_key_usage_oids", []string{}},
		{"basic_constraints_valid_for_non_ca", false},
		{"policy_identifiers", []string{}},
		{"not_before_duration", 30 * time.Second},
		{"organization", []string{}},
		{"ou", []string{}},
		{"country", []string{}},
		{"locality", []string{}},
		{"province", []string{}},
		{"street_address", []string{}},
		{"postal_code", []string{}},
	}}
}

func (s *Setup) appRoleSettings() settings {
	m := s.engine.opts.Mounts
	return settings{"AppRole " + m.Role, "auth/" + m.AppRole + "/role/" + m.Role, http.MethodPost, []setting{
		{"bind_secret_id", true},
		{"token_policies", []string{m.Role}},
		{"token_no_default_policy", true},
		{"token_ttl", time.Hour},
		{"token_max_ttl", 24 * time.Hour},
		{"token_type", "service"}, // no other can be renewed
		{"token_num_uses", 0},
		{"secret_id_num_uses", 0}, // it serves every login to come
		{"secret_id_ttl", time.Duration(0)},
	}}
}

// settingsOf checks which of them the vault lacks. If one is lacking, all are sent.
func (s *Setup) settingsOf(w settings) func(context.Context) (Item, error) {
	return func(ctx context.Context) (Item, error) {
		item := Item{Name: w.name}
		a, err := s.engine.do(ctx, call{method: http.MethodGet, path: w.path})
		has := map[string]jsontext.Value{}
		switch {
		case err == nil:
			if err := a.decode(&has); err != nil {
				return item, err
			}
		case absent(err): // or its mount is
		default:
			return item, err
		}
		body := map[string]any{}
		for _, want := range w.want {
			got, there := has[want.name]
			switch {
			case len(has) == 0:
				item.Lacks = []string{"not set yet"}
			case !there || !same(got, want.value):
				item.Lacks = append(item.Lacks, fmt.Sprintf("%s is %s, should be %s", want.name, shown(got), text(want.value)))
			}
			body[want.name] = sent(want.value)
		}
		item.apply = s.sender(w.method, w.path, body)
		return item, nil
	}
}

// sent is a value as the vault takes it.
func sent(v any) any {
	if d, ok := v.(time.Duration); ok {
		return seconds(d)
	}
	return v
}

// text is a value for people.
func text(v any) string {
	if d, ok := v.(time.Duration); ok {
		return d.String()
	}
	raw, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return string(raw)
}

func shown(v jsontext.Value) string {
	if len(v) == 0 {
		return "not set"
	}
	return string(v)
}

// same compares a value of the vault, which writes durations as seconds or as text, with the wanted
// one.
func same(got jsontext.Value, want any) bool {
	switch want := want.(type) {
	case time.Duration:
		d, ok := duration(got)
		return ok && d == want
	case []string:
		var list []string
		if json.Unmarshal(got, &list) != nil {
			return false
		}
		return len(list) == len(want) && !slices.ContainsFunc(list, func(v string) bool { return !slices.Contains(want, v) })
	default:
		raw, err := json.Marshal(want)
		return err == nil && string(raw) == string(got)
	}
}

func duration(got jsontext.Value) (time.Duration, bool) {
	t := string(got)
	if got.Kind() == '"' {
		unquoted, err := jsontext.AppendUnquote(nil, got)
		if err != nil {
			return 0, false
		}
		t = string(unquoted)
	}
	if n, err := strconv.ParseInt(t, 10, 64); err == nil {
		return time.Duration(n) * time.Second, true
	}
	d, err := time.ParseDuration(t)
	return d, err == nil
}
