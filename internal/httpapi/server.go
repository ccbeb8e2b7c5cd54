package httpapi

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/middleware"
	"github.com/keyward/keyward/internal/vault"
)

// Authenticator does checks 1 to 3 of the specification, in that order: token signature
// and expiry, session, user. It returns the faults token_missing, token_expired,
// token_invalid, session_not_found and account_disabled. An API key has no session and
// no account.
type Authenticator interface {
	Authenticate(ctx context.Context, bearer string, r RequestInfo) (access.Actor, account.User, error)
}

// RequestInfo is what is known of a request apart from its content.
type RequestInfo struct {
	RequestID string
	IPAddress string // the client's, as the trusted proxies report it
	UserAgent string // at most 512 bytes
	HTTPS     bool   // the client's own connection is encrypted
}

// Options configure a Server. Fields are required unless they say otherwise.
type Options struct {
	Version       string
	Log           *slog.Logger
	Auth          Authenticator
	Health        Health
	Found         func() (database, vault string) // findings about them (HealthResponse), empty: none; nil: not checked
	SignInBlocked func() error                    // why nobody is admitted at the moment; nil, also as a result: everybody is
	Changes       func() error                    // why nothing may be changed at the moment; nil, also as a result: everything may
	// Witness reports whether the holder of a bearer token may still watch what they
	// began, though no longer signed in. Nil: nobody.
	Witness        func(ctx context.Context, bearer string) bool
	Started        func() bool    // whether everything loaded at startup is there; nil: it is
	AllowedOrigins []string       // exact origins besides that of SiteURL that may read responses
	TrustedProxies []netip.Prefix // whose forwarding headers count
	SiteURL        string         // an https one turns on Strict-Transport-Security
	Limits         Limits         // a zero Rate does not limit
	Web            http.Handler   // everything outside /api; nil: 404
	Metrics        *Metrics       // nil: none are kept
	AccessLog      bool           // one line per request, at level info; a successful health check or CRL at debug
	// OnDenied is called for every refusal by checks 4 and 5. It may be nil.
	OnDenied func(ctx context.Context, actor access.Actor, d Denial)
	Now      func() time.Time // nil: time.Now

	passBody time.Duration // for tests; zero: the constant
}

// Server is the backend's HTTP handler.
type Server struct {
	opts      Options
	mux       *http.ServeMux
	api       huma.API
	proxies   []netip.Prefix
	untrusted strangers
	origins   map[string]bool
	limits    limiters
	draining  atomic.Bool
	drained   chan struct{}           // closed when draining begins
	routes    map[string]*route       // by operation id
	static    map[string]http.Handler // GET routes that write bytes, by path
	verbatim  map[string]http.Handler // GET routes whose rest is data, by what is before it
	hsts      []string
	// elsewhere answers below /api instead of the routes; only in a frontend.
	elsewhere http.Handler
}

// New builds the handler with its own routes: health and the description. Register adds
// the others, before anything is served.
func New(o Options) *Server {
	s := blank(o)
	s.api = newAPI(s)
	s.registerHealth()
	s.registerProbes()
	s.registerOpenAPI()
	s.mux.HandleFunc("/", s.noRoute)
	return s
}

// blank returns a handler without routes.
func blank(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{
		untrusted: strangers{named: map[netip.Addr]bool{}}, drained: make(chan struct{}),
		opts: o, mux: http.NewServeMux(), proxies: o.TrustedProxies,
		origins: map[string]bool{}, limits: newLimiters(o.Limits, o.Now), routes: map[string]*route{}, static: map[string]http.Handler{},
		verbatim: map[string]http.Handler{},
	}
	for _, origin := range o.AllowedOrigins {
		s.origins[origin] = true
	}
	if origin := originOf(o.SiteURL); origin != "" {
		s.origins[origin] = true
	}
	if len(o.SiteURL) >= 8 && o.SiteURL[:8] == "https://" {
		s.hsts = []string{"max-age=31536000"}
	}
	return s
}

