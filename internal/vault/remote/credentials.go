package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/keyward/keyward/internal/durable"
	"github.com/keyward/keyward/internal/vault"
)

// Credentials names the directory to which setup writes an AppRole's ids, mode 0600, for
// VAULT_ROLE_ID_FILE and VAULT_SECRET_ID_FILE. They belong to whoever owns the directory.
type Credentials struct{ Directory string }

// Names of the files in it.
const (
	roleIDFile   = "role_id"
	secretIDFile = "secret_id"
)

// credentials checks whether both files exist and are valid. Only what is missing is made: each
// secret id stays valid for ever, so each run would leave one more behind.
func (s *Setup) credentials(ctx context.Context) (Item, error) {
	dir := s.want.Credentials.Directory
	if dir == "" {
		return Item{}, nil
	}
	item := Item{Name: "credentials in " + dir, apply: s.writeCredentials}
	_, lacks, err := s.lackingCredentials(ctx)
	for _, name := range []string{roleIDFile, secretIDFile} {
		if why := lacks[name]; why != "" {
			item.Lacks = append(item.Lacks, name+" "+why)
		}
	}
	return item, err
}

// lackingCredentials returns the AppRole's id, empty if there is none yet, and what is wrong with
// which file.
func (s *Setup) lackingCredentials(ctx context.Context) (roleID string, lacks map[string]string, err error) {
	if roleID, err = s.appRoleID(ctx); err != nil {
		return "", nil, err
	}
	lacks = map[string]string{}
	for _, name := range []string{roleIDFile, secretIDFile} {
		raw, err := os.ReadFile(filepath.Join(s.want.Credentials.Directory, name))
		if errors.Is(err, fs.ErrNotExist) {
			lacks[name] = "does not exist"
			continue
		}
		if err != nil {
			return "", nil, fmt.Errorf("credentials: %w", err)
		}
		text := strings.TrimSpace(string(raw))
		good := roleID != "" && text == roleID
		if name == secretIDFile && roleID != "" {
			if good, err = s.knowsSecretID(ctx, text); err != nil {
				return "", nil, err
			}
		}
		if !good {
			lacks[name] = "is not of this AppRole, or no longer"
		}
	}
	return roleID, lacks, nil
}

func (s *Setup) appRolePath() string {
	m := s.engine.opts.Mounts
	return "auth/" + m.AppRole + "/role/" + m.Role
}

// appRoleID is empty if there is no AppRole yet.
func (s *Setup) appRoleID(ctx context.Context) (string, error) {
	a, err := s.engine.do(ctx, call{method: http.MethodGet, path: s.appRolePath() + "/role-id"})
	if absent(err) {
		return "", nil
	}
	var said struct {
		RoleID string `json:"role_id"`
	}
	if err == nil {
		err = a.decode(&said)
	}
	return said.RoleID, err
}

func (s *Setup) knowsSecretID(ctx context.Context, id string) (bool, error) {
	a, err := s.engine.do(ctx, call{
		method: http.MethodPost, path: s.appRolePath() + "/secret-id/lookup", body: map[string]string{"secret_id": id},
	})
	if absent(err) || errors.Is(err, vault.ErrInvalid) { // such as an empty one
		return false, nil
	}
	return err == nil && a.status == http.StatusOK, err // 204: there is none
}

func (s *Setup) writeCredentials(ctx context.Context) error {
	dir := s.want.Credentials.Directory
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	roleID, lacks, err := s.lackingCredentials(ctx)
	if err != nil {
		return err
	}
	if lacks[roleIDFile] != "" {
		if err := replace(filepath.Join(dir, roleIDFile), roleID+"\n"); err != nil {
			return err
		}
	}
	if lacks[secretIDFile] == "" {
		return nil
	}
	a, err := s.engine.do(ctx, call{method: http.MethodPost, path: s.appRolePath() + "/secret-id", body: struct{}{}})
	if err != nil {
		return err
	}
	var said struct {
		SecretID string `json:"secret_id"`
	}
	if err := a.decode(&said); err != nil {
		return err
	}
	return replace(filepath.Join(dir, secretIDFile), said.SecretID+"\n")
}

// replace writes a file, replacing an existing one.
func replace(path, text string) error {
	if err := durable.ReplaceForOwner(path, []byte(text)); err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	return nil
}
