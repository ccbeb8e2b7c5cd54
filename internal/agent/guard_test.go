package agent

import (
	"net/http"
	"strings"
	"testing"
)

// TestGuard lists attacks and legitimate requests.
func TestGuard(t *testing.T) {
	t.Parallel()
	page := start(t, Config{})
	dev := start(t, Config{Dev: true})
	const site = "https://keyward.example.org"
	h := func(pairs ...string) func(*http.Request) {
		return func(r *http.Request) {
			for i := 0; i < len(pairs); i += 2 {
				if pairs[i] == "Host" {
					r.Host = strings.Replace(pairs[i+1], "PORT", r.URL.Port(), 1)
					continue
				}
				r.Header.Add(pairs[i], pairs[i+1])
			}
		}
	}
	for name, c := range map[string]struct {
		agent *testAgent
		edit  func(*http.Request)
		want  int
	}{
		"command-line client":              {page, h(), 200},
		"localhost as Host":                {page, h("Host", "localhost:PORT"), 200},
		"LOCALHOST as Host":                {page, h("Host", "LOCALHOST:PORT"), 200},
		"our page":                         {page, h("Origin", site), 200},
		"our page, cross-site fetch":       {page, h("Origin", site, "Sec-Fetch-Site", "cross-site"), 200},
		"address bar":                      {page, h("Sec-Fetch-Site", "none"), 200},
		"own page":                         {page, h("Sec-Fetch-Site", "same-origin"), 200},
		"rebound name":                     {page, h("Host", "evil.example:PORT"), 403},
		"rebound name that begins well":    {page, h("Host", "127.0.0.1.evil.example:PORT"), 403},
		"rebound name, our origin":         {page, h("Host", "evil.example:PORT", "Origin", site), 403},
		"Host without port":                {page, h("Host", "127.0.0.1"), 403},
		"Host with another port":           {page, h("Host", "127.0.0.1:1"), 403},
		"Host with IPv6 loopback":          {page, h("Host", "[::1]:PORT"), 403},
		"Host with a short IPv4":           {page, h("Host", "127.1:PORT"), 403},
		"other page":                       {page, h("Origin", "https://evil.example"), 403},
		"Origin null":                      {page, h("Origin", "null"), 403},
		"Origin empty":                     {page, h("Origin", ""), 403},
		"Origin is a prefix of ours":       {page, h("Origin", "https://keyward.example"), 403},
		"ours is a prefix of Origin":       {page, h("Origin", site+".evil.example"), 403},
		"our origin in another scheme":     {page, h("Origin", "http://keyward.example.org"), 403},
		"our origin on another port":       {page, h("Origin", site+":8443"), 403},
		"our origin with a path":           {page, h("Origin", site+"/"), 403},
		"our origin in capitals":           {page, h("Origin", "HTTPS://KEYWARD.EXAMPLE.ORG"), 403},
		"two origins":                      {page, h("Origin", site, "Origin", "https://evil.example"), 403},
		"two origins in one line":          {page, h("Origin", site+" https://evil.example"), 403},
		"loopback page without --dev":      {page, h("Origin", "http://localhost:8080"), 403},
		"image on another site":            {page, h("Sec-Fetch-Site", "cross-site"), 403},
		"image on a sibling site":          {page, h("Sec-Fetch-Site", "same-site"), 403},
		"unknown Sec-Fetch-Site":           {page, h("Sec-Fetch-Site", "whatever"), 403},
		"two Sec-Fetch-Site":               {page, h("Sec-Fetch-Site", "none", "Sec-Fetch-Site", "cross-site"), 403},
		"dev: loopback page":               {dev, h("Origin", "http://localhost:8080"), 200},
		"dev: loopback page by number":     {dev, h("Origin", "http://127.0.0.1:3000"), 200},
		"dev: loopback page by IPv6":       {dev, h("Origin", "http://[::1]:3000"), 200},
		"dev: other page":                  {dev, h("Origin", "https://evil.example"), 403},
		"dev: page named like loopback":    {dev, h("Origin", "http://localhost.evil.example"), 403},
		"dev: loopback as user name":       {dev, h("Origin", "http://localhost@evil.example"), 403},
		"dev: Origin null":                 {dev, h("Origin", "null"), 403},
		"dev: file page":                   {dev, h("Origin", "file://localhost"), 403},
		"dev: image on another site":       {dev, h("Sec-Fetch-Site", "cross-site"), 403},
		"dev: rebound name, loopback page": {dev, h("Host", "evil.example:PORT", "Origin", "http://localhost"), 403},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out := c.agent.do(t, http.MethodGet, "/health", nil, c.edit)
			if out.status != c.want {
				t.Fatalf("got %d %s, want %d", out.status, out.raw, c.want)
			}
			if c.want == 403 && (out.code() != "origin_refused" || out.header.Get("Access-Control-Allow-Origin") != "") {
				t.Errorf("refused as %s, with CORS header %q", out.raw, out.header.Get("Access-Control-Allow-Origin"))
			}
		})
	}
}