// Header values shared by all responses. A handler that sets its own replaces the
// slice, so sharing is safe.
var (
	nosniff     = []string{"nosniff"}
	noReferrer  = []string{"no-referrer"}
	deny        = []string{"DENY"}
	apiPolicy   = []string{"default-src 'none'; frame-ancestors 'none'"}
	noStore     = []string{"no-store"}
	varyOrigin  = []string{"Origin"}
	credentials = []string{"true"}
)

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	x := &requestContext{start: s.opts.Now()}
	x.client, x.https = s.client(r)
	r = s.traced(x, middleware.Begin(x, w, r))

	h := w.Header()
	h["X-Content-Type-Options"] = nosniff
	if s.hsts != nil {
		h["Strict-Transport-Security"] = s.hsts
	}
	if s.draining.Load() {
		h["Connection"] = closing
	}
	defer s.finish(x, r)
	s.opts.Metrics.begin()
	s.dispatch(x, r)
}

func (s *Server) dispatch(x *requestContext, r *http.Request) {
	h := x.Header()
	if static, ok := s.static[r.URL.Path]; ok && r.URL.RawPath == "" && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		// The CRL is fetched by the thousand: it bypasses the router, and skips the
		// headers that only matter to pages.
		_ = s.cors(x, r)
		static.ServeHTTP(x, r)
		return
	}
	if handler := s.verbatimHandler(r); handler != nil {
		_ = s.cors(x, r)
		handler.ServeHTTP(x, r)
		return
	}
	h["Referrer-Policy"] = noReferrer
	h["X-Frame-Options"] = deny
	if !cleanPath(r.URL) && !(s.elsewhere != nil && strings.HasPrefix(r.URL.Path, ocspPrefix)) {
		h["Content-Security-Policy"] = apiPolicy
		x.Fail(notFound())
		return
	}
	switch {
	case underAPI(r.URL.Path):
		h["Content-Security-Policy"] = apiPolicy
		if s.elsewhere != nil {
			s.elsewhere.ServeHTTP(x, r)
			return
		}
		if s.cors(x, r) {
			return
		}
		s.mux.ServeHTTP(x, lowerPrefix(r))
	case beside[r.URL.Path]:
		h["Content-Security-Policy"] = apiPolicy
		s.mux.ServeHTTP(x, r)
	case s.opts.Web != nil:
		x.route = webRoute
		s.opts.Web.ServeHTTP(x, r)
	default:
		x.Fail(fault.New(fault.NotFound, "no_frontend",
			"This server only has the API. The proxy in front of it must route everything outside /api to a frontend."))
	}
}

// ocspPrefix is where a path's rest is base64, in which // and /./ are data: a frontend, which has no
// routes, must not refuse them.
const ocspPrefix = vault.OCSPPath + "/"

// verbatimHandler returns the handler of a GET below a route whose rest is data; the router would
// clean and redirect such a path.
func (s *Server) verbatimHandler(r *http.Request) http.Handler {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return nil
	}
	for prefix, handler := range s.verbatim {
		if strings.HasPrefix(r.URL.Path, prefix) {
			return handler
		}
	}
	return nil
}

// SiteURL returns the public address, without a trailing slash.
func (s *Server) SiteURL() string { return s.opts.SiteURL }

// Now returns the server's time.
func (s *Server) Now() time.Time { return s.opts.Now() }

// Log returns the server's log.
func (s *Server) Log() *slog.Logger { return s.opts.Log }

// Fail answers with an error, for handlers that write their response themselves.
func (*Server) Fail(ctx context.Context, err error) { middleware.From(ctx).Fail(err) }

// WriteJSON answers 200 with a value. A value that does not encode is the server's
// error, answered and logged like any other.
func (s *Server) WriteJSON(ctx context.Context, v any) {
	raw, err := json.Marshal(v)
	if err != nil {
		s.Fail(ctx, err)
		return
	}
	w := WriterFrom(ctx)
	h := w.Header()
	h["Content-Type"] = jsonType
	h["Cache-Control"] = noStore
	_, _ = w.Write(append(raw, '\n'))
}

func notFound() *fault.Error {
	return fault.New(fault.NotFound, "no_address", "There is nothing at this address.")
}
