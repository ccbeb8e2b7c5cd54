package roles

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/test/server"
)

// TestDismissedWhileUnderWay attacks every changing operation of the contract: the
// sender of an admitted request is dismissed before it is executed. A request with a
// body is held open, half-sent; one without is overtaken. Either way the response is
// 401 or 403, nothing changes, in the database or in the vault, and no success is
// audited.
func TestDismissedWhileUnderWay(t *testing.T) {
	t.Parallel()
	log := &arrivals{halted: map[string]func(){}}
	c := newFixtureWith(t, nil, log)
	for _, one := range c.changes(t) {
		t.Run(one.op.ID, func(t *testing.T) { c.dismissed(t, one, log) })
	}
}

// changes are the matrix cells with which the global admin may change something, each
// once.
func (c *fixture) changes(t *testing.T) []cell {
	t.Helper()
	chief, user := c.person("qz-chief"), c.person("qz-a-user")
	var out []cell
	for _, one := range c.cells(t) {
		if one.op.Method == http.MethodGet || one.rule.public || one.actor != chief {
			continue
		}
		owner := user
		if one.rule.reach[globalAdmin] == own || one.probe.within != nil && !one.probe.within(chief, user) {
			owner = chief
		}
		if one.owner == nil || one.owner == owner {
			out = append(out, one)
		}
	}
	return out
}

// dismissed tries a cell whose actor is disabled during the request.
func (c *fixture) dismissed(t *testing.T, one cell, door *arrivals) {
	c.awake(t, one.actor)
	d, path := c.prepare(t, one, true)
	if one.op.Body && d.body == nil {
		d.body = fields{}
	}
	version := c.secretsVersion(t, d.params["serial"])
	var status int
	var raw string
	var before map[string][]string
	req := c.request(t, one.op.Method, path, one.actor.token, d.body)
	if one.op.Body {
		status, raw, before = c.heldOpen(t, req, disabling(one.actor))
	} else {
		status, raw, before = c.overtaken(t, req, one.actor, door)
	}
	if status != http.StatusUnauthorized && status != http.StatusForbidden {
		t.Errorf("%s: %d %s, want 401 or 403", one, status, raw)
	}
	if diff := cmp.Diff(before, c.snapshot(t)); diff != "" {
		t.Errorf("%s: the dismissed changed something (-before +after):\n%s", one, diff)
	}
	if after := c.secretsVersion(t, d.params["serial"]); after != version {
		t.Errorf("%s: the vault's document went from version %d to %d", one, version, after)
	}
	id := req.Header.Get("X-Request-Id")
	log := c.Call(t, "GET", "/api/admin/audit?outcome=success&limit=500&actor="+one.actor.name, c.root().token, nil)
	if strings.Contains(log.Raw, id) {
		t.Errorf("%s: a success was audited", one)
	}
	c.Must(t, "PATCH", fmt.Sprint("/api/admin/users/", one.actor.id), c.root().token, fields{"is_active": true})
}

// secretsVersion returns the version of a token's document in the vault; 0 if the try
// names no token.
func (c *fixture) secretsVersion(t *testing.T, serial string) int {
	t.Helper()
	if serial == "" {
		return 0
	}
	return number(c.Must(t, "GET", "/api/hwkey/"+serial+"/secrets?reason=look", c.root().token, nil)["version"])
}

// request has another user agent than the session's: the server logs such a request
// once it knows the actor.
func (c *fixture) request(t *testing.T, method, path, token string, body any) *http.Request {
	t.Helper()
	var raw []byte
	mediaType := "application/json"
	if csv, ok := body.(server.CSV); ok {
		raw, mediaType = []byte(csv), "text/csv"
	} else if body != nil {
		var err error
		if raw, err = json.Marshal(body); err != nil {
			t.Fatal(err)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), method, c.base+path, bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("User-Agent", "another than before")
	req.Header.Set("X-Request-Id", fresh("request"))
	if body != nil {
		req.Header.Set("Content-Type", mediaType)
	}
	return req
}

// dismissal is a request by which root removes somebody's permissions.
type dismissal struct {
	method, path string
	body         any
}

func disabling(p *person) dismissal {
	return dismissal{"PATCH", fmt.Sprint("/api/admin/users/", p.id), fields{"is_active": false}}
}

func (c *fixture) dismiss(t *testing.T, by dismissal) {
	c.Must(t, by.method, by.path, c.root().token, by.body)
}

// heldOpen sends the first byte of a body, dismisses its sender, and sends the rest.
// The server asks for a body (100 Continue) only after admitting the request.
func (c *fixture) heldOpen(t *testing.T, req *http.Request, by dismissal) (status int, answer string, before map[string][]string) {
	t.Helper()
	raw, err := io.ReadAll(req.Body)
	if err != nil {
		t.Fatal(err)
	}
	asked := make(chan struct{}) // the body clears its field
	held := &heldBody{rest: raw, asked: asked, release: make(chan struct{})}
	req.Body, req.GetBody = held, nil
	req.Header.Set("Expect", "100-continue")
	go func() {
		defer close(held.release) // also when the dismissal fails the test
		<-asked
		c.dismiss(t, by)
		before = c.snapshot(t)
	}()
	status, answer = send(t, req)
	return status, answer, before
}

// heldBody returns its first byte, and the rest after its release.
type heldBody struct {
	rest           []byte
	asked, release chan struct{}
	begun          bool
}

func (h *heldBody) Read(p []byte) (int, error) {
	if !h.begun {
		h.begun = true
		p[0], h.rest = h.rest[0], h.rest[1:]
		return 1, nil
	}
	if h.asked != nil {
		close(h.asked)
		h.asked = nil
		<-h.release
	}
	if len(h.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, h.rest)
	h.rest = h.rest[n:]
	return n, nil
}

func (*heldBody) Close() error { return nil }

// overtaken disables the actor at the moment when the server has identified them.
func (c *fixture) overtaken(
	t *testing.T, req *http.Request, actor *person, log *arrivals,
) (status int, answer string, before map[string][]string) {
	t.Helper()
	log.at(req.Header.Get("X-Request-Id"), func() {
		c.dismiss(t, disabling(actor))
		before = c.snapshot(t)
	})
	status, answer = send(t, req)
	return status, answer, before
}

func send(t *testing.T, req *http.Request) (status int, answer string) {
	t.Helper()
	transport := &http.Transport{ExpectContinueTimeout: time.Hour}
	defer transport.CloseIdleConnections()
	res, err := transport.RoundTrip(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(raw)
}

// arrivals is a log that stops a request when its actor is identified: the server then
// logs that the user agent differs from the one with which the session began.
type arrivals struct {
	mu     sync.Mutex
	halted map[string]func() // by request id
}

// at runs do when that request arrives, before it proceeds.
func (a *arrivals) at(requestID string, do func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.halted[requestID] = do
}

func (*arrivals) Enabled(context.Context, slog.Level) bool { return true }

func (a *arrivals) Handle(_ context.Context, r slog.Record) error {
	r.Attrs(func(attr slog.Attr) bool {
		if attr.Key != "request_id" {
			return true
		}
		a.mu.Lock()
		do := a.halted[attr.Value.String()]
		delete(a.halted, attr.Value.String())
		a.mu.Unlock()
		if do != nil {
			do()
		}
		return false
	})
	return nil
}

func (a *arrivals) WithAttrs([]slog.Attr) slog.Handler { return a }
func (a *arrivals) WithGroup(string) slog.Handler      { return a }
