package remote

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"
)

// longest is the lifetime of the CA, which its mount has to allow.
const longest = 87600 * time.Hour

// place is where an engine or an auth method should be mounted.
type place struct {
	title   string // for people
	list    string // the path that lists its like, and mounts one
	name    string // in that list
	is      string // what it is when it is there, for people: mounted or enabled
	kind    string
	version string         // of KV; empty: it has none
	body    map[string]any // what mounts it, beside its kind
	other   string         // what to do when there is something else
	lease   time.Duration  // that its mount has to allow; zero: any
}

func (s *Setup) kvMount() place {
	name := s.engine.opts.Mounts.KV
	return place{
		title: "secrets engine " + name + " (KV version 2)", list: "sys/mounts", name: name, is: "mounted", kind: "kv", version: "2",
		body:  map[string]any{"options": map[string]string{"version": "2"}, "description": "Keyward: secrets of hardware tokens"},
		other: "another engine is mounted at " + name + ": choose another mount with VAULT_KV_MOUNT",
	}
}

func (s *Setup) pkiMount() place {
	name := s.engine.opts.Mounts.PKI
	return place{
		title: "secrets engine " + name + " (PKI)", list: "sys/mounts", name: name, is: "mounted", kind: "pki", lease: longest,
		body: map[string]any{
			"config": map[string]string{"max_lease_ttl": seconds(longest)}, "description": "Keyward: certificate authority",
		},
		other: "another engine is mounted at " + name + ": choose another mount with VAULT_PKI_MOUNT",
	}
}

func (s *Setup) appRoleMount() place {
	name := s.engine.opts.Mounts.AppRole
	return place{
		title: "auth method " + name + " (AppRole)", list: "sys/auth", name: name, is: "enabled", kind: "approle",
		other: "another auth method is enabled at " + name + ": choose another mount with VAULT_APPROLE_MOUNT",
	}
}

// mounted checks what is mounted at a place.
func (s *Setup) mounted(p place) func(context.Context) (Item, error) {
	return func(ctx context.Context) (Item, error) {
		item := Item{Name: p.title}
		a, err := s.engine.do(ctx, call{method: http.MethodGet, path: p.list})
		if err != nil {
			return item, err
		}
		var all map[string]struct {
			Type    string            `json:"type"`
			Options map[string]string `json:"options"`
			Config  struct {
				MaxLease int64 `json:"max_lease_ttl"` // seconds; 0: the system's
			} `json:"config"`
		}
		if err := a.decode(&all); err != nil {
			return item, err
		}
		m, there := all[p.name+"/"]
		lease := time.Duration(m.Config.MaxLease) * time.Second
		switch path := p.list + "/" + p.name; {
		case !there:
			body := map[string]any{"type": p.kind}
			for name, value := range p.body {
				body[name] = value
			}
			item.Lacks, item.apply = []string{"is not " + p.is}, s.post(path, body)
		case m.Type != p.kind:
			item.Lacks, item.Hopeless = []string{"is " + p.is + " as " + m.Type}, errors.New(p.other)
		case p.version != "" && m.Options["version"] != p.version:
			item.Lacks = []string{"is " + p.is + " as " + m.Type + " version " + cmp.Or(m.Options["version"], "1")}
			item.Hopeless = errors.New(p.other)
		case lease < p.lease:
			item.Lacks = []string{"max_lease_ttl is " + lease.String() + ", should be " + p.lease.String()}
			item.apply = s.post(path+"/tune", map[string]string{"max_lease_ttl": seconds(p.lease)})
		}
		return item, nil
	}
}
