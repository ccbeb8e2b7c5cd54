package client

import (
	"crypto/rand"
	"crypto/rsa"
	"testing"

	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// TestSeal: only the agent's way of opening opens what the client seals.
func TestSeal(t *testing.T) {
	t.Parallel()
	key, err := rsa.GenerateKey(rand.Reader, 4096)
	if err != nil {
		t.Fatal(err)
	}
	pem, err := agentkey.EncodePublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	sealed, err := Seal(pem, "1234567", piv.PIN, secret.New("739164"))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := agentkey.Open(key, "1234567", piv.PIN, string(sealed)); err != nil || got.Reveal() != "739164" {
		t.Error(err)
	}
	for serial, field := range map[string]piv.Field{"1234567": piv.PUK, "1234568": piv.PIN} {
		if _, err := agentkey.Open(key, serial, field, string(sealed)); err == nil {
			t.Errorf("opens for %s, %s", serial, field)
		}
	}
	for _, bad := range []string{"", "-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"} {
		if _, err := Seal(bad, "1234567", piv.PIN, secret.New("739164")); err == nil {
			t.Errorf("sealed for %q", bad)
		}
	}
}
