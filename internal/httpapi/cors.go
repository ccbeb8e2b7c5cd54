package httpapi

import (
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"
)

var (
	varyPreflight  = []string{"Origin, Access-Control-Request-Method, Access-Control-Request-Headers"}
	allowMethods   = []string{"GET, HEAD, POST, PUT, PATCH, DELETE"}
	allowHeaders   = []string{"Authorization, Content-Type, X-Request-Id, X-Keyward-Client"}
	exposeHeaders  = []string{"X-Request-Id, Retry-After, X-CRL-Cache, X-CRL-Age, ETag"}
	preflightCache = []string{"600"}
)

// originOf returns a site's origin as browsers send it (RFC 6454, section 6.1): without
// its scheme's default port. Empty for an invalid address.
func originOf(site string) string {
	u, err := url.Parse(site)
	if err != nil || u.Host == "" {
		return ""
	}
	host := strings.ToLower(u.Host)
	if u.Scheme == "https" {
		host = strings.TrimSuffix(host, ":443")
	} else {
		host = strings.TrimSuffix(host, ":80")
	}
	return u.Scheme + "://" + host
}

// cors lets pages of SITE_URL and ALLOWED_ORIGINS read the responses (Fetch standard,
// "CORS protocol"). Browsers withhold responses from other origins. It reports whether
// it has answered: a preflight never reaches a handler.
func (s *Server) cors(x *requestContext, r *http.Request) (answered bool) {
	h := x.Header()
	preflight := r.Method == http.MethodOptions && len(r.Header["Access-Control-Request-Method"]) > 0
	switch {
	case preflight:
		h["Vary"] = varyPreflight
	case len(s.origins) > 0:
		// Also without Origin: a shared cache must not serve one origin's response to
		// another.
		h["Vary"] = varyOrigin
	}
	origin := r.Header["Origin"]
	known := len(origin) == 1 && s.origins[origin[0]]
	if known {
		h["Access-Control-Allow-Origin"] = origin[:1:1]
		h["Access-Control-Allow-Credentials"] = credentials
		h["Access-Control-Expose-Headers"] = exposeHeaders
	}
	if !preflight {
		return false
	}
	if known {
		h["Access-Control-Allow-Methods"] = allowMethods
		h["Access-Control-Allow-Headers"] = allowHeaders
		h["Access-Control-Max-Age"] = preflightCache
	}
	x.WriteHeader(http.StatusNoContent)
	return true
}

// OriginAllowed reports whether the request comes from a page of this site or of an
// allowed origin; for operations that a cookie authenticates.
func (s *Server) OriginAllowed(origin string) bool { return s.origins[origin] }

// Origins returns all of those origins.
func (s *Server) Origins() []string { return slices.Collect(maps.Keys(s.origins)) }
