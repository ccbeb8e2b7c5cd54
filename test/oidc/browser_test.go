package oidc_test

import (
	"bytes"
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/httpapi/apitest"
)

// browser follows redirects, keeps cookies and fills in forms. The site's responses are
// checked against the contract.
type browser struct {
	t    *testing.T
	site string
	http *http.Client
	tell string // the login that it enters
}

func newBrowser(t *testing.T, site, login string) *browser {
	t.Helper()
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &browser{t: t, site: site, tell: login, http: &http.Client{
		Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: onSite{t, strings.TrimPrefix(site, "http://")},
	}}
}

// contract is parsed once. It compiles schemas lazily, so only one response at a time
// is checked.
var (
	contract   = sync.OnceValues(apitest.Load)
	oneAtATime sync.Mutex
)

// onSite checks the site's responses against the contract, but not the provider's.
type onSite struct {
	t    *testing.T
	host string
}

// RoundTrip implements http.RoundTripper.
func (o onSite) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := http.DefaultTransport.RoundTrip(r)
	if err != nil || r.URL.Host != o.host || !strings.HasPrefix(r.URL.Path, "/api/") {
		return res, err
	}
	body, err := io.ReadAll(res.Body)
	_ = res.Body.Close()
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	oneAtATime.Lock()
	defer oneAtATime.Unlock()
	c, err := contract()
	if err != nil {
		return nil, err
	}
	if err := c.Check(r.Method, r.URL.Path, res.StatusCode, res.Header, body); err != nil {
		o.t.Errorf("%s %s answers %d against the contract: %v", r.Method, r.URL.Path, res.StatusCode, err)
	}
	return res, nil
}

func (b *browser) do(req *http.Request) (*http.Response, string) {
	b.t.Helper()
	res, err := b.http.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return res, string(raw)
}

func (b *browser) get(address string) (*http.Response, string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		b.t.Fatal(err)
	}
	return b.do(req)
}

// step goes from an address to its redirect target, submitting the form if there is
// one.
func (b *browser) step(address string) *url.URL {
	b.t.Helper()
	res, page := b.get(address)
	if res.StatusCode == http.StatusOK {
		form, ok := readForm(page)
		if !ok {
			b.t.Fatalf("%s: no form in %s", address, page)
		}
		res, page = b.submit(res.Request.URL, form)
	}
	if res.StatusCode < 300 || res.StatusCode > 399 {
		b.t.Fatalf("%s: %d %s", address, res.StatusCode, page)
	}
	next, err := res.Location()
	if err != nil {
		b.t.Fatalf("%s: %v", address, err)
	}
	return next
}

// until continues until an address has the prefix, and returns it unvisited.
func (b *browser) until(address, prefix string) *url.URL {
	b.t.Helper()
	for range 20 {
		if strings.HasPrefix(address, prefix) {
			u, err := url.Parse(address)
			if err != nil {
				b.t.Fatal(err)
			}
			return u
		}
		address = b.step(address).String()
	}
	b.t.Fatalf("it never comes to %s; the last was %s", prefix, address)
	return nil
}

// round goes from the start to the sign-in page and returns what the page gets behind
// the #.
func (b *browser) round(query string) url.Values {
	b.t.Helper()
	return b.fragment(b.until(b.site+"/api/auth/oidc/start"+query, b.site+"/login"))
}

// held stops a round at the provider's redirect back.
func (b *browser) held(query string) *url.URL {
	b.t.Helper()
	return b.until(b.site+"/api/auth/oidc/start"+query, b.site+"/api/auth/oidc/callback")
}

// back delivers the provider's response.
func (b *browser) back(callback string) url.Values {
	b.t.Helper()
	return b.fragment(b.until(callback, b.site+"/login"))
}

func (b *browser) fragment(u *url.URL) url.Values {
	b.t.Helper()
	if u.Scheme+"://"+u.Host != b.site || u.Path != "/login" || u.RawQuery != "" {
		b.t.Fatalf("the round ended at %s", u)
	}
	v, err := url.ParseQuery(u.EscapedFragment())
	if err != nil {
		b.t.Fatal(err)
	}
	return v
}

type form struct {
	action string
	values url.Values
}

var (
	formTag  = regexp.MustCompile(`<form[^>]*\saction="([^"]*)"`)
	inputTag = regexp.MustCompile(`<input[^>]*>`)
	attr     = regexp.MustCompile(`\s(name|value|type)="([^"]*)"`)
)

func readForm(page string) (form, bool) {
	found := formTag.FindStringSubmatch(page)
	if found == nil {
		return form{}, false
	}
	f := form{html.UnescapeString(found[1]), url.Values{}}
	for _, input := range inputTag.FindAllString(page, -1) {
		attributes := map[string]string{}
		for _, a := range attr.FindAllStringSubmatch(input, -1) {
			attributes[a[1]] = html.UnescapeString(a[2])
		}
		f.values.Set(attributes["name"], attributes["value"])
	}
	return f, true
}

// submit fills in a form as a person would.
func (b *browser) submit(page *url.URL, f form) (*http.Response, string) {
	b.t.Helper()
	switch {
	case f.values.Has("login"):
		f.values.Set("login", b.tell)
		f.values.Set("password", "anything")
	case f.values.Has("xsrf"): // whether to sign out
		f.values.Set("logout", "yes")
	}
	action, err := page.Parse(f.action)
	if err != nil {
		b.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, action.String(), strings.NewReader(f.values.Encode()))
	if err != nil {
		b.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return b.do(req)
}

// call is a request by a page of the site.
func (b *browser) call(method, path, token string, body any, headers ...string) (int, m) {
	b.t.Helper()
	raw, err := json.Marshal(body)
	if err != nil {
		b.t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(b.t.Context(), method, b.site+path, nil)
	if body != nil && err == nil {
		req, err = http.NewRequestWithContext(b.t.Context(), method, b.site+path, bytes.NewReader(raw))
	}
	if err != nil {
		b.t.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	res, text := b.do(req)
	out := m{}
	if strings.Contains(res.Header.Get("Content-Type"), "json") {
		if err := json.Unmarshal([]byte(text), &out); err != nil {
			b.t.Fatal(err)
		}
	}
	return res.StatusCode, out
}

// must is a call that must return status.
func (b *browser) must(status int, method, path, token string, body any, headers ...string) m {
	b.t.Helper()
	got, out := b.call(method, path, token, body, headers...)
	if got != status {
		b.t.Fatalf("%s %s: %d %v, want %d", method, path, got, out, status)
	}
	return out
}

// exchange exchanges the code of a round for tokens.
func (b *browser) exchange(v url.Values) m {
	b.t.Helper()
	if v.Get("code") == "" {
		b.t.Fatalf("the round ended with %v", v)
	}
	return b.must(200, "POST", "/api/auth/oidc/exchange", "", m{"code": v.Get("code")})
}

// signIn is a whole round.
func (b *browser) signIn() m {
	b.t.Helper()
	return b.exchange(b.round(""))
}
