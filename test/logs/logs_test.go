//go:build exhaustive

// Package logs has Debian's rsyslog and logrotate keep the audit log, with the files shipped
// in deploy/.
package logs

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/pem"
	"fmt"
	"math/big"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/siem"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
	"github.com/keyward/keyward/test/programs"
)

// shipped returns a file of deploy/ with each of the old texts, which it must have, replaced
// by the new one that follows it.
func shipped(t *testing.T, name string, oldNew ...string) string {
	t.Helper()
	text := string(must.Get(os.ReadFile(filepath.Join("..", "..", "deploy", name)))(t))
	for i := 0; i < len(oldNew); i += 2 {
		if !strings.Contains(text, oldNew[i]) {
			t.Fatalf("%s has no %s", name, oldNew[i])
		}
		text = strings.ReplaceAll(text, oldNew[i], oldNew[i+1])
	}
	return text
}

func write(t *testing.T, dir, name, content string) (path string) {
	t.Helper()
	path = filepath.Join(dir, name)
	must.OK(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

// entries are some of a log, from an ID on: of all kinds of characters and lengths.
func entries(from int64) []audit.Entry {
	list := make([]audit.Entry, 200)
	for i := range list {
		list[i] = audit.Entry{ID: from + int64(i), At: time.UnixMicro(1767225600000000), Action: audit.Login, Outcome: audit.Success,
			Actor: "Jürgen \"x\" O'Neil\\", Reason: "line\nbreak\ttab \x01 % $msg %msg% 100% \u2028 🔑", Details: strings.Repeat("é", i*50)}
	}
	list[7].Details = strings.Repeat("long ", 50_000)
	return list
}

// TestRsyslog: rsyslog's file is, byte by byte, what AUDIT_FILE has of the same entries, over a
// plain connection and over TLS, also after it was rotated.
func TestRsyslog(t *testing.T) {
	t.Parallel()
	dir, address := t.TempDir(), host.Address()
	kept := filepath.Join(dir, "audit.ndjson")
	ca := certificate(t, dir, address)
	conf := shipped(t, "rsyslog/keyward.conf", "/var/log/keyward-audit.ndjson", kept, `address="127.0.0.1" port="601"`,
		`address="`+address+`" port="18601"`, "#input(", "input(", "#      ", "      ", `port="6514"`, `address="`+address+`" port="18602"`,
		"/etc/ssl/keyward-ca.pem", ca, "/etc/ssl/syslog.pem", ca, "/etc/ssl/private/syslog.key", filepath.Join(dir, "key.pem"))
	write(t, dir, "keyward.conf", conf)
	// As Debian's, without what is the machine's.
	main := write(t, dir, "rsyslog.conf", "$FileCreateMode 0640\n$DirCreateMode 0755\n$Umask 0022\n$WorkDirectory "+dir+
		"\n$IncludeConfig "+dir+"/keyward.conf\n")
	program := must.Get(programs.Debian("rsyslogd"))(t)
	if said, err := exec.Command(program, "-N1", "-f", main).CombinedOutput(); err != nil || strings.Contains(string(said), "rror") {
		t.Fatalf("%v: %s", err, said)
	}
	daemon := process.Start(t, "rsyslogd", exec.Command(program, "-n", "-f", main, "-i", filepath.Join(dir, "pid")))
	await.That(t, "rsyslog listens", func() bool {
		conn, err := net.Dial("tcp", address+":18602")
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})

	file := &siem.File{Path: filepath.Join(dir, "file.ndjson")}
	want := func() string { return string(must.Get(os.ReadFile(file.Path))(t)) }
	got := func() string { // rotated or not; there is none before the first entry
		old, _ := os.ReadFile(kept + ".1")
		now, _ := os.ReadFile(kept)
		return string(old) + string(now)
	}
	next := int64(1)
	both := func(target string, list []audit.Entry) {
		must.OK(t, file.Send(t.Context(), list))
		sender := must.Get(siem.NewSyslog(target, ca))(t)
		must.OK(t, sender.Send(t.Context(), list))
		must.OK(t, sender.Finish(t.Context()))
		next += int64(len(list))
	}
	plain, secure := "tcp://"+address+":18601", "tls://"+address+":18602"
	both(plain, entries(next))
	await.That(t, "all of it arrives", func() bool { return got() == want() })
	both(secure, entries(next))
	await.That(t, "all of it arrives by TLS", func() bool { return got() == want() })

	must.OK(t, os.Rename(kept, kept+".1"))
	daemon.Signal(syscall.SIGHUP) // as Debian's rsyslog-rotate does
	await.That(t, "it goes on in a new file", func() bool {
		both(plain, entries(next)[:1])
		_, err := os.Stat(kept)
		return err == nil
	})
	await.That(t, "nothing is lost", func() bool { return got() == want() })
}

// certificate writes one for an address, and its key as key.pem.
func certificate(t *testing.T, dir, address string) (path string) {
	t.Helper()
	key := must.Get(ecdsa.GenerateKey(elliptic.P256(), rand.Reader))(t)
	template := &x509.Certificate{SerialNumber: big.NewInt(1), NotAfter: time.Now().Add(time.Hour),
		IPAddresses: []net.IP{net.ParseIP(address)}, IsCA: true, BasicConstraintsValid: true}
	der := must.Get(x509.CreateCertificate(rand.Reader, template, template, &key.PublicKey, key))(t)
	private := must.Get(x509.MarshalPKCS8PrivateKey(key))(t)
	write(t, dir, "key.pem", string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})))
	return write(t, dir, "cert.pem", string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})))
}

