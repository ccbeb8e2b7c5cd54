package agent

import (
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/middleware"
)

// guard stands before every handler. There is no authentication, so these checks
// alone keep other web pages and other users of the machine away from the tokens:
//
//   - the connection comes from the agent's own OS user;
//   - Host names this agent, which defeats DNS rebinding: a page whose name
//     resolves to 127.0.0.1 is refused;
//   - Origin, when a browser sends one, is an allowed one, for reading too;
//   - a browser that sends no Origin states in Sec-Fetch-Site that no other
//     site caused the request (Fetch Metadata).
//
// routes checks that a POST carries JSON.
type guard struct {
	hosts   []string // host:port values that name this agent
	origins []string
	dev     bool
	log     *slog.Logger
	next    http.Handler
}

// wellKnown is where pages look for an agent. A page that asks without CORS can
// notice its refusal, though not read it (Fetch standard, "CORP check"), so
// Keyward's page can tell an agent started for another site from no agent. Other
// pages only learn that something listens.
const wellKnown = "/.well-known/service-agent"

// hostsOf lists the Host values of an agent on port.
func hostsOf(port string) []string {
	hosts := []string{"127.0.0.1:" + port, "localhost:" + port}
	if port == "80" {
		hosts = append(hosts, "127.0.0.1", "localhost")
	}
	return hosts
}

func (g *guard) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Add("Vary", "Origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")

	if err := g.check(r); err != nil {
		if r.URL.Path == wellKnown {
			h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		}
		// The client chooses the Origin, but it is worth logging for a user who
		// may only have forgotten an --origin.
		g.log.Warn("request refused", "method", r.Method, "cause", err.Detail, "origin", clip(r.Header.Get("Origin")))
		middleware.From(r.Context()).Fail(err)
		return
	}
	if origin := r.Header.Get("Origin"); origin != "" {
		h.Set("Access-Control-Allow-Origin", origin)
		h.Set("Access-Control-Expose-Headers", "X-Request-Id, Retry-After")
		if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
			preflight(w, r)
			return
		}
	}
	g.next.ServeHTTP(w, r)
}

// check decides whether the client may use the agent at all.
func (g *guard) check(r *http.Request) *fault.Error {
	if !samePeer(r) {
		return fault.New(fault.OriginRefused, "other_os_user",
			"The connection comes from a different user than the one running the agent. Start your own agent.")
	}
	if !slices.Contains(g.hosts, strings.ToLower(r.Host)) {
		return fault.New(fault.OriginRefused, "host", "The Host header doesn't name this agent. Use http://127.0.0.1 and the agent's port.")
	}
	origins := r.Header.Values("Origin")
	if len(origins) > 0 {
		if len(origins) == 1 && g.allowed(origins[0]) {
			return nil
		}
		return fault.New(fault.OriginRefused, "page_refused",
			"This page may not use the agent. If it is yours, start the agent with --origin and the page's address.")
	}
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "none" && site != "same-origin" {
			return fault.New(fault.OriginRefused, "other_site", "Pages of other sites may not use the agent. Open the Keyward page.")
		}
	}
	return nil
}

// allowed compares exactly: "null", another port or another scheme does not
// match.
func (g *guard) allowed(origin string) bool {
	if slices.Contains(g.origins, origin) {
		return true
	}
	if !g.dev {
		return false
	}
	u, err := url.Parse(origin)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.Fragment != "" {
		return false
	}
	return slices.Contains([]string{"localhost", "127.0.0.1", "::1"}, u.Hostname())
}

// preflight answers all operations alike (Fetch standard, "CORS preflight").
// Older Chromium asks for the private network header.
func preflight(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", "GET, POST")
	h.Set("Access-Control-Allow-Headers", "Content-Type, X-Request-Id")
	h.Set("Access-Control-Max-Age", "600")
	for _, name := range []string{"Private-Network", "Local-Network"} {
		if r.Header.Get("Access-Control-Request-"+name) == "true" {
			h.Set("Access-Control-Allow-"+name, "true")
		}
	}
	w.WriteHeader(http.StatusNoContent)
}

// clip shortens untrusted text for the log.
func clip(s string) string {
	if len(s) > 100 {
		return s[:100]
	}
	return s
}
