package remote

import (
	"context"
	"crypto/x509"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"
)

// look reads the CAs of the mount, and changes nothing. There may be none.
func (s *Setup) look(ctx context.Context) (*authorities, error) {
	list, err := s.engine.issuers(ctx, s.engine.do) // a mount that is not there is denied to others
	if absent(err) {
		return &authorities{}, nil
	}
	if err != nil {
		return nil, err
	}
	return s.engine.look(ctx, list)
}

// cas are the items for the CAs: what signs, its settings and those of the others.
func (s *Setup) cas(ctx context.Context) ([]Item, error) {
	if len(s.want.ImportCAs) > 0 {
		return s.importItems(ctx)
	}
	item, err := s.ca(ctx)
	return []Item{item}, err
}

func (s *Setup) ca(ctx context.Context) (Item, error) {
	item := Item{Name: "CA"}
	cert, err := s.issuer(ctx)
	switch {
	case err != nil:
		return item, err
	case cert == nil:
		m := s.engine.opts.Mounts
		kind, bits := keyType(s.want.CAKeyType)
		item.Lacks = []string{"does not exist: " + string(s.want.CAKeyType) + ", self-signed, 10 years"}
		item.apply = s.post(m.PKI+"/root/generate/internal", map[string]any{
			"common_name": s.want.CACommonName, "issuer_name": m.Role, "ttl": seconds(longest), "key_type": kind, "key_bits": bits,
			"max_path_length": 0, "exclude_cn_from_sans": true,
		})
		return item, nil
	}
	item.Name = fmt.Sprintf("CA %q, until %s", cert.Subject.CommonName, cert.NotAfter.UTC().Format(time.DateOnly))
	return item, nil
}

// issuer returns the CA that the mount signs with; nil if there is none.
func (s *Setup) issuer(ctx context.Context) (*x509.Certificate, error) {
	a, err := s.engine.do(ctx, call{method: http.MethodGet, path: s.engine.opts.Mounts.PKI + "/issuer/default/json"})
	if absent(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return a.certificate()
}

// issuerItems are the items for the settings of the CAs; the first one's come first, since the others are
// told from it by them.
func (s *Setup) issuerItems(ctx context.Context) (items []Item, err error) {
	o := &s.engine.opts
	set, err := s.look(ctx)
	if err != nil {
		return nil, err
	}
	if len(s.want.ImportCAs) > 0 { // theirs come with them; of those here, another may be the first now
		all, err := readImported(s.want.ImportCAs)
		if err != nil {
			return nil, err
		}
		for _, a := range set.all {
			a.first = slices.ContainsFunc(all, func(i imported) bool { return i.First && i.id == a.id })
		}
	} else if len(set.all) == 0 {
		item, err := s.settingsOf(o.issuerSettings("settings of the CA", "default", "", true))(ctx)
		return []Item{item}, err
	}
	for _, first := range []bool{true, false} {
		for _, a := range set.all {
			if a.first != first {
				continue
			}
			name := "settings of the CA"
			if len(set.all) > 1 {
				name += fmt.Sprintf(" %q (%s)", a.cert().Subject.CommonName, a.id)
			}
			item, err := s.settingsOf(o.issuerSettings(name, a.ref, a.id, first))(ctx)
			if err != nil {
				return nil, err
			}
			items = append(items, item)
		}
	}
	return items, nil
}

// mainItem: another CA does not sign because it is the latest.
func (s *Setup) mainItem(ctx context.Context) (Item, error) {
	path := s.engine.opts.Mounts.PKI + "/config/issuers"
	item := Item{Name: "choice of the CA"}
	a, err := s.engine.do(ctx, call{method: http.MethodGet, path: path})
	if absent(err) {
		return Item{}, nil
	}
	if err != nil {
		return item, err
	}
	var is struct {
		Main    string `json:"default"`
		Follows bool   `json:"default_follows_latest_issuer"`
	}
	if err := a.decode(&is); err != nil || is.Main == "" {
		return Item{}, err
	}
	if is.Follows {
		item.Lacks = []string{"default_follows_latest_issuer is true, should be false"}
	}
	item.apply = func(ctx context.Context) error { return s.engine.main(ctx, is.Main) }
	return item, nil
}

// caPolicy is what Keyward's token may do about CAs. No key can be exported or removed, and no issuer.
func caPolicy(b *strings.Builder, m Mounts) {
	only := func(path, capabilities, parameters string) {
		fmt.Fprintf(b, "path %q {\n  capabilities       = [%s]\n  allowed_parameters = { %s }\n}\n", m.PKI+"/"+path, capabilities, parameters)
	}
	const key = `"common_name" = [], "key_type" = [], "key_bits" = [], "exclude_cn_from_sans" = []`
	only("issuer/+", `"read", "patch"`, `"leaf_not_after_behavior" = ["truncate"], "crl_distribution_points" = [], `+
		`"issuing_certificates" = [], "ocsp_servers" = []`)
	only("issuers/generate/root/internal", `"update"`, key+`, "ttl" = [], "max_path_length" = []`)
	only("issuers/generate/intermediate/internal", `"update"`, key)
	only("issuers/import/cert", `"update"`, `"pem_bundle" = []`)
	only("config/issuers", `"read", "update"`, `"default" = [], "default_follows_latest_issuer" = [false]`)
}
