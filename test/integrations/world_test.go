package integrations_test

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
)

const password = "Admin, alone on a desk: 1st"

// agentKey is that of an agent to which nothing is ever sealed: the private half is nowhere.
//
//go:embed testdata/agent.pub
var agentKey string

// m is a JSON object.
type m = map[string]any

// keyward is `keyward serve` at the addresses that its certificates name, as its
// administrator uses it.
type keyward struct {
	*process.Process
	base string // http://127.x.y.z:PORT
	ca   string // its CA's certificate, a file

	access string
	jdoe   any // id of jdoe's account
}

// environ is the whole environment of a program: nothing of the tester's may help it.
func environ(home string, more ...string) []string {
	path := os.Getenv("PATH") + ":/usr/sbin:/sbin"
	return append([]string{"PATH=" + path, "HOME=" + home, "TMPDIR=" + os.TempDir(), "LANG=C.UTF-8"}, more...)
}

// start starts a program that ends with the test.
func start(t testing.TB, env []string, name string, args ...string) *process.Process {
	t.Helper()
	cmd := exec.Command(program(t, name), args...)
	cmd.Env, cmd.Dir = env, t.TempDir()
	return process.Start(t, filepath.Base(name), cmd)
}

func program(t testing.TB, name string) string {
	t.Helper()
	for _, place := range []string{"", bin, "/usr/sbin"} {
		if found, err := exec.LookPath(filepath.Join(place, name)); err == nil {
			return found
		}
	}
	t.Fatalf("%s is missing: scripts/install-deps test-all installs it", name)
	return ""
}

// try runs a program to its end, and returns what it wrote.
func try(t testing.TB, env []string, stdin string, name string, args ...string) (text string, ok bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), program(t, name), args...)
	cmd.Env, cmd.Stdin, cmd.Dir = env, strings.NewReader(stdin), t.TempDir()
	// Without a terminal programs read PINs from their input, or ask nobody.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	raw, err := cmd.CombinedOutput()
	return string(raw), err == nil
}

// run is try for what must succeed.
func run(t testing.TB, env []string, stdin string, name string, args ...string) string {
	t.Helper()
	text, ok := try(t, env, stdin, name, args...)
	if !ok {
		t.Fatalf("%s %s: %s", name, strings.Join(args, " "), text)
	}
	return text
}

func openssl(t testing.TB, args ...string) string {
	t.Helper()
	return run(t, environ(t.TempDir()), "", "openssl", args...)
}

// serve starts a server with a person, jdoe.
func serve(t testing.TB, settings ...string) *keyward {
	t.Helper()
	address := host.Address() + ":18080"
	k := &keyward{base: "http://" + address}
	env := environ(t.TempDir(), append([]string{"KEYWARD_ADMIN_PASSWORD=" + password, "METRICS_LISTEN=off", "SITE_URL=http://keyward.test",
		"PKI_BASE_URL=" + k.base, "PKI_OCSP=on"}, settings...)...)
	k.Process = start(t, env, "keyward", "serve", "--data", t.TempDir(), "--listen", address)
	k.Announces(t, `"listen":"`, `"`)
	session := k.call(t, http.MethodPost, "/api/auth/login", m{"username": "admin", "password": password})
	k.access = session["access_token"].(string)
	k.call(t, http.MethodPost, fmt.Sprintf("/api/session/%v/register-agent", session["session_id"]), m{"public_key": agentKey})
	k.jdoe = k.call(t, http.MethodPost, "/api/admin/users",
		m{"username": "jdoe", "email": "jdoe@example.org", "role": "user", "password": "jdoe, alone on a desk: 2nd"})["id"]
	k.ca = k.fetch(t, "/api/pki/ca")
	return k
}

// call sends a request, which must succeed.
func (k *keyward) call(t testing.TB, method, path string, body any) (out m) {
	t.Helper()
	req := must.Get(http.NewRequestWithContext(t.Context(), method, k.base+path, bytes.NewReader(must.Get(json.Marshal(body))(t))))(t)
	req.Header.Set("Content-Type", "application/json")
	if k.access != "" {
		req.Header.Set("Authorization", "Bearer "+k.access)
	}
	res := must.Get(http.DefaultClient.Do(req))(t)
	defer func() { _ = res.Body.Close() }()
	raw := must.Get(io.ReadAll(res.Body))(t)
	if res.StatusCode >= http.StatusMultipleChoices {
		t.Fatalf("%s %s: %s %s", method, path, res.Status, raw)
	}
	must.OK(t, json.Unmarshal(raw, &out))
	return out
}

// fetch gets something public into a file with curl, as a timer on a server would.
func (k *keyward) fetch(t testing.TB, path string) (file string) {
	t.Helper()
	file = filepath.Join(t.TempDir(), "fetched.pem")
	run(t, environ(t.TempDir()), "", "curl", "--fail", "--silent", "--show-error", "--output", file, k.base+path)
	return file
}

func (k *keyward) crl(t testing.TB) (file string) {
	t.Helper()
	return k.fetch(t, "/api/pki/crl?format=pem")
}

// place copies a file to where a server reads it, which may be another file system.
func place(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644) // programs of other users read them
}

func (k *keyward) revoke(t testing.TB, number string) {
	t.Helper()
	k.call(t, http.MethodPost, "/api/certificates/"+number+"/revoke", m{"reason": "superseded"})
}

// sign gives jdoe's token a certificate for a CSR; more goes into the request.
func (k *keyward) sign(t testing.TB, serial, slot, csr string, more m) (number, certificate string) {
	t.Helper()
	body := m{"csr": csr, "slot": slot, "reason": "a test"}
	maps.Copy(body, more)
	out := k.call(t, http.MethodPost, "/api/hwkey/"+serial+"/sign-csr", body)
	return out["serial_number"].(string), out["certificate"].(string)
}

// register records a token of jdoe's.
func (k *keyward) register(t testing.TB, serial string) {
	t.Helper()
	k.call(t, http.MethodPost, "/api/hwkey", m{"serial": serial, "owner_id": k.jdoe})
}
