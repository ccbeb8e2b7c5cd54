//go:build exhaustive

package integrations_test

import (
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
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

// tlsServer is a program that lets in whoever has a certificate of Keyward's.
type tlsServer struct {
	name   string
	args   []string // the program and its arguments
	reload reload   // nil: it asks by OCSP
	config string   // the file conf; ADDRESS, DIR, BACKEND and OCSP_URL are replaced
}

// reload has a server read the list in crl.pem.
type reload func(t *testing.T, r *site)

func signal(s syscall.Signal) reload {
	return func(_ *testing.T, r *site) { r.Signal(s) }
}

// toldByCommand gives HAProxy the list over its socket: no connection ends.
func toldByCommand(t *testing.T, r *site) {
	t.Helper()
	file := filepath.Join(r.dir, "crl.pem")
	list := string(must.Get(os.ReadFile(file))(t))
	for _, c := range []struct{ command, says string }{
		{"set ssl crl-file " + file + " <<\n" + list, "transaction created"},
		{"commit ssl crl-file " + file, "Success"},
	} {
		conn := must.Get(net.Dial("unix", filepath.Join(r.dir, "admin")))(t)
		must.Get(fmt.Fprintln(conn, c.command))(t)
		if said := string(must.Get(io.ReadAll(conn))(t)); !strings.Contains(said, c.says) {
			t.Errorf("HAProxy about the new list: %s", said)
		}
		must.OK(t, conn.Close())
	}
}

var (
	apache  = []string{"apache2", "-d", "DIR", "-f", "DIR/conf", "-DFOREGROUND"}
	nginx   = []string{"nginx", "-p", "DIR", "-c", "conf", "-e", "stderr"}
	stunnel = []string{"stunnel", "DIR/conf"}
)

const apacheConfig = `ServerName localhost
PidFile apache.pid
DefaultRuntimeDir DIR
ErrorLog DIR/errors
User www-data
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
LoadModule alias_module /usr/lib/apache2/modules/mod_alias.so
LoadModule ssl_module /usr/lib/apache2/modules/mod_ssl.so
SSLSessionCache none
Listen ADDRESS
<VirtualHost *>
    SSLEngine on
    SSLCertificateFile server.pem
    Redirect 204 /
    SSLCACertificateFile ca.pem
    SSLVerifyClient require
    SSLSessionTickets off
`

const nginxConfig = `daemon off;
worker_processes 1;
pid DIR/nginx.pid;
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    server {
        listen ADDRESS ssl;
        ssl_certificate server.pem;
        ssl_certificate_key server.pem;
        ssl_client_certificate ca.pem;
        ssl_verify_client on;
        location / { return 204; }
`

const haproxyConfig = `global
    stats socket DIR/admin level admin
    tune.ssl.cachesize 0
defaults
    mode http
    timeout connect 9s
    timeout client 9s
    timeout server 9s
frontend keyward
    bind ADDRESS ssl crt DIR/server.pem ca-file DIR/ca.pem verify required crl-file DIR/crl.pem no-tls-tickets
    http-request return status 200
`

const stunnelConfig = `foreground = yes
pid =
[keyward]
accept = ADDRESS
connect = BACKEND
cert = DIR/server.pem
CAfile = DIR/ca.pem
verifyChain = yes
`

// tlsServers are those of docs/integrations.md.
var tlsServers = []tlsServer{
	{"Apache, OCSP", apache, nil, apacheConfig + "    SSLOCSPEnable leaf\n</VirtualHost>\n"},
	{"Apache, CRL", apache, signal(syscall.SIGUSR1), apacheConfig +
		"    SSLCARevocationCheck leaf\n    SSLCARevocationFile crl.pem\n</VirtualHost>\n"},
	{"nginx, OCSP", nginx, nil, nginxConfig + "ssl_ocsp leaf; } }\n"},
	{"nginx, CRL", nginx, signal(syscall.SIGHUP), nginxConfig + "ssl_crl crl.pem; } }\n"},
	{"HAProxy, CRL", []string{"haproxy", "-db", "-f", "DIR/conf"}, toldByCommand, haproxyConfig},
	{"stunnel, OCSP by AIA", stunnel, nil, stunnelConfig + "OCSPaia = yes\nsessionResume = no\n"},
	{"stunnel, OCSP", stunnel, nil, stunnelConfig + "OCSP = OCSP_URL\nsessionResume = no\n"},
	{"stunnel, CRL", stunnel, signal(syscall.SIGHUP), stunnelConfig + "CRLfile = DIR/crl.pem\n"},
}

// site is a running server, and jdoe with a certificate of their own for it.
type site struct {
	*process.Process
	dir, address string
	jdoe         *visitor
	number       string // of the certificate
}

// run starts the server, which lets jdoe in, and nobody with another CA's certificate.
func (s *tlsServer) run(t *testing.T, k *keyward) *site {
	t.Helper()
	r := &site{dir: socketdir.New(t), address: host.Address() + ":18443"}
	pair, number := k.person(t, r.dir)
	r.jdoe, r.number = newVisitor(pair), number
	file := func(name string) string { return filepath.Join(r.dir, name) }
	stranger := selfSigned(t, r.dir, "stranger", "jdoe")
	selfSigned(t, r.dir, "server", "localhost")
	must.OK(t, place(k.fetch(t, "/api/pki/ca"), file("ca.pem")))
	must.OK(t, place(k.crl(t), file("crl.pem")))
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }))
	t.Cleanup(backend.Close)
	fill := strings.NewReplacer("ADDRESS", r.address, "DIR", r.dir, "BACKEND", strings.TrimPrefix(backend.URL, "http://"),
		"OCSP_URL", k.base+"/api/pki/ocsp").Replace
	must.OK(t, os.WriteFile(file("conf"), []byte(fill(s.config)), 0o600))
	args := strings.Fields(fill(strings.Join(s.args, " ")))
	r.Process = start(t, environ(r.dir), args[0], args[1:]...)
	var answer string
	await.That(t, s.name+" answers", func() bool {
		answer = r.jdoe.visit(r.address)
		return !strings.Contains(answer, "connection refused")
	})
	if !welcome(answer) {
		t.Fatalf("before it is revoked: %s\n%s", answer, r.Log.String())
	}
	// A refusal may be cut off by the end of the connection, on which the client is still writing.
	await.That(t, "a refusal that says so", func() bool {
		answer = newVisitor(stranger).visit(r.address)
		return !strings.Contains(answer, "connection reset")
	})
	if !refusal(answer) {
		t.Errorf("another CA's certificate: %s", answer)
	}
	return r
}

