package e2e_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
)

// relying is a certificate in files, and where its CA answers.
type relying struct {
	*installation
	dir       string
	number    string // serial number, hex
	responder string
}

func (r *relying) file(name string) string { return filepath.Join(r.dir, name) }

// certified signs a certificate for jdoe with a key in a file.
func certified(t *testing.T, settings ...string) *relying {
	t.Helper()
	w := newWatch()
	r := &relying{installation: install(t, w, append(settings, "PKI_OCSP=on")...), dir: t.TempDir()}
	r.responder = r.base + "/api/pki/ocsp"
	r.register(t, "20260009")
	mustOpenssl(t, "req", "-new", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=jdoe",
		"-keyout", r.file("key.pem"), "-out", r.file("csr.pem"))
	csr := string(must.Get(os.ReadFile(r.file("csr.pem")))(t))
	out := r.admin.must(http.StatusOK, http.MethodPost, "/api/hwkey/20260009/sign-csr", m{"csr": csr, "reason": "a test of OCSP"})
	r.number = out["serial_number"].(string)
	must.OK(t, os.WriteFile(r.file("cert.pem"), []byte(out["certificate"].(string)), 0o600))
	_, _, ca := curl(t, r.base+"/api/pki/ca")
	must.OK(t, os.Rename(ca, r.file("ca.pem")))
	return r
}

func (r *relying) revoke(t *testing.T) {
	t.Helper()
	r.admin.must(http.StatusOK, http.MethodPost, "/api/certificates/"+r.number+"/revoke", m{"reason": "superseded"})
}

// asks has openssl ask about the certificate, and verify the answer by the CA alone.
func (r *relying) asks(t *testing.T, args ...string) string {
	t.Helper()
	return mustOpenssl(t, append([]string{"ocsp", "-issuer", r.file("ca.pem"), "-CAfile", r.file("ca.pem"), "-url", r.responder}, args...)...)
}

// TestOCSP: openssl learns of a revocation at once, with a nonce and without, by POST and by GET;
// another CA's answer is refused.
func TestOCSP(t *testing.T) {
	t.Parallel()
	r := certified(t)
	if text := mustOpenssl(t, "x509", "-in", r.file("cert.pem"), "-noout", "-ocsp_uri"); text != siteURL+"/api/pki/ocsp\n" {
		t.Errorf("the address in the certificate: %q", text)
	}
	judge := func(want string) {
		t.Helper()
		for _, args := range [][]string{nil, {"-no_nonce"}, {"-sha256", "-no_nonce"}} { // the second and third are cached
			args = append(args, "-cert", r.file("cert.pem"))
			if text := r.asks(t, args...); !strings.Contains(text, "Response verify OK") || !strings.Contains(text, "cert.pem: "+want) ||
				strings.Contains(text, "WARNING") {
				t.Errorf("%v: %s", args, text)
			}
		}
	}
	judge("good")
	get := func() (headers map[string]string, answer string) {
		t.Helper()
		mustOpenssl(t, "ocsp", "-issuer", r.file("ca.pem"), "-cert", r.file("cert.pem"), "-no_nonce", "-reqout", r.file("request"))
		der := must.Get(os.ReadFile(r.file("request")))(t)
		status, headers, file := curl(t, r.responder+"/"+base64.StdEncoding.EncodeToString(der))
		if status != "200" || headers["content-type"] != "application/ocsp-response" {
			t.Fatalf("by GET: %s %v", status, headers)
		}
		text := mustOpenssl(t, "ocsp", "-respin", file, "-issuer", r.file("ca.pem"), "-CAfile", r.file("ca.pem"),
			"-cert", r.file("cert.pem"), "-no_nonce")
		return headers, text
	}
	headers, text := get()
	if !strings.Contains(text, "cert.pem: good") || headers["etag"] == "" || headers["expires"] == "" ||
		!strings.HasPrefix(headers["cache-control"], "public, no-transform, must-revalidate, max-age=1") {
		t.Errorf("by GET: %s %v", text, headers)
	}
	if text := r.asks(t, "-serial", "0x0102"); !strings.Contains(text, "0x0102: unknown") {
		t.Errorf("an unknown serial number: %s", text)
	}
	r.revoke(t)
	await.That(t, "the cached answer is gone", func() bool {
		return strings.Contains(r.asks(t, "-no_nonce", "-cert", r.file("cert.pem")), "cert.pem: revoked")
	})
	judge("revoked")
	if _, text := get(); !strings.Contains(text, "cert.pem: revoked") || !strings.Contains(text, "Reason: superseded") {
		t.Errorf("by GET, after it was revoked: %s", text)
	}
	mustOpenssl(t, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=Another CA",
		"-keyout", r.file("other.key"), "-out", r.file("other.pem"))
	if text, _ := openssl(t, "ocsp", "-issuer", r.file("other.pem"), "-CAfile", r.file("other.pem"), "-cert", r.file("cert.pem"),
		"-url", r.responder); !strings.Contains(text, "unauthorized (6)") {
		t.Errorf("asked by another CA: %s", text)
	}
}

// TestNginxOCSP: nginx, which asks the responder about each client certificate, lets a person in,
// and refuses them once the certificate is revoked.
func TestNginxOCSP(t *testing.T) {
	t.Parallel()
	r := certified(t)
	mustOpenssl(t, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
		"-keyout", r.file("server.key"), "-out", r.file("server.pem"))
	address := host.Address() + ":18444"
	must.OK(t, os.WriteFile(r.file("nginx.conf"), fmt.Appendf(nil, `daemon off;
master_process off;
pid nginx.pid;
events { worker_connections 64; }
http {
    access_log off;
    client_body_temp_path body; proxy_temp_path proxy; fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
    server {
        listen %s ssl;
        ssl_certificate server.pem;
        ssl_certificate_key server.key;
        ssl_client_certificate ca.pem;
        ssl_verify_client on;
        ssl_ocsp leaf;
        ssl_ocsp_responder %s;
        location / { return 200 $ssl_client_s_dn; }
    }
}
`, address, r.responder), 0o600))
	nginx := must.Get(exec.LookPath("nginx"))(t)
	cmd := exec.Command(nginx, "-p", r.dir, "-c", "nginx.conf", "-e", "stderr")
	cmd.Env = environ(r.dir)
	p := process.Start(t, "nginx", cmd)
	ask := func() (status, body string) {
		t.Helper()
		file := r.file("answer")
		status, _, _ = tool(t, environ(r.dir), nil, "curl", "--silent", "--insecure", "--output", file, "--write-out", "%{http_code}",
			"--cert", r.file("cert.pem"), "--key", r.file("key.pem"), "https://"+address+"/")
		raw, _ := os.ReadFile(file) // none before nginx listens
		return status, string(raw)
	}
	var status, body string
	await.That(t, "nginx answers", func() bool { status, body = ask(); return status != "000" })
	if status != "200" || body != "CN=jdoe" {
		t.Fatalf("before it is revoked: %s %s\n%s", status, body, p.Log.String())
	}
	r.revoke(t)
	began := time.Now()
	await.That(t, "nginx refuses", func() bool { status, body = ask(); return status != "200" })
	t.Logf("refused after %v", time.Since(began))
	if status != "400" || !strings.Contains(body, "certificate status \"revoked\"") && !strings.Contains(body, "SSL certificate error") {
		t.Errorf("once it is revoked: %s %s", status, body)
	}
}
