package app

import (
	"log/slog"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/await"
)

// TestRemark: a start logs only the worst remark on SITE_URL and on the addresses in
// certificates.
func TestRemark(t *testing.T) {
	t.Parallel()
	const here, secure, plain, pki = "http://localhost:8080", "https://keys.example.org", "http://keys.example.org", "http://pki.example.org"
	for _, c := range []struct{ site, certificates, want string }{
		{secure, pki, ""},
		{secure, "", ""},
		{here, "", ""},
		{here, pki, ""},
		{here, here, `level=WARN msg="SITE_URL works only on this computer`},
		{"https://127.0.0.1", "https://127.0.0.1", `level=WARN msg="SITE_URL works only on this computer`},
		{secure, here, `level=WARN msg="PKI_BASE_URL works only on this computer`},
		{plain, here, `level=WARN msg="PKI_BASE_URL works only on this computer`},
		{here, "http://[::1]:9000", `level=WARN msg="PKI_BASE_URL works only on this computer`},
		{plain, plain, `level=WARN msg="SITE_URL is plain http`},
		{plain, "", `level=WARN msg="SITE_URL is plain http`},
		{plain, secure, `level=WARN msg="SITE_URL is plain http`},
		{secure, secure, `level=INFO msg="certificates name their revocation list at an https address`},
		{here, secure, `level=INFO msg="certificates name their revocation list at an https address`},
	} {
		var log await.Text
		remark(slog.New(slog.NewTextHandler(&log, nil)), c.site, c.certificates)
		lines := strings.Count(log.String(), "\n")
		if !strings.Contains(log.String(), c.want) || (lines > 0) != (c.want != "") || lines > 1 {
			t.Errorf("%s, certificates %q: %q, want %q", c.site, c.certificates, log.String(), c.want)
		}
	}
}
