//go:build exhaustive

package smtp_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	domain "github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/notify/mail/smtp"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
	"github.com/keyward/keyward/test/smtpserver"
)

// postfix runs Debian's Postfix, which discards what it accepts, until the test's end. Each
// server has its own options and port. Like Postfix, it needs root.
func postfix(t *testing.T, servers ...string) (ports []int) {
	t.Helper()
	dir := must.Get(os.MkdirTemp("/tmp", "postfix"))(t) // Postfix's own users need access
	t.Cleanup(func() { must.OK(t, os.RemoveAll(dir)) })
	must.OK(t, os.Chmod(dir, 0o755))
	master := "postlog unix-dgram n - n - 1 postlogd\n"
	for _, options := range servers {
		ports = append(ports, nobody(t))
		master += fmt.Sprintf("%s:%d inet n - n - - smtpd %s\n", smtpserver.Host, ports[len(ports)-1], options)
	}
	for _, service := range []string{"cleanup unix n - n - 0 cleanup", "qmgr unix n - n 300 1 qmgr", "rewrite unix - - n - - trivial-rewrite",
		"bounce unix - - n - 0 bounce", "defer unix - - n - 0 bounce", "discard unix - - n - - discard", "anvil unix - - n - 1 anvil",
		"proxymap unix - - n - - proxymap", "tlsmgr unix - - n 1000? 1 tlsmgr", "pickup unix n - n 60 1 pickup"} {
		master += service + "\n"
	}
	main := []string{
		"compatibility_level = 3.6", "queue_directory = " + filepath.Join(dir, "queue"), "data_directory = " + filepath.Join(dir, "data"),
		"maillog_file = /dev/stdout", "myhostname = mx.example.org", "mydestination =", "default_transport = discard",
		"inet_interfaces = loopback-only", "inet_protocols = ipv4", "mynetworks = 127.0.0.0/8",
		"alternate_config_directories = " + dir,
	}
	must.OK(t, os.MkdirAll(filepath.Join(dir, "queue"), 0o755))
	must.OK(t, os.WriteFile(filepath.Join(dir, "main.cf"), []byte(strings.Join(main, "\n")+"\n"), 0o644))
	must.OK(t, os.WriteFile(filepath.Join(dir, "master.cf"), []byte(master), 0o644))
	if said, err := exec.Command("/usr/sbin/postfix", "-c", dir, "check").CombinedOutput(); err != nil { // also makes its directories
		t.Fatalf("%v: %s", err, said)
	}
	// Not through postfix(1), which would leave it running.
	process.Start(t, "Postfix", exec.Command("/usr/lib/postfix/sbin/master", "-c", dir, "-s"))
	for _, port := range ports {
		await.That(t, "that it listens", func() bool {
			c, err := net.Dial("tcp", net.JoinHostPort(smtpserver.Host, strconv.Itoa(port)))
			return err == nil && c.Close() == nil
		})
	}
	return ports
}

// TestPostfix: with its usual rules, it accepts a message from a server that sends its
// full name, and its refusals are classified correctly.
func TestPostfix(t *testing.T) {
	t.Parallel()
	const full = "keyward.example.org"
	cases := []struct {
		options string // of master.cf
		name    string
		user    string
		want    *domain.Refusal
	}{
		{"-o smtpd_helo_required=yes -o smtpd_helo_restrictions=reject_non_fqdn_helo_hostname", full, "", nil},
		{"-o smtpd_helo_required=yes -o smtpd_helo_restrictions=reject_non_fqdn_helo_hostname", "vm", "", ofAll(domain.HeloRefused, "504 5.5.2")},
		{"-o smtpd_delay_reject=no -o smtpd_helo_restrictions=reject_non_fqdn_helo_hostname", "vm", "", ofAll(domain.HeloRefused, "504 5.5.2")},
		{"-o smtpd_helo_restrictions=reject_invalid_helo_hostname,reject_non_fqdn_helo_hostname", "[192.0.2.1]", "", nil},
		{"-o smtpd_tls_security_level=encrypt", full, "", ofAll(domain.TLSRequired, "530 5.7.0")},
		{"-o message_size_limit=300", full, "", &domain.Refusal{Class: domain.TooLarge, Reply: "552 5.3.4", Final: true}},
		{"-o { smtpd_data_restrictions = check_client_access static:{451 4.7.1 later} }", full, "",
			&domain.Refusal{Class: domain.Greylisted, Reply: "451 4.7.1"}},
		{"-o { smtpd_end_of_data_restrictions = check_client_access static:{451 4.7.1 later} }", full, "",
			&domain.Refusal{Class: domain.Greylisted, Reply: "451 4.7.1"}},
		{"", full, "keyward", ofAll(domain.AuthNotOffered, "")},
		{"-o mynetworks=192.0.2.1", full, "", &domain.Refusal{Class: domain.SenderRefused, Reply: "454 4.7.1", Rules: true}},
	}
	var options []string
	for _, c := range cases {
		options = append(options, c.options)
	}
	for n, port := range postfix(t, options...) {
		c := cases[n]
		t.Run(c.options+" "+c.name, func(t *testing.T) {
			t.Parallel()
			s := domain.Settings{Host: smtpserver.Host, Port: port, Security: domain.NoTLS, Username: c.user, AllowInsecureAuth: true}
			conn, err := smtp.Transport{Name: c.name}.Open(t.Context(), s, secret.String{})
			if err == nil {
				defer conn.Close()
				err = conn.Send(t.Context(), t.Context(), letter("a@example.com"))
			}
			refused(t, err, c.want)
		})
	}
}
