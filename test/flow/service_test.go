package flow_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/vaultserver"
)

const adminPassword = "correct horse battery"

// service is a complete backend in its own process: the HTTP library that service and
// agent share keeps some settings in package variables, so the two do not fit into one
// process.
type service struct {
	url string
	dir string // of its data, by which test/engine knows its database
}

// orders are the first line of the service process's input.
type orders struct {
	Dir      string       // for its data
	Root     []byte       // PEM: where the cards' attestations end
	Database string       // PostgreSQL's URL; empty: a file in Dir
	Vault    *remoteVault // nil: the embedded one, in Dir
}

// remoteVault is Vault, as the service reaches it.
type remoteVault struct {
	Address, RoleID, SecretID string
	CACert                    []byte
	Mounts                    remote.Mounts
}

// childMark is an environment variable of the service's process.
const childMark = "KEYWARD_FLOW_TEST_SERVICE"

// TestMain is also the child's main.
func TestMain(m *testing.M) {
	if os.Getenv(childMark) != "" {
		if err := serve(os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// startService runs the child until the test ends.
func startService(t *testing.T, root []byte) *service {
	t.Helper()
	self, err := os.Executable()
	must(t, err)
	o := orders{Dir: t.TempDir(), Root: root}
	o.Database, o.Vault = engine.Database(t, o.Dir), vaultOfOwn(t)
	cmd := exec.Command(self) // #nosec G204 -- this very program
	cmd.Env = append(os.Environ(), childMark+"=1")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	must(t, err)
	stdout, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() {
		_ = stdin.Close() // tells the child to end
		if err := cmd.Wait(); err != nil {
			t.Error("the service:", err)
		}
	})
	must(t, json.NewEncoder(stdin).Encode(o))
	url, err := bufio.NewReader(stdout).ReadString('\n')
	if err != nil {
		t.Fatal("the service did not start:", err)
	}
	return &service{strings.TrimSpace(url), o.Dir}
}

// vaultOfOwn prepares mounts for the service, if its vault is remote.
func vaultOfOwn(t *testing.T) *remoteVault {
	t.Helper()
	if !vaultserver.Wanted(t) {
		return nil
	}
	s := vaultserver.Shared(t)
	o := s.Operator()
	o.PublicBase = publicBase
	s.Prepare(t, o)
	o = s.AppRole(t, o)
	v := &remoteVault{Address: o.Address, CACert: o.CACert, Mounts: o.Mounts}
	role, err := o.Login.RoleID()
	must(t, err)
	id, err := o.Login.SecretID()
	must(t, err)
	v.RoleID, v.SecretID = role.Reveal(), id.Reveal()
	return v
}
