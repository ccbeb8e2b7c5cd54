package e2e_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
)

// proxy stands between a command-line client and a peer. It learns what
// travels, and can lose an answer after the peer has done what was asked.
type proxy struct {
	base   string // where clients find it
	target string // where requests go
	peer   string // "server" or "agent"
	watch  *watch

	mu sync.Mutex
	// after is called when the peer has answered; true loses the answer.
	after func(call string) bool
}

// between starts a proxy.
func between(t testing.TB, w *watch, peer, target string) *proxy {
	t.Helper()
	p := &proxy{target: target, peer: peer, watch: w}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.base = s.URL
	return p
}

func (p *proxy) onAnswer(f func(call string) bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.after = f
}

// varying are the parts of a path that name one token, session or rotation.
var varying = regexp.MustCompile(`/([0-9a-f]{8,}|[0-9]+)(/|$)`)

// ServeHTTP passes a request on under the peer's own name.
func (p *proxy) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	p.learn(r.Header.Get("Authorization"), body)
	out, err := http.NewRequestWithContext(r.Context(), r.Method, p.target+r.URL.RequestURI(), bytes.NewReader(body))
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	out.Header = r.Header.Clone()
	res, err := http.DefaultTransport.RoundTrip(out)
	if err != nil {
		panic(http.ErrAbortHandler) // the peer gave none, so there is none
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	p.learn("", answer)
	p.mu.Lock()
	after := p.after
	p.mu.Unlock()
	if after != nil && after(p.peer+" "+r.Method+" "+varying.ReplaceAllString(r.URL.Path, "/*$2")) {
		panic(http.ErrAbortHandler)
	}
	for name, values := range res.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(res.StatusCode)
	_, _ = w.Write(answer) // the client may have gone
}

// learn tells the watch the tokens and passwords that a client used.
func (p *proxy) learn(authorization string, body []byte) {
	if token, ok := strings.CutPrefix(authorization, "Bearer "); ok {
		p.watch.secret("a client's access token", token)
	}
	var members m
	if json.Unmarshal(body, &members) != nil {
		return
	}
	for _, name := range []string{"access_token", "refresh_token", "password", "current_password", "new_password"} {
		if value, ok := members[name].(string); ok {
			p.watch.secret("a client's "+name, value)
		}
	}
}
