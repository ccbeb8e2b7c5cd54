package app_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/httpapi/apitest"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// agentKey stands for a workstation agent; its private half shows what a
// release holds. One for all tests: 4096 bits take a while.
var agentKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 4096)
	if err != nil {
		panic(err)
	}
	return key
})

const adminPassword = "a first password"

// server is a running server with a client for it.
type server struct {
	t     *testing.T
	cfg   config.Config // as it was started with
	data  string
	base  string
	meter string // where its metrics are
	logs  *await.Text
	out   *await.Text
	stop  func() error
}

func testConfig(t *testing.T, data string) config.Config {
	t.Helper()
	return config.Config{
		AgentURL: "http://127.0.0.1:56123",
		Data:     data, Listen: "127.0.0.1:0", MetricsListen: "127.0.0.1:0", ShutdownTimeout: 10 * time.Second,
		AccessTokenMinutes: 30, SessionLifetime: time.Hour, RefreshTokenLifetime: 7 * 24 * time.Hour, DeviceBinding: "log",
		// less than Load allows: the tests sign in by the hundred
		PasswordMinLength: 8, Argon2Concurrency: 2, Argon2MemoryMiB: 1, Argon2Passes: 1,
		AdminPassword: secret.New(adminPassword),
		CAKeyType:     "ec-p256", KeyTypes: []string{"rsa-2048"}, SubjectPolicy: "owner",
		CertTTL: 8760 * time.Hour, Attestation: "verify",
	}
}

func start(t *testing.T, cfg config.Config) *server {
	t.Helper()
	return startBy(t, cfg, app.Run)
}

// startBy starts a whole server, or a part.
func startBy(
	t *testing.T, cfg config.Config, run func(context.Context, string, config.Config, *slog.Logger, io.Writer, func(app.Addrs)) error,
) *server {
	t.Helper()
	if _, err := os.Stat(filepath.Join(cfg.Data, "keyward.db")); cfg.DatabaseURL.Empty() && err != nil { // not one with an installation
		cfg.DatabaseURL = secret.New(engine.Database(t, cfg.Data))
	}
	_, embedded := ownVault.Load(cfg.Data)
	onMounts := vaultserver.Wanted(t) && cfg.VaultAddr == "" && !embedded
	if onMounts {
		cfg = onVault(cfg, vaultserver.ForData(t, cfg.Data))
	}
	s := startAs(t, cfg, run)
	if onMounts {
		vaultserver.Site(t, cfg.Data, cmp.Or(cfg.SiteURL, strings.Replace(s.base, "127.0.0.1", "localhost", 1)))
	}
	return s
}

