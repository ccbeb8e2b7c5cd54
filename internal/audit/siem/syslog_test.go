package siem

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/socketdir"
)

func TestTargets(t *testing.T) {
	t.Parallel()
	for target, want := range map[string]string{
		"udp://siem.example:514": "udp siem.example:514", "tcp://[::1]:601": "tcp [::1]:601", "tls://siem:6514": "tls siem:6514",
		"unix:///dev/log": "unix /dev/log",
		"":                "", "siem:514": "", "udp://siem": "", "udp://:514": "", "udp://siem:0": "",
		"udp://siem:70000": "", "http://siem:80": "",
		"udp://siem:514/path": "", "udp://user@siem:514": "", "unix://dev/log": "", "unix:///": "", "unix:/dev/log?x": "",
	} {
		network, address, err := ParseTarget(target)
		got := network + " " + address
		if err != nil {
			got = ""
		}
		if got != want {
			t.Errorf("%q: %q, want %q", target, got, want)
		}
	}
}

// form is the format of RFC 5424, section 6, with our fixed parts.
var form = regexp.MustCompile(`^<(110|108)>1 \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z [!-~]{1,255} keyward - [!-~]{1,32} - \{"id":\d+,"at":"[^\n]*\}$`)

func TestMessage(t *testing.T) {
	t.Parallel()
	s := syslogTo(t, "udp://127.0.0.1:9", "")
	for _, e := range []audit.Entry{
		{Action: "auth.login", Outcome: audit.Success, Details: "a\nb \x00 ü"}, {Action: "", Outcome: audit.Denied}, {Action: "with space",
			Outcome: audit.Failure},
	} {
		e.At = time.UnixMicro(1767225600000000)
		s.message(&e)
		m := form.FindSubmatch(s.msg)
		if m == nil || (string(m[1]) == "110") != (e.Outcome == audit.Success) {
			t.Errorf("%s", s.msg)
		}
	}
	long := audit.Entry{Action: "a.b", Details: string(make([]byte, 1<<17))}
	if s.message(&long); len(s.msg) > maxDatagram || !form.Match(s.msg) {
		t.Errorf("a long one has %d bytes", len(s.msg))
	}
}

// TestDatagrams: each entry is its own datagram.
func TestDatagrams(t *testing.T) {
	t.Parallel()
	local := filepath.Join(socketdir.New(t), "log")
	for network, address := range map[string]string{"udp": "127.0.0.1:0", "unixgram": local} {
		t.Run(network, func(t *testing.T) {
			t.Parallel()
			var c net.ListenConfig
			conn := must.Get(c.ListenPacket(t.Context(), network, address))(t)
			var r received
			done := make(chan struct{})
			go func() {
				defer close(done)
				buf := make([]byte, 1<<16)
				for {
					n, _, err := conn.ReadFrom(buf)
					if err != nil {
						return
					}
					r.message(string(buf[:n]))
				}
			}()
			t.Cleanup(func() { _ = conn.Close(); <-done })
			target := "udp://" + conn.LocalAddr().String()
			if network == "unixgram" {
				target = "unix://" + local
			}
			w := setup(t)
			tail := w.tail(syslogTo(t, target, ""))
			for range 5 {
				w.append(4) // few at once: a receiver's buffer is finite, and datagrams are not acknowledged
				w.run(tail)
			}
			w.until(tail, "the datagrams", func() bool { return r.highest() == 20 })
			r.check(t, 20)
		})
	}
}

func TestStreams(t *testing.T) {
	t.Parallel()
	local := filepath.Join(socketdir.New(t), "stream")
	ca, config := certificate(t)
	for name, c := range map[string]struct {
		ln     net.Listener
		target string
	}{
		"tcp":  {listen(t, "tcp", "127.0.0.1:0"), "tcp://"},
		"tls":  {tls.NewListener(listen(t, "tcp", "127.0.0.1:0"), config), "tls://"},
		"unix": {listen(t, "unix", local), "unix://"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var r received
			r.receiver(t, c.ln, nil)
			w := setup(t)
			tail := w.tail(syslogTo(t, c.target+c.ln.Addr().String(), ca))
			w.append(2*atOnce + 7)
			w.run(tail)
			w.append(1)
			must.OK(t, tail.Last(context.Background()))
			// The end was confirmed: the next start sends only what is new.
			w.append(2)
			tail = w.tail(syslogTo(t, c.target+c.ln.Addr().String(), ca))
			w.until(tail, "the rest", func() bool { return r.highest() == 2*atOnce+10 })
			if again := r.check(t, 2*atOnce+10); again != 0 {
				t.Errorf("%d entries came twice without a reason", again)
			}
		})
	}
}

// TestRestartInTheMiddle: a server that was killed sends again only what it does not
// know to be delivered.
func TestRestartInTheMiddle(t *testing.T) {
	t.Parallel()
	ln := listen(t, "tcp", "127.0.0.1:0")
	var r received
	r.receiver(t, ln, nil)
	w := setup(t)
	w.append(10)
	tail := w.tail(syslogTo(t, "tcp://"+ln.Addr().String(), ""))
	w.until(tail, "the cursor", func() bool { return tail.saved == 10 })
	w.append(5)
	w.run(tail)
	w.until(w.tail(tail.Sink), "the entries", func() bool { return r.highest() == 15 })
	tail.Sink.(*Syslog).close() // killed
	w.append(1)
	next := w.tail(syslogTo(t, "tcp://"+ln.Addr().String(), ""))
	w.until(next, "the rest", func() bool { return r.highest() == 16 })
	r.check(t, 16)
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, id := range r.ids {
		if id <= 10 && i >= 10 {
			t.Errorf("entry %d was delivered and came again", id)
		}
	}
}

// certificate creates a root and a certificate for 127.0.0.1, and writes the root to a file.
func certificate(t *testing.T) (caFile string, config *tls.Config) {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "receiver"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour),
		IsCA: true, BasicConstraintsValid: true, IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)},
	}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	caFile = filepath.Join(t.TempDir(), "ca.pem")
	must.OK(t, os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600))
	return caFile, &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}
}

// TestForeignCertificate: nothing is sent to a receiver that cannot prove
// who it is.
func TestForeignCertificate(t *testing.T) {
	t.Parallel()
	_, config := certificate(t)
	other, _ := certificate(t)
	ln := tls.NewListener(listen(t, "tcp", "127.0.0.1:0"), config)
	var r received
	r.receiver(t, ln, nil)
	w := setup(t)
	w.append(1)
	for _, ca := range []string{other, ""} {
		if err := w.tail(syslogTo(t, "tls://"+ln.Addr().String(), ca)).Run(context.Background()); err == nil {
			t.Errorf("sent to somebody")
		}
	}
	if r.highest() != 0 {
		t.Error("something arrived")
	}
}
