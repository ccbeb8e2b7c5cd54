package replicas_test

import (
	"bytes"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
)

// token is a virtual one in a reader of its own (keyward-vtoken), and the agent
// before it.
type token struct {
	serial string
	state  string
	env    []string // of whatever works at the token
	agent  string   // its address
	code   string   // what its user reads in a terminal
}

// plugIn plugs a blank token in until the test ends.
func plugIn(t *testing.T, serial string) *token {
	t.Helper()
	home := t.TempDir()
	k := &token{serial: serial, state: filepath.Join(home, "vtoken")}
	k.env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_DATA_HOME=" + home, "TMPDIR=" + os.TempDir(), "LANG=C.UTF-8", "LC_ALL=C.UTF-8",
	}
	p := k.program(t, "keyward-vtoken", "run", "--state", k.state, "--serial", serial)
	if plugged := p.Tells(t, &p.Out, "serial=", "\n"); plugged != serial {
		t.Fatalf("plugged in: %s, want %s", plugged, serial)
	}
	k.env = append(k.env, "PCSCLITE_CSOCK_NAME="+p.Tells(t, &p.Out, "PCSCLITE_CSOCK_NAME=", "\n"))
	k.agent = "http://" + k.program(t, "keyward-agent", "--dev", "--listen", "127.0.0.1:0").Announces(t, "address=", " ")
	k.code = strings.TrimSpace(k.says(t, "keyward-agent", "code"))
	return k
}

// program starts one of ours beside the token.
func (k *token) program(t *testing.T, name string, args ...string) *process.Process {
	t.Helper()
	cmd := exec.Command(filepath.Join(bin, name), args...)
	cmd.Env = k.env
	return process.Start(t, name, cmd)
}

// says is what a program of ours prints.
func (k *token) says(t *testing.T, name string, args ...string) string {
	t.Helper()
	p := k.program(t, name, args...)
	if code := p.Wait(t); code != 0 {
		t.Fatalf("%s %v: exit code %d", name, args, code)
	}
	return p.Out.String()
}

// trusted are the settings of servers that take the token's attestations.
func (k *token) trusted(t *testing.T) map[string]string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "root.pem")
	must.OK(t, os.WriteFile(file, []byte(k.says(t, "keyward-vtoken", "root", "--state", k.state)), 0o600))
	return map[string]string{"PKI_ATTESTATION_ROOTS_FILE": file}
}

// ykman runs the tool beside the agent, with one line of input for each prompt.
func (k *token) ykman(t testing.TB, lines []string, args ...string) (stdout, stderr string, ok bool) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "ykman", append([]string{"--device", k.serial}, args...)...)
	var out, errs bytes.Buffer
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = k.env, strings.NewReader(strings.Join(append(lines, ""), "\n")), &out, &errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal it reads its answers from standard input
	err := cmd.Run()
	return out.String(), errs.String(), err == nil
}

// opens tells whether the card takes a value as the present one, by changing it
// to itself.
func (k *token) opens(t testing.TB, f piv.Field, value string) bool {
	t.Helper()
	args := map[piv.Field][]string{
		piv.PIN:           {"piv", "access", "change-pin"},
		piv.PUK:           {"piv", "access", "change-puk"},
		piv.ManagementKey: {"piv", "access", "change-management-key", "-a", "AES192"},
	}[f]
	_, _, ok := k.ykman(t, []string{value, value}, args...)
	return ok
}

// block spends all tries of the PIN.
func (k *token) block(t testing.TB) {
	t.Helper()
	const wrong = "00998877"
	for said := ""; !strings.Contains(said, "blocked"); {
		var ok bool
		if _, said, ok = k.ykman(t, []string{wrong, wrong}, "piv", "access", "change-pin"); ok {
			t.Fatal("the card takes a wrong PIN")
		}
	}
}

// certificate is the serial number of the one in slot 9a.
func (k *token) certificate(t testing.TB) string {
	t.Helper()
	text, said, ok := k.ykman(t, nil, "piv", "certificates", "export", "9a", "-")
	block, _ := pem.Decode([]byte(text))
	if !ok || block == nil {
		t.Fatalf("ykman exports no certificate: %s", said)
	}
	return hexOf(must.Get(x509.ParseCertificate(block.Bytes))(t).SerialNumber.Bytes())
}

// wipe makes the card blank again.
func (k *token) wipe(t testing.TB) {
	t.Helper()
	body := must.Get(json.Marshal(m{"serial": k.serial, "confirm": k.serial}))(t)
	req := must.Get(http.NewRequestWithContext(t.Context(), http.MethodPost, k.agent+"/piv/reset", bytes.NewReader(body)))(t)
	req.Header.Set("Content-Type", "application/json")
	res := must.Get(http.DefaultClient.Do(req))(t)
	defer func() { _ = res.Body.Close() }()
	if res.StatusCode != http.StatusOK {
		t.Fatalf("the agent does not reset the card: %s", res.Status)
	}
}
