// Package proxies runs Debian's proxies with the configurations shipped in deploy/, each on
// an address of its own.
package proxies

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
	"github.com/keyward/keyward/test/programs"
)

// Host is the server's name in the configurations.
const Host = "keyward.example.org"

// Site is its public URL.
const Site = "https://" + Host

// Program is a proxy.
type Program struct {
	Name string
	// Rereads: a reading request whose server died is sent to the next one.
	Rereads bool
	// Checks: it asks servers for /readyz.
	Checks bool
	// OwnWords: it doesn't say that no server is there as Keyward does.
	OwnWords bool
	// Died is the status if a server dies instead of answering: 503 as from Keyward, or the
	// program's own.
	Died int
	// TakesAll: how long a body may be it leaves to Keyward.
	TakesAll bool
	// Tells: it also sends forwarding headers that Keyward doesn't read, its own ones.
	Tells bool
	// Cleans: it passes on //, /../ and %61 as they are meant.
	Cleans bool
	// LogsToOut: the access log is its output, and not access.log.
	LogsToOut bool

	// In what follows, some words stand for this test's own: DIR for the folder of all files,
	// HOST, SECURE and PLAIN for addresses, BACKENDS and FRONTENDS for a line for each.

	deploy  string            // the folder in deploy/
	files   map[string]string // more files
	command []string
	server  string // a line for one server: NAME, ADDRESS
	// replaced maps patterns of shipped lines that are left to the operator, or whose ports and
	// files belong to others here.
	replaced map[string]string
}

// Server is a running proxy.
type Server struct {
	*process.Process
	Secure string // HOST:PORT of https
	Plain  string // HOST:PORT of http
	Dir    string // its files

	program Program
	roots   *x509.CertPool
}

// Start runs a proxy in front of these backends and frontends (HOST:PORT) until the test
// ends. root leads from the package's folder to the module's.
func Start(t testing.TB, p Program, root string, backends, frontends []string) *Server {
	t.Helper()
	s := &Server{Dir: t.TempDir(), program: p, roots: x509.NewCertPool()}
	address := host.Address()
	s.Secure, s.Plain = net.JoinHostPort(address, "18443"), net.JoinHostPort(address, "18080")
	s.certificate(t, address)
	s.configure(t, root, backends, frontends)
	args := make([]string, len(p.command))
	for i, arg := range p.command {
		args[i] = strings.ReplaceAll(arg, "DIR", s.Dir)
	}
	cmd := exec.Command(find(t, args[0]), args[1:]...)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + s.Dir}
	s.Process = process.Start(t, p.Name, cmd)
	await.That(t, p.Name+" listens", func() bool {
		select {
		case <-s.Ended: // somebody else is listening
			t.Fatal(p.Name + " has ended")
		default:
		}
		return len(s.Listening(t)) == 2 && s.knows(t)
	})
	return s
}

// knows reports whether it knows its way already: Traefik listens before that.
func (s *Server) knows(t testing.TB) bool {
	t.Helper()
	through := s.Transport("")
	defer through.CloseIdleConnections()
	res, err := through.RoundTrip(must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, Site+"/readyz", nil))(t))
	if err != nil {
		return false
	}
	must.OK(t, res.Body.Close())
	return res.StatusCode != http.StatusNotFound
}

// find returns where a program of Debian is, or one of test/tools.
func find(t testing.TB, program string) string {
	t.Helper()
	if program == Traefik.Name {
		return must.Get(programs.Tool(program))(t)
	}
	return must.Get(programs.Debian(program))(t)
}

// configure writes the shipped files, with this test's addresses.
func (s *Server) configure(t testing.TB, root string, backends, frontends []string) {
	t.Helper()
	shipped := map[string]string{}
	from := filepath.Join(root, "deploy", s.program.deploy)
	must.OK(t, filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(path)
		shipped[strings.TrimPrefix(path, from)] = string(content)
		return err
	}))
	address, _, _ := net.SplitHostPort(s.Secure)
	values := strings.NewReplacer("DIR", s.Dir, "HOST", address, "SECURE", s.Secure, "PLAIN", s.Plain,
		"BACKENDS", s.servers("backend", backends), "FRONTENDS", s.servers("frontend", frontends), "MODULES", modules(shipped))
	for pattern, text := range s.program.replaced {
		find, found := regexp.MustCompile(pattern), false
		for name, content := range shipped {
			found = found || find.MatchString(content)
			shipped[name] = find.ReplaceAllLiteralString(content, values.Replace(text))
		}
		if !found {
			t.Fatalf("the shipped files have nothing like %s", pattern)
		}
	}
	for name, content := range s.program.files {
		shipped[name] = values.Replace(content)
	}
	for name, content := range shipped {
		path := filepath.Join(s.Dir, name)
		must.OK(t, os.MkdirAll(filepath.Dir(path), 0o700))
		must.OK(t, os.WriteFile(path, []byte(content), 0o600))
	}
}

// servers is what the configuration has in place of its example.
func (s *Server) servers(kind string, addresses []string) string {
	var b strings.Builder
	for i, address := range addresses {
		b.WriteString(strings.NewReplacer("NAME", kind+strconv.Itoa(i), "ADDRESS", address).Replace(s.program.server))
	}
	return b.String()
}

// AccessLog returns what is logged about requests.
func (s *Server) AccessLog(t testing.TB) string {
	t.Helper()
	if s.program.LogsToOut {
		return s.Out.String()
	}
	text, err := os.ReadFile(filepath.Join(s.Dir, "access.log"))
	if !errors.Is(err, fs.ErrNotExist) { // it comes with the first request
		must.OK(t, err)
	}
	return string(text)
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
	certificate := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})
	private := pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: must.Get(x509.MarshalPKCS8PrivateKey(key))(t)})
	for name, content := range map[string][]byte{
		"cert.pem": certificate, "key.pem": private, "both.pem": append(certificate[:len(certificate):len(certificate)], private...),
	} {
		must.OK(t, os.WriteFile(filepath.Join(s.Dir, name), content, 0o600))
	}
}

// Transport reaches Site, also over http, through this proxy. from is the client's
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

// Listening lists the addresses on which the proxy listens, according to the kernel
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