// TestRefusalIsNoticed: a page of another site can notice an agent, only at its
// well-known address, and reads nothing.
func TestRefusalIsNoticed(t *testing.T) {
	t.Parallel()
	a := start(t, Config{})
	for path, want := range map[string]string{wellKnown: "cross-origin", "/health": "same-origin", "/pubkey": "same-origin"} {
		out := a.do(t, http.MethodGet, path, nil, func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") })
		if got := out.header.Get("Cross-Origin-Resource-Policy"); got != want || out.status != http.StatusForbidden ||
			out.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: status %d, Cross-Origin-Resource-Policy %q, want %q", path, out.status, got, want)
		}
	}
	out := a.do(t, http.MethodGet, wellKnown, nil, func(*http.Request) {})
	if got := out.header.Get("Cross-Origin-Resource-Policy"); got != "same-origin" {
		t.Errorf("an answer that is no refusal: Cross-Origin-Resource-Policy %q", got)
	}
}

// TestCORS checks the CORS headers that a browser gets.
func TestCORS(t *testing.T) {
	t.Parallel()
	a := start(t, Config{})
	const site = "https://keyward.example.org"
	preflight := func(origin string) func(*http.Request) {
		return func(r *http.Request) {
			r.Header.Set("Origin", origin)
			r.Header.Set("Access-Control-Request-Method", "POST")
			r.Header.Set("Access-Control-Request-Headers", "content-type")
			r.Header.Set("Access-Control-Request-Private-Network", "true")
		}
	}
	out := a.do(t, http.MethodOptions, "/piv/set-pin", nil, preflight(site))
	if out.status != http.StatusNoContent {
		t.Fatalf("preflight: %d %s", out.status, out.raw)
	}
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": site, "Access-Control-Allow-Methods": "GET, POST",
		"Access-Control-Allow-Headers": "Content-Type, X-Request-Id", "Access-Control-Allow-Private-Network": "true",
		"Access-Control-Allow-Credentials": "", "Vary": "Origin",
	} {
		if got := out.header.Get(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if out := a.do(t, http.MethodOptions, "/piv/set-pin", nil, preflight("https://evil.example")); out.status != 403 {
		t.Errorf("the preflight of another page got %d", out.status)
	}
	refusal := a.do(t, http.MethodPost, "/piv/reset", m{"serial": serial, "confirm": "x"},
		func(r *http.Request) { r.Header.Set("Origin", site) })
	if refusal.header.Get("Access-Control-Allow-Origin") != site {
		t.Error("our page may not read a problem document")
	}
}

// TestOnlyJSON shows that requests which other sites can send without a preflight
// are refused before they are read.
func TestOnlyJSON(t *testing.T) {
	t.Parallel()
	a := start(t, Config{})
	for _, media := range []string{"", "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x",
		"text/plain; application/json", "application/json, text/plain", "application/json; charset=utf-16", "application/jsonp"} {
		out := a.do(t, http.MethodPost, "/piv/reset", m{"serial": serial, "confirm": serial},
			func(r *http.Request) { r.Header.Set("Content-Type", media) })
		if out.status != http.StatusUnsupportedMediaType || out.code() != "unsupported_media_type" {
			t.Errorf("%q: %d %s", media, out.status, out.raw)
		}
	}
	out := a.do(t, http.MethodPost, "/piv/reset", m{"serial": serial, "confirm": serial},
		func(r *http.Request) { r.Header.Set("Content-Type", "application/json; charset=UTF-8") })
	if out.code() != "tool_missing" {
		t.Errorf("JSON with its charset: %d %s", out.status, out.raw)
	}
}
