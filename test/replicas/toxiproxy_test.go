package replicas_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
)

// network is toxiproxy: the way between the servers and what they stand on.
type network struct{ api string }

// startNetwork runs it until the test ends (test/tools/toxiproxy).
func startNetwork(t *testing.T) *network {
	t.Helper()
	path := must.Get(exec.Command(filepath.Join(root, "scripts", "tool"), "--path", "toxiproxy").Output())(t)
	for {
		port := freePort(t)
		cmd := exec.Command(strings.TrimSpace(string(path)), "-host", "127.0.0.1", "-port", port)
		cmd.Env = []string{"LOG_LEVEL=error"}
		p := process.Start(t, "toxiproxy", cmd)
		n := &network{"http://127.0.0.1:" + port}
		answered := false
		await.That(t, "toxiproxy answers, or has ended", func() bool {
			res, err := http.Get(n.api + "/version")
			if err == nil {
				res.Body.Close()
				answered = true
			}
			select {
			case <-p.Ended:
				return true
			default:
				return answered
			}
		})
		if answered {
			return n
		} // somebody else took the port meanwhile
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	ln := must.Get((&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0"))(t)
	defer ln.Close()
	_, port, err := net.SplitHostPort(ln.Addr().String())
	must.OK(t, err)
	return port
}

// way is one connection between two places.
type way struct {
	net     *network
	name    string
	address string // where it begins, HOST:PORT
}

// way makes one to an address. Its port is none that the system gives to
// others while the way is cut (ip(7), ip_local_port_range).
func (n *network) way(t *testing.T, name, to string) way {
	t.Helper()
	for {
		at := net.JoinHostPort("127.0.0.1", strconv.Itoa(20000+rand.IntN(10000)))
		if n.may(t, http.MethodPost, "/proxies", map[string]any{"name": name, "listen": at, "upstream": to, "enabled": true}) {
			return way{n, name, at}
		}
	}
}

// cut ends all connections, and refuses new ones, until mend.
func (w way) cut(t *testing.T) {
	t.Helper()
	w.net.send(t, http.MethodPost, "/proxies/"+w.name, map[string]any{"enabled": false})
}

func (w way) mend(t *testing.T) {
	t.Helper()
	w.net.send(t, http.MethodPost, "/proxies/"+w.name, map[string]any{"enabled": true})
}

// delay makes every answer that many milliseconds late, give or take a half,
// until hurry.
func (w way) delay(t *testing.T, milliseconds int) {
	t.Helper()
	w.net.send(t, http.MethodPost, "/proxies/"+w.name+"/toxics", map[string]any{
		"name": "delay", "type": "latency", "stream": "downstream",
		"attributes": map[string]int{"latency": milliseconds, "jitter": milliseconds / 2},
	})
}

func (w way) hurry(t *testing.T) {
	t.Helper()
	w.net.send(t, http.MethodDelete, "/proxies/"+w.name+"/toxics/delay", nil)
}

func (n *network) send(t *testing.T, method, path string, body any) {
	t.Helper()
	if !n.may(t, method, path, body) {
		t.Fatalf("toxiproxy refuses: %s %s", method, path)
	}
}

// may tells whether it did what was asked.
func (n *network) may(t *testing.T, method, path string, body any) bool {
	t.Helper()
	raw := must.Get(json.Marshal(body))(t)
	req := must.Get(http.NewRequestWithContext(t.Context(), method, n.api+path, bytes.NewReader(raw)))(t)
	res := must.Get(http.DefaultClient.Do(req))(t)
	defer func() { _ = res.Body.Close() }()
	_ = must.Get(io.Copy(io.Discard, res.Body))(t)
	return res.StatusCode < 300
}
