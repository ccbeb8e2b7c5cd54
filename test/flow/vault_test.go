package flow_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/vault"
)

// faultyKV fails for the documents of single tokens, without affecting others. It runs
// in the service's process.
type faultyKV struct {
	vault.KV
	gates sync.Map // path → *gate
}

// control sets a gate (PUT) and returns what passed since (GET).
func (k *faultyKV) control(rw http.ResponseWriter, r *http.Request) {
	path := r.PathValue("serial") + "/secrets"
	if r.Method == http.MethodPut {
		var g gate
		if err := json.NewDecoder(r.Body).Decode(&g); err != nil {
			http.Error(rw, err.Error(), http.StatusBadRequest)
			return
		}
		k.gates.Store(path, &g)
		return
	}
	g, ok := k.gates.Load(path)
	if !ok {
		http.NotFound(rw, r)
		return
	}
	_ = json.NewEncoder(rw).Encode(g)
}

// watchVault puts a gate before a token's document.
func (s *service) watchVault(t *testing.T, serial string, g *gate) {
	t.Helper()
	body, err := json.Marshal(g)
	if err != nil {
		t.Fatal(err)
	}
	s.control(t, http.MethodPut, "vault", serial, body)
}

// vaultGate reads the gate back.
func (s *service) vaultGate(t *testing.T, serial string) *gate {
	t.Helper()
	var g gate
	if err := json.Unmarshal(s.control(t, http.MethodGet, "vault", serial, nil), &g); err != nil {
		t.Fatal(err)
	}
	return &g
}

// control requests from the service's process what no client may see or do.
func (s *service) control(t *testing.T, method, what, serial string, body []byte) []byte {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, s.url+"/test/"+what+"/"+serial, bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = resp.Body.Close() }()
	var out bytes.Buffer
	if _, err := out.ReadFrom(resp.Body); err != nil || resp.StatusCode != http.StatusOK {
		t.Fatalf("controlling the service: %s %v", resp.Status, err)
	}
	return out.Bytes()
}

func (k *faultyKV) pass(path, name string, do func() error) error {
	g, ok := k.gates.Load(path)
	if !ok {
		return do()
	}
	err := g.(*gate).pass(name, name == "put", do)
	if !errors.Is(err, errCut) {
		return err
	}
	if strings.HasPrefix(name, "get") { // a sealed vault reports this before doing anything
		return vault.ErrSealed
	}
	return vault.ErrUnavailable
}

// Get implements vault.KV.
func (k *faultyKV) Get(ctx context.Context, path string) (v vault.Version, err error) {
	err = k.pass(path, "get", func() (err error) { v, err = k.KV.Get(ctx, path); return err })
	return v, err
}

// Put implements vault.KV.
func (k *faultyKV) Put(ctx context.Context, path string, data vault.Data, cas int) (n int, err error) {
	err = k.pass(path, "put", func() (err error) { n, err = k.KV.Put(ctx, path, data, cas); return err })
	return n, err
}
