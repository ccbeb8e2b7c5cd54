package web

import (
	"net/http"
	"strconv"
	"testing"
)

func TestFiles(t *testing.T) {
	t.Parallel()
	h := newTestSite(t, testTree())
	for _, tc := range []struct {
		target, accept   string
		status           int
		content, coding  string
		media, cache     string
		variesByEncoding bool
	}{
		{"/assets/a-1.js", "", 200, "a script, in plain form", "", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable", true},
		{"/assets/a-1.js", "gzip, deflate, br, zstd", 200, "in brotli", "br", "text/javascript; charset=utf-8",
			"public, max-age=31536000, immutable", true},
		{"/assets/a-1.js", "gzip", 200, "in gzip form", "gzip", "text/javascript; charset=utf-8", "public, max-age=31536000, immutable", true},
		{"/assets/a-1.js", "identity", 200, "a script, in plain form", "", "text/javascript; charset=utf-8",
			"public, max-age=31536000, immutable", true},
		{"/assets/b-2.css", "gzip", 200, "style", "", "text/css; charset=utf-8", "public, max-age=31536000, immutable", false},
		{"/favicon.svg", "br", 200, "<svg></svg>", "", "image/svg+xml", "no-cache", false},
		{"/assets/a-1.js.br", "br", 404, "", "", "", "", false},
		{"/assets/a-1.js.gz", "", 404, "", "", "", "", false},
		{"/.built", "", 404, "", "", "", "", false},
	} {
		for _, method := range []string{"GET", "HEAD"} {
			res := get(t, h, method, tc.target, "Accept-Encoding", tc.accept)
			name := method + " " + tc.target + " " + tc.accept
			if res.StatusCode != tc.status {
				t.Errorf("%s: %d", name, res.StatusCode)
			}
			if tc.status != http.StatusOK {
				continue
			}
			hd := res.Header
			if hd.Get("Content-Encoding") != tc.coding || hd.Get("Content-Type") != tc.media || hd.Get("Cache-Control") != tc.cache ||
				hd.Get("Content-Length") != strconv.Itoa(len(tc.content)) || (hd.Get("Vary") == "Accept-Encoding") != tc.variesByEncoding {
				t.Errorf("%s: %v", name, hd)
			}
			want := tc.content
			if method == "HEAD" {
				want = ""
			}
			if got := body(t, res); got != want {
				t.Errorf("%s: %q", name, got)
			}
		}
	}
}

// TestTags: each coding has its own tag, and only that one matches.
func TestTags(t *testing.T) {
	t.Parallel()
	h := newTestSite(t, testTree())
	tags := map[string]string{}
	for _, c := range []string{"br", "gzip", "identity"} {
		tags[c] = get(t, h, "GET", "/assets/a-1.js", "Accept-Encoding", c).Header.Get("Etag")
	}
	if tags["br"] == tags["gzip"] || tags["br"] == tags["identity"] || tags["gzip"] == tags["identity"] || tags["br"] == "" {
		t.Fatalf("tags %v", tags)
	}
	for _, tc := range []struct {
		match string
		want  int
	}{
		{tags["br"], 304}, {"W/" + tags["br"], 304}, {`"x", ` + tags["br"], 304}, {"*", 304},
		{tags["gzip"], 200}, {tags["identity"], 200}, {`"x"`, 200}, {"", 200},
	} {
		res := get(t, h, "GET", "/assets/a-1.js", "Accept-Encoding", "br", "If-None-Match", tc.match)
		if res.StatusCode != tc.want || res.Header.Get("Etag") != tags["br"] || res.Header.Get("Vary") != "Accept-Encoding" {
			t.Errorf("%s: %d %v", tc.match, res.StatusCode, res.Header)
		}
		if tc.want == 304 && (body(t, res) != "" || res.Header.Get("Content-Encoding") != "") {
			t.Errorf("%s: a body, or its headers: %v", tc.match, res.Header)
		}
	}
}