// TestTLS: a server lets jdoe in no more once the certificate is revoked.
func TestTLS(t *testing.T) {
	t.Parallel()
	k := serve(t)
	k.register(t, "20260009")
	for _, s := range tlsServers {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			r := s.run(t, k)
			began := time.Now()
			k.revoke(t, r.number)
			if s.reload != nil {
				must.OK(t, place(k.crl(t), filepath.Join(r.dir, "crl.pem")))
				s.reload(t, r)
			}
			var answer string
			await.That(t, s.name+" refuses", func() bool {
				answer = r.jdoe.visit(r.address) // for a moment perhaps nobody, while it reads its files again
				return strings.Contains(answer, "tls: revoked certificate") || strings.HasPrefix(answer, "400")
			})
			t.Logf("refused %v after the revocation began: %s", time.Since(began), answer)
		})
	}
}

// TestNobodyAnswers: a server that asks by OCSP lets nobody in while Keyward is away.
func TestNobodyAnswers(t *testing.T) {
	t.Parallel()
	k := serve(t)
	k.register(t, "20260009")
	sites := map[string]*site{}
	for _, s := range tlsServers {
		if s.reload == nil {
			sites[s.name] = s.run(t, k)
		}
	}
	k.Stop(t)
	for name, r := range sites {
		if answer := r.jdoe.visit(r.address); !refusal(answer) {
			t.Errorf("%s, while nobody answers: %s", name, answer)
		}
	}
}

// visitor has a certificate, and a browser's habit of resuming its TLS sessions: a server that
// looks at the certificate only when a session begins would let the revoked in for long.
type visitor struct{ http.Client }

func newVisitor(certificate tls.Certificate) *visitor {
	return &visitor{http.Client{Transport: &http.Transport{DisableKeepAlives: true, TLSClientConfig: &tls.Config{
		InsecureSkipVerify: true, ClientSessionCache: tls.NewLRUClientSessionCache(0),
		// Also one of a CA that the server did not name.
		GetClientCertificate: func(*tls.CertificateRequestInfo) (*tls.Certificate, error) { return &certificate, nil },
	}}}}
}

// visit says how a server receives them.
func (v *visitor) visit(address string) string {
	res, err := v.Get("https://" + address + "/")
	if err != nil {
		return err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	body, _ := io.ReadAll(res.Body)
	return strconv.Itoa(res.StatusCode) + " " + string(body)
}

// refusal is what the server itself says, not the network.
func refusal(answer string) bool {
	return strings.Contains(answer, "remote error: tls: ") || strings.HasPrefix(answer, "400")
}

func welcome(answer string) bool { return strings.HasPrefix(answer, "20") }

// person gives jdoe a certificate for a key in a file.
func (k *keyward) person(t *testing.T, dir string) (pair tls.Certificate, number string) {
	t.Helper()
	key, csr := filepath.Join(dir, "person.key"), filepath.Join(dir, "person.csr")
	openssl(t, "req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=jdoe", "-keyout", key, "-out", csr)
	number, certificate := k.sign(t, "20260009", "9a", string(must.Get(os.ReadFile(csr))(t)), nil)
	must.OK(t, os.WriteFile(filepath.Join(dir, "person.pem"), []byte(certificate), 0o600))
	return must.Get(tls.X509KeyPair([]byte(certificate), must.Get(os.ReadFile(key))(t)))(t), number
}

// selfSigned makes a key and a certificate, in one file.
func selfSigned(t *testing.T, dir, name, cn string) tls.Certificate {
	t.Helper()
	key, file := filepath.Join(dir, name+".key"), filepath.Join(dir, name+".pem")
	openssl(t, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN="+cn,
		"-keyout", key, "-out", file)
	both := fmt.Appendf(must.Get(os.ReadFile(file))(t), "%s", must.Get(os.ReadFile(key))(t))
	must.OK(t, os.WriteFile(file, both, 0o600))
	return must.Get(tls.X509KeyPair(both, both))(t)
}
