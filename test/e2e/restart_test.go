package e2e_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// TestOneServerPerDataDirectory: a second server reports the conflict, and does the
// first no harm.
func TestOneServerPerDataDirectory(t *testing.T) {
	t.Parallel()
	i := install(t, newWatch())
	second := launch(t, serverEnv(t.TempDir()), "", "keyward", "serve", "--data", i.data, "--listen", "127.0.0.1:0")
	if code := second.Wait(t); code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	words := second.Log.String()
	if !strings.Contains(words, "another") || !strings.Contains(words, "data") || strings.Contains(words, "goroutine") {
		t.Errorf("the second server says: %s", words)
	}
	if strings.Contains(second.Out.String(), "Password") {
		t.Error("the second server made another administrator")
	}
	i.admin.must(http.StatusOK, http.MethodGet, "/api/auth/me", nil)
}

// registrations sends many concurrently, and returns the serials of those answered with
// 201. begun is called at the first one.
func registrations(i *installation, prefix string, count int, begun func()) (answered []string) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	once := sync.OnceFunc(begun)
	for n := range count {
		serial := fmt.Sprintf("%s-%04d", prefix, n)
		wg.Go(func() {
			status, _, out, err := send(i.base, http.MethodPost, "/api/hwkey", i.admin.access, m{"serial": serial})
			switch {
			case err != nil: // the server had ended
			case status == http.StatusCreated:
				mu.Lock()
				answered = append(answered, serial)
				mu.Unlock()
				once()
			case status != http.StatusServiceUnavailable:
				i.admin.t.Errorf("a registration was answered with %d %v", status, out)
			}
		})
	}
	wg.Wait()
	return answered
}

// onRecord requires each token, and its secrets in the vault.
func (i *installation) onRecord(serials []string) {
	i.admin.t.Helper()
	for _, serial := range serials {
		i.admin.must(http.StatusOK, http.MethodGet, "/api/hwkey/"+serial, nil)
		if got, _, out, err := send(i.base, http.MethodGet, "/api/hwkey/"+serial+"/secrets?reason=the+test+looks",
			i.admin.access, nil); got != http.StatusOK && got != http.StatusTooManyRequests {
			i.admin.t.Errorf("secrets of %s: %d %v %v", serial, got, out, err)
		}
	}
}

// TestOrderlyStop ends the server with registrations in flight. Every answered one is
// recorded afterwards.
func TestOrderlyStop(t *testing.T) {
	t.Parallel()
	i := install(t, newWatch())
	answered := registrations(i, "stop", 50, func() { i.Signal(syscall.SIGTERM) })
	if code := i.Wait(t); code != 0 {
		t.Errorf("exit code %d after SIGTERM, want 0:\n%s", code, i.Log.String())
	}
	t.Logf("%d of 50 registrations were answered", len(answered))
	if len(answered) == 0 {
		t.Error("nothing was answered")
	}
	i.server = i.again(t)
	i.onRecord(answered)
}

// TestPowerCut kills the server during a job. The next server continues it, and takes
// neither database nor vault for an older one.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	w := newWatch()
	i := install(t, w)
	const serial = "20260021"
	before := i.register(t, serial)
	user := login(t, w, i.base, "jdoe", userPassword)
	user.registerTestKey()
	rotation := user.must(http.StatusCreated, http.MethodPost, "/api/hwkey/"+serial+"/rotations", m{"fields": []string{"pin"}})
	next := rotation["next"].(m)["pin"].(string)
	signed := user.must(http.StatusOK, http.MethodPost, "/api/hwkey/"+serial+"/sign-csr", m{"csr": request(t)})
	number1, path := signed["serial_number"].(string), "/api/certificates/"+signed["serial_number"].(string)
	user.must(http.StatusOK, http.MethodPost, path+"/revoke", m{"reason": "keyCompromise"})
	crl := fetchCRL(t, i.base)

	answered := registrations(i, "cut", 40, func() { i.Signal(syscall.SIGKILL) })
	i.Wait(t)
	i.server = i.again(t)
	if health := i.admin.must(http.StatusOK, http.MethodGet, "/api/health", nil); health["status"] != "ok" {
		t.Errorf("health says %v\n%s", health, i.Log.String())
	}

	if i.Out.String() != "" {
		t.Error("the second start shows something on standard output, where only the first password belongs")
	}
	i.onRecord(answered)
	user.must(http.StatusOK, http.MethodGet, "/api/auth/me", nil)
	again := user.must(http.StatusOK, http.MethodGet, "/api/hwkey/"+serial+"/rotations/"+number(rotation["id"]), nil)
	if unseal(t, serial, "pin", again["next"].(m)["pin"].(string)) != unseal(t, serial, "pin", next) {
		t.Error("the pending PIN is another one")
	}
	if unseal(t, serial, "pin", again["current"].(m)["pin"].(string)) != before["pin"] {
		t.Error("the current PIN is another one")
	}
	user.must(http.StatusOK, http.MethodPost, "/api/hwkey/"+serial+"/rotations/"+number(rotation["id"])+"/commit", nil)
	if got := user.must(http.StatusOK, http.MethodGet, path, nil); got["status"] != "revoked" {
		t.Errorf("the certificate is %v", got["status"])
	}
	after := fetchCRL(t, i.base)
	if after.number(t).Cmp(crl.number(t)) < 0 || !after.lists(t, number1) {
		t.Errorf("CRL number %v after %v; is the certificate listed: %v", after.number(t), crl.number(t), after.lists(t, number1))
	}
	out := user.must(http.StatusOK, http.MethodPost, "/api/auth/refresh", m{"refresh_token": user.refresh})
	if number(out["session_id"]) != user.session {
		t.Error("the refresh began another session")
	}
	i.Stop(t)
	launch(t, serverEnv(t.TempDir()), "", "keyward", "audit", "verify", "--data", i.data).done(t)
}
