package integrations_test

import (
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

// certify has the token make a key, and gives it a certificate.
func (k *keyward) certify(t testing.TB, tok *token, slot, algorithm string) {
	t.Helper()
	public, csr := filepath.Join(tok.dir, slot+".pub"), filepath.Join(tok.dir, slot+".csr")
	piv := func(args ...string) {
		t.Helper()
		run(t, tok.env, "", "ykman", append([]string{"--device", tok.serial, "piv"}, args...)...)
	}
	piv("keys", "generate", "-m", managementKey, "-a", algorithm, slot, public)
	piv("certificates", "request", "-P", pin, "-s", "CN=jdoe", slot, public, csr)
	_, certificate := k.sign(t, tok.serial, slot, string(must.Get(os.ReadFile(csr))(t)))
	must.OK(t, os.WriteFile(tok.cert(slot), []byte(certificate), 0o600))
	piv("certificates", "import", "-m", managementKey, slot, tok.cert(slot))
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
