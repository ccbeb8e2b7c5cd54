package vaulttest

import (
	"crypto/x509"
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/vault"
)

// Harness is an engine under test.
type Harness struct {
	// Engine is open and connected. It may be shared with other cases: they
	// use paths of their own. The setup function closes it by t.Cleanup.
	Engine vault.Engine
	// PublicBase is the site URL that certificates point to.
	PublicBase string

	// ReasonCodes: the CRL carries reason codes.
	ReasonCodes bool
	// Digits: the engine keeps numbers that a double cannot hold.
	Digits bool
	// AllNames: the engine signs for URIs, Kerberos principals and SIDs, too.
	AllNames bool
	// Reopen, when not nil, stops the engine and starts it again on the same
	// data.
	Reopen func(t *testing.T) vault.Engine
}

// Run runs the whole suite; setup is called once for every case.
func Run(t *testing.T, setup func(t *testing.T) Harness) {
	for _, group := range []struct {
		name  string
		cases []testCase
	}{
		{"KV", kvCases}, {"KVConcurrency", kvConcurrencyCases}, {"KVInput", kvInputCases},
		{"Sign", signCases}, {"Issued", issuedCases}, {"SignRefusals", refusalCases}, {"Responder", responderCases}, {"Profiles", profileCases},
		{"Revoke", revokeCases}, {"Reopen", reopenCases},
	} {
		t.Run(group.name, func(t *testing.T) {
			t.Parallel()
			for _, c := range group.cases {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.run(t, setup(t))
				})
			}
		})
	}
}

type testCase struct {
	name string
	run  func(*testing.T, Harness)
}

var pathCounter atomic.Int64

// freshPath is a path that no other case uses, on a shared engine too.
func freshPath(name string) string {
	return fmt.Sprintf("_test-%d-%d/%s", time.Now().UnixNano(), pathCounter.Add(1), name)
}

// put writes and fails the test on any error.
func put(t *testing.T, h Harness, path, document string, cas int) {
	t.Helper()
	n, err := h.Engine.Put(t.Context(), path, vault.Data(document), cas)
	if err != nil || n != cas+1 {
		t.Fatalf("Put: version %d after %d, %v", n, cas, err)
	}
}

// holds reads a document and compares it: each value as it was, numbers digit
// by digit; order and space are the engine's.
func holds(t *testing.T, h Harness, path string, number int, document string) {
	t.Helper()
	got, err := h.Engine.Get(t.Context(), path)
	if err != nil {
		t.Errorf("Get: %v", err)
		return
	}
	if diff := cmp.Diff(values(t, document), values(t, string(got.Data))); diff != "" || got.Number != number {
		t.Errorf("version %d, want %d: %s", got.Number, number, diff)
	}
}

func values(t *testing.T, document string) (object map[string]any) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(document))
	d.UseNumber()
	if err := d.Decode(&object); err != nil || object == nil {
		t.Errorf("not a JSON object: %v", err)
	}
	return object
}

func certificate(t *testing.T, der []byte) *x509.Certificate {
	t.Helper()
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatalf("parse certificate: %v", err)
	}
	return cert
}
