package httpapi

import (
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/fault"
)

// cleanPath reports whether the path needs no cleaning. ServeMux would redirect an
// unclean one, which breaks a POST.
func cleanPath(u *url.URL) bool {
	p := u.Path
	if u.RawPath != "" {
		p = u.RawPath
	}
	if p == "" || p[0] != '/' || strings.IndexByte(u.Path, 0) >= 0 {
		return false
	}
	for i := 0; i < len(p); i++ {
		if p[i] != '/' {
			continue
		}
		rest := p[i+1:]
		if strings.HasPrefix(rest, "/") ||
			rest == "." || rest == ".." || strings.HasPrefix(rest, "./") || strings.HasPrefix(rest, "../") {
			return false
		}
	}
	return true
}

const apiPrefix = "/api"

// underAPI reports whether a path is below /api, in any case.
func underAPI(path string) bool {
	return len(path) >= len(apiPrefix) && strings.EqualFold(path[:len(apiPrefix)], apiPrefix) &&
		(len(path) == len(apiPrefix) || path[len(apiPrefix)] == '/')
}

// lowerPrefix returns the request with the prefix in lower case; the rest of the path
// keeps its case.
func lowerPrefix(r *http.Request) *http.Request {
	if r.URL.Path[:len(apiPrefix)] == apiPrefix {
		return r
	}
	u := *r.URL
	u.Path = apiPrefix + u.Path[len(apiPrefix):]
	if len(u.RawPath) >= len(apiPrefix) && strings.EqualFold(u.RawPath[:len(apiPrefix)], apiPrefix) {
		u.RawPath = apiPrefix + u.RawPath[len(apiPrefix):]
	} else {
		u.RawPath = "" // the prefix itself was escaped
	}
	r2 := *r
	r2.URL = &u
	return &r2
}

var methods = []string{
	http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete,
}

// allowed lists the methods that have a route at the request's path.
func (s *Server) allowed(r *http.Request) []string {
	var out []string
	probe := *r
	for _, m := range methods {
		probe.Method = m
		if _, pattern := s.mux.Handler(&probe); pattern != "/" && pattern != "" {
			out = append(out, m)
		}
	}
	return out
}

// noRoute answers requests without a route: 404, 405 with Allow (RFC 9110, section
// 15.5.6), or the methods for OPTIONS.
func (s *Server) noRoute(w http.ResponseWriter, r *http.Request) {
	x := requestContextFrom(r.Context())
	if err := s.limits.anonymous.take(limitKey(x.client)); err != nil {
		x.Fail(err)
		return
	}
	allow := s.allowed(r)
	if len(allow) == 0 {
		x.Fail(notFound())
		return
	}
	if !slices.Contains(allow, http.MethodOptions) {
		allow = append(allow, http.MethodOptions)
	}
	w.Header().Set("Allow", strings.Join(allow, ", "))
	if r.Method == http.MethodOptions {
		w.WriteHeader(http.StatusNoContent)
		return
	}
	x.Fail(fault.New(fault.MethodNotAllowed, "see_allow", "This address doesn't support that method; see the Allow header."))
}
