package web

import (
	"net/http"
	"strings"
)

// bare is the policy of everything except the page: it loads nothing, runs
// nothing and cannot be framed.
const bare = "default-src 'none'; frame-ancestors 'none'"

// headers are set on every answer, including refusals.
type headers map[string]string

func newHeaders(siteURL string) headers {
	h := headers{
		"Content-Security-Policy": bare,
		"X-Content-Type-Options":  "nosniff",
		"X-Frame-Options":         "DENY", // for browsers that do not know frame-ancestors
		"Referrer-Policy":         "no-referrer",
		// No window of another origin keeps a handle to ours, and no page of
		// another origin can embed what we serve.
		"Cross-Origin-Opener-Policy":   "same-origin",
		"Cross-Origin-Resource-Policy": "same-origin",
		"Permissions-Policy": "accelerometer=(), autoplay=(), camera=(), display-capture=(), geolocation=(), gyroscope=(), " +
			"hid=(), magnetometer=(), microphone=(), midi=(), payment=(), serial=(), usb=()",
	}
	if strings.HasPrefix(siteURL, "https://") {
		h["Strict-Transport-Security"] = "max-age=31536000"
	}
	return h
}

func (h headers) set(to http.Header) {
	for name, value := range h {
		to.Set(name, value)
	}
}
