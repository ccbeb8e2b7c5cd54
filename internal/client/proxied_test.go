package client

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

// said returns a response that is not Keyward's.
func said(status int, mediaType, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header()["Content-Type"] = nil
		if mediaType != "" {
			w.Header().Set("Content-Type", mediaType)
		}
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// away are what proxies answer by themselves while Keyward is away.
var away = map[string]http.HandlerFunc{
	"HAProxy": said(503, "text/html", "<html><body><h1>503 Service Unavailable</h1>\n"+
		"No server is available to handle this request.\n</body></html>\n"),
	"nginx": said(502, "text/html", "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n"+
		"<center><h1>502 Bad Gateway</h1></center>\r\n<hr><center>nginx/1.22.1</center>\r\n</body>\r\n</html>\r\n"),
	"nginx, too slow": said(504, "text/html", "<html>\r\n<head><title>504 Gateway Time-out</title></head>\r\n</html>\r\n"),
	"Apache": said(503, "text/html; charset=iso-8859-1", `<!DOCTYPE HTML PUBLIC "-//IETF//DTD HTML 2.0//EN">`+
		"\n<html><head>\n<title>503 Service Unavailable</title>\n</head></html>\n"),
	"Apache, died": said(500, "text/html; charset=iso-8859-1", "<!DOCTYPE HTML><title>500 Internal Server Error</title>"),
	"Apache, ours": said(502, "application/problem+json",
		`{"status":502,"code":"backend_unavailable","detail":"The proxy has lost it. Try again."}`, "Retry-After", "2"),
	"Caddy":              said(502, "", ""),
	"Traefik":            said(502, "text/plain; charset=utf-8", "Bad Gateway"),
	"Traefik, no server": said(503, "text/plain; charset=utf-8", "no available server\n"),
	"a cloud's":          said(503, "application/json", `{"message":"Service Unavailable"}`),
}

// TestBehindProxy: a proxy's own page is Keyward that is away for now, and a reading request is sent again.
func TestBehindProxy(t *testing.T) {
	t.Parallel()
	for name, page := range away {
		b, p, pauses := setup(t, reply(200, signedIn), page, reply(200, `{"serial":"1234"}`))
		login(t, b)
		if d, err := b.Device(t.Context(), "1234"); err != nil || d.Serial != "1234" || len(*pauses) != 1 || (*pauses)[0] != 2*time.Second {
			t.Errorf("%s: %v, pauses %v", name, err, *pauses)
		}
		p.plan = []http.HandlerFunc{page}
		_, err := b.StartRotation(t.Context(), "1234", NewRotation{})
		if e, ok := errors.AsType[*Error](err); !ok || !fault.Is(err, fault.BackendUnavailable) || e.Status != http.StatusServiceUnavailable ||
			!strings.Contains(err.Error(), "proxy") || !strings.Contains(err.Error(), "ry again") || strings.ContainsAny(err.Error(), "<>") {
			t.Errorf("%s: %v", name, err)
		}
		if n := len(p.requests()); n != 4 {
			t.Errorf("%s: a change was sent again: %d requests", name, n)
		}
		if b.SessionID() == 0 {
			t.Errorf("%s: signed out", name)
		}
	}
	b, _, pauses := setup(t, reply(200, signedIn), said(503, "text/html", "<html>", "Retry-After", "7"), reply(200, `{}`))
	login(t, b)
	if _, err := b.Device(t.Context(), "1234"); err != nil || (*pauses)[0] != 7*time.Second {
		t.Errorf("the proxy's own Retry-After: %v, %v", err, *pauses)
	}
}

// TestSignInPageBetween: a network's page in the server's place is no success, and the error says what it is.
func TestSignInPageBetween(t *testing.T) {
	t.Parallel()
	page := said(200, "text/html; charset=utf-8", "<!doctype html><title>Guest Wi-Fi</title>")
	b, p, _ := setup(t, page)
	_, err := b.Login(t.Context(), "alice", secret.New("pw"))
	errs := []error{err}
	p.plan = []http.HandlerFunc{reply(200, signedIn)}
	login(t, b)
	p.plan = []http.HandlerFunc{page}
	_, err = b.Device(t.Context(), "1234")
	errs = append(errs, err, b.Reauthenticate(t.Context(), secret.New("pw")))
	for i, err := range errs {
		if err == nil || !strings.Contains(err.Error(), "web page") || strings.ContainsAny(err.Error(), "<>") {
			t.Errorf("%d: %v", i, err)
		}
	}
}