// startAs starts it on exactly the engines that the settings name.
func startAs(
	t *testing.T, cfg config.Config, run func(context.Context, string, config.Config, *slog.Logger, io.Writer, func(app.Addrs)) error,
) *server {
	t.Helper()
	s := &server{t: t, cfg: cfg, data: cfg.Data, logs: &await.Text{}, out: &await.Text{}}
	ctx, cancel := context.WithCancel(context.Background())
	ready := make(chan app.Addrs, 1)
	done := make(chan error, 1)
	log := slog.New(slog.NewJSONHandler(s.logs, &slog.HandlerOptions{Level: slog.LevelDebug}))
	go func() { done <- run(ctx, "test", cfg, log, s.out, func(a app.Addrs) { ready <- a }) }()
	select {
	case a := <-ready:
		s.base, s.meter = cfg.Scheme()+"://"+a.API, "http://"+a.Metrics+"/metrics"
	case err := <-done:
		t.Fatalf("the server did not start: %v", err)
	}
	s.stop = sync.OnceValue(func() error { cancel(); return <-done })
	t.Cleanup(func() {
		if err := s.stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	if cfg.Scheme() == "http" { // with TLS, the test trusts its own certificate
		s.welcomes()
	}
	return s
}

// welcomes waits until requests are accepted: a server listens earlier when its first
// comparison takes long. Without its vault it never does.
func (s *server) welcomes() {
	s.t.Helper()
	await.That(s.t, "the server is ready", func() bool {
		if status, _ := s.call("GET", "/readyz", "", nil); status == http.StatusOK {
			return true
		}
		_, health := s.call("GET", "/api/health", "", nil)
		return health["vault"] == "sealed"
	})
}

// call sends a request and returns status and answer. body may be nil.
func (s *server) call(method, path, token string, body any) (int, map[string]any) {
	s.t.Helper()
	var reader io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			s.t.Fatal(err)
		}
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequest(method, s.base+path, reader)
	if err != nil {
		s.t.Fatal(err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := apitest.Client(s.t).Do(req)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	var out map[string]any
	if len(raw) > 0 && strings.Contains(res.Header.Get("Content-Type"), "json") {
		if err := json.Unmarshal(raw, &out); err != nil {
			s.t.Fatalf("%s %s: %v in %q", method, path, err, raw)
		}
	}
	return res.StatusCode, out
}

// must is call with the expected status.
func (s *server) must(status int, method, path, token string, body any) map[string]any {
	s.t.Helper()
	got, out := s.call(method, path, token, body)
	if got != status {
		s.t.Fatalf("%s %s: %d %v, want %d", method, path, got, out, status)
	}
	return out
}

// login returns an access token and the session's id.
func (s *server) login(username, password string) (token string, session int) {
	s.t.Helper()
	out := s.must(200, "POST", "/api/auth/login", "", map[string]any{"username": username, "password": password})
	return out["access_token"].(string), int(out["session_id"].(float64))
}

func (s *server) registerAgent(token string, session int) {
	s.t.Helper()
	der, err := x509.MarshalPKIXPublicKey(&agentKey().PublicKey)
	if err != nil {
		s.t.Fatal(err)
	}
	public := string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	s.must(200, "POST", "/api/session/"+strconv.Itoa(session)+"/register-agent", token,
		map[string]any{"public_key": public, "hostname": "ws-1"})
}

// open decrypts as the agent does, written from the contract alone.
func open(t *testing.T, serial, field, sealed string) string {
	t.Helper()
	c, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		t.Fatal(err)
	}
	p, err := rsa.DecryptOAEP(sha256.New(), nil, agentKey(), c, []byte("keyward/1/"+serial+"/"+field))
	if err != nil {
		t.Fatalf("open %s: %v", field, err)
	}
	return string(p)
}

func TestMainJob(t *testing.T) {
	t.Parallel()
	s := start(t, testConfig(t, t.TempDir()))
	admin, _ := s.login("admin", adminPassword)
	owner := s.must(201, "POST", "/api/admin/users", admin,
		map[string]any{"username": "jdoe", "email": "jdoe@example.org", "password": "jdoe's password"})
	key := s.must(201, "POST", "/api/hwkey", admin, map[string]any{"serial": "20260001", "firmware_version": "5.4.3", "owner_id": owner["id"]})
	if key["status"] != "assigned" {
		t.Errorf("status %v, want assigned", key["status"])
	}
	user, session := s.login("jdoe", "jdoe's password")
	if status, out := s.call("GET", "/api/hwkey/20260001/secrets", user, nil); status != 409 || out["code"] != "agent_not_registered" {
		t.Errorf("secrets without an agent: %d %v", status, out["code"])
	}
	s.registerAgent(user, session)

	secrets := s.must(200, "GET", "/api/hwkey/20260001/secrets?fields=pin,puk,management_key&candidates=true", user, nil)
	pin := open(t, "20260001", "pin", secrets["pin"].(string))
	if len(pin) != 8 {
		t.Errorf("the PIN has %d digits", len(pin))
	}
	kinds := []string{}
	for _, c := range secrets["candidates"].(map[string]any)["pin"].([]any) {
		kinds = append(kinds, c.(map[string]any)["kind"].(string))
	}
	if strings.Join(kinds, " ") != "current factory" {
		t.Errorf("candidates %v", kinds)
	}
	rotation := s.must(201, "POST", "/api/hwkey/20260001/rotations", user, map[string]any{"fields": []string{"pin"}, "pin": "135790"})
	if got := open(t, "20260001", "pin", rotation["next"].(map[string]any)["pin"].(string)); got != "135790" {
		t.Errorf("next PIN is not the chosen one")
	}
	s.must(409, "POST", "/api/hwkey/20260001/rotations", user, map[string]any{"fields": []string{"puk"}})
	s.must(200, "POST", "/api/hwkey/20260001/rotations/1/commit", user, nil)
	secrets = s.must(200, "GET", "/api/hwkey/20260001/secrets", user, nil)
	if got := open(t, "20260001", "pin", secrets["pin"].(string)); got != "135790" {
		t.Errorf("the committed PIN is not current")
	}
	s.certificate(user, admin)
	s.noSecretLeft(pin, "135790", "jdoe's password", adminPassword)
}

func (s *server) certificate(user, admin string) {
	t := s.t
	key, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: subject("jdoe")}, key)
	if err != nil {
		t.Fatal(err)
	}
	csr := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
	if ready := s.must(200, "GET", "/api/hwkey/20260001/signing-readiness", user, nil); ready["ready"] != true {
		t.Errorf("readiness: %v", ready)
	}
	signed := s.must(200, "POST", "/api/hwkey/20260001/sign-csr", user, map[string]any{"csr": csr})
	again := s.must(200, "POST", "/api/hwkey/20260001/sign-csr", user, map[string]any{"csr": csr})
	if again["serial_number"] != signed["serial_number"] {
		t.Error("the same CSR gave a second certificate")
	}
	serial := signed["serial_number"].(string)
	s.must(200, "POST", "/api/certificates/"+serial+"/installed", user, nil)
	s.must(400, "POST", "/api/hwkey/20260001/enrolled", user, map[string]any{"firmware_version": "new"})
	enrolled := s.must(200, "POST", "/api/hwkey/20260001/enrolled", user, map[string]any{"firmware_version": "5.7.1"})
	if enrolled["firmware_version"] != "5.4.3" || // an administrator's value wins
		s.must(200, "POST", "/api/hwkey/20260001/enrolled", user, nil)["firmware_version"] != "5.4.3" {
		t.Errorf("set up, the token is %v", enrolled)
	}
	s.must(200, "POST", "/api/certificates/"+serial+"/revoke", user, map[string]any{"reason": "keyCompromise"})
	s.must(409, "POST", "/api/certificates/"+serial+"/revoke", user, nil)
	list := s.revocationList()
	if len(list.RevokedCertificateEntries) != 1 || list.RevokedCertificateEntries[0].ReasonCode != listedReason(s.t, 1) {
		t.Errorf("CRL entries: %+v", list.RevokedCertificateEntries)
	}
	entries := s.must(200, "GET", "/api/admin/audit?limit=100", admin, nil)["items"].([]any)
	seen := map[string]bool{}
	for _, e := range entries {
		seen[e.(map[string]any)["action"].(string)] = true
	}
	for _, want := range []string{
		"auth.login", "session.created", "session.agent_registered", "user.created", "hwkey.registered", "hwkey.secrets_released",
		"hwkey.rotation_started", "hwkey.rotation_committed", "certificate.issued", "certificate.installed",
		"hwkey.enrolled", "certificate.revoked",
	} {
		if !seen[want] {
			t.Errorf("no audit entry %s", want)
		}
	}
}

// noSecretLeft searches the logs and all files for the values.
func (s *server) noSecretLeft(secrets ...string) {
	s.t.Helper()
	if err := s.stop(); err != nil {
		s.t.Fatalf("stop: %v", err)
	}
	texts := map[string]string{"log": s.logs.String(), "standard output": s.out.String()}
	err := filepath.WalkDir(s.data, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		raw, err := os.ReadFile(path)
		texts[path] = string(raw)
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	for where, text := range texts {
		for i, secret := range secrets {
			if strings.Contains(text, secret) {
				s.t.Errorf("secret %d stands in the clear in %s", i, filepath.Base(where))
			}
		}
	}
}

func subject(cn string) pkix.Name { return pkix.Name{CommonName: cn} }

// revocationList fetches the CRL.
func (s *server) revocationList() *x509.RevocationList {
	s.t.Helper()
	res := must.Get(http.Get(s.base + "/api/pki/crl"))(s.t)
	defer func() { _ = res.Body.Close() }()
	return must.Get(x509.ParseRevocationList(must.Get(io.ReadAll(res.Body))(s.t)))(s.t)
}
