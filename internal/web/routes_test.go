package web

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	routePath = regexp.MustCompile(`(?m)^  path: (?:"([^"$][^"]*)"|doneHere),$`)
	parameter = regexp.MustCompile(`\$\w+`)
)

// TestRoutes: the server knows exactly the pages that exist.
func TestRoutes(t *testing.T) {
	t.Parallel()
	source, err := os.ReadFile("../../ui/src/routes.tsx")
	if err != nil {
		t.Fatal(err)
	}
	var want []string
	for _, found := range routePath.FindAllStringSubmatch(string(source), -1) {
		if found[1] == "" {
			found[1] = "/signed-in"
		}
		want = append(want, parameter.ReplaceAllString(found[1], "*"))
	}
	got := slices.Sorted(slices.Values(routes))
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

// TestUnknownPage: an unknown address gets a page that says so, and a 404.
func TestUnknownPage(t *testing.T) {
	t.Parallel()
	h := newTestSite(t, testTree())
	for target, status := range map[string]int{
		"/": 200, "/index.html": 200, "/tokens/": 200, "/tokens/20260001": 200, "/admin/webhooks/3?status=failed": 200,
		"/no/such/page": 404, "/tokens/1/2": 404, "/tokens//": 404, "/admin": 404, "/system/": 404, "/*": 404,
	} {
		res := get(t, h, "GET", target)
		text := body(t, res)
		if res.StatusCode != status || !strings.Contains(text, "keyward-agent") || res.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: %d %s", target, res.StatusCode, text)
		}
	}
}
