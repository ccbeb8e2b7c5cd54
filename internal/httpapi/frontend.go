package httpapi

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/middleware"
	"github.com/keyward/keyward/internal/tracing"
)

// NewFrontend builds the handler of a frontend alone: the pages (Options.Web), /health,
// /livez, /readyz, and nothing of the API. With a backend, it forwards requests below
// /api; without, the proxy in front should route them, and they get a 404 that says so.
// It uses the options Version, Log, Web, TrustedProxies, SiteURL, AccessLog and Now.
func NewFrontend(o Options, backend *url.URL) *Server {
	s := blank(o)
	s.elsewhere = http.HandlerFunc(s.noAPI)
	if backend != nil {
		s.elsewhere = s.passTo(backend)
	}
	// Four short strings: it cannot fail.
	body, _ := json.Marshal(map[string]string{"status": "ok", "version": o.Version})
	s.mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = jsonType
		w.Header()["Cache-Control"] = noStore
		_, _ = w.Write(append(body, '\n'))
	})
	s.mux.Handle("GET "+livePath, s.live())
	s.mux.Handle("GET "+readyPath, s.ready(func(context.Context) error { return nil }))
	s.mux.HandleFunc("/", s.noRoute)
	return s
}

func (s *Server) noAPI(_ http.ResponseWriter, r *http.Request) {
	requestContextFrom(r.Context()).Fail(fault.New(fault.NotFound, "no_backend",
		"This server only has the pages. The proxy in front of it must route /api to a backend, or it must be started with --backend."))
}

// Bounds on forwarding. The backend has tighter ones of its own.
const (
	passDial    = 5 * time.Second
	passHeaders = 2 * time.Minute // from the complete request to the start of the response
	passBody    = 2 * time.Minute // for the client to send a body
	passAnswer  = time.Hour       // for the whole response, including exports
)

// passRoute stands for the backend's responses.
var passRoute = &route{Operation: Operation{ID: "backend"}}

// passTo forwards requests to the backend unchanged. It sets the client's address and
// scheme as this server knows them, and drops the client's own forwarding headers: the
// backend trusts this server.
func (s *Server) passTo(backend *url.URL) http.Handler {
	proxy := &httputil.ReverseProxy{
		Transport: tracing.Transport{To: "backend", Ours: true, Next: &http.Transport{
			DialContext:         (&net.Dialer{Timeout: passDial}).DialContext,
			TLSHandshakeTimeout: passDial, ResponseHeaderTimeout: passHeaders,
			MaxIdleConnsPerHost: 64, IdleConnTimeout: idleTimeout,
			DisableCompression: true, // the client negotiates compression
		}},
		FlushInterval: -1, // an export streams as it is produced
		ErrorLog:      slog.NewLogLogger(s.opts.Log.Handler(), slog.LevelDebug),
		Rewrite: func(p *httputil.ProxyRequest) {
			x := requestContextFrom(p.In.Context())
			p.SetURL(backend)                      // its own Host, too
			p.Out.URL.RawQuery = p.In.URL.RawQuery // only the backend parses it
			p.Out.Header.Del("X-Forwarded-Port")
			p.Out.Header.Del("Traceparent") // this server's own comes with its span
			p.Out.Header.Del("Tracestate")
			p.Out.Header.Set("X-Request-Id", x.RequestID)
			p.Out.Header.Set("X-Real-Ip", x.client.String())
			p.Out.Header.Set("X-Forwarded-Proto", scheme(x.https))
		},
		ModifyResponse: func(res *http.Response) error {
			h := requestContextFrom(res.Request.Context()).Header()
			for name := range res.Header {
				delete(h, name) // the backend sets it
			}
			return nil
		},
		ErrorHandler: s.notPassed,
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := requestContextFrom(r.Context())
		x.route = passRoute
		if r.ContentLength != 0 { // without a body, a deadline would cut the response
			x.sent = sendBody(x, r, cmp.Or(s.opts.passBody, passBody))
		}
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(passAnswer))
		proxy.ServeHTTP(w, r)
	})
}

// notPassed answers a request that could not be forwarded or was not answered. It first
// checks for the client's failures: they end the request to the backend, too, and must
// not look like the backend's.
func (s *Server) notPassed(_ http.ResponseWriter, r *http.Request, err error) {
	x := requestContextFrom(r.Context())
	gone := r.Context().Err() != nil
	switch {
	case x.sent.late(gone):
		err = middleware.Late()
	case gone:
		panic(http.ErrAbortHandler) // nobody is left to answer
	case x.sent.broken():
		err = middleware.Broken()
	default:
		err = fault.New(fault.BackendUnavailable, "",
			"The service behind this page is not responding. Try again in a moment.").With(fmt.Errorf("backend: %w", err))
	}
	x.Fail(err)
}

func scheme(https bool) string {
	if https {
		return "https"
	}
	return "http"
}
