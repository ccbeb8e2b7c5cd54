package integrations_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// What a new virtual token has.
const (
	pin           = "123456"
	managementKey = "010203040506070801020304050607080102030405060708"
)

// token is a virtual token in a reader of its own.
type token struct {
	serial string
	env    []string // with it programs find the token, and no other
	dir    string   // certificates, by slot
}

// plugIn starts a pcscd with a token of jdoe's.
func (k *keyward) plugIn(t testing.TB, serial string) *token {
	t.Helper()
	state := filepath.Join(t.TempDir(), "vtoken")
	p := start(t, environ(t.TempDir()), "keyward-vtoken", "run", "--state", state, "--serial", serial)
	p.Tells(t, &p.Out, "serial="+serial, "\n")
	tok := &token{serial: serial, dir: t.TempDir()}
	tok.env = environ(tok.dir, "PCSCLITE_CSOCK_NAME="+p.Tells(t, &p.Out, "PCSCLITE_CSOCK_NAME=", "\n"), "LC_ALL=C.UTF-8")
	k.register(t, serial)
	return tok
}

func (tok *token) cert(slot string) string { return filepath.Join(tok.dir, slot+".pem") }
func (tok *token) csr(slot string) string  { return filepath.Join(tok.dir, slot+".csr") }

// piv has ykman change the token.
func (tok *token) piv(t testing.TB, args ...string) {
	t.Helper()
	run(t, tok.env, "", "ykman", append([]string{"--device", tok.serial, "piv"}, args...)...)
}

// certify has the token make a key, and gives the key a certificate of a profile.
func (k *keyward) certify(t testing.TB, tok *token, slot, algorithm, profile string) (number string) {
	t.Helper()
	public := filepath.Join(tok.dir, slot+".pub")
	tok.piv(t, "keys", "generate", "-m", managementKey, "-a", algorithm, slot, public)
	tok.piv(t, "certificates", "request", "-P", pin, "-s", "CN=jdoe", slot, public, tok.csr(slot))
	return k.install(t, tok, slot, m{"profile": profile})
}

// install puts a certificate for the slot's CSR onto the token.
func (k *keyward) install(t testing.TB, tok *token, slot string, more m) (number string) {
	t.Helper()
	number, certificate := k.sign(t, tok.serial, slot, string(must.Get(os.ReadFile(tok.csr(slot)))(t)), more)
	must.OK(t, os.WriteFile(tok.cert(slot), []byte(certificate), 0o600))
	tok.piv(t, "certificates", "import", "-m", managementKey, slot, tok.cert(slot))
	return number
}

// engine is a file that has openssl's programs use the token.
func (tok *token) engine(t testing.TB) (file string) {
	t.Helper()
	file = filepath.Join(tok.dir, "openssl.cnf")
	must.OK(t, os.WriteFile(file, fmt.Appendf(nil, `openssl_conf = init
[init]
engines = engines
[engines]
pkcs11 = pkcs11
[pkcs11]
MODULE_PATH = %s
PIN = %s
init = 0
`, module(t), pin), 0o600))
	return file
}

// module is OpenSC's PKCS#11 module.
func module(t testing.TB) string {
	t.Helper()
	found := must.Get(filepath.Glob("/usr/lib/*/opensc-pkcs11.so"))(t)
	if len(found) == 0 {
		t.Fatal("opensc-pkcs11.so is missing: scripts/install-deps test installs it")
	}
	return found[0]
}
