package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/vault"
)

// What setup leaves alone: policies, AppRoles and mounts of other installations and
// other programs.

// maxNamed bounds how many names of others an item shows, and foldersSeen how many
// folders of a mount are looked into.
const (
	maxNamed    = 3
	foldersSeen = 20
)

// policyPath finds the paths of a policy, in HCL and in JSON.
var policyPath = regexp.MustCompile(`(?:\bpath\s+|[{,]\s*)"([^"]+)"\s*[:{]`)

// ownMounts are Vault's own, which any policy may name.
var ownMounts = []string{"auth", "sys", "identity", "cubbyhole", "path"}

// othersMounts are the mounts that a policy names and that are not Keyward's here.
func othersMounts(policy string, m Mounts) (others []string) {
	for _, found := range policyPath.FindAllStringSubmatch(policy, -1) {
		path := strings.TrimPrefix(found[1], "/")
		mount, below, _ := strings.Cut(path, "/")
		if below == "" || strings.ContainsAny(mount, "*+") || slices.Contains(ownMounts, mount) ||
			strings.HasPrefix(path, m.KV+"/") || strings.HasPrefix(path, m.PKI+"/") || slices.Contains(others, mount) {
			continue
		}
		others = append(others, mount)
	}
	return others
}

// otherRole is what to do about names that are taken.
func (m Mounts) otherRole() error {
	return fmt.Errorf("it belongs to another installation or program, so it stays as it is: choose another name for this one's "+
		"policy and AppRole with VAULT_ROLE, for example VAULT_ROLE=%s-%s", m.Role, strings.ReplaceAll(m.KV, "/", "-"))
}

// appRole is the AppRole, unless it gives others' policies.
func (s *Setup) appRole(ctx context.Context) (Item, error) {
	w := s.appRoleSettings()
	item, err := s.settingsOf(w)(ctx)
	if err != nil || len(item.Lacks) == 0 {
		return item, err
	}
	a, err := s.engine.do(ctx, call{method: http.MethodGet, path: w.path})
	if absent(err) {
		return item, nil
	}
	var said struct {
		Policies []string `json:"token_policies"`
	}
	if err == nil {
		err = a.decode(&said)
	}
	m := s.engine.opts.Mounts
	if err == nil && len(said.Policies) > 0 && !slices.Contains(said.Policies, m.Role) {
		item.Lacks, item.Hopeless = []string{"gives the policies " + named(said.Policies)}, m.otherRole()
	}
	return item, err
}

// kvConfig are the settings of the KV mount, which others' documents share.
func (s *Setup) kvConfig(ctx context.Context) (Item, error) {
	item, err := s.settingsOf(s.kvSettings())(ctx)
	if err != nil || s.want.Ours == nil {
		return item, err
	}
	m := s.engine.opts.Mounts
	others, err := s.othersDocuments(ctx)
	switch {
	case err != nil || len(others) == 0:
	case !s.want.SharedMount:
		item.Lacks = []string{"it holds documents of another program: " + named(others)}
		item.Hopeless = fmt.Errorf("choose another mount with VAULT_KV_MOUNT (now %s). To use this one all the same, without "+
			"changing its settings, run keyward vault setup --shared-mount", m.KV)
	default:
		item.Left, item.Lacks = item.Lacks, nil
		if slices.ContainsFunc(item.Left, func(l string) bool { return strings.HasPrefix(l, "delete_version_after") }) {
			item.Lacks, item.Left = item.Left, nil
			item.Hopeless = errors.New("documents in it end after that time, the tokens' secrets too: choose another mount with VAULT_KV_MOUNT")
		}
	}
	return item, err
}

// othersDocuments names some that are none of Keyward's: those at the top, and those
// in the first folders.
func (s *Setup) othersDocuments(ctx context.Context) (others []string, err error) {
	names, err := s.engine.List(ctx, "")
	if r, ok := errors.AsType[*refusal](err); ok && (absent(err) || r.status == http.StatusBadRequest) { // mounted says so
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	looked := 0
	for _, name := range names {
		folder, is := strings.CutSuffix(name, "/")
		path := name
		if is {
			if looked++; looked > foldersSeen {
				break
			}
			below, err := s.engine.List(ctx, folder)
			if errors.Is(err, vault.ErrInvalid) { // a name that Keyward never gives
				below, err = []string{"?"}, nil
			}
			if err != nil {
				return nil, err
			}
			if len(below) == 0 {
				continue
			}
			path = name + strings.TrimSuffix(below[0], "/")
			if strings.HasSuffix(below[0], "/") {
				path += "/x"
			}
		}
		if !s.want.Ours(path) {
			others = append(others, name)
		}
	}
	return others, nil
}

// urls are the addresses in certificates, unless others have theirs signed there.
func (s *Setup) urls(ctx context.Context) (Item, error) {
	w := s.urlSettings()
	item, err := s.settingsOf(w)(ctx)
	if err != nil || len(item.Lacks) == 0 {
		return item, err
	}
	m := s.engine.opts.Mounts
	a, err := s.engine.do(ctx, call{method: http.MethodGet, path: w.path})
	if absent(err) {
		return item, nil
	}
	var said struct {
		Lists []string `json:"crl_distribution_points"`
	}
	if err == nil {
		err = a.decode(&said)
	}
	if err != nil || len(said.Lists) == 0 || said.Lists[0] == s.engine.opts.PublicBase+"/api/pki/crl" {
		return item, err
	}
	roles, err := s.engine.list(ctx, m.PKI+"/roles")
	if err != nil {
		return item, err
	}
	if others := slices.DeleteFunc(roles, func(r string) bool { return r == m.Role }); len(others) > 0 {
		item.Lacks = []string{"certificates of the roles " + named(others) + " point to " + said.Lists[0]}
		item.Hopeless = errors.New("they belong to another installation or program: choose another mount with VAULT_PKI_MOUNT")
	}
	return item, nil
}

// named are some names, for people.
func named(list []string) string {
	if len(list) > maxNamed {
		return strings.Join(list[:maxNamed], ", ") + fmt.Sprintf(" and %d more", len(list)-maxNamed)
	}
	return strings.Join(list, ", ")
}
