package e2e_test

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base32"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
)

// m is a JSON object.
type m = map[string]any

// testKey is the key of the test's own agent: with it the test reads what the vault
// holds. All tests share one, since generating 4096 bits takes a while.
var testKey = sync.OnceValue(func() *rsa.PrivateKey {
	key, err := rsa.GenerateKey(rand.Reader, 4096)
	if err != nil {
		panic(err)
	}
	return key
})

// api is a signed-in HTTP client that shares no code with Keyward's.
type api struct {
	t       testing.TB
	base    string
	access  string
	refresh string
	session string
}

// send returns status and response of one request; err is set if there was no response.
func send(base, method, path, access string, body any) (int, http.Header, m, error) {
	var reader io.Reader
	if body != nil {
		raw, err := json.Marshal(body)
		if err != nil {
			return 0, nil, nil, err
		}
		reader = bytes.NewReader(raw)
	}
	req, err := http.NewRequest(method, base+path, reader)
	if err != nil {
		return 0, nil, nil, err
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if access != "" {
		req.Header.Set("Authorization", "Bearer "+access)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, nil, nil, err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	var out m
	if err == nil && strings.Contains(res.Header.Get("Content-Type"), "json") {
		err = json.Unmarshal(raw, &out)
	}
	return res.StatusCode, res.Header, out, err
}

// must requires a status.
func (a *api) must(status int, method, path string, body any) m {
	a.t.Helper()
	got, _, out, err := send(a.base, method, path, a.access, body)
	if err != nil || got != status {
		a.t.Fatalf("%s %s: %d %v %v, want %d", method, path, got, out, err, status)
	}
	return out
}

// login signs in, and tells the watch the new secrets.
func login(t testing.TB, w *watch, base, username, password string) *api {
	t.Helper()
	a := &api{t: t, base: base}
	out := a.must(http.StatusOK, http.MethodPost, "/api/auth/login", m{"username": username, "password": password})
	a.access, a.refresh, a.session = out["access_token"].(string), out["refresh_token"].(string), number(out["session_id"])
	w.secret("password of "+username, password)
	w.secret("access token of "+username, a.access)
	w.secret("refresh token of "+username, a.refresh)
	return a
}

// registerTestKey makes the test this session's agent; its code was compared.
func (a *api) registerTestKey() {
	a.t.Helper()
	der, err := x509.MarshalPKIXPublicKey(&testKey().PublicKey)
	if err != nil {
		a.t.Fatal(err)
	}
	public := string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
	sum := sha256.Sum256(der)
	code := base32.StdEncoding.EncodeToString(sum[:])[:16]
	a.must(http.StatusOK, http.MethodPost, "/api/session/"+a.session+"/register-agent",
		m{"public_key": public, "hostname": "test.local", "confirmed_code": code})
}

// held is what the vault holds of a token, by field.
type held map[string]string

// fields of a token's secrets.
var fields = []string{"management_key", "puk", "pin"}

// release reads a token's current secrets, and has the watch search for every value
// that is not the factory's, including former and pending ones.
func (a *api) release(w *watch, serial string) held {
	a.t.Helper()
	out := a.must(http.StatusOK, http.MethodGet,
		"/api/hwkey/"+serial+"/secrets?fields=pin,puk,management_key&candidates=true&reason=the+test+looks", nil)
	h := held{}
	for _, f := range fields {
		h[f] = unseal(a.t, serial, f, out[f].(string))
		w.secret(f+" of "+serial, h[f])
		for _, c := range out["candidates"].(m)[f].([]any) {
			if kind := c.(m)["kind"]; kind != "factory" {
				w.secret(kind.(string)+" "+f+" of "+serial, unseal(a.t, serial, f, c.(m)["value"].(string)))
			}
		}
	}
	if out["pending"] != nil {
		a.t.Errorf("token %s: a rotation is still open", serial)
	}
	return h
}

// unseal decrypts, written from the contract alone (contract §5, "Sealing").
func unseal(t testing.TB, serial, field, sealed string) string {
	t.Helper()
	c, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		t.Fatal(err)
	}
	p, err := rsa.DecryptOAEP(sha256.New(), nil, testKey(), c, []byte("keyward/1/"+serial+"/"+field))
	if err != nil {
		t.Fatalf("%s is not sealed for us: %v", field, err)
	}
	return string(p)
}
