package vaulttest

import (
	"crypto/x509"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

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
	// StrictKeys: the engine itself refuses weak RSA keys and exponents other
	// than 65537. A remote engine's adapter does that before it asks.
	StrictKeys bool
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
		{"Sign", signCases}, {"SignRefusals", refusalCases}, {"Revoke", revokeCases}, {"Reopen", reopenCases},
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
func put(t *testing.T, h Harness, path string, data vault.Data, cas int) int {
	t.Helper()
	n, err := h.Engine.Put(t.Context(), path, data, cas)
	if err != nil {
		t.Fatalf("Put: %v", err)
	}
	return n
}

func certificate(t *testing.T, der []byte) *x509.Certificate {
	t.Helper()
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatalf("parse certificate: %v", err)
	}
	return cert
}
