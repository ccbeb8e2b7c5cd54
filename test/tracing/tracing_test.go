// Package tracing_test sends a server's traces to OpenTelemetry's own Collector.
package tracing_test

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"log"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/host"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/process"
	"github.com/keyward/keyward/test/s3server"
	"github.com/keyward/keyward/test/server"
	"github.com/keyward/keyward/test/smtpserver"
	"github.com/keyward/keyward/test/vaultserver"
)

func TestMain(m *testing.M) { os.Exit(s3server.Main(m.Run)) }

// span is one as the Collector passes it on (OTLP, JSON).
type span struct {
	TraceID, SpanID, ParentSpanID, Name string
}

// backend is what the Collector passes the spans on to.
type backend struct {
	mu    sync.Mutex
	raw   strings.Builder
	spans []span
}

func (b *backend) ServeHTTP(_ http.ResponseWriter, r *http.Request) {
	raw, err := io.ReadAll(r.Body)
	var sent struct {
		ResourceSpans []struct{ ScopeSpans []struct{ Spans []span } }
	}
	if err == nil {
		err = json.Unmarshal(raw, &sent)
	}
	if err != nil {
		panic(err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.raw.Write(raw)
	for _, of := range sent.ResourceSpans {
		for _, scope := range of.ScopeSpans {
			b.spans = append(b.spans, scope.Spans...)
		}
	}
}

// text is all that came.
func (b *backend) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.raw.String()
}

// named are the spans whose names begin so.
func (b *backend) named(prefix string) []span {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(b.spans), func(s span) bool { return !strings.HasPrefix(s.Name, prefix) })
}

// collect runs the Collector, and has this process' servers send it their spans.
func collect(t *testing.T) *backend {
	t.Helper()
	b := &backend{}
	to := httptest.NewServer(b)
	t.Cleanup(to.Close)
	address := net.JoinHostPort(host.Address(), "4318")
	config := filepath.Join(t.TempDir(), "collector.yaml")
	must.OK(t, os.WriteFile(config, fmt.Appendf(nil, `
receivers: {otlp: {protocols: {http: {endpoint: %q}}}}
exporters: {otlp_http: {endpoint: %q, encoding: json, compression: none, sending_queue: {enabled: false}}}
service:
  telemetry: {metrics: {level: none}}
  pipelines: {traces: {receivers: [otlp], exporters: [otlp_http]}}
`, address, to.URL), 0o600))
	path := must.Get(exec.Command("../../scripts/tool", "--path", "otelcol").Output())(t)
	cmd := exec.Command(strings.TrimSpace(string(path)), "--config", config)
	cmd.Env = []string{}
	process.Start(t, "otelcol", cmd)
	await.That(t, "the Collector listens", func() bool {
		conn, err := net.Dial("tcp", address)
		if err == nil {
			_ = conn.Close()
		}
		return err == nil
	})
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", "http://"+address)
	t.Setenv("OTEL_BSP_SCHEDULE_DELAY", "100")
	return b
}

