package web

import "strings"

// routes are the addresses of pages; a * stands for one item, such as a token.
// A test compares them with ui/src/routes.tsx.
var routes = []string{
	"/", "/login", "/admin-login", "/invitation", "/signed-in", "/restoring",
	"/tokens", "/tokens/*", "/tokens/*/replace", "/certificates", "/certificates/*", "/profile",
	"/admin/desk", "/admin/tokens", "/admin/tokens/import", "/admin/people", "/admin/people/*", "/admin/people/import",
	"/admin/organizations", "/admin/organizations/*",
	"/admin/profiles", "/admin/profiles/*", "/admin/cas", "/admin/audit",
	"/admin/compliance", "/admin/api-keys", "/admin/webhooks", "/admin/webhooks/*",
	"/system/health", "/system/backups", "/system/license", "/system/mail", "/system/settings",
}

// isPage reports whether an address is that of a page.
func isPage(at string) bool {
	segments := strings.Split(strings.TrimSuffix(at, "/"), "/")
	for _, route := range routes {
		if fits(segments, strings.Split(strings.TrimSuffix(route, "/"), "/")) {
			return true
		}
	}
	return false
}

func fits(segments, route []string) bool {
	if len(segments) != len(route) {
		return false
	}
	for i, s := range route {
		if s != segments[i] && (s != "*" || segments[i] == "") {
			return false
		}
	}
	return true
}
