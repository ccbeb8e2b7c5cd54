package integrations_test

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/must"
)

// TestSSH: sshd lets in whoever holds the token that it knows by its certificate's key, RSA or EC,
// and nobody with another token.
func TestSSH(t *testing.T) {
	t.Parallel()
	k := serve(t, "PKI_KEY_TYPES=rsa-2048,ec-p256")
	one, other := k.plugIn(t, "20260001"), k.plugIn(t, "20260002")
	k.certify(t, one, "9a", "RSA2048", "default")
	k.certify(t, other, "9a", "ECCP256", "default")

	s := startSSHD(t)
	s.authorize(t, one)
	text, ok := "", false
	await.That(t, "sshd answers", func() bool {
		text, ok = s.login(t, one)
		return !strings.Contains(text, "Connection refused")
	})
	if !ok || text != "let in\n" {
		t.Errorf("with the RSA key: %s", text)
	}
	if text, ok = s.login(t, other); ok || !strings.Contains(text, "Permission denied (publickey)") {
		t.Errorf("with an unknown token: %s", text)
	}
	s.authorize(t, other)
	if text, ok = s.login(t, other); !ok || text != "let in\n" {
		t.Errorf("with the EC key: %s", text)
	}
}

// sshd is a server that the tests' own user may sign in to.
type sshd struct{ dir, address string }

func startSSHD(t *testing.T) *sshd {
	t.Helper()
	s := &sshd{t.TempDir(), host.Address()}
	run(t, environ(s.dir), "", "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", filepath.Join(s.dir, "host"))
	must.OK(t, os.WriteFile(filepath.Join(s.dir, "conf"), fmt.Appendf(nil, `ListenAddress %s
Port 18022
HostKey %[2]s/host
AuthorizedKeysFile %[2]s/authorized_keys
AuthenticationMethods publickey
PermitRootLogin prohibit-password
StrictModes no
PidFile none
`, s.address, s.dir), 0o600))
	if os.Getuid() == 0 {
		must.OK(t, os.MkdirAll("/run/sshd", 0o755)) // systemd makes it, where it runs
	}
	start(t, environ(s.dir), "sshd", "-D", "-e", "-f", filepath.Join(s.dir, "conf"))
	return s
}

// authorize lets in the key of a token's certificate, and no other.
func (s *sshd) authorize(t *testing.T, tok *token) {
	t.Helper()
	public := openssl(t, "x509", "-in", tok.cert("9a"), "-noout", "-pubkey")
	line := run(t, environ(s.dir), public, "ssh-keygen", "-i", "-m", "PKCS8", "-f", "/dev/stdin")
	must.OK(t, os.WriteFile(filepath.Join(s.dir, "authorized_keys"), []byte(line), 0o600))
}

// login runs a command there with what is on a token; PINs come from a program as on a desktop.
func (s *sshd) login(t *testing.T, tok *token) (text string, ok bool) {
	t.Helper()
	ask := filepath.Join(tok.dir, "askpass")
	must.Program(t, ask, "#!/bin/sh\necho "+pin+"\n")
	return try(t, append(tok.env, "SSH_ASKPASS="+ask, "SSH_ASKPASS_REQUIRE=force"), "",
		"ssh", "-F", "none", "-I", module(t), "-o", "LogLevel=ERROR",
		"-o", "IdentityFile=none", "-o", "IdentityAgent=none", "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
		"-o", "PreferredAuthentications=publickey", "-p", "18022", must.Get(user.Current())(t).Username+"@"+s.address, "echo let in")
}