// TestLogrotate: while Keyward writes AUDIT_FILE, it is rotated again and again, and each line is
// there once, in order, and readable by its owner alone.
func TestLogrotate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	me := must.Get(user.Current())(t)
	group := must.Get(user.LookupGroupId(me.Gid))(t)
	kept := filepath.Join(dir, "audit.log")
	conf := write(t, dir, "logrotate", shipped(t, "logrotate/keyward", "/var/log/keyward/audit.log", kept,
		"su keyward keyward", "su "+me.Username+" "+group.Name,
		"/var/log/keyward-audit.ndjson", filepath.Join(dir, "of-rsyslog"), "/var/log/keyward/server.log", filepath.Join(dir, "server.log")))
	program := must.Get(programs.Debian("logrotate"))(t)
	rotate := func(option string) {
		said, err := exec.Command(program, option, "--state", filepath.Join(dir, "state"), conf).CombinedOutput()
		if err != nil && !strings.Contains(string(said), "already exists, skipping") { // within a second
			t.Errorf("%v: %s", err, said)
		}
	}
	file, next := &siem.File{Path: kept}, int64(1)
	add := func() error {
		entry := audit.Entry{ID: next, Action: audit.Login, Outcome: audit.Success, Details: strings.Repeat("x", 2000)}
		next++
		return file.Send(t.Context(), []audit.Entry{entry})
	}
	must.OK(t, add())
	rotate("--debug")

	ctx, cancel := context.WithCancel(t.Context())
	written := make(chan struct{})
	go func() {
		defer close(written)
		for ctx.Err() == nil {
			if err := add(); err != nil {
				t.Error(err)
				return
			}
		}
	}()
	rotated := func() []string { return must.Get(filepath.Glob(kept + "-*"))(t) } // their names sort by time
	await.That(t, "three rotations", func() bool { rotate("--force"); return len(rotated()) >= 3 })
	cancel()
	await.From(t, "the end of writing", written)

	var all strings.Builder
	for _, path := range append(rotated(), kept) {
		if info := must.Get(os.Stat(path))(t); info.Mode().Perm() != 0o600 {
			t.Errorf("%s is %v", filepath.Base(path), info.Mode())
		}
		read := exec.Command("cat", path)
		if strings.HasSuffix(path, ".gz") {
			read = exec.Command("gzip", "-dc", path)
		}
		all.Write(must.Get(read.Output())(t))
	}
	lines := strings.Split(strings.TrimSuffix(all.String(), "\n"), "\n")
	if len(lines) != int(next-1) {
		t.Errorf("%d lines of %d", len(lines), next-1)
	}
	for i, line := range lines {
		if !strings.HasPrefix(line, fmt.Sprintf(`{"id":%d,`, i+1)) || !strings.HasSuffix(line, "}") {
			t.Fatalf("line %d: %.60s", i+1, line)
		}
	}
}
