package httpapi

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestLongAnswer: the time for a body does not bound the response, with or without a
// body.
func TestLongAnswer(t *testing.T) {
	t.Parallel()
	const patience = 150 * time.Millisecond
	backend := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		_, _ = io.WriteString(w, "first, ")
		_ = http.NewResponseController(w).Flush()
		longer := time.NewTimer(3 * patience)
		defer longer.Stop()
		select {
		case <-longer.C:
			_, _ = io.WriteString(w, "last")
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(backend.Close)
	base := frontendBefore(t, backend.URL, func(o *Options) { o.passBody = patience })
	for _, tc := range []struct{ method, body string }{{"GET", ""}, {"POST", `{"q":1}`}} {
		req, err := http.NewRequestWithContext(t.Context(), tc.method, base+"/api/x", strings.NewReader(tc.body))
		if err != nil {
			t.Fatal(err)
		}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Errorf("%s: %v", tc.method, err)
			continue
		}
		if answer, err := io.ReadAll(res.Body); string(answer) != "first, last" || err != nil {
			t.Errorf("%s: %q %v", tc.method, answer, err)
		}
		res.Body.Close()
	}
}

// TestClientsFault: a body that arrives too slowly or is malformed is not mistaken for
// a silent backend.
func TestClientsFault(t *testing.T) {
	t.Parallel()
	backend := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		if _, err := io.Copy(io.Discard, r.Body); err != nil {
			panic(http.ErrAbortHandler)
		}
	}))
	t.Cleanup(backend.Close)
	for _, tc := range []struct {
		request, message string
		patience         time.Duration
	}{
		{"Content-Length: 10\r\n\r\n1", "did not arrive in time", 150 * time.Millisecond},
		{"Transfer-Encoding: chunked\r\n\r\n1\r\n1\r\n", "did not arrive in time", 150 * time.Millisecond},
		{"Transfer-Encoding: chunked\r\n\r\n1\r\n1\r\nno chunk\r\n", "arrived incomplete", time.Minute},
	} {
		base := frontendBefore(t, backend.URL, func(o *Options) { o.passBody = tc.patience })
		c := dialed(t, base)
		if _, err := io.WriteString(c, "POST /api/x HTTP/1.1\r\nHost: x\r\n"+tc.request); err != nil {
			t.Fatal(err)
		}
		res, err := http.ReadResponse(bufio.NewReader(c), nil)
		if err != nil {
			t.Errorf("%q: %v", tc.request, err)
			continue
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode != http.StatusBadRequest || !strings.Contains(string(body), tc.message) {
			t.Errorf("%q: %d %s", tc.request, res.StatusCode, body)
		}
	}
}

func dialed(t *testing.T, base string) net.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	c, err := (&net.Dialer{}).DialContext(ctx, "tcp", strings.TrimPrefix(base, "http://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	return c
}
