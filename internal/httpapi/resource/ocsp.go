package resource

import (
	"encoding/base64"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/ocsp"
	"github.com/keyward/keyward/internal/vault"
)

var ocspType = []string{"application/ocsp-response"} // RFC 6960, appendix A

func registerOCSP(s *httpapi.Server, svc *ocsp.Responder) {
	tags := []string{"pki"}
	binary := &huma.Schema{Type: "string", Format: "binary"}
	responses := func() map[string]*huma.Response {
		return map[string]*huma.Response{"200": {
			Description: "An OCSPResponse (RFC 6960, section 4.2.1); OCSP's own errors come with 200, too",
			Content:     map[string]*huma.MediaType{ocspType[0]: {Schema: binary}},
		}}
	}
	post := httpapi.Operation{ID: "post-ocsp", Method: http.MethodPost, Path: vault.OCSPPath, Tags: tags, Limit: httpapi.LimitOpen,
		Passes: httpapi.Always, Unbarred: true, MaxBody: ocsp.MaxRequest, Summary: "Ask about certificates by OCSP",
		Description: "The body is an OCSPRequest (RFC 6960, section 4.1.1), DER, with up to 64 certificates and a nonce or none."}
	defer func() {
		s.OpenAPI().Paths[post.Path].Post.RequestBody = &huma.RequestBody{Required: true,
			Content: map[string]*huma.MediaType{"application/ocsp-request": {Schema: binary}}}
	}()
	httpapi.RegisterRaw(s, post, responses(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		der, err := io.ReadAll(r.Body)
		if err != nil {
			s.Fail(r.Context(), err)
			return
		}
		serveOCSP(w, r, svc, der)
	}))
	get := httpapi.Operation{ID: "get-ocsp", Method: http.MethodGet, Path: vault.OCSPPath + "/{request...}", Tags: tags, Verbatim: true,
		Limit: httpapi.LimitOpen, Passes: httpapi.Always, Summary: "Ask about certificates by OCSP, with the request in the path",
		Description: "{request} is an OCSPRequest in base64, percent-encoded or not (RFC 6960, appendix A.1)."}
	described := responses()
	described["304"] = &huma.Response{Description: "Not modified"}
	httpapi.RegisterRaw(s, get, described, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		serveOCSP(w, r, svc, ocspFromPath(r.URL))
	}))
}

// ocspFromPath decodes the request of a GET; nil, which is malformed, if it can't.
func ocspFromPath(u *url.URL) []byte {
	text := strings.TrimPrefix(u.EscapedPath(), vault.OCSPPath+"/")
	text, err := url.PathUnescape(text)
	if err != nil || len(text) > base64.StdEncoding.EncodedLen(ocsp.MaxRequest) {
		return nil
	}
	der, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(text, "="))
	if err != nil {
		return nil
	}
	return der
}

// serveOCSP answers with what caches between may do with it (RFC 5019, section 6).
func serveOCSP(w http.ResponseWriter, r *http.Request, svc *ocsp.Responder, der []byte) {
	a := svc.Answer(r.Context(), der)
	if !a.Lasting {
		w.Header()["Cache-Control"] = []string{"no-store"}
		w.Header()["Content-Type"] = ocspType
		_, _ = w.Write(a.DER) //nolint:gosec // DER with its own media type, no page
		return
	}
	w.Header()["Expires"] = []string{a.Next.Format(http.TimeFormat)}
	caching := "public, no-transform, must-revalidate, max-age=" + strconv.Itoa(max(0, int(a.Refresh.Sub(svc.Now()).Seconds())))
	// No Last-Modified: within its second, an answer may change from good to revoked.
	serveBytes(w, r, a.DER, ocspType, []string{caching}, a.ETag, time.Time{})
}
