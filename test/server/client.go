package server

import (
	"bytes"
	"crypto/rand"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base64"
	"encoding/json"
	"encoding/pem"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/httpapi/apitest"
)

// Client sends requests to one server; every response is checked against the contract.
type Client struct {
	base string
	http *http.Client
}

// NewClient returns one that follows no redirect.
func NewClient(t *testing.T, base string) Client {
	t.Helper()
	c := apitest.Client(t)
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return Client{base, c}
}

// Fields is a JSON object.
type Fields map[string]any

// CSV is a body that is not JSON.
type CSV string

// Response is a response with its whole body.
type Response struct {
	Status int
	Raw    string         // the body, and the redirect target
	Body   map[string]any // of a JSON response
}

// Call sends a request; an empty token means anonymous.
func (c Client) Call(t *testing.T, method, path, token string, body any) Response {
	t.Helper()
	out, err := c.Try(t, method, path, token, body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return out
}

// Try is Call for a server that may be gone; err means that there was no whole answer.
func (c Client) Try(t *testing.T, method, path, token string, body any) (out Response, err error) {
	t.Helper()
	var reader io.Reader
	mediaType := ""
	switch b := body.(type) {
	case nil:
	case CSV:
		reader, mediaType = strings.NewReader(string(b)), "text/csv"
	default:
		raw, err := json.Marshal(b)
		if err != nil {
			t.Fatal(err)
		}
		reader, mediaType = bytes.NewReader(raw), "application/json"
	}
	req, err := http.NewRequestWithContext(t.Context(), method, c.base+path, reader)
	if err != nil {
		t.Fatal(err)
	}
	if mediaType != "" {
		req.Header.Set("Content-Type", mediaType)
	}
	if token != "" {
		req.Header.Set("Authorization", "Bearer "+token)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return out, err
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		return out, err
	}
	out = Response{Status: res.StatusCode, Raw: string(raw) + res.Header.Get("Location")}
	if strings.Contains(res.Header.Get("Content-Type"), "json") && json.Valid(raw) {
		if err := json.Unmarshal(raw, &out.Body); err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
	}
	return out, nil
}

// Must is a Call that must succeed; it returns the JSON response.
func (c Client) Must(t *testing.T, method, path, token string, body any) map[string]any {
	t.Helper()
	res := c.Call(t, method, path, token, body)
	if res.Status >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, res.Status, res.Raw)
	}
	return res.Body
}

// SignIn returns an access token and the session's number.
func (c Client) SignIn(t *testing.T, username, password string) (token string, session int) {
	t.Helper()
	out := c.Must(t, "POST", "/api/auth/login", "", Fields{"username": username, "password": password})
	return out["access_token"].(string), Number(out["session_id"])
}

// agentKey is every agent's key: generating 4096 bits takes a while.
var agentKey = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 4096) })

// RegisterAgent registers an agent with a session.
func (c Client) RegisterAgent(t *testing.T, token string, session int) {
	t.Helper()
	c.Must(t, "POST", fmt.Sprintf("/api/session/%d/register-agent", session), token, Fields{"public_key": AgentKey(t)})
}

// AgentKey is the public key of the agent that RegisterAgent registers, PEM.
func AgentKey(t testing.TB) string {
	t.Helper()
	key, err := agentKey()
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKIXPublicKey(&key.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

// Number converts a JSON number that counts or identifies something.
func Number(v any) int {
	f, ok := v.(float64)
	if !ok {
		panic(fmt.Sprintf("%v is no number", v))
	}
	return int(f)
}

// Unseal decrypts a secret released to the agent that RegisterAgent registers.
func Unseal(t testing.TB, serial, field, sealed string) string {
	t.Helper()
	key, err := agentKey()
	if err != nil {
		t.Fatal(err)
	}
	raw, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		t.Fatal(err)
	}
	value, err := rsa.DecryptOAEP(sha256.New(), nil, key, raw, []byte("keyward/1/"+serial+"/"+field))
	if err != nil {
		t.Fatal(err)
	}
	return string(value)
}
