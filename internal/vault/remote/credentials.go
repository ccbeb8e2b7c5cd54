package remote

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
)

// Credentials names the files that setup writes an AppRole's ids to, mode
// 0600, for VAULT_ROLE_ID_FILE and VAULT_SECRET_ID_FILE.
type Credentials struct{ Directory string }

// Names of the files in it.
const (
	roleIDFile   = "role_id"
	secretIDFile = "secret_id"
)

// credentials makes a secret id, unless the files are there: each run would
// leave one more behind that is good for ever.
func (s *Setup) credentials(context.Context) (Item, error) {
	dir := s.want.Credentials.Directory
	if dir == "" {
		return Item{}, nil
	}
	item := Item{Name: "credentials in " + dir, apply: s.write}
	for _, name := range []string{roleIDFile, secretIDFile} {
		switch _, err := os.Stat(filepath.Join(dir, name)); {
		case errors.Is(err, fs.ErrNotExist):
			item.Lacks = append(item.Lacks, name+" does not exist")
		case err != nil:
			return item, fmt.Errorf("credentials: %w", err)
		}
	}
	return item, nil
}

func (s *Setup) write(ctx context.Context) error {
	dir, m := s.want.Credentials.Directory, s.engine.opts.Mounts
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return fmt.Errorf("credentials: %w", err)
	}
	role := "auth/" + m.AppRole + "/role/" + m.Role
	a, err := s.engine.do(ctx, call{method: http.MethodGet, path: role + "/role-id"})
	if err != nil {
		return err
	}
	var said struct {
		RoleID   string `json:"role_id"`
		SecretID string `json:"secret_id"`
	}
	if err := a.decode(&said); err != nil {
		return err
	}
	if a, err = s.engine.do(ctx, call{method: http.MethodPost, path: role + "/secret-id", body: struct{}{}}); err != nil {
		return err
	}
	if err := a.decode(&said); err != nil {
		return err
	}
	for name, text := range map[string]string{roleIDFile: said.RoleID, secretIDFile: said.SecretID} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text+"\n"), 0o600); err != nil {
			return fmt.Errorf("credentials: %w", err)
		}
		if err := os.Chmod(path, 0o600); err != nil { // it may have been there
			return fmt.Errorf("credentials: %w", err)
		}
	}
	return nil
}
