package apitest

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/keyward/keyward/internal/fault"
)

// Response is a response whose body was read completely.
type Response struct {
	*http.Response
	Text string
}

// Document returns the response's problem document, or ends the test if there is none.
func (r Response) Document(t TB) (doc struct {
	Type, Title, Detail, Code string
	Status                    int
	RequestID                 string `json:"request_id"`
	Errors                    []fault.Field
	RetriesLeft               int `json:"retries_left"`
}) {
	t.Helper()
	if ct := r.Header.Get("Content-Type"); ct != "application/problem+json" {
		t.Fatal(fmt.Sprintf("%s %s: %d, Content-Type %q is no problem document\n%s", r.Request.Method, r.Request.URL, r.StatusCode, ct, r.Text))
	}
	if err := json.Unmarshal([]byte(r.Text), &doc); err != nil {
		t.Fatal(fmt.Errorf("%w in %s", err, r.Text))
	}
	if doc.Status != r.StatusCode || doc.RequestID != r.Header.Get("X-Request-Id") || doc.Title == "" || doc.Detail == "" || doc.Type == "" {
		t.Errorf("%s %s: document does not fit the answer: %s", r.Request.Method, r.Request.URL, r.Text)
	}
	return doc
}

// client follows no redirects: the API has none.
var client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}

// Do sends a request and checks the response against the contract, except below
// /api/test/, where tests have their own routes. Headers come in pairs.
func Do(t TB, method, url, body string, headers ...string) Response {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i < len(headers); i += 2 {
		req.Header.Add(headers[i], headers[i+1])
	}
	res, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if path := req.URL.Path; strings.HasPrefix(path, "/api/") && !strings.HasPrefix(path, "/api/test/") {
		c, err := Load()
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Check(method, path, res.StatusCode, res.Header, raw); err != nil {
			t.Errorf("%s %s departs from api/backend.yaml: %v", method, path, err)
		}
	}
	return Response{res, string(raw)}
}
