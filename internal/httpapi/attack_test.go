package httpapi

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/middleware"
)

// listen serves the API as the program does: with its limits on headers.
func listen(t *testing.T) string {
	t.Helper()
	ln, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := newServerWithTestRoutes(Options{Auth: tokens{}, Health: standing{}})
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, ln, s, slog.New(slog.DiscardHandler), Stop{Limit: 10 * time.Second}) }()
	t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return ln.Addr().String()
}

// raw sends bytes and returns the responses until the server closes.
func raw(t *testing.T, addr, request string) string {
	t.Helper()
	conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	go func() { _, _ = io.WriteString(conn, request) }()
	answer, _ := io.ReadAll(conn) // the server may reset after its response
	return string(answer)
}

// TestMalformedRequests: what a proxy in front may interpret differently is refused,
// and the connection closed, so that nothing can hide behind it (request smuggling).
func TestMalformedRequests(t *testing.T) {
	t.Parallel()
	addr := listen(t)
	const post = "POST /api/test/public HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nConnection: close\r\n"
	const smuggled = "GET /api/health HTTP/1.1\r\nHost: x\r\n\r\n"
	for _, tc := range []struct{ name, request, status string }{
		{"sane", post + "Content-Length: 12\r\n\r\n" + `{"name":"x"}`, "200"},
		{"two lengths", post + "Content-Length: 12\r\nContent-Length: 5\r\n\r\n" + `{"name":"x"}`, "400"},
		{"a list of lengths", post + "Content-Length: 12, 5\r\n\r\n" + `{"name":"x"}`, "400"},
		{"negative length", post + "Content-Length: -1\r\n\r\n", "400"},
		{"signed length", post + "Content-Length: +12\r\n\r\n" + `{"name":"x"}`, "400"},
		{"huge length", post + "Content-Length: 99999999999999999999\r\n\r\n", "400"},
		{"length past the limit", post + "Content-Length: 1048577\r\n\r\n", "413"},
		{"unknown coding", post + "Transfer-Encoding: chunked, gzip\r\n\r\n0\r\n\r\n", "501"},
		{"obfuscated coding", post + "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n", "501"},
		{"two codings", post + "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n", "501"},
		{"space before the colon", post + "Content-Length : 12\r\n\r\n" + `{"name":"x"}`, "400"},
		{"bad chunk size", post + "Transfer-Encoding: chunked\r\n\r\n-5\r\nhello\r\n0\r\n\r\n", "400"},
		{"no host", "GET /api/health HTTP/1.1\r\nConnection: close\r\n\r\n", "400"},
		{"two hosts", "GET /api/health HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n", "400"},
		{"header folding", "GET /api/health HTTP/1.1\r\nHost: a\r\nX-A: b\r\n c\r\nConnection: close\r\n\r\n", "200"},
		{"NUL in a header", "GET /api/health HTTP/1.1\r\nHost: a\r\nX-A: \x00\r\n\r\n", "400"},
		{"NUL in the path", "GET /api/\x00 HTTP/1.1\r\nHost: a\r\n\r\n", "400"},
		{"lone CR", "GET /api/health HTTP/1.1\r\nHost: a\r\nX-A: b\rX-Real-IP: 1.1.1.1\r\n\r\n", "400"},
		{"giant headers", "GET /api/health HTTP/1.1\r\nHost: a\r\nX-A: " + strings.Repeat("a", 64<<10) + "\r\n\r\n", "431"},
		{"many headers", "GET /api/health HTTP/1.1\r\nHost: a\r\n" + strings.Repeat("X-A: b\r\n", 10000) + "\r\n", "431"},
		{"giant path", "GET /" + strings.Repeat("a", 64<<10) + " HTTP/1.1\r\nHost: a\r\n\r\n", "431"},
		{"a proxy request", "GET http://other.example/api/nothing HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "404"},
		{"star", "GET * HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n", "404"},
		{"CONNECT", "CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\nConnection: close\r\n\r\n", "404"},
		{"no HTTP", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n", "400"},
	} {
		behind := smuggled
		if tc.name == "sane" {
			behind = ""
		}
		answer := raw(t, addr, tc.request+behind)
		if len(answer) < 12 || answer[9:12] != tc.status {
			t.Errorf("%s: want %s, got %.60q", tc.name, tc.status, answer)
		}
		if n := strings.Count(answer, "HTTP/1.1 "); n != 1 {
			t.Errorf("%s: %d answers: something hid behind the first request", tc.name, n)
		}
	}
}

// TestRefusedBodyIsNotTheNextRequest: the unread body of a refused request is never
// parsed as a request.
func TestRefusedBodyIsNotTheNextRequest(t *testing.T) {
	t.Parallel()
	addr := listen(t)
	inner := "DELETE /api/health HTTP/1.1\r\nHost: x\r\n\r\n"
	answer := raw(t, addr, fmt.Sprintf("POST /api/test/admin HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", len(inner), inner)+
		"GET /api/nothing HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if strings.Contains(answer, " 405 ") || !strings.Contains(answer, " 401 ") || !strings.Contains(answer, " 404 ") {
		t.Errorf("%.400q", answer)
	}
}

// TestSlowBodyHasADeadline: every request that announces a body gets a read deadline,
// even if nobody reads the body, and loses it when the body has arrived.
func TestSlowBodyHasADeadline(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, target, body string
		length             int64
		sets, clears       bool
	}{
		{"read", "/api/test/public", `{"name":"x"}`, 12, true, true},
		{"chunked", "/api/test/public", `{"name":"x"}`, -1, true, true},
		{"refused by its type", "/api/test/admin", "x", 1, true, false},
		{"nothing there", "/api/nothing", "x", 1, true, false},
		{"web", "/", "x", 1, true, false},
		{"none", "/api/test/public", "", 0, false, false},
	} {
		w := &deadlines{ResponseWriter: discard{http.Header{}}}
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, tc.target, io.NopCloser(strings.NewReader(tc.body)))
		if err != nil {
			t.Fatal(err)
		}
		r.ContentLength, r.RemoteAddr = tc.length, "127.0.0.1:1"
		r.Header.Set("Content-Type", "application/json")
		newServerWithTestRoutes(Options{Auth: tokens{}, Web: webPage}).ServeHTTP(w, r)
		if sets := len(w.set) > 0 && time.Until(w.set[0]) > 0 && time.Until(w.set[0]) <= middleware.BodyTimeout; sets != tc.sets {
			t.Errorf("%s: deadlines %v", tc.name, w.set)
		}
		if clears := len(w.set) > 1 && w.set[len(w.set)-1].IsZero(); clears != tc.clears {
			t.Errorf("%s: deadlines %v", tc.name, w.set)
		}
	}
}

