package resource

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/pki"
)

// Cache-Control of what external systems fetch (specification, "Limits").
var (
	crlCaching = []string{"public, max-age=3600"}
	caCaching  = []string{"public, max-age=86400"}
	crlType    = []string{"application/pkix-crl"}
	pemType    = []string{"application/x-pem-file"}
	derType    = []string{"application/pkix-cert"} // RFC 2585, section 4.1
	cacheHit   = []string{"HIT"}
	cacheMiss  = []string{"MISS"}
)

func registerPKI(s *httpapi.Server, svc *pki.CRLCache, parents *pki.ParentCRLs) {
	tags := []string{"pki"}
	binary := func(description, mediaType string) map[string]*huma.Response {
		return map[string]*huma.Response{
			"200": {Description: description,
				Content: map[string]*huma.MediaType{mediaType: {Schema: &huma.Schema{Type: "string", Format: "binary"}}}},
			"304": {Description: "Not modified"},
		}
	}
	httpapi.RegisterRaw(s, httpapi.Operation{ID: "get-crl", Method: http.MethodGet, Path: "/api/pki/crl",
		Tags: tags, Limit: httpapi.LimitOpen, Passes: httpapi.Always, Summary: "Fetch the certificate revocation list, DER",
		Description: "With ?format=pem it is PEM, as nginx and others want it."},
		binary("The CRL (RFC 5280, section 5)", crlType[0]),
		crl(s, func(r *http.Request) (*pki.SignedCRL, bool, error) { return svc.CRL(r.Context()) }))
	httpapi.RegisterRaw(s, httpapi.Operation{ID: "get-crl-of", Method: http.MethodGet, Path: "/api/pki/crl/{id}",
		Tags: tags, Limit: httpapi.LimitOpen, Passes: httpapi.Always, Summary: "Fetch the certificate revocation list of a CA by its ID, DER",
		Description: "Certificates of CAs after the first point here. With ?format=pem it is PEM."},
		binary("The CRL (RFC 5280, section 5)", crlType[0]),
		crl(s, func(r *http.Request) (*pki.SignedCRL, bool, error) { return svc.CRLOf(r.Context(), r.PathValue("id")) }))
	httpapi.RegisterRaw(s, httpapi.Operation{ID: "get-parent-crl", Method: http.MethodGet, Path: "/api/pki/parent-crl",
		Tags: tags, Limit: httpapi.LimitOpen, Passes: httpapi.Always, Summary: "Fetch the lists of the CAs above ours, PEM",
		Description: "PKI_PARENT_CRL_FILES names them. nginx and others want a list of every CA up to the root."},
		binary("The CRLs, possibly none", pemType[0]), parentCRLs(parents))
	httpapi.RegisterRaw(s, httpapi.Operation{ID: "get-ca", Method: http.MethodGet, Path: "/api/pki/ca",
		Tags: tags, Limit: httpapi.LimitOpen, Passes: httpapi.Always, Summary: "Fetch the CA certificate, PEM"},
		binary("The CA certificate", pemType[0]), certificates(s, func(r *http.Request) ([]byte, error) {
			der, err := svc.CA(r.Context())
			return pki.PEM(der), err
		}))
	httpapi.RegisterRaw(s, httpapi.Operation{ID: "get-ca-der", Method: http.MethodGet, Path: "/api/pki/ca.cer",
		Tags: tags, Limit: httpapi.LimitOpen, Passes: httpapi.Always, Summary: "Fetch the CA certificate, DER, as certificates point to it"},
		binary("The CA certificate (RFC 5280, section 4.2.2.1)", derType[0]), caDER(s, svc))
	httpapi.RegisterRaw(s, httpapi.Operation{ID: "get-ca-of", Method: http.MethodGet, Path: "/api/pki/ca/{file}",
		Tags: tags, Limit: httpapi.LimitOpen, Passes: httpapi.Always, Summary: "Fetch the certificate of a CA by its ID",
		Description: "{file} is the ID for PEM, or the ID and .cer for DER, as certificates of CAs after the first point to it."},
		eitherForm(binary("The CA certificate (RFC 5280, section 4.2.2.1)", derType[0])), caOf(s, svc))
	httpapi.RegisterRaw(s, httpapi.Operation{ID: "get-ca-chain", Method: http.MethodGet, Path: "/api/pki/ca_chain",
		Tags: tags, Limit: httpapi.LimitOpen, Passes: httpapi.Always, Summary: "Fetch the CA chain, PEM, root last",
		Description: "The active CA's comes first, then those of others that have live certificates."},
		binary("The CA chain", pemType[0]), certificates(s, func(r *http.Request) ([]byte, error) { return svc.Chain(r.Context()) }))
	schema := s.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[pki.Status](), true, "CRLStatus")
	httpapi.RegisterRaw(s, httpapi.Operation{ID: "get-crl-status", Method: http.MethodGet, Path: "/api/pki/crl/status",
		Tags: tags, Limit: httpapi.LimitOpen, Passes: httpapi.Always, Summary: "Show the status of the CRL cache"},
		map[string]*huma.Response{"200": {Description: "The cache", Content: map[string]*huma.MediaType{"application/json": {Schema: schema}}}},
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { s.WriteJSON(r.Context(), svc.Status()) }))
}

