package middleware

import (
	"crypto/rand"
	"net/http"
)

// RequestID returns the client's X-Request-Id when there is exactly one and it
// is well-formed, otherwise a new one of 26 characters (at least 128 bits).
func RequestID(h http.Header) string {
	if v := h["X-Request-Id"]; len(v) == 1 && validRequestID(v[0]) {
		return v[0]
	}
	return rand.Text()
}

// validRequestID reports whether s is 8 to 64 of A-Z a-z 0-9 . _ -, which is
// safe in a header, a log line and a text column.
func validRequestID(s string) bool {
	if len(s) < 8 || len(s) > 64 {
		return false
	}
	for i := range len(s) {
		c := s[i]
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == '-':
		default:
			return false
		}
	}
	return true
}
