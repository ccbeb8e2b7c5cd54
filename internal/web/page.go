package web

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"html"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// Placeholders that the build leaves in index.html.
const (
	nonceMark = "__CSP_NONCE__"
	agentMark = "__AGENT_URL__"
)

// page is index.html, split where the nonce goes.
type page struct {
	parts  [][]byte
	policy string // contains nonceMark
}

func newPage(index []byte, agentURL string) (*page, error) {
	origins, err := agentOrigins(agentURL)
	if err != nil {
		return nil, err
	}
	filled := bytes.ReplaceAll(index, []byte(agentMark), []byte(html.EscapeString(agentURL)))
	return &page{
		parts: bytes.Split(filled, []byte(nonceMark)),
		// Only our own files may be scripts. Likewise styles, except for <style>
		// elements with this answer's nonce: the theme's variables. Style
		// attributes in markup stay forbidden; those set by scripts go through
		// the CSSOM and need no permission. No script turns text into markup or
		// code, except for what ui/src/trusted.ts allows.
		policy: "default-src 'none'; script-src 'self'; style-src 'self' 'nonce-" + nonceMark + "'; img-src 'self'; " +
			"font-src 'self'; connect-src 'self' " + strings.Join(origins, " ") + "; manifest-src 'self'; " +
			"base-uri 'none'; form-action 'self'; frame-ancestors 'none'; " +
			"require-trusted-types-for 'script'; trusted-types default",
	}, nil
}

// agentOrigins returns both names of the agent's address. A page that is given
// one may use either: the agent answers to both.
func agentOrigins(agentURL string) ([]string, error) {
	u, err := url.Parse(agentURL)
	if err != nil || u.Scheme != "http" || u.Port() == "" {
		return nil, fmt.Errorf("web: the agent's address must be http://127.0.0.1:PORT or http://localhost:PORT")
	}
	return []string{"http://127.0.0.1:" + u.Port(), "http://localhost:" + u.Port()}, nil
}

// serve builds the page anew: its nonce is for one answer, which must not be
// cached. For an address that is no page, it is the same page, which says so.
func (p *page) serve(w http.ResponseWriter, r *http.Request, status int) {
	nonce := rand.Text() // at least 128 bits
	body := bytes.Join(p.parts, []byte(nonce))
	h := w.Header()
	h.Set("Content-Security-Policy", strings.ReplaceAll(p.policy, nonceMark, nonce))
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}
