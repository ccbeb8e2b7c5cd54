package replicas_test

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/server"
)

// job is one token's life, from the client's view.
type job struct {
	serial      string
	rotation    int
	pin         string // the committed one
	certificate string
	revoked     bool
	releases    int  // answered
	refused     int  // refused requests for one
	resumed     bool // the rotation was begun by a request without a good response, and read again
}

// worker is a user who sets up one token after the other, and an administrator who
// registers them.
type worker struct {
	user  *client
	admin *client
	name  string
	id    int
	key   *rsa.PrivateKey

	mu   sync.Mutex
	done []job
	ends atomic.Int64 // finished jobs
}

func (w *worker) registerAgent(t testing.TB, session int) {
	t.Helper()
	w.user.must(t, http.MethodPost, fmt.Sprintf("/api/session/%d/register-agent", session), m{"public_key": server.AgentKey(t)})
}

func (w *worker) csr(t testing.TB) string {
	t.Helper()
	der := must.Get(x509.CreateCertificateRequest(rand.Reader, &x509.CertificateRequest{Subject: pkix.Name{CommonName: w.name}}, w.key))(t)
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

// do takes one token through its life. Each step is repeated while the service is away,
// and continues if the response was lost.
func (w *worker) do(t testing.TB, serial string, revoke bool) {
	t.Helper()
	j := job{serial: serial}
	path := "/api/hwkey/" + serial

	status, out, refused := w.admin.until(t, http.MethodPost, "/api/hwkey", m{"serial": serial, "owner_id": w.id})
	if status != http.StatusCreated && (status != http.StatusConflict || refused == 0) {
		t.Fatalf("register %s: %d %v", serial, status, out)
	}
	w.rotate(t, path, &j)
	w.user.must(t, http.MethodPost, path+"/enrolled", nil)

	out = w.user.must(t, http.MethodPost, path+"/sign-csr", m{"csr": w.csr(t)})
	j.certificate = out["serial_number"].(string)
	w.user.must(t, http.MethodPost, "/api/certificates/"+j.certificate+"/installed", nil)

	released := w.release(t, path+"/secrets", &j)
	j.releases++
	if got := server.Unseal(t, serial, "pin", released["pin"].(string)); got != j.pin {
		t.Errorf("%s: the vault holds another PIN than was committed", serial)
	}
	if revoke {
		status, out, refused = w.user.until(t, http.MethodPost, "/api/certificates/"+j.certificate+"/revoke", m{"reason": "superseded"})
		if status != http.StatusOK && (status != http.StatusConflict || refused == 0) {
			t.Fatalf("revoke %s: %d %v", j.certificate, status, out)
		}
		j.revoked = true
	}
	w.mu.Lock()
	w.done = append(w.done, j)
	w.mu.Unlock()
	w.ends.Add(1)
}

// rotate changes the recorded PIN, as after a change on the card.
func (w *worker) rotate(t testing.TB, path string, j *job) {
	t.Helper()
	status, out, refused := w.user.until(t, http.MethodPost, path+"/rotations", m{"fields": []string{"pin"}})
	if status == http.StatusConflict && out["code"] == "rotation_pending" && refused > 0 {
		// The vault took it, and the response was lost: read it again.
		j.resumed = true
		out = w.release(t, fmt.Sprintf("%s/rotations/%d", path, int(out["rotation_id"].(float64))), j)
	} else if status != http.StatusCreated {
		t.Fatalf("rotate %s: %d %v", j.serial, status, out)
	}
	j.rotation = int(out["id"].(float64))
	j.pin = server.Unseal(t, j.serial, "pin", out["next"].(m)["pin"].(string))
	w.user.must(t, http.MethodPost, fmt.Sprintf("%s/rotations/%d/commit", path, j.rotation), m{})
}

// release reads secrets.
func (w *worker) release(t testing.TB, path string, j *job) m {
	t.Helper()
	status, out, refused := w.user.until(t, http.MethodGet, path, nil)
	j.refused += refused
	if status != http.StatusOK {
		t.Fatalf("read %s: %d %v", path, status, out)
	}
	return out
}
