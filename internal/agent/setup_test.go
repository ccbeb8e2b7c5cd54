package agent

import (
	"bufio"
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/agent/pcsc"
	"github.com/keyward/keyward/internal/agent/ykman"
	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/tryout/vtoken"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/warmykman"
)

// testKey is one RSA-4096 key for all test agents: generating one takes seconds
// on a slow machine. TestPublicKey covers the generation.
var testKey = sync.OnceValue(func() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, keyBits)
	if err != nil {
		panic(err)
	}
	return k
})

// testIdentity is the identity of all test agents.
var testIdentity = sync.OnceValue(func() ed25519.PrivateKey {
	_, k, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		panic(err)
	}
	return k
})

// testAgent is a running agent and a client for it.
type testAgent struct {
	base string
	log  *await.Text
	stop func() error // ends it and waits
}

// start runs an agent for the duration of the test.
func start(t testing.TB, c Config) *testAgent {
	t.Helper()
	a := &testAgent{log: &await.Text{}}
	c.Listen, c.Version, c.Key, c.Identity = "127.0.0.1:0", "1.2.3", testKey(), testIdentity()
	if c.Origins == nil {
		c.Origins = []string{"https://keyward.example.org"}
	}
	if c.Driver == nil {
		c.Driver = ykman.New(ykman.Options{Path: filepath.Join(t.TempDir(), "missing")})
	}
	c.Log = slog.New(slog.NewTextHandler(a.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	c.Ready = func(addr string) { ready <- addr }
	go func() { ended <- Run(ctx, c) }()
	a.stop = sync.OnceValue(func() error {
		cancel()
		return <-ended
	})
	t.Cleanup(func() {
		if err := a.stop(); err != nil {
			t.Errorf("the agent ended with %v", err)
		}
		http.DefaultClient.CloseIdleConnections()
	})
	select {
	case addr := <-ready:
		a.base = "http://" + addr
	case err := <-ended:
		t.Fatalf("the agent did not start: %v", err)
	}
	return a
}

// TestMain lets the tests use a warm ykman, except with startCold.
func TestMain(m *testing.M) { os.Exit(warmykman.Main(m.Run)) }

// startOn runs an agent with ykman on a host of virtual tokens.
func startOn(t testing.TB, h *vtoken.Host, c Config) *testAgent {
	t.Helper()
	return startWith(t, h, "", c)
}

// startCold is startOn with the ykman that a user's agent would use.
func startCold(t testing.TB, h *vtoken.Host, c Config) *testAgent {
	t.Helper()
	return startWith(t, h, must.Get(warmykman.Real())(t), c)
}

func startWith(t testing.TB, h *vtoken.Host, tool string, c Config) *testAgent {
	t.Helper()
	d := ykman.New(ykman.Options{Path: tool, Socket: h.SocketPath()})
	t.Cleanup(func() { must.OK(t, d.Close()) })
	c.Driver = d
	c.Readers = pcsc.New(h.SocketPath(), slog.New(slog.DiscardHandler))
	a := start(t, c)
	await.That(t, "the agent sees the readers", func() bool {
		_, _, known := c.Readers.Snapshot()
		return known
	})
	return a
}

// host starts a real pcscd with virtual tokens.
func host(t testing.TB, o vtoken.Options) *vtoken.Host {
	t.Helper()
	o.StateDir = filepath.Join(t.TempDir(), "state")
	o.DriverDir = filepath.Join(os.TempDir(), "keyward-test-driver")
	h := must.Get(vtoken.Start(t.Context(), o))(t)
	t.Cleanup(func() { must.OK(t, h.Close()) })
	return h
}

const (
	serialN = vtoken.DefaultSerial
	serial  = "20260001"
)

// m is a JSON object.
type m = map[string]any

// answerOf is a response's status and body.
type answerOf struct {
	status int
	header http.Header
	body   m
	raw    string
}

func (a answerOf) code() string {
	c, _ := a.body["code"].(string)
	return c
}

// send sends a request as a local program does.
func (a *testAgent) send(ctx context.Context, method, path string, body any, edit ...func(*http.Request)) (answerOf, error) {
	var reader io.Reader
	if body != nil {
		raw, ok := body.(string)
		if !ok {
			b, err := json.Marshal(body)
			if err != nil {
				return answerOf{}, err
			}
			raw = string(b)
		}
		reader = bytes.NewReader([]byte(raw))
	}
	req, err := http.NewRequestWithContext(ctx, method, a.base+path, reader)
	if err != nil {
		return answerOf{}, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for _, e := range edit {
		e(req)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return answerOf{}, err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(bufio.NewReader(res.Body))
	out := answerOf{status: res.StatusCode, header: res.Header, raw: string(raw)}
	if len(raw) > 0 && err == nil {
		err = json.Unmarshal(raw, &out.body)
	}
	return out, err
}

func (a *testAgent) do(t testing.TB, method, path string, body any, edit ...func(*http.Request)) answerOf {
	t.Helper()
	out, err := a.send(t.Context(), method, path, body, edit...)
	if err != nil {
		t.Fatalf("%s %s: %v (%q)", method, path, err, out.raw)
	}
	return out
}

func (a *testAgent) get(t testing.TB, path string) answerOf {
	t.Helper()
	return a.do(t, http.MethodGet, path, nil)
}

func (a *testAgent) post(t testing.TB, path string, body any) answerOf {
	t.Helper()
	return a.do(t, http.MethodPost, path, body)
}

// works requires success.
func (a *testAgent) works(t testing.TB, path string, body any) m {
	t.Helper()
	out := a.post(t, path, body)
	if out.status != http.StatusOK {
		t.Fatalf("POST %s: %d %s", path, out.status, out.raw)
	}
	return out.body
}

// refuses requires a certain refusal.
func (a *testAgent) refuses(t testing.TB, path string, body any, status int, code string) m {
	t.Helper()
	out := a.post(t, path, body)
	if out.status != status || out.code() != code {
		t.Fatalf("POST %s: got %d %s, want %d %s", path, out.status, out.raw, status, code)
	}
	return out.body
}

// seal seals for the agent's key.
func seal(t testing.TB, serial string, f piv.Field, plain string) string {
	t.Helper()
	return must.Get(agentkey.Seal(&testKey().PublicKey, serial, f, secret.New(plain)))(t)
}

func pin(t testing.TB, v string) string { return seal(t, serial, piv.PIN, v) }
func puk(t testing.TB, v string) string { return seal(t, serial, piv.PUK, v) }
func key(t testing.TB, v string) string { return seal(t, serial, piv.ManagementKey, v) }

var _ driver.Driver = (*ykman.Driver)(nil)
