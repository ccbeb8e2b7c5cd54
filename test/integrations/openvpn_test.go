//go:build exhaustive

package integrations_test

import (
	"bufio"
	"fmt"
	"net"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
	"github.com/keyward/keyward/test/socketdir"
)

const connected = "Initialization Sequence Completed"

// beginOpenVPN makes no network device, and so serves one connection after the other.
func beginOpenVPN(t *testing.T, g *gate) {
	t.Helper()
	g.Process = start(t, environ(g.dir), "openvpn", "--tls-server", "--dev", "null", "--proto", "tcp-server",
		"--local", g.address, "--port", "11194", "--dh", "none", "--cert", g.file("server.pem"), "--key", g.file("server.key"),
		"--ca", g.file("ca.pem"), "--remote-cert-tls", "client", "--crl-verify", g.file("crl.pem"))
}

// openVPNClient starts a client, whose certificate the caller names.
func openVPNClient(t *testing.T, g *gate, env []string, certificate ...string) *process.Process {
	t.Helper()
	return start(t, env, "openvpn", slices.Concat([]string{"--tls-client", "--dev", "null", "--proto", "tcp-client",
		"--remote", g.address, "11194", "--ca", g.file("server.pem"), "--connect-retry-max", "1", "--tls-exit"}, certificate)...)
}

// openVPNEnd is how a client's try ended.
func openVPNEnd(t *testing.T, p *process.Process) string {
	t.Helper()
	p.Out.Find(t, "OpenVPN's answer", p.Ended, func(text string) bool {
		return strings.Contains(text, connected) || strings.Contains(text, "rror") || strings.Contains(text, "reset")
	})
	p.Stop(t)
	return p.Out.String()
}

func openVPN(t *testing.T, g *gate) string {
	t.Helper()
	return openVPNEnd(t, openVPNClient(t, g, environ(g.dir), "--cert", g.file("person.pem"), "--key", g.file("person.key")))
}

// TestOpenVPNToken: a tunnel by the token's key, RSA or EC.
func TestOpenVPNToken(t *testing.T) {
	t.Parallel()
	k := serve(t, "PKI_KEY_TYPES=rsa-2048,ec-p256")
	tok := k.plugIn(t, "20260001")
	g := &gate{dir: socketdir.New(t), address: host.Address()}
	selfSigned(t, g.dir, "server", "localhost")
	must.OK(t, place(k.fetch(t, "/api/pki/ca"), g.file("ca.pem")))
	must.OK(t, place(k.crl(t), g.file("crl.pem")))
	beginOpenVPN(t, g)
	for _, algorithm := range []string{"RSA2048", "ECCP256"} {
		k.certify(t, tok, "9a", algorithm, "tls-client")
		await.That(t, "a tunnel by "+algorithm, func() bool { // there may be none while the server begins anew
			id := regexp.MustCompile(`Serialized id: +(\S+)`).FindStringSubmatch(run(t, tok.env, "", "openvpn", "--show-pkcs11-ids", module(t)))
			p := openVPNClient(t, g, tok.env, "--pkcs11-providers", module(t), "--pkcs11-id", id[1],
				"--management", g.file("ask"), "unix", "--management-query-passwords")
			tellPIN(t, p, g.file("ask"))
			return strings.Contains(openVPNEnd(t, p), connected)
		})
	}
}

// tellPIN answers a client's question at its management socket, as a desktop's dialogue does.
func tellPIN(t *testing.T, p *process.Process, socket string) {
	t.Helper()
	var conn net.Conn
	await.That(t, "OpenVPN listens at its socket, or has ended", func() bool {
		select {
		case <-p.Ended:
			return true
		default:
			var err error
			conn, err = net.Dial("unix", socket)
			return err == nil
		}
	})
	if conn == nil {
		return
	}
	t.Cleanup(func() { _ = conn.Close() })
	for lines := bufio.NewScanner(conn); lines.Scan(); {
		if _, rest, asked := strings.Cut(lines.Text(), ">PASSWORD:Need '"); asked {
			name, _, _ := strings.Cut(rest, "'")
			must.Get(fmt.Fprintf(conn, "password \"%s\" %s\n", name, pin))(t)
			return
		}
	}
}