// eitherForm adds PEM to an answer in DER.
func eitherForm(answers map[string]*huma.Response) map[string]*huma.Response {
	content := answers["200"].Content
	content[pemType[0]] = content[derType[0]]
	return answers
}

// crl answers from the cache with as little work as possible: relying parties fetch it
// by the thousand.
func crl(s *httpapi.Server, fetch func(*http.Request) (*pki.SignedCRL, bool, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		format := r.URL.Query().Get("format")
		inPEM := format == "pem"
		if format != "" && format != "der" && !inPEM {
			s.Fail(r.Context(), fault.Invalid(fault.NotOneOf("format", "der", "pem")))
			return
		}
		list, hit, err := fetch(r)
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
		if inPEM {
			text, etag := list.PEM()
			serveBytes(w, r, text, pemType, crlCaching, etag, list.ThisUpdate)
			return
		}
		serveBytes(w, r, list.DER, crlType, crlCaching, list.ETag, list.ThisUpdate)
	})
}

func certificates(s *httpapi.Server, fetch func(*http.Request) ([]byte, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := fetch(r)
		if err != nil {
			s.Fail(r.Context(), err)
			return
		}
		serveBytes(w, r, text, pemType, caCaching, pki.ETag(text), time.Time{})
	})
}

func caDER(s *httpapi.Server, svc *pki.CRLCache) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		der, err := svc.CA(r.Context())
		if err != nil {
			s.Fail(r.Context(), err)
			return
		}
		serveBytes(w, r, der, derType, caCaching, pki.ETag(der), time.Time{})
	})
}

func caOf(s *httpapi.Server, svc *pki.CRLCache) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		id, inDER := strings.CutSuffix(r.PathValue("file"), ".cer")
		content, err := svc.CAOf(r.Context(), id)
		if err != nil {
			s.Fail(r.Context(), err)
			return
		}
		mediaType := derType
		if !inDER {
			content, mediaType = pki.PEM(content), pemType
		}
		serveBytes(w, r, content, mediaType, caCaching, pki.ETag(content), time.Time{})
	})
}

func parentCRLs(parents *pki.ParentCRLs) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := parents.PEM()
		serveBytes(w, r, text, pemType, crlCaching, pki.ETag(text), time.Time{})
	})
}

// slowBytes per second is the minimum that a client must read.
const slowBytes = 32 << 10

// serveBytes writes a whole representation, or 304 when the client has it (RFC 9110,
// section 13.1). HEAD gets only the headers.
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
		// A long list over a slow line takes longer than an ordinary response.
		patience := httpapi.WriteTimeout + time.Duration(len(content)/slowBytes)*time.Second
		_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(patience))
	}
	w.WriteHeader(http.StatusOK)
	if r.Method != http.MethodHead {
		_, _ = w.Write(content) //nolint:gosec // DER or PEM with its own media type, no page
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
