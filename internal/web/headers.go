package web

import (
	"net/http"
	"strings"
)

// bare is the policy of everything but the page: it loads nothing, runs
// nothing and stands in no frame.
const bare = "default-src 'none'; frame-ancestors 'none'"

// headers are those that every answer has, the refusals too.
type headers map[string]string

func newHeaders(siteURL string) headers {
	h := headers{
		"Content-Security-Policy": bare,
		"X-Content-Type-Options":  "nosniff",
		"X-Frame-Options":         "DENY", // for what does not know frame-ancestors
		"Referrer-Policy":         "no-referrer",
		// No window of another origin keeps a handle on ours, and no page of
		// another origin embeds what we serve.
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
