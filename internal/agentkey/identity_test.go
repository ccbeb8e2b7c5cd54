package agentkey_test

import (
	"crypto/ed25519"
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/test/must"
)

// vectors is testdata/identity.json, which identity.py made.
type vectors struct {
	Private       string `json:"identity_private_key"`
	Identity      string `json:"identity"`
	Code          string `json:"code"`
	Fingerprint   string `json:"fingerprint"`
	RSA           string `json:"rsa_key"`
	RSACode       string `json:"rsa_code"`
	RSAPrint      string `json:"rsa_fingerprint"`
	Verifies      []signed
	DoesNotVerify []signed `json:"does_not_verify"`
}

type signed struct{ Why, Origin, Signature string }

func read(t testing.TB) vectors {
	t.Helper()
	var v vectors
	must.OK(t, json.Unmarshal(must.Get(os.ReadFile("testdata/identity.json"))(t), &v))
	if len(v.Verifies) == 0 || len(v.DoesNotVerify) == 0 {
		t.Fatal("no vectors")
	}
	return v
}

// TestVectors compares signatures and codes with those of another program.
func TestVectors(t *testing.T) {
	t.Parallel()
	v := read(t)
	identity := must.Get(agentkey.ParseIdentity(v.Identity))(t)
	key := must.Get(agentkey.ParsePublicKey(v.RSA))(t)
	block, _ := pem.Decode([]byte(v.Private))
	private, _ := must.Get(x509.ParsePKCS8PrivateKey(block.Bytes))(t).(ed25519.PrivateKey)
	if got := must.Get(agentkey.Fingerprint(identity))(t); got != v.Fingerprint || agentkey.VerificationCode(got) != v.Code {
		t.Errorf("identity: fingerprint %s, code %s; want %s, %s", got, agentkey.VerificationCode(got), v.Fingerprint, v.Code)
	}
	if got := must.Get(agentkey.Fingerprint(key))(t); got != v.RSAPrint || agentkey.VerificationCode(got) != v.RSACode {
		t.Errorf("RSA key: fingerprint %s, code %s; want %s, %s", got, agentkey.VerificationCode(got), v.RSAPrint, v.RSACode)
	}
	for _, c := range v.Verifies {
		others := []string{"https://other.example.org", c.Origin}
		if origin, ok := agentkey.Verify(identity, c.Signature, others, key); !ok || origin != c.Origin {
			t.Errorf("for %s: verifies %v for %q", c.Origin, ok, origin)
		}
		if _, ok := agentkey.Verify(identity, c.Signature, others[:1], key); ok {
			t.Errorf("for %s: verifies for another origin", c.Origin)
		}
		if got := must.Get(agentkey.Sign(private, c.Origin, key))(t); got != c.Signature { // RFC 8032: there is one signature only
			t.Errorf("for %s: signed %s, want %s", c.Origin, got, c.Signature)
		}
	}
	for _, c := range v.DoesNotVerify {
		if _, ok := agentkey.Verify(identity, c.Signature, []string{c.Origin}, key); ok {
			t.Errorf("%s: verifies", c.Why)
		}
	}
}

// TestAnotherProgramVerifies what we sign.
func TestAnotherProgramVerifies(t *testing.T) {
	t.Parallel()
	v := read(t)
	public, private, err := ed25519.GenerateKey(nil)
	must.OK(t, err)
	dir := t.TempDir()
	file := func(name, content string) string {
		path := filepath.Join(dir, name)
		must.OK(t, os.WriteFile(path, []byte(content), 0o600))
		return path
	}
	key := must.Get(agentkey.ParsePublicKey(v.RSA))(t)
	identity, rsa := file("identity", must.Get(agentkey.EncodePublicKey(public))(t)), file("rsa", v.RSA)
	for origin, asked := range map[string]string{"https://keyward.example.org": "https://keyward.example.org", "": "-"} {
		cmd := exec.CommandContext(t.Context(), "/usr/bin/python3", "-B", "testdata/identity.py", "verify", identity, rsa, asked)
		cmd.Stdin = strings.NewReader(must.Get(agentkey.Sign(private, origin, key))(t))
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("origin %q: %v: %s", origin, err, out)
		}
	}
}

func TestSameCode(t *testing.T) {
	t.Parallel()
	const code = "ABCD-EFGH-IJKL-2345"
	for _, same := range []string{code, "abcd efgh ijkl 2345", "ABCDEFGHIJKL2345", " abcd-EFGH ijkl2345 "} {
		if !agentkey.SameCode(code, same) {
			t.Errorf("%q is another code", same)
		}
	}
	for _, other := range []string{"", "-", "ABCD-EFGH-IJKL-2346", "ABCD-EFGH-IJKL", code + "A",
		"ABCD_EFGH_IJKL_2345", "ＡBCD-EFGH-IJKL-2345"} {
		if agentkey.SameCode(code, other) || agentkey.SameCode(other, other) && other == "" {
			t.Errorf("%q is the same code", other)
		}
	}
	for _, none := range []string{"", "00", strings.Repeat("g", 64), strings.Repeat("0", 66)} {
		if got := agentkey.VerificationCode(none); got != "" || agentkey.SameCode(got, got) {
			t.Errorf("the code of %q is %q", none, got)
		}
	}
}

// FuzzIdentity: an identity is refused or is exactly one Ed25519 key, and no
// signature made for another one verifies.
func FuzzIdentity(f *testing.F) {
	v := read(f)
	for _, text := range []string{v.Identity, v.RSA, v.Private, v.Identity + v.Identity, "",
		"-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----\n"} {
		f.Add(text, v.Verifies[0].Signature)
	}
	key := must.Get(agentkey.ParsePublicKey(v.RSA))(f)
	f.Fuzz(func(t *testing.T, text, signature string) {
		identity, err := agentkey.ParseIdentity(text)
		if err != nil {
			if !errors.Is(err, agentkey.ErrIdentity) {
				t.Fatalf("refused with %v", err)
			}
			return
		}
		again := must.Get(agentkey.ParseIdentity(must.Get(agentkey.EncodePublicKey(identity))(t)))(t)
		if len(identity) != ed25519.PublicKeySize || !again.Equal(identity) {
			t.Fatalf("read as %x, then as %x", identity, again)
		}
		if _, ok := agentkey.Verify(identity, signature, []string{"https://elsewhere.example.org"}, key); ok {
			t.Fatal("a signature for another origin verifies")
		}
	})
}