type discard struct{ header http.Header }

func (d discard) Header() http.Header         { return d.header }
func (d discard) Write(b []byte) (int, error) { return len(b), nil }
func (d discard) WriteHeader(int)             {}

// deadlines is a connection that records its read deadlines.
type deadlines struct {
	http.ResponseWriter
	set []time.Time
}

func (d *deadlines) SetReadDeadline(t time.Time) error { d.set = append(d.set, t); return nil }

// TestLengthAndCoding: proxies and servers disagree where a request with both a length
// and chunks ends, and what lies between could be a smuggled request (RFC 9112, section
// 6.1). Nothing after it is parsed as one.
func TestLengthAndCoding(t *testing.T) {
	t.Parallel()
	addr := listen(t)
	const smuggled = "GET /api/nothing HTTP/1.1\r\nHost: x\r\n\r\n"
	const post = "POST /api/test/public HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
	const chunk = "c\r\n" + `{"name":"x"}` + "\r\n0\r\n\r\n"
	length := fmt.Sprintf("Content-Length: %d\r\n", len(chunk)+len(smuggled))
	for name, headers := range map[string]string{
		"length first":   length + "Transfer-Encoding: chunked\r\n",
		"coding first":   "Transfer-Encoding: chunked\r\n" + length,
		"another case":   length + "transfer-encoding: Chunked\r\n",
		"a short length": "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
		"the exact one":  fmt.Sprintf("Content-Length: %d\r\nTransfer-Encoding: chunked\r\n", len(chunk)),
	} {
		answer := raw(t, addr, post+headers+"\r\n"+chunk+smuggled)
		if n := strings.Count(answer, "HTTP/1.1 "); n != 1 || strings.Contains(answer, "404") {
			t.Errorf("%s: %d answers: %.300q", name, n, answer)
		}
	}
}
