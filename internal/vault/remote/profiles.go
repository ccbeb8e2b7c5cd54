package remote

import (
	"cmp"
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"net/http"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
)

// ProfileRole is the role of a certificate profile for the keys of one algorithm: what the vault
// makes of each request.
type ProfileRole struct {
	KeyType                                   piv.KeyType // one of that algorithm
	Usage                                     vault.Usage // of such keys
	Organization, OrganizationalUnit, Country string      // of every subject; empty: none
}

// Roles is the document at vault.RolesPath: what each role makes.
type Roles struct {
	Roles map[string]string `json:"roles"` // by profile for RSA keys, by profile/algorithm for others
}

// Has reports whether the role was made as it should be now.
func (r Roles) Has(p ProfileRole) bool { return r.Roles[p.key()] == p.Makes() }

// key is the role in Roles; setups that knew RSA keys alone wrote the bare profile.
func (p ProfileRole) key() string {
	if p.KeyType.Algorithm() == rsaKeys {
		return p.Usage.Profile
	}
	return p.Usage.Profile + "/" + p.KeyType.Algorithm()
}

const rsaKeys = "rsa"

// Makes is what the role makes, in a line.
func (p ProfileRole) Makes() string {
	return fmt.Sprint(usageNames(p.Usage.Key), p.Usage.Purposes, []string{p.Organization, p.OrganizationalUnit, p.Country})
}

// rolesItem tells the server what the roles make, once they do.
func (s *Setup) rolesItem(kv vault.KV) func(context.Context) (Item, error) {
	return func(ctx context.Context) (Item, error) {
		item := Item{Name: "record of the profiles' roles"}
		was, want := Roles{}, Roles{Roles: map[string]string{}}
		for _, p := range s.profiles {
			want.Roles[p.key()] = p.Makes()
		}
		found, err := kv.Get(ctx, vault.RolesPath)
		if err == nil {
			err = found.Data.Decode(&was)
		}
		if err != nil && !errors.Is(err, vault.ErrNotFound) {
			return item, err
		}
		if !maps.Equal(was.Roles, want.Roles) {
			item.Lacks = []string{"is missing, or of other profiles"}
		}
		item.apply = func(ctx context.Context) error {
			data, err := vault.Encode(want)
			if err != nil {
				return err
			}
			_, err = s.engine.Put(ctx, vault.RolesPath, data, found.Number)
			return err
		}
		return item, nil
	}
}

// profileRole is the role that signs a profile's certificates for keys of an algorithm. The
// specification's, which is for RSA, has the installation's name.
func (m Mounts) profileRole(profile, algorithm string) string {
	standard := vault.DefaultUsage(nil).Profile
	if algorithm == rsaKeys && (profile == "" || profile == standard) {
		return m.Role
	}
	return m.Role + "-" + cmp.Or(profile, standard) + "-" + algorithm
}

// smallest are the key sizes of an algorithm's roles, which take larger ones, too. Which sizes are
// certified, PKI_KEY_TYPES and the profile decide.
var smallest = map[string]int{rsaKeys: 2048, "ec": 256}

// profileSettings differ from roleSettings in usages and names alone.
func (s *Setup) profileSettings(p ProfileRole) settings {
	m := s.engine.opts.Mounts
	oids := []string{}
	for _, purpose := range p.Usage.Purposes {
		oids = append(oids, purpose.String())
	}
	algorithm := p.KeyType.Algorithm()
	name := m.profileRole(p.Usage.Profile, algorithm)
	w := settings{"PKI role " + name, m.PKI + "/roles/" + name, http.MethodPost, nil}
	for _, setting := range s.roleSettings().want {
		switch setting.name {
		case "key_type":
			setting.value = algorithm
		case "key_bits":
			setting.value = smallest[algorithm]
		case "key_usage":
			setting.value = usageNames(p.Usage.Key)
		case "client_flag", "email_protection_flag":
			setting.value = false
		case "ext_key_usage_oids":
			setting.value = oids
		case "organization":
			setting.value = listed(p.Organization)
		case "ou":
			setting.value = listed(p.OrganizationalUnit)
		case "country":
			setting.value = listed(p.Country)
		}
		w.want = append(w.want, setting)
	}
	w.want = append(w.want,
		setting{"allowed_other_sans", []string{pki.OIDUserPrincipalName.String() + ";UTF8:*"}},
		setting{"allowed_uri_sans", []string{pki.SIDPrefix + "*"}})
	return w
}

func listed(value string) []string {
	if value == "" {
		return []string{}
	}
	return []string{value}
}

// usageNames are key usages as a role has them.
func usageNames(usage x509.KeyUsage) (names []string) {
	for _, u := range []struct {
		bit  x509.KeyUsage
		name string
	}{
		{x509.KeyUsageDigitalSignature, "DigitalSignature"}, {x509.KeyUsageContentCommitment, "ContentCommitment"},
		{x509.KeyUsageKeyEncipherment, "KeyEncipherment"}, {x509.KeyUsageKeyAgreement, "KeyAgreement"},
	} {
		if usage&u.bit != 0 {
			names = append(names, u.name)
		}
	}
	return names
}
