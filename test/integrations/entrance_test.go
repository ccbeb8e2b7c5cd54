//go:build exhaustive

package integrations_test

import (
	"fmt"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
	"github.com/keyward/keyward/test/socketdir"
)

// entrance is a server of another kind that lets in whoever has a certificate of Keyward's.
type entrance struct {
	name  string
	begin func(t *testing.T, g *gate)
	// enter says what jdoe reads.
	enter   func(t *testing.T, g *gate) (text string)
	in, out string                      // what jdoe reads when let in, and what the server writes about a revoked certificate
	reload  func(t *testing.T, g *gate) // has it read a new list
}

// gate is a running entrance. In its folder are ca.pem, crl.pem, server.pem, server.key, person.pem
// and person.key.
type gate struct {
	*process.Process
	dir, address string
}

func (g *gate) file(name string) string { return filepath.Join(g.dir, name) }

func (g *gate) write(t *testing.T, name, text string) {
	t.Helper()
	must.OK(t, os.WriteFile(g.file(name), []byte(strings.NewReplacer("DIR", g.dir, "ADDRESS", g.address).Replace(text)), 0o600))
}

// TestEntrances: jdoe comes in, and no more once the certificate is revoked.
func TestEntrances(t *testing.T) {
	t.Parallel()
	k := serve(t)
	k.register(t, "20260009")
	for _, e := range []entrance{
		{"PostgreSQL", beginPostgres, psql, "jdoe is in", "certificate revoked", func(_ *testing.T, g *gate) { g.Signal(syscall.SIGHUP) }},
		{"OpenVPN", beginOpenVPN, openVPN, connected, "certificate revoked", byItself},
		{"FreeRADIUS, OCSP", beginRADIUS(radiusOCSP), eapTLS, "SUCCESS", "Certificate has been expired/revoked", byItself},
		{"FreeRADIUS, CRL", beginRADIUS(radiusCRL), eapTLS, "SUCCESS", "certificate revoked", func(t *testing.T, g *gate) {
			g.Stop(t) // it reads the list at its start alone
			beginRADIUS(radiusCRL)(t, g)
		}},
	} {
		t.Run(e.name, func(t *testing.T) {
			t.Parallel()
			g := &gate{dir: socketdir.New(t), address: host.Address()}
			_, number := k.person(t, g.dir)
			selfSigned(t, g.dir, "server", "localhost")
			must.OK(t, place(k.fetch(t, "/api/pki/ca"), g.file("ca.pem")))
			must.OK(t, place(k.crl(t), g.file("crl.pem")))
			e.begin(t, g)
			text := ""
			await.That(t, e.name+" lets jdoe in", func() bool { text = e.enter(t, g); return strings.Contains(text, e.in) })
			began := time.Now()
			k.revoke(t, number)
			must.OK(t, place(k.crl(t), g.file("crl.pem")))
			e.reload(t, g)
			await.That(t, e.name+" refuses", func() bool {
				text = e.enter(t, g)
				return !strings.Contains(text, e.in) && strings.Contains(g.Out.String()+g.Log.String()+text, e.out)
			})
			t.Logf("refused %v after the revocation began", time.Since(began))
		})
	}
}

// byItself is for those who read a new list by themselves, or ask by OCSP.
func byItself(*testing.T, *gate) {}

