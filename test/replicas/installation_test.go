package replicas_test

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/keyward/keyward/internal/store/postgrestest"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
	"github.com/keyward/keyward/test/proxies"
	"github.com/keyward/keyward/test/vaultserver"
)

const (
	adminPassword = "admin: long enough, 1st"
	userPassword  = "user: long enough, 2nd"
	count         = 3 // servers
)

// installation is the whole installation.
type installation struct {
	database *postgrestest.Server
	vault    *vaultserver.Server
	nginx    *proxies.Server
	servers  []*replica
	record   *record
	options  remote.Options    // of the vault, for the servers' AppRole
	settings map[string]string // shared by all servers
}

// replica is one keyward backend, with its connections to database and vault.
type replica struct {
	*process.Process
	address         string // HOST:PORT, the same after each start
	database, vault way
	program         string // empty: the tested one
	env             []string
}

func install(t testing.TB, more map[string]string) *installation {
	t.Helper()
	network := startNetwork(t)
	i := &installation{vault: vaultserver.Start(t, network.address), record: newRecord()}
	i.database = postgrestest.Start(t, postgrestest.Options{Listen: host.Address()})
	must.OK(t, i.database.Run(t.Context(), "CREATE DATABASE keyward"))
	options := i.vault.Operator()
	options.PublicBase = proxies.Site
	i.vault.Prepare(t, options)
	options = i.vault.AppRole(t, options)
	i.options = options
	i.settings = map[string]string{
		"KEYWARD_ADMIN_PASSWORD": adminPassword, "SITE_URL": proxies.Site, "METRICS_LISTEN": "off", "ARGON2_MEMORY_MIB": "19",
		"RATE_LIMIT_SESSION": "off", "RATE_LIMIT_ANONYMOUS": "off", "RATE_LIMIT_LOGIN": "off", "RATE_LIMIT_OPEN": "off",
		"RELEASE_LIMIT_PER_HOUR": "10000", "ACCESS_LOG": "false",
		// However slow the machine is. Together the first two bound the wait for a
		// silent server, which must end before the wait for a response does.
		"DATABASE_CONNECT_TIMEOUT": "15s", "DATABASE_STATEMENT_TIMEOUT": "30s", "DATABASE_LOCK_TIMEOUT": "1m",
	}
	maps.Copy(i.settings, vaultserver.Settings(t, options)) // except VAULT_ADDR: each has its own way
	maps.Copy(i.settings, more)
	var backends []string
	for n := range count {
		r := &replica{address: net.JoinHostPort(host.Address(), "17080")}
		r.database = network.way(t, fmt.Sprintf("database-%d", n), i.database.Address())
		r.vault = network.way(t, fmt.Sprintf("vault-%d", n), strings.TrimPrefix(i.vault.Address, "https://"))
		i.servers, backends = append(i.servers, r), append(backends, r.address)
		i.prepare(t, r)
		r.start(t)
	}
	i.nginx = proxies.Start(t, proxies.Nginx, root, backends, []string{i.frontend(t)})
	return i
}

// prepare sets a server's environment.
func (i *installation) prepare(t testing.TB, r *replica) {
	t.Helper()
	own := maps.Clone(i.settings)
	own["DATABASE_URL"], own["VAULT_ADDR"] = i.database.URLAt(r.database.address, "keyward"), "https://"+r.vault.address
	own["LISTEN"], own["DATA"] = r.address, t.TempDir()
	r.env = append(r.env, "PATH="+os.Getenv("PATH"), "HOME="+own["DATA"])
	for name, value := range own {
		r.env = append(r.env, name+"="+value)
	}
}

// start starts the server, and waits until it serves.
func (r *replica) start(t testing.TB) {
	t.Helper()
	cmd := exec.Command(cmp.Or(r.program, filepath.Join(bin, "keyward")), "backend")
	cmd.Env = r.env
	r.Process = process.Start(t, "keyward backend "+r.address, cmd)
	r.Announces(t, `"msg":"keyward is ready"`, "}")
}

// end stops the server in an orderly way.
func (r *replica) end(t testing.TB) {
	t.Helper()
	r.Signal(syscall.SIGTERM)
	if code := r.Wait(t); code != 0 {
		t.Errorf("%s ended with %d", r.Name, code)
	}
}

// frontend runs the pages, and returns their address.
func (i *installation) frontend(t testing.TB) string {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, "keyward"), "frontend", "--listen", "127.0.0.1:0")
	cmd.Env = []string{"SITE_URL=" + proxies.Site, "HOME=" + t.TempDir()}
	return process.Start(t, "keyward frontend", cmd).Announces(t, `"listen":"`, `"`)
}

// client is a person who works through the balancer.
func (i *installation) client(t testing.TB) *client {
	t.Helper()
	through := i.nginx.Transport("")
	t.Cleanup(through.CloseIdleConnections)
	return &client{base: proxies.Site, through: through, record: i.record}
}

// at is a person who works on one server, bypassing the balancer.
func (i *installation) at(t testing.TB, n int) *client {
	t.Helper()
	through := &http.Transport{DialContext: (&net.Dialer{}).DialContext}
	t.Cleanup(through.CloseIdleConnections)
	return &client{base: "http://" + i.servers[n].address, through: through, record: i.record}
}
