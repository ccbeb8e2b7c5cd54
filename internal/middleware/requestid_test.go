package middleware

import (
	"net/http"
	"strings"
	"testing"
)

func FuzzRequestID(f *testing.F) {
	f.Add("12345678")
	f.Add("a\r\nSet-Cookie: x")
	f.Fuzz(func(t *testing.T, text string) {
		got := RequestID(http.Header{"X-Request-Id": {text}})
		if len(got) < 8 || len(got) > 64 || strings.Trim(got, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._-") != "" {
			t.Errorf("%q became %q", text, got)
		}
	})
}
