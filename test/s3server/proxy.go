package s3server

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strconv"
	"sync"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// Fault is what happens to a request on its way. The zero value means nothing.
type Fault struct {
	CutBefore bool   // the connection is cut before the store sees the request
	CutAfter  bool   // the store has executed it, and the response is lost
	Hold      bool   // nothing is forwarded until the client goes or the fault is over
	HoldAfter bool   // the store has executed it, and the response is held likewise
	Status    int    // the proxy answers for the store, with an error of this Code
	Code      string // empty: with an HTML page
}

// Proxy stands between a client and the store, on plain HTTP, and handles requests.
type Proxy struct {
	Address string

	mu   sync.Mutex
	on   func(*http.Request) Fault
	over chan struct{} // closed when the fault changes
}

// Proxy starts one that forwards everything, until the test ends.
func (s *Server) Proxy(t testing.TB) *Proxy {
	t.Helper()
	target := must.Get(url.Parse(s.Plain))(t)
	forward := &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.Out.URL.Scheme, r.Out.URL.Host = target.Scheme, target.Host
			r.Out.Host = r.In.Host // it is signed
		},
		Transport: &http.Transport{DisableCompression: true},
	}
	p := &Proxy{over: make(chan struct{})}
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

// Once is a fault of the first matching request.
func Once(f Fault, fits func(*http.Request) bool) func(*http.Request) Fault {
	return Times(1, f, fits)
}

// Times is a fault of the first n matching requests.
func Times(n int, f Fault, fits func(*http.Request) bool) func(*http.Request) Fault {
	return func(r *http.Request) Fault { // under the proxy's lock
		if n > 0 && fits(r) {
			n--
			return f
		}
		return Fault{}
	}
}

func (p *Proxy) decide(r *http.Request) (Fault, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.on == nil {
		return Fault{}, p.over
	}
	return p.on(r), p.over
}

func (p *Proxy) serve(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	r.Body = io.NopCloser(bytes.NewReader(body))
	f, over := p.decide(r)
	switch {
	case f.Hold:
		held(r, over)
		forward.ServeHTTP(w, r)
	case f.HoldAfter:
		answered := httptest.NewRecorder()
		forward.ServeHTTP(answered, r)
		held(r, over)
		maps.Copy(w.Header(), answered.Header())
		w.WriteHeader(answered.Code)
		_, _ = w.Write(answered.Body.Bytes()) // the client may have gone
	case f.CutBefore:
		panic(http.ErrAbortHandler) // the connection is cut without a response
	case f.CutAfter:
		forward.ServeHTTP(httptest.NewRecorder(), r)
		panic(http.ErrAbortHandler)
	case f.Status != 0:
		answer(w, r, f)
	default:
		forward.ServeHTTP(w, r)
	}
}

// held waits for the end of the fault; the handler ends if the client goes first.
func held(r *http.Request, over <-chan struct{}) {
	select {
	case <-over:
	case <-r.Context().Done():
		panic(http.ErrAbortHandler)
	}
}

// answer writes an error as S3 does: a HEAD has no body.
func answer(w http.ResponseWriter, r *http.Request, f Fault) {
	text, kind := "<html><body>Welcome</body></html>", "text/html"
	if f.Code != "" {
		kind = "application/xml"
		text = `<?xml version="1.0" encoding="UTF-8"?><Error><Code>` + f.Code + `</Code><Message>of a test</Message></Error>`
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	w.WriteHeader(f.Status)
	if r.Method != http.MethodHead {
		_, _ = io.WriteString(w, text)
	}
}
