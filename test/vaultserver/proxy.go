package vaultserver

import (
	"bytes"
	"crypto/tls"
	"crypto/x509"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"sync"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// Fault is what happens to a request on its way.
type Fault int

// The faults.
const (
	Pass      Fault = iota
	CutBefore       // the connection is cut before the vault sees the request
	CutAfter        // the vault has executed it, and the response is lost
	Hold            // nothing is forwarded until the client goes or the fault is over
	NoVersion       // the vault's response to a read during a change of the document
)

// Proxy stands between a client and the vault, on plain HTTP.
type Proxy struct {
	Address string

	mu   sync.Mutex
	on   func(*http.Request) Fault
	over chan struct{} // closed when the fault changes
	seen map[Fault]int
}

// Proxy starts one that forwards everything, until the test ends.
func (s *Server) Proxy(t testing.TB) *Proxy {
	t.Helper()
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(s.CACert)
	target := must.Get(url.Parse(s.Address))(t)
	forward := httputil.NewSingleHostReverseProxy(target)
	forward.Transport = &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12}}
	p := &Proxy{over: make(chan struct{}), seen: map[Fault]int{}}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { p.serve(w, r, forward) }))
	t.Cleanup(func() {
		p.Fault(nil)
		server.CloseClientConnections()
		server.Close()
	})
	p.Address = server.URL
	return p
}

// Fault sets what happens to requests from now on; nil: nothing. Held ones proceed.
func (p *Proxy) Fault(on func(*http.Request) Fault) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.on = on
	close(p.over)
	p.over = make(chan struct{})
}

// Seen returns how many requests have met a fault.
func (p *Proxy) Seen(f Fault) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen[f]
}

func (p *Proxy) decide(r *http.Request) (Fault, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f := Pass
	if p.on != nil {
		f = p.on(r)
	}
	p.seen[f]++
	return f, p.over
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	body, err := io.ReadAll(r.Body) // only afterwards is the client's disconnection noticed
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	f, over := p.decide(r)
	switch f {
	case Pass:
		forward.ServeHTTP(w, r)
		return
	case NoVersion:
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, `{"errors":["could not find version data"]}`)
		return
	case CutAfter:
		forward.ServeHTTP(httptest.NewRecorder(), r)
	case Hold:
		select {
		case <-over:
			forward.ServeHTTP(w, r)
			return
		case <-r.Context().Done():
		}
	case CutBefore:
	}
	panic(http.ErrAbortHandler) // the connection is cut without a response
}
