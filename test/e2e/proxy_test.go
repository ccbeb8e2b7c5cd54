package e2e_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// proxy stands between a command-line client and a peer, and learns the secrets that
// pass.
type proxy struct {
	base   string // where clients find it
	target string // where requests go
	watch  *watch
}

// between starts a proxy.
func between(t testing.TB, w *watch, target string) *proxy {
	t.Helper()
	p := &proxy{target: target, watch: w}
	s := httptest.NewServer(p)
	t.Cleanup(s.Close)
	p.base = s.URL
	return p
}

// ServeHTTP forwards a request under the peer's own name.
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
		panic(http.ErrAbortHandler) // the peer gave no response
	}
	defer func() { _ = res.Body.Close() }()
	answer, err := io.ReadAll(res.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	p.learn("", answer)
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
