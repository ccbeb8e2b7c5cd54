package roles

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/httpapi/apitest"
)

// client sends requests to one server; every answer is held against the
// contract.
type client struct {
	base string
	http *http.Client
}

func newClient(t *testing.T, base string) client {
	t.Helper()
	c := apitest.Client(t)
	c.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return client{base, c}
}

// response is an answer with its whole body.
type response struct {
	status int
	raw    string
	body   map[string]any // of a JSON answer
}

// csvText is a body that is no JSON.
type csvText string

func (c client) call(t *testing.T, method, path, token string, body any) response {
	t.Helper()
	var reader io.Reader
	mediaType := ""
	switch b := body.(type) {
	case nil:
	case csvText:
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
		t.Fatalf("%s %s: %v", method, path, err)
	}
	defer func() { _ = res.Body.Close() }()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	out := response{status: res.StatusCode, raw: string(raw) + res.Header.Get("Location")}
	if strings.Contains(res.Header.Get("Content-Type"), "json") && json.Valid(raw) {
		if err := json.Unmarshal(raw, &out.body); err != nil {
			t.Fatalf("%s %s: %v", method, path, err)
		}
	}
	return out
}

// must is call that has to succeed.
func (c client) must(t *testing.T, method, path, token string, body any) map[string]any {
	t.Helper()
	res := c.call(t, method, path, token, body)
	if res.status >= 300 {
		t.Fatalf("%s %s: %d %s", method, path, res.status, res.raw)
	}
	return res.body
}
