package web

import "strings"

// routes are the addresses that name a page; a * stands for one thing, such as
// a token. They are those of ui/src/routes.tsx, to which a test holds them.
var routes = []string{
	"/", "/login", "/admin-login", "/invitation", "/signed-in", "/restoring",
	"/tokens", "/tokens/*", "/certificates", "/certificates/*", "/profile",
	"/admin/tokens", "/admin/tokens/import", "/admin/people", "/admin/people/import", "/admin/organizations", "/admin/audit",
	"/admin/compliance", "/admin/api-keys", "/admin/webhooks", "/admin/webhooks/*",
	"/system/health", "/system/backups", "/system/license", "/system/mail", "/system/settings",
}

// isPage tells whether an address names a page.
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
