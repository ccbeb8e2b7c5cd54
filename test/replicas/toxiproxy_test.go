package replicas_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"os/exec"
	"strconv"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
	"github.com/keyward/keyward/test/programs"
)

// network is toxiproxy: the connections between the servers and their dependencies, all
// at one address.
type network struct {
	address, api string
	ways         int
}

// startNetwork runs it until the test ends (test/tools/toxiproxy).
func startNetwork(t testing.TB) *network {
	t.Helper()
	path, err := programs.Tool("toxiproxy")
	must.OK(t, err)
	n := &network{address: host.Address()}
	n.api = "http://" + net.JoinHostPort(n.address, apiPort)
	cmd := exec.Command(path, "-host", n.address, "-port", apiPort)
	cmd.Env = []string{"LOG_LEVEL=error"}
	p := process.Start(t, "toxiproxy", cmd)
	await.That(t, "toxiproxy answers", func() bool {
		res, err := http.Get(n.api + "/version")
		if err == nil {
			err = res.Body.Close()
		}
		select {
		case <-p.Ended: // somebody else answered
			t.Fatal("toxiproxy has ended")
		default:
		}
		return err == nil
	})
	return n
}

// Ports: toxiproxy's API, and the first port of the ways.
const (
	apiPort  = "18474"
	firstWay = 18475
)

// way is one connection between two places.
type way struct {
	net     *network
	name    string
	address string // where it begins, HOST:PORT
}

// way creates one to an address.
func (n *network) way(t testing.TB, name, to string) way {
	t.Helper()
	at := net.JoinHostPort(n.address, strconv.Itoa(firstWay+n.ways))
	n.ways++
	n.send(t, http.MethodPost, "/proxies", map[string]any{"name": name, "listen": at, "upstream": to, "enabled": true})
	return way{n, name, at}
}

// cut closes all connections, and refuses new ones, until mend.
func (w way) cut(t testing.TB) {
	t.Helper()
	w.net.send(t, http.MethodPost, "/proxies/"+w.name, map[string]any{"enabled": false})
}

func (w way) mend(t testing.TB) {
	t.Helper()
	w.net.send(t, http.MethodPost, "/proxies/"+w.name, map[string]any{"enabled": true})
}

// delay delays every response by that many milliseconds, plus or minus half, until
// hurry.
func (w way) delay(t testing.TB, milliseconds int) {
	t.Helper()
	w.net.send(t, http.MethodPost, "/proxies/"+w.name+"/toxics", map[string]any{
		"name": "delay", "type": "latency", "stream": "downstream",
		"attributes": map[string]int{"latency": milliseconds, "jitter": milliseconds / 2},
	})
}

func (w way) hurry(t testing.TB) {
	t.Helper()
	w.net.send(t, http.MethodDelete, "/proxies/"+w.name+"/toxics/delay", nil)
}

func (n *network) send(t testing.TB, method, path string, body any) {
	t.Helper()
	raw := must.Get(json.Marshal(body))(t)
	req := must.Get(http.NewRequestWithContext(t.Context(), method, n.api+path, bytes.NewReader(raw)))(t)
	res := must.Get(http.DefaultClient.Do(req))(t)
	defer func() { _ = res.Body.Close() }()
	said := must.Get(io.ReadAll(res.Body))(t)
	if res.StatusCode >= 300 {
		t.Fatalf("toxiproxy refuses: %s %s: %d %s", method, path, res.StatusCode, said)
	}
}
