package resource

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/crlcache"
	"github.com/keyward/keyward/internal/httpapi"
)

// Cache-Control of what external systems fetch (specification, "Limits").
var (
	crlCaching = []string{"public, max-age=3600"}
	caCaching  = []string{"public, max-age=86400"}
	crlType    = []string{"application/pkix-crl"}
	pemType    = []string{"application/x-pem-file"}
	cacheHit   = []string{"HIT"}
	cacheMiss  = []string{"MISS"}
)

func registerPKI(s *httpapi.Server, svc *crlcache.Cache) {
	tags := []string{"pki"}
	binary := func(description, mediaType string) map[string]*huma.Response {
		return map[string]*huma.Response{
			"200": {Description: description,
				Content: map[string]*huma.MediaType{mediaType: {Schema: &huma.Schema{Type: "string", Format: "binary"}}}},
			"304": {Description: "Not modified"},
		}
	}
	httpapi.RegisterRaw(s, httpapi.Operation{ID: "get-crl", Method: http.MethodGet, Path: "/api/pki/crl",
		Tags: tags, Limit: httpapi.LimitOpen, Passes: httpapi.Always, Summary: "Fetch the certificate revocation list, DER"},
		binary("The CRL (RFC 5280, section 5)", crlType[0]), crl(s, svc))
	httpapi.RegisterRaw(s, httpapi.Operation{ID: "get-ca", Method: http.MethodGet, Path: "/api/pki/ca",
		Tags: tags, Limit: httpapi.LimitOpen, Passes: httpapi.Always, Summary: "Fetch the CA certificate, PEM"},
		binary("The CA certificate", pemType[0]), certificates(s, func(r *http.Request) ([]byte, error) { return svc.CA(r.Context()) }))
	httpapi.RegisterRaw(s, httpapi.Operation{ID: "get-ca-chain", Method: http.MethodGet, Path: "/api/pki/ca_chain",
		Tags: tags, Limit: httpapi.LimitOpen, Passes: httpapi.Always, Summary: "Fetch the CA chain, PEM, root last"},
		binary("The CA chain", pemType[0]), certificates(s, func(r *http.Request) ([]byte, error) { return svc.Chain(r.Context()) }))
	schema := s.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[crlcache.Status](), true, "CRLStatus")
	httpapi.RegisterRaw(s, httpapi.Operation{ID: "get-crl-status", Method: http.MethodGet, Path: "/api/pki/crl/status",
		Tags: tags, Limit: httpapi.LimitOpen, Passes: httpapi.Always, Summary: "Show the status of the CRL cache"},
		map[string]*huma.Response{"200": {Description: "The cache", Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}},
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { s.WriteJSON(r.Context(), svc.Status()) }))
}

// crl answers from the cache with as little work as it can: relying parties
// fetch it by the thousand.
func crl(s *httpapi.Server, svc *crlcache.Cache) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		list, hit, err := svc.CRL(r.Context())
		if err != nil {
			s.Fail(r.Context(), err)
			return
		}
		h := w.Header()
		h["X-Crl-Cache"] = cacheHit
		if !hit {
			h["X-Crl-Cache"] = cacheMiss
		}
		h["X-Crl-Age"] = []string{list.Age(s.Now()).String()}
		serveBytes(w, r, list.DER, crlType, crlCaching, list.ETag, list.ThisUpdate)
	})
}

func certificates(s *httpapi.Server, fetch func(*http.Request) ([]byte, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		pem, err := fetch(r)
		if err != nil {
			s.Fail(r.Context(), err)
			return
		}
		serveBytes(w, r, pem, pemType, caCaching, crlcache.ETag(pem), time.Time{})
	})
}

// slowBytes a second is what a client has to read at least.
const slowBytes = 32 << 10

// serveBytes writes a whole representation, or 304 when the client has it
// (RFC 9110, section 13.1). HEAD gets the headers alone.
func serveBytes(w http.ResponseWriter, r *http.Request, content []byte, mediaType, caching []string, etag string, modified time.Time) {
	h := w.Header()
	h["Content-Type"] = mediaType
	h["Cache-Control"] = caching
	h["Etag"] = []string{etag}
	if !modified.IsZero() {
		h["Last-Modified"] = []string{modified.UTC().Format(http.TimeFormat)}
	}
	if notModified(r, etag, modified) {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	h["Content-Length"] = []string{strconv.Itoa(len(content))}
	if len(content) > slowBytes {
		// A long list over a slow line takes longer than an ordinary answer may.
		patience := httpapi.WriteTimeout + time.Duration(len(content)/slowBytes)*time.Second
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(patience))
	}
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(content)
	}
}

func notModified(r *http.Request, etag string, modified time.Time) bool {
	if match := r.Header["If-None-Match"]; len(match) > 0 {
		for _, tag := range strings.Split(strings.Join(match, ","), ",") {
			if tag = strings.TrimSpace(tag); tag == "*" || strings.TrimPrefix(tag, "W/") == etag {
				return true
			}
		}
		return false
	}
	since := r.Header.Get("If-Modified-Since")
	if since == "" || modified.IsZero() {
		return false
	}
	t, err := http.ParseTime(since)
	return err == nil && !modified.Truncate(time.Second).After(t)
}
