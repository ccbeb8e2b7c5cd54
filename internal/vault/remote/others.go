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

// maxNamed bounds how many names of others an item shows, serialsSeen how many folders are searched
// whose names may be token serial numbers.
const (
	maxNamed    = 3
	serialsSeen = 20
)

var (
	policyComment = regexp.MustCompile(`(?m)^\s*(#|//).*$`)
	policyPath    = regexp.MustCompile(`"([^"]+)"\s*[:{]`) // in HCL and in JSON
)

// ofMount reports whether a policy is one of Keyward's, of any version, for this KV mount.
func ofMount(policy string, m Mounts) bool {
	for _, found := range policyPath.FindAllStringSubmatch(policyComment.ReplaceAllString(policy, ""), -1) {
		if found[1] == m.KV+"/data/*" {
			return true
		}
	}
	return false
}

// otherRole is the advice if the names are taken.
func (m Mounts) otherRole() error {
	return fmt.Errorf("it belongs to another installation or program, so it stays as it is: choose another name for this one's "+
		"policy and AppRole with VAULT_ROLE, for example VAULT_ROLE=%s-%s", m.Role, strings.ReplaceAll(m.KV, "/", "-"))
}

// appRole is the AppRole's item; hopeless if the AppRole grants others' policies.
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

// kvConfig is the item for the settings of the KV mount, which may be shared with others.
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

// othersDocuments names documents that are not Keyward's: at the top, and in the first folders.
func (s *Setup) othersDocuments(ctx context.Context) (others []string, err error) {
	names, err := s.engine.List(ctx, "")
	if r, ok := errors.AsType[*refusal](err); ok && (absent(err) || r.status == http.StatusBadRequest) { // mounted reports that
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	looked := 0
	for _, name := range names {
		paths := []string{name}
		if folder, is := strings.CutSuffix(name, "/"); is {
			if strings.Trim(folder, "0123456789") == "" {
				if looked++; looked > serialsSeen {
					continue
				}
			}
			if paths, err = s.below(ctx, folder); err != nil {
				return nil, err
			}
		}
		if slices.ContainsFunc(paths, func(path string) bool { return !s.want.Ours(path) }) {
			others = append(others, name)
		}
	}
	return others, nil
}

// below returns the paths of a folder's documents, and one in each folder there.
func (s *Setup) below(ctx context.Context, folder string) ([]string, error) {
	names, err := s.engine.List(ctx, folder)
	if errors.Is(err, vault.ErrInvalid) { // a name that Keyward never uses
		return []string{folder}, nil
	}
	for i, name := range names {
		if names[i] = folder + "/" + name; strings.HasSuffix(name, "/") {
			names[i] += "x"
		}
	}
	return names, err
}

// othersAuthority is an item if the PKI mount has a CA and roles, none of them Keyward's: its
// settings apply to all certificates of the mount.
func (s *Setup) othersAuthority(ctx context.Context) (Item, error) {
	m := s.engine.opts.Mounts
	roles, err := s.engine.list(ctx, m.PKI+"/roles")
	if absent(err) {
		return Item{}, nil
	}
	if err != nil || len(roles) == 0 || slices.Contains(roles, m.Role) {
		return Item{}, err
	}
	return Item{
		Name: "PKI mount " + m.PKI, Lacks: []string{"signs certificates of the roles " + named(roles)},
		Hopeless: errors.New("it belongs to another installation or program: choose another mount with VAULT_PKI_MOUNT"),
	}, nil
}

// named are some names, for people.
func named(list []string) string {
	if len(list) > maxNamed {
		return strings.Join(list[:maxNamed], ", ") + fmt.Sprintf(" and %d more", len(list)-maxNamed)
	}
	return strings.Join(list, ", ")
}