// beginPostgres starts it as the user whom it does not refuse.
func beginPostgres(t *testing.T, g *gate) {
	t.Helper()
	found := must.Get(filepath.Glob("/usr/lib/postgresql/*/bin"))(t)
	programs, as := found[len(found)-1], []string(nil)
	g.write(t, "hba", "hostssl all all all cert\n")
	if os.Getuid() == 0 {
		as = []string{"setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"}
		owner := must.Get(user.Lookup("postgres"))(t)
		uid, gid := must.Get(strconv.Atoi(owner.Uid))(t), must.Get(strconv.Atoi(owner.Gid))(t)
		for _, name := range []string{"", "server.key", "server.pem", "hba"} {
			must.OK(t, os.Chown(g.file(name), uid, gid))
		}
	}
	initdb := append(as, filepath.Join(programs, "initdb"), "-D", g.file("data"), "-U", "jdoe", "--no-sync", "--no-instructions")
	run(t, environ(g.dir), "", initdb[0], initdb[1:]...)
	serve := append(as, filepath.Join(programs, "postgres"), "-D", g.file("data"))
	for _, setting := range []string{
		"ssl=on", "ssl_cert_file=DIR/server.pem", "ssl_key_file=DIR/server.key", "ssl_ca_file=DIR/ca.pem", "ssl_crl_file=DIR/crl.pem",
		"hba_file=DIR/hba", "listen_addresses=ADDRESS", "port=15432", "unix_socket_directories=", "fsync=off",
	} {
		serve = append(serve, "-c", strings.NewReplacer("DIR", g.dir, "ADDRESS", g.address).Replace(setting))
	}
	g.Process = start(t, environ(g.dir), serve[0], serve[1:]...)
}

func psql(t *testing.T, g *gate) string {
	t.Helper()
	text, _ := try(t, environ(g.dir), "", "psql", "--no-psqlrc", "-tAc", "SELECT current_user || ' is in'",
		fmt.Sprintf("host=%s port=15432 dbname=postgres user=jdoe sslmode=require sslcert=%s sslkey=%s", g.address, g.file("person.pem"),
			g.file("person.key")))
	return text
}

const radiusConfig = `name = radius
logdir = DIR
run_dir = DIR
libdir = /usr/lib/freeradius
client test {
	ipaddr = 127.0.0.0/8
	secret = testing123
}
modules {
	eap {
		default_eap_type = tls
		tls-config keyward {
			private_key_file = DIR/server.key
			certificate_file = DIR/server.pem
			check_cert_cn = %{User-Name}
			TRUST
		}
		tls {
			tls = keyward
		}
	}
}
server default {
	listen {
		type = auth
		ipaddr = ADDRESS
		port = 11812
	}
	authorize {
		eap
	}
	authenticate {
		eap
	}
}
`

// radiusCRL and radiusOCSP are the two ways of TRUST.
const (
	radiusCRL = `ca_file = DIR/store.pem
			check_crl = yes`
	radiusOCSP = `ca_file = DIR/ca.pem
			ocsp {
				enable = yes
			}`
)

func beginRADIUS(trust string) func(t *testing.T, g *gate) {
	return func(t *testing.T, g *gate) {
		t.Helper()
		// Not by g.write: base64 may have its placeholders by chance.
		store := slices.Concat(must.Get(os.ReadFile(g.file("ca.pem")))(t), must.Get(os.ReadFile(g.file("crl.pem")))(t))
		must.OK(t, os.WriteFile(g.file("store.pem"), store, 0o600))
		g.write(t, "radiusd.conf", strings.Replace(radiusConfig, "TRUST", trust, 1))
		g.Process = start(t, environ(g.dir), "freeradius", "-fxx", "-l", "stdout", "-d", g.dir, "-D", "/usr/share/freeradius")
	}
}

// eapTLS also has jdoe try to be somebody else.
func eapTLS(t *testing.T, g *gate) string {
	t.Helper()
	text := eapolTest(t, g, "jdoe")
	if strings.Contains(text, "SUCCESS") && strings.Contains(eapolTest(t, g, "admin"), "SUCCESS") {
		t.Error("jdoe is in as admin")
	}
	return text
}

func eapolTest(t *testing.T, g *gate, identity string) string {
	t.Helper()
	g.write(t, "eapol", `network={
	key_mgmt=WPA-EAP
	eap=TLS
	identity="`+identity+`"
	ca_cert="DIR/server.pem"
	client_cert="DIR/person.pem"
	private_key="DIR/person.key"
}
`)
	text, _ := try(t, environ(g.dir), "", "eapol_test", "-c", g.file("eapol"), "-a", g.address, "-p", "11812", "-s", "testing123", "-t", "1")
	return text
}
