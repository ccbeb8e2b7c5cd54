// Package nginx runs Debian's nginx with the configuration shipped in deploy/nginx, on
// its own address.
package nginx

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/pem"
	"errors"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
)

// Host is the server's name in the configuration.
const Host = "keyward.example.org"

// Site is its public URL.
const Site = "https://" + Host

// Server is a running nginx.
type Server struct {
	*process.Process
	Secure string // HOST:PORT of https
	Plain  string // HOST:PORT of http
	Dir    string // its files; access.log is the log

	roots *x509.CertPool
}

// Start runs nginx in front of these backends and frontends (HOST:PORT) until the test
// ends. root leads from the package's folder to the module's.
func Start(t testing.TB, root string, backends, frontends []string) *Server {
	t.Helper()
	s := &Server{Dir: t.TempDir(), roots: x509.NewCertPool()}
	address := host.Address()
	s.Secure, s.Plain = net.JoinHostPort(address, "18443"), net.JoinHostPort(address, "18080")
	s.certificate(t, address)
	s.configure(t, root, backends, frontends)
	cmd := exec.Command(program(t), "-p", s.Dir, "-c", "nginx.conf", "-e", "stderr")
	cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	s.Process = process.Start(t, "nginx", cmd)
	await.That(t, "nginx listens", func() bool {
		select {
		case <-s.Ended: // somebody else is listening
			t.Fatal("nginx has ended")
		default:
		}
		return len(s.Listening(t)) == 2
	})
	return s
}

func program(t testing.TB) string {
	t.Helper()
	for _, path := range []string{"nginx", "/usr/sbin/nginx"} {
		if found, err := exec.LookPath(path); err == nil {
			return found
		}
	}
	t.Fatal("nginx is missing: scripts/install-deps test installs it")
	return ""
}

// replaced maps lines of the shipped file that are left to the operator, and those with
// ports and files that belong to others here.
func (s *Server) replaced(backends, frontends []string) map[string]string {
	servers := func(list []string) string {
		var b strings.Builder
		for _, addr := range list {
			b.WriteString("    server " + addr + " max_fails=1 fail_timeout=1s;\n")
		}
		return b.String()
	}
	return map[string]string{
		`    server 192\.0\.2\.11:8080 max_fails=1 fail_timeout=1s; # replace.*\n`: servers(backends),
		`    server 192\.0\.2\.11:8081 max_fails=1 fail_timeout=1s; # replace.*\n`: servers(frontends),
		`listen 443 ssl http2;`:              "listen " + s.Secure + " ssl http2;",
		`    listen \[::\]:443 ssl http2;\n`: "",
		`listen 80;`:                         "listen " + s.Plain + ";",
		`    listen \[::\]:80;\n`:            "",
		`/etc/ssl/keyward\.pem`:              filepath.Join(s.Dir, "cert.pem"),
		`/etc/ssl/private/keyward\.key`:      filepath.Join(s.Dir, "key.pem"),
		`/var/log/nginx/keyward\.log`:        filepath.Join(s.Dir, "access.log"),
	}
}

// main is a distribution's nginx.conf around our file, except that it runs a single
// process: workers would survive when their master is killed.
const main = `daemon off;
master_process off;
pid nginx.pid;
events { worker_connections 512; }
http {
    access_log off;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    include conf.d/*.conf;
}
`

func (s *Server) configure(t testing.TB, root string, backends, frontends []string) {
	t.Helper()
	shipped := filepath.Join(root, "deploy", "nginx")
	site := string(must.Get(os.ReadFile(filepath.Join(shipped, "conf.d", "keyward.conf")))(t))
	for pattern, text := range s.replaced(backends, frontends) {
		find := regexp.MustCompile(pattern)
		if !find.MatchString(site) {
			t.Fatalf("the shipped file has nothing like %s", pattern)
		}
		site = find.ReplaceAllLiteralString(site, text)
	}
	files := map[string]string{"nginx.conf": main, "conf.d/keyward.conf": site}
	for _, snippet := range must.Get(filepath.Glob(filepath.Join(shipped, "snippets", "*.conf")))(t) {
		files["snippets/"+filepath.Base(snippet)] = string(must.Get(os.ReadFile(snippet))(t))
	}
	for name, content := range files {
		path := filepath.Join(s.Dir, name)
		must.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.OK(t, os.WriteFile(path, []byte(content), 0o600))
	}
}

// Check has nginx parse a configuration and the files that it names.
func Check(t testing.TB, path string) {
	t.Helper()
	if said, err := exec.Command(program(t), "-t", "-p", filepath.Dir(path), "-c", path, "-e", "stderr").CombinedOutput(); err != nil {
		t.Errorf("%v: %s", err, said)
	}
}

func (s *Server) certificate(t testing.TB, address string) {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(24 * time.Hour),
		DNSNames: []string{Host}, IPAddresses: []net.IP{net.ParseIP(address)},
		IsCA: true, BasicConstraintsValid: true,
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	s.roots.AddCert(must.Get(x509.ParseCertificate(der))(t))
	private := must.Get(x509.MarshalPKCS8PrivateKey(key))(t)
	for name, block := range map[string]*pem.Block{
		"cert.pem": {Type: "CERTIFICATE", Bytes: der}, "key.pem": {Type: "PRIVATE KEY", Bytes: private},
	} {
		must.OK(t, os.WriteFile(filepath.Join(s.Dir, name), pem.EncodeToMemory(block), 0o600))
	}
}

// Transport reaches Site, also over http, through this nginx. from is the client's
// address; empty: any.
func (s *Server) Transport(from string) *http.Transport {
	dialer := &net.Dialer{}
	if from != "" {
		dialer.LocalAddr = &net.TCPAddr{IP: net.ParseIP(from)}
	}
	return &http.Transport{
		DialContext:       to(dialer, map[string]string{Host + ":443": s.Secure, Host + ":80": s.Plain}),
		TLSClientConfig:   &tls.Config{RootCAs: s.roots},
		ForceAttemptHTTP2: true,
	}
}

// Listening lists the addresses on which nginx listens, according to the kernel
// (proc(5), /proc/net/tcp).
func (s *Server) Listening(t testing.TB) []string {
	t.Helper()
	open := map[string]bool{}
	links, err := filepath.Glob("/proc/" + strconv.Itoa(s.PID()) + "/fd/*")
	must.OK(t, err)
	for _, link := range links {
		if inode, ok := strings.CutPrefix(first(os.Readlink(link)), "socket:["); ok {
			open[strings.TrimSuffix(inode, "]")] = true
		}
	}
	const listens, inode = "0A", 9
	var out []string
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		text, err := os.ReadFile(table)
		if !errors.Is(err, fs.ErrNotExist) { // a kernel without IPv6 has only one
			must.OK(t, err)
		}
		for line := range strings.Lines(string(text)) {
			if f := strings.Fields(line); len(f) > inode && f[3] == listens && open[f[inode]] {
				out = append(out, f[1])
			}
		}
	}
	return out
}

func first(text string, _ error) string { return text }
