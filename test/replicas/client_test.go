package replicas_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"testing"
	"time"

	"github.com/keyward/keyward/test/must"
)

// m is a JSON object.
type m = map[string]any

// client is one person's connection to the service: all their requests go through the
// balancer, over one connection.
type client struct {
	base    string
	through http.RoundTripper
	record  *record
	token   string
}

// send sends one request. Whatever happens behind the balancer, it must get a complete
// response.
func (c *client) send(t testing.TB, method, path string, body any) (status int, out m) {
	t.Helper()
	var reader io.Reader
	if body != nil {
		reader = bytes.NewReader(must.Get(json.Marshal(body))(t))
	}
	req := must.Get(http.NewRequestWithContext(t.Context(), method, c.base+path, reader))(t)
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := c.through.RoundTrip(req)
	if err != nil {
		t.Fatalf("%s %s has no answer: %v", method, path, err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %s: the answer is cut: %v", method, path, err)
	}
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &out); err != nil {
			t.Fatalf("%s %s: %d is no JSON: %s", method, path, res.StatusCode, raw)
		}
	}
	if status = res.StatusCode; status == http.StatusServiceUnavailable &&
		(res.Header.Get("Retry-After") == "" || res.Header.Get("Content-Type") != "application/problem+json") {
		t.Errorf("%s %s: 503 in another form than the contract's: %v", method, path, res.Header)
	}
	return status, out
}

// until repeats a request while the response is a 503, as a client should, and records
// each unsuccessful response. A refused request may have been executed: refused is
// their number, after which a conflict is not an error.
func (c *client) until(t testing.TB, method, path string, body any) (status int, out m, refused int) {
	t.Helper()
	for pause := 20 * time.Millisecond; ; pause = min(2*pause, 200*time.Millisecond) {
		status, out = c.send(t, method, path, body)
		if code, _ := out["code"].(string); status >= 300 && (status != http.StatusConflict || refused == 0) {
			c.record.note(method+" "+path, status, code)
		}
		if status != http.StatusServiceUnavailable {
			return status, out, refused
		}
		refused++
		select {
		case <-time.After(pause):
		case <-c.record.over:
			t.Fatalf("%s %s: to the end 503 %v", method, path, out)
		}
	}
}

// must is until that requires success.
func (c *client) must(t testing.TB, method, path string, body any) m {
	t.Helper()
	status, out, _ := c.until(t, method, path, body)
	if status >= 300 {
		t.Fatalf("%s %s: %d %v", method, path, status, out)
	}
	return out
}

// signIn begins a session.
func (c *client) signIn(t testing.TB, username, password string) (session int) {
	t.Helper()
	out := c.must(t, http.MethodPost, "/api/auth/login", m{"username": username, "password": password})
	c.token = out["access_token"].(string)
	return int(out["session_id"].(float64))
}

// all pages through a list, oldest pages last.
func (c *client) all(t testing.TB, path string) (items []m) {
	t.Helper()
	for cursor := ""; ; {
		out := c.must(t, http.MethodGet, path+cursor, nil)
		for _, item := range out["items"].([]any) {
			items = append(items, item.(m))
		}
		next, ok := out["next_cursor"].(string)
		if !ok {
			return items
		}
		cursor = "&cursor=" + next
	}
}
