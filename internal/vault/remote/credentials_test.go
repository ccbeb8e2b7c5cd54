package remote_test

import (
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

// TestCredentials: only what is missing of the two files is made; ids of a deleted AppRole count as
// missing; a file is never seen half-written, nor readable by others.
func TestCredentials(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	o := server.Operator()
	dir := t.TempDir()
	setup := must.Get(remote.NewSetup(t.Context(), o, remote.Preparation{
		CAKeyType: piv.ECP256, Credentials: remote.Credentials{Directory: dir},
	}))(t)
	defer func() { must.OK(t, setup.Close()) }()
	role := "auth/approle/role/" + o.Mounts.Role
	apply := func(want ...string) {
		t.Helper()
		var done []string
		for _, item := range must.Get(setup.Examine(t.Context()))(t) {
			if strings.HasPrefix(item.Name, "credentials") {
				done = item.Lacks
			}
			must.OK(t, item.Apply(t.Context()))
		}
		if !slices.Equal(done, want) {
			t.Errorf("lacking: %q, not %q", done, want)
		}
		if found := lacks(t, setup); len(found) != 0 {
			t.Errorf("afterwards these are lacking: %q", found)
		}
	}
	read := func(name string) string {
		t.Helper()
		path := filepath.Join(dir, name)
		if mode := must.Get(os.Stat(path))(t).Mode(); mode.Perm() != 0o600 {
			t.Errorf("%s has mode %v", name, mode)
		}
		return string(must.Get(os.ReadFile(path))(t))
	}
	secretIDs := func() int {
		t.Helper()
		keys, _ := server.Call(t, http.MethodGet, role+"/secret-id?list=true", nil)["keys"].([]any)
		return len(keys)
	}
	// Others hold on to what was there before.
	must.OK(t, os.WriteFile(filepath.Join(dir, "secret_id"), []byte("former"), 0o644))
	before := must.Get(os.Open(filepath.Join(dir, "secret_id")))(t)
	defer func() { must.OK(t, before.Close()) }()
	apply("role_id does not exist", "secret_id is not of this AppRole, or no longer")
	roleID, secretID := read("role_id"), read("secret_id")
	content := make([]byte, 100)
	if n := must.Get(before.Read(content))(t); string(content[:n]) != "former" {
		t.Errorf("whoever had opened the file reads %q", content[:n])
	}

	must.OK(t, os.Remove(filepath.Join(dir, "role_id")))
	apply("role_id does not exist")
	if read("role_id") != roleID || read("secret_id") != secretID || secretIDs() != 1 {
		t.Errorf("there are %d secret ids", secretIDs())
	}

	server.Call(t, http.MethodPost, role+"/secret-id/destroy", map[string]string{"secret_id": strings.TrimSpace(secretID)})
	apply("secret_id is not of this AppRole, or no longer")
	if read("role_id") != roleID || read("secret_id") == secretID || secretIDs() != 1 {
		t.Errorf("there are %d secret ids", secretIDs())
	}

	server.Call(t, http.MethodDelete, role, nil)
	apply("role_id is not of this AppRole, or no longer", "secret_id is not of this AppRole, or no longer")
	if read("role_id") == roleID || secretIDs() != 1 {
		t.Errorf("there are %d secret ids", secretIDs())
	}
	if names := must.Get(os.ReadDir(dir))(t); len(names) != 2 {
		t.Errorf("left behind: %v", names)
	}
}
