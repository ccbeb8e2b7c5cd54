//go:build exhaustive

package integrations_test

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/socketdir"
)

// login is a way to log on to Linux with a token, by PAM.
type login struct {
	name     string
	module   string // of PAM, for authentication
	config   string
	greeting string // to whom the one certificate is
	wrong    string // what it says of a wrong PIN
	offline  bool   // by a list in a file, not by OCSP
}

const pamPKCS11 = `pam_pkcs11 {
    use_pkcs11_module = opensc;
    pkcs11_module opensc {
        module = MODULE;
        slot_num = 0;
        ca_dir = DIR/ca.pem;
        crl_dir = DIR/crl.pem;
        cert_policy = ca, signature, crl_offline;
    }
    use_mappers = ms;
    mapper ms {
        module = internal;
        ignorecase = true;
        ignoredomain = false;
        domainname = "example.org";
    }
}
`

// A user who is asked for before SSSD has read its users is no user for a second only.
const sssdConfig = `[sssd]
services = nss, pam
domains = local
VERIFY
[nss]
entry_negative_timeout = 1
[pam]
pam_cert_auth = true
pam_cert_db_path = DIR/ca.pem
[domain/local]
id_provider = files
[certmap/local/upn]
maprule = ({subject_nt_principal.short_name})
`

var logins = []login{
	{"SSSD, OCSP", "pam_sss.so", strings.Replace(sssdConfig, "VERIFY\n", "", 1), "PIN for jdoe", "Authentication failure", false},
	{"SSSD, CRL", "pam_sss.so", strings.Replace(sssdConfig, "VERIFY", "certificate_verification = no_ocsp, crl_file=DIR/crl.pem", 1),
		"PIN for jdoe", "Authentication failure", true},
	{"pam_pkcs11", "pam_pkcs11.so config_file=DIR/pam_pkcs11.conf", pamPKCS11, "Smart card found", "Wrong smartcard PIN", true},
}

// computer is a Linux with the accounts jdoe and admin: its folders in /etc and /var hide those of
// the tests' own machine from the programs that it runs.
type computer struct {
	how *login
	dir string
	env []string
}

// hide mounts the computer's folders, and runs a program.
const hide = `set -e
for path in etc/passwd etc/pam.d etc/sssd var/lib/sss var/log/sssd; do mount --bind "$0/$path" "/$path"; done
mount --bind "$0/run" /run
exec "$@"
`

func newComputer(t *testing.T, l *login, k *keyward, tok *token) *computer {
	t.Helper()
	c := &computer{how: l, dir: socketdir.New(t), env: tok.env}
	for _, folder := range []string{"etc/pam.d", "etc/sssd/conf.d", "var/lib/sss", "var/log/sssd", "run"} {
		must.OK(t, os.MkdirAll(c.file(folder), 0o755))
	}
	for _, folder := range []string{"db", "mc", "pipes/private", "pubconf", "secrets", "gpo_cache", "deskprofile"} {
		must.OK(t, os.MkdirAll(c.file("var/lib/sss/"+folder), 0o755))
	}
	c.write(t, "etc/passwd", "root:x:0:0::/:/bin/sh\njdoe:x:2001:2001::/:/bin/sh\nadmin:x:2002:2002::/:/bin/sh\n")
	c.write(t, "etc/pam.d/login", "auth required "+l.module+"\n")
	c.write(t, "etc/sssd/sssd.conf", l.config)
	c.write(t, "pam_pkcs11.conf", l.config)
	must.OK(t, place(k.fetch(t, "/api/pki/ca"), c.file("ca.pem")))
	must.OK(t, place(k.crl(t), c.file("crl.pem")))
	return c
}

func (c *computer) file(name string) string { return filepath.Join(c.dir, name) }

func (c *computer) write(t *testing.T, name, text string) {
	t.Helper()
	text = strings.NewReplacer("DIR", c.dir, "MODULE", module(t)).Replace(text)
	must.OK(t, os.WriteFile(c.file(name), []byte(text), 0o600))
}

// on are the arguments to run a program on it.
func (c *computer) on(command ...string) []string {
	return append([]string{"--mount", "--map-root-user", "sh", "-c", hide, c.dir}, command...)
}

// begin starts the daemon, if there is one, and has it let jdoe in.
func (c *computer) begin(t *testing.T) {
	t.Helper()
	if strings.HasPrefix(c.how.module, "pam_sss") {
		start(t, c.env, "unshare", c.on("sssd", "-i", "--logger=stderr")...)
	}
	await.That(t, c.how.name+" lets jdoe in", func() bool { _, ok := c.login(t, "jdoe", pin); return ok })
}

// login logs on as somebody; empty: whoever the token's owner is.
func (c *computer) login(t *testing.T, user, pin string) (text string, ok bool) {
	t.Helper()
	return try(t, c.env, pin+"\n", "unshare", c.on("pamtester", "login", user, "authenticate")...)
}

// TestLogin: of a token's three certificates the one for logon gets jdoe in with the PIN, nobody else,
// and no more once it is revoked.
func TestLogin(t *testing.T) {
	t.Parallel()
	for _, l := range logins {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			k := serve(t)
			k.name(t, "jdoe@example.org")
			tok := k.plugIn(t, "20260001")
			number := k.fill(t, tok)
			c := newComputer(t, &l, k, tok)
			c.begin(t)
			if text, ok := c.login(t, "", pin); !ok || !strings.Contains(text, l.greeting) {
				t.Errorf("as whoever the token's owner is: %s", text)
			}
			if text, ok := c.login(t, "admin", pin); ok || strings.Contains(text, l.wrong) {
				t.Errorf("as admin: %s", text)
			}
			if text, ok := c.login(t, "jdoe", "654321"); ok || !strings.Contains(text, l.wrong) {
				t.Errorf("with a wrong PIN: %s", text)
			}
			k.revoke(t, number)
			if l.offline {
				must.OK(t, place(k.crl(t), c.file("crl.pem")))
			}
			if text, ok := c.login(t, "jdoe", pin); ok || strings.Contains(text, l.wrong) {
				t.Errorf("once it is revoked: %s", text)
			}
		})
	}
}

// name gives jdoe a UPN and a SID.
func (k *keyward) name(t testing.TB, upn string) {
	t.Helper()
	k.call(t, http.MethodPatch, fmt.Sprintf("/api/admin/users/%v", k.jdoe), m{"upn": upn, "sid": "S-1-5-21-1-2-3-1001"})
}

// fill gives a token a certificate for each purpose; the number is that of the one to log on with.
func (k *keyward) fill(t testing.TB, tok *token) (number string) {
	t.Helper()
	number = k.certify(t, tok, "9a", "RSA2048", "logon")
	k.certify(t, tok, "9c", "RSA2048", "signature")
	k.certify(t, tok, "9d", "RSA2048", "encryption")
	return number
}