// TestTraces: requests, SQL, vault, S3, mail and webhooks are in the traces, and nothing of whom or
// what they were about.
func TestTraces(t *testing.T) {
	b := collect(t)
	post := smtpserver.Start(t)
	ear := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	ear.Config.ErrorLog = log.New(io.Discard, "", 0)
	ear.StartTLS()
	t.Cleanup(ear.Close)
	hearsCA := filepath.Join(t.TempDir(), "ca.pem")
	must.OK(t, os.WriteFile(hearsCA, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ear.Certificate().Raw}), 0o600))
	settings := server.Settings{
		"DATABASE_URL": engine.Postgres(t), "SITE_URL": vaultserver.PublicBase,
		"WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8", "WEBHOOK_CA_FILE": hearsCA,
	}
	maps.Copy(settings, vaultserver.Settings(t, vaultserver.Shared(t).Prepared(t)))
	base := server.Start(t, t.TempDir(), settings)
	c := server.NewClient(t, base)
	admin, _ := c.SignIn(t, "admin", server.Password)

	const serial, person, passphrase = "20260731", "zebedee", "correct horse battery"
	store := s3server.Shared(t)
	bucket := store.Bucket(t)
	c.Must(t, "PUT", "/api/admin/settings/mail", admin, server.Fields{
		"enabled": true, "host": smtpserver.Host, "port": post.Port, "security": "none", "from": "from-" + person + "@example.org",
	})
	hook := c.Must(t, "POST", "/api/admin/webhooks", admin, server.Fields{"url": ear.URL + "/hook-of-" + person, "description": "all"})
	user := c.Must(t, "POST", "/api/admin/users", admin, server.Fields{"username": person, "email": person + "@example.org"})
	c.Must(t, "POST", fmt.Sprintf("/api/admin/users/%v/invite", user["id"]), admin, nil)
	c.Must(t, "POST", "/api/hwkey", admin, server.Fields{"serial": serial, "firmware_version": "5.4.3", "owner_id": user["id"]})
	c.Must(t, "PUT", "/api/backup/settings", admin, server.Fields{
		"store": "s3", "s3_endpoint": store.Plain, "region": "eu-test-1", "bucket": bucket, "use_path_style": true, "prefix": person + "/",
		"access_key_id": s3server.AccessKeyID, "secret_access_key": s3server.SecretKey, "encryption_password": passphrase,
	})
	job := c.Must(t, "POST", "/api/backup/trigger", admin, server.Fields{"type": "full"})
	await.That(t, "the backup is over", func() bool {
		job = c.Must(t, "GET", fmt.Sprint("/api/backup/jobs/", job["job_id"]), admin, nil)
		return job["finished_at"] != nil
	})
	if job["status"] != "Completed" {
		t.Fatalf("the backup: %v", job)
	}

	for _, name := range []string{
		"POST /api/hwkey", "SQL ", "insert", "vault POST", "send mail", "deliver webhook", "backup job", "task: ", "S3 ",
	} {
		await.That(t, "a span "+name, func() bool { return len(b.named(name)) > 0 })
	}
	request := b.named("POST /api/hwkey")[0]
	for _, name := range []string{"SQL ", "vault POST"} {
		if !slices.ContainsFunc(b.named(name), func(s span) bool { return s.TraceID == request.TraceID && s.ParentSpanID != "" }) {
			t.Errorf("no span %q belongs to the request", name)
		}
	}
	for _, private := range []string{
		serial, person, passphrase, admin, server.Password, s3server.AccessKeyID, s3server.SecretKey, settings["VAULT_ROLE_ID"],
		settings["VAULT_SECRET_ID"], hook["secret"].(string), "hook-of",
	} {
		if strings.Contains(b.text(), private) {
			t.Errorf("the traces tell %q", private)
		}
	}
}

// TestWhoseTrace: a frontend does not let a stranger choose the trace, and the backend behind it
// continues the frontend's.
func TestWhoseTrace(t *testing.T) {
	b := collect(t)
	base := server.Start(t, t.TempDir(), nil)
	front := server.Frontend(t, server.Settings{"BACKEND_URL": base, "TRUSTED_PROXIES": "192.0.2.0/24"})
	const chosen = "0af7651916cd43dd8448eb211c80319c"
	ask := func(url string) {
		t.Helper()
		r := must.Get(http.NewRequestWithContext(t.Context(), http.MethodGet, url+"/api/auth/me", nil))(t)
		r.Header.Set("Traceparent", "00-"+chosen+"-b7ad6b7169203331-01")
		res := must.Get(http.DefaultClient.Do(r))(t)
		_ = res.Body.Close()
	}
	ask(front)
	await.That(t, "spans of both", func() bool { return len(b.named("backend GET")) == 1 && len(b.named("GET /api/auth/me")) == 1 })
	passed, answered := b.named("backend GET")[0], b.named("GET /api/auth/me")[0]
	if answered.ParentSpanID != passed.SpanID || answered.TraceID != passed.TraceID || passed.TraceID == chosen {
		t.Errorf("passed on by %+v, answered by %+v", passed, answered)
	}
	ask(base) // this machine's proxy, as far as the backend knows
	await.That(t, "the proxy's trace", func() bool {
		return slices.ContainsFunc(b.named("GET /api/auth/me"), func(s span) bool { return s.TraceID == chosen })
	})
}
