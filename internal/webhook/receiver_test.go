package webhook_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/must"
)

// received is a message as received.
type received struct {
	header http.Header
	raw    []byte
	body   struct {
		Type      string         `json:"type"`
		Timestamp string         `json:"timestamp"`
		Data      map[string]any `json:"data"`
	}
}

func (m received) id() string { return m.header.Get("Webhook-Id") }

// receiver is a TLS server that accepts messages and answers as told.
type receiver struct {
	*httptest.Server
	t      *testing.T
	caFile string

	mu     sync.Mutex
	got    []received
	answer func(w http.ResponseWriter, r *http.Request) // nil: 200
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{t: t, caFile: filepath.Join(t.TempDir(), "ca.pem")}
	r.Server = httptest.NewUnstartedServer(r)
	r.Config.ErrorLog = log.New(io.Discard, "", 0)
	r.StartTLS()
	t.Cleanup(r.Close)
	text := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: r.Certificate().Raw})
	must.OK(t, os.WriteFile(r.caFile, text, 0o600))
	return r
}

func (r *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	m := received{header: req.Header.Clone()}
	var err error
	if m.raw, err = io.ReadAll(req.Body); err == nil {
		err = json.Unmarshal(m.raw, &m.body)
	}
	if err != nil {
		r.t.Errorf("a message: %v", err)
	}
	r.mu.Lock()
	r.got = append(r.got, m)
	answer := r.answer
	r.mu.Unlock()
	if answer != nil {
		answer(w, req)
	}
}

func (r *receiver) answers(f func(w http.ResponseWriter, r *http.Request)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.answer = f
}

func (r *receiver) messages() []received {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]received(nil), r.got...)
}

func status(code int) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
}

func cut(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }

// hang never answers, not even when the sender hangs up: an answer might still
// reach it before it closes the connection.
func hang(_ http.ResponseWriter, r *http.Request) {
	<-r.Context().Done()
	panic(http.ErrAbortHandler)
}

// verified checks a message's signature as a receiver does, written from the
// Standard Webhooks text alone.
func verified(m received, key secret.String) bool {
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(key.Reveal(), "whsec_"))
	if err != nil || len(raw) < 24 {
		return false
	}
	mac := hmac.New(sha256.New, raw)
	_, _ = io.WriteString(mac, m.header.Get("Webhook-Id")+"."+m.header.Get("Webhook-Timestamp")+"."+string(m.raw))
	want := mac.Sum(nil)
	for one := range strings.FieldsSeq(m.header.Get("Webhook-Signature")) {
		version, text, _ := strings.Cut(one, ",")
		got, err := base64.StdEncoding.DecodeString(text)
		if version == "v1" && err == nil && hmac.Equal(got, want) {
			return true
		}
	}
	return false
}
