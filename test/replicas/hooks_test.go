package replicas_test

import (
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/keyward/keyward/test/must"
)

// hooked is the action that the receiver wants to know of.
const hooked = "hwkey.registered"

// receiver takes webhooks.
type receiver struct {
	url, roots string

	mu   sync.Mutex
	seen map[int64]map[string]int // ids of messages with their number, by entry
}

func receive(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{seen: map[int64]map[string]int{}, roots: filepath.Join(t.TempDir(), "roots.pem")}
	s := httptest.NewTLSServer(r)
	t.Cleanup(s.Close)
	r.url = s.URL
	must.OK(t, os.WriteFile(r.roots, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw}), 0o600))
	return r
}

// settings are those of servers that may reach it.
func (r *receiver) settings() map[string]string {
	return map[string]string{"WEBHOOK_ALLOWED_NETWORKS": "127.0.0.0/8", "WEBHOOK_CA_FILE": r.roots}
}

func (r *receiver) subscribe(t *testing.T, admin *client) {
	t.Helper()
	admin.must(t, http.MethodPost, "/api/admin/webhooks", m{"url": r.url, "actions": []string{hooked}})
}

// ServeHTTP takes a message down.
func (r *receiver) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	var message struct {
		Data struct {
			ID int64 `json:"id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(q.Body).Decode(&message); err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.seen[message.Data.ID] == nil {
		r.seen[message.Data.ID] = map[string]int{}
	}
	r.seen[message.Data.ID][q.Header.Get("Webhook-Id")]++
}

// of is how many messages came about an entry.
func (r *receiver) of(entry int64) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.seen[entry])
}
