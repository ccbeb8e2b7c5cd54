package httpapi

import (
	"context"
	"encoding/json"
	"log/slog"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/edge"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/user"
)

// Authenticator does checks 1 to 3 of the specification, in that order: token
// signature and expiry, session, user. It answers the faults token_missing,
// token_expired, token_invalid, session_not_found and account_disabled. For an
// API key there is no session and no account.
type Authenticator interface {
	Authenticate(ctx context.Context, bearer string, r RequestInfo) (access.Actor, user.User, error)
}

// RequestInfo is what is known of a request apart from its content.
type RequestInfo struct {
	RequestID string
	IPAddress string // the client's, as the trusted proxies tell it
	UserAgent string // at most 512 bytes
	HTTPS     bool   // the client's own connection is encrypted
}

// Options is what a Server needs. Whatever may be left out says so.
type Options struct {
	Version string
	Log     *slog.Logger
	Auth    Authenticator
	Health  Health
	Found   func() (database, vault string) // what was found of them (HealthResponse), empty: nothing; nil: nobody looks
	Barred  func() error                    // why nobody is let in for the moment; nil, also as an answer: everybody is
	Changes func() error                    // why nothing may be changed for the moment; nil, also as an answer: everything may
	// Witness tells whether whoever has a bearer token may go on seeing what they began, though
	// they are not signed in any more. Nil: nobody.
	Witness        func(ctx context.Context, bearer string) bool
	Started        func() bool    // whether all is there that the server starts with; nil: it is
	AllowedOrigins []string       // exact origins besides that of SiteURL; empty: no other origin reads answers
	TrustedProxies []netip.Prefix // whose forwarding headers count
	SiteURL        string         // an https one turns on Strict-Transport-Security
	Limits         Limits         // a zero Rate does not limit
	Web            http.Handler   // everything outside /api; nil: 404
	Metrics        *Metrics       // nil: none are kept
	AccessLog      bool           // one line per request, at level info; a health check or CRL that went well at debug
	// OnDenied hears of every refusal by checks 4 and 5. Nil: nobody does.
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
	routes    map[string]*route       // by operation id
	static    map[string]http.Handler // GET routes that write bytes, by path
	hsts      []string
	// elsewhere answers below /api in place of the routes; a frontend's alone.
	elsewhere http.Handler
}

// New builds the handler with the routes of its own: health and the
// description. Register adds the others, before anything is served.
func New(o Options) *Server {
	s := blank(o)
	s.api = newAPI(s)
	s.registerHealth()
	s.registerProbes()
	s.registerOpenAPI()
	s.mux.HandleFunc("/", s.noRoute)
	return s
}

// blank is a handler without any route.
func blank(o Options) *Server {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	s := &Server{
		untrusted: strangers{named: map[netip.Addr]bool{}},
		opts:      o, mux: http.NewServeMux(), proxies: o.TrustedProxies,
		origins: map[string]bool{}, limits: newLimiters(o.Limits, o.Now), routes: map[string]*route{}, static: map[string]http.Handler{},
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

// Header values that every answer shares. A handler that sets its own
// replaces the slice, so that sharing is safe.
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
	x := &exchange{start: s.opts.Now()}
	x.client, x.https = s.client(r)
	r = edge.Begin(x, w, r)

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

func (s *Server) dispatch(x *exchange, r *http.Request) {
	h := x.Header()
	if static, ok := s.static[r.URL.Path]; ok && r.URL.RawPath == "" && (r.Method == http.MethodGet || r.Method == http.MethodHead) {
		// The CRL is fetched by the thousand: past the router, and without the
		// headers that matter to pages only.
		_ = s.cors(x, r)
		static.ServeHTTP(x, r)
		return
	}
	h["Referrer-Policy"] = noReferrer
	h["X-Frame-Options"] = deny
	if !cleanPath(r.URL) {
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

// SiteURL is the public address, without a slash at its end.
func (s *Server) SiteURL() string { return s.opts.SiteURL }

// Now is the server's time.
func (s *Server) Now() time.Time { return s.opts.Now() }

// Log is the server's log.
func (s *Server) Log() *slog.Logger { return s.opts.Log }

// Fail answers with an error, for handlers that write their answer themselves.
func (*Server) Fail(ctx context.Context, err error) { edge.From(ctx).Fail(err) }

// WriteJSON answers 200 with a value. One that does not encode is the server's
// mistake, answered and logged like any other.
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
