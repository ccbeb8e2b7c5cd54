package agentkey_test

import (
	"crypto/rsa"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// sealVectors is testdata/sealed.json, which sealed.py made.
type sealVectors struct {
	PrivateKey  string         `json:"private_key"`
	PublicKey   string         `json:"public_key"`
	Opens       []sealedVector `json:"opens"`
	DoesNotOpen []sealedVector `json:"does_not_open"`
}

type sealedVector struct {
	Why, Serial, Plain, Sealed string
	Field                      piv.Field
}

func readVectors(t *testing.T) (v sealVectors, private *rsa.PrivateKey) {
	t.Helper()
	raw, err := os.ReadFile("testdata/sealed.json")
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	block, _ := pem.Decode([]byte(v.PrivateKey))
	key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
	if err != nil {
		t.Fatal(err)
	}
	return v, key.(*rsa.PrivateKey)
}

// TestSealVectors: what another program sealed opens, for its token and field
// alone; what it sealed in another way does not.
func TestSealVectors(t *testing.T) {
	t.Parallel()
	v, key := readVectors(t)
	for _, c := range v.Opens {
		got, err := agentkey.Open(key, c.Serial, c.Field, c.Sealed)
		if err != nil || got.Reveal() != c.Plain {
			t.Errorf("%s of %s: %v", c.Field, c.Serial, err)
		}
		if _, err := agentkey.Open(key, c.Serial+"0", c.Field, c.Sealed); err == nil {
			t.Errorf("%s of %s opens for another token", c.Field, c.Serial)
		}
	}
	for _, c := range v.DoesNotOpen {
		if _, err := agentkey.Open(key, c.Serial, c.Field, c.Sealed); err == nil {
			t.Errorf("%s: opens", c.Why)
		}
	}
	if len(v.Opens) == 0 || len(v.DoesNotOpen) == 0 {
		t.Error("there are no vectors")
	}
}

// TestAnotherProgramOpens what we seal, only for its token and field.
func TestAnotherProgramOpens(t *testing.T) {
	t.Parallel()
	v, _ := readVectors(t)
	file := filepath.Join(t.TempDir(), "key.pem")
	if err := os.WriteFile(file, []byte(v.PrivateKey), 0o600); err != nil {
		t.Fatal(err)
	}
	public, err := agentkey.ParsePublicKey(v.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	const plain = "24681357"
	sealed, err := agentkey.Seal(public, "Key-a", piv.PIN, secret.New(plain))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		serial, field string
		opens         bool
	}{{"Key-a", "pin", true}, {"key-a", "pin", false}, {"Key-b", "pin", false}, {"Key-a", "puk", false}} {
		cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", "-B", "testdata/sealed.py", "open", file, c.serial, c.field)
		cmd.Stdin = strings.NewReader(sealed)
		out, err := cmd.CombinedOutput()
		switch {
		case c.opens && (err != nil || string(out) != plain):
			t.Errorf("does not open: %v %s (scripts/install-deps test installs what is needed)", err, out)
		case !c.opens && string(out) != "does not open\n":
			t.Errorf("for %s of %s: %v %s", c.field, c.serial, err, out)
		}
	}
}
