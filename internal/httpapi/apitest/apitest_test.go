package apitest

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

const contract = `
openapi: 3.1.0
paths:
  /api/things/{id}:
    get:
      responses:
        "200":
          content:
            application/json:
              schema: {$ref: "#/components/schemas/Thing"}
        "204": {description: none}
        default:
          content:
            application/problem+json:
              schema: {$ref: "#/components/schemas/ProblemDocument"}
  /api/things/all:
    get:
      responses:
        "200":
          content:
            application/json:
              schema: {type: array, items: {$ref: "#/components/schemas/Thing"}}
components:
  schemas:
    Thing:
      type: object
      additionalProperties: false
      required: [id, at]
      properties:
        id: {type: integer}
        at: {type: string, format: date-time}
    ProblemDocument:
      type: object
      required: [code]
`

func TestCheck(t *testing.T) {
	t.Parallel()
	c, err := Parse([]byte(contract))
	if err != nil {
		t.Fatal(err)
	}
	const good, problem = `{"id":1,"at":"2026-01-02T03:04:05Z"}`, "application/problem+json"
	for _, tc := range []struct {
		name, method, path string
		status             int
		media, body        string
		ok                 bool
	}{
		{"good", "GET", "/api/things/1", 200, "application/json", good, true},
		{"charset", "GET", "/api/things/1", 200, "application/json; charset=utf-8", good, true},
		{"HEAD", "HEAD", "/api/things/1", 200, "application/json", "", true},
		{"fixed segment wins", "GET", "/api/things/all", 200, "application/json", "[" + good + "]", true},
		{"no content", "GET", "/api/things/1", 204, "", "", true},
		{"documented error", "GET", "/api/things/1", 409, problem, `{"code":"x"}`, true},
		{"unknown path", "GET", "/api/nothing", 404, problem, `{"code":"x"}`, true},
		{"wrong method", "DELETE", "/api/things/1", 405, problem, `{"code":"x"}`, true},

		{"field too many", "GET", "/api/things/1", 200, "application/json", `{"id":1,"at":"2026-01-02T03:04:05Z","pin":"x"}`, false},
		{"field missing", "GET", "/api/things/1", 200, "application/json", `{"id":1}`, false},
		{"bad format", "GET", "/api/things/1", 200, "application/json", `{"id":1,"at":"yesterday"}`, false},
		{"bad type", "GET", "/api/things/1", 200, "application/json", `{"id":"1","at":"2026-01-02T03:04:05Z"}`, false},
		{"no JSON", "GET", "/api/things/1", 200, "application/json", `{`, false},
		{"media type", "GET", "/api/things/1", 200, "text/html", good, false},
		{"no media type", "GET", "/api/things/1", 200, "", good, false},
		{"undocumented status", "GET", "/api/things/1", 202, "application/json", good, false},
		{"body with 204", "GET", "/api/things/1", 204, "application/json", good, false},
		{"error as text", "GET", "/api/things/1", 404, "text/plain", "no", false},
		{"error without code", "GET", "/api/things/1", 404, problem, `{}`, false},
		{"error without default", "GET", "/api/things/all", 500, problem, `{"code":"x"}`, false},
		{"unknown path that answers", "GET", "/api/nothing", 200, "application/json", good, false},
		{"unknown path as text", "GET", "/api/nothing", 404, "text/plain", "no", false},
	} {
		h := http.Header{"X-Request-Id": {"request-0001"}}
		if tc.media != "" {
			h.Set("Content-Type", tc.media)
		}
		var body []byte
		if tc.body != "" {
			body = []byte(tc.body)
		}
		if err := c.Check(tc.method, tc.path, tc.status, h, body); (err == nil) != tc.ok {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	if c.Check("GET", "/api/things/1", 204, http.Header{}, nil) == nil {
		t.Error("an answer without request id passes")
	}
}

// TestContractCompiles: every schema of the committed contract is a schema,
// and refers to nothing that is not there.
func TestContractCompiles(t *testing.T) {
	t.Parallel()
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	var walk func(pointer string, node any)
	schemas := 0
	walk = func(pointer string, node any) {
		switch node := node.(type) {
		case map[string]any:
			for name, child := range node {
				at := pointer + "/" + escape(name)
				if name == "schema" {
					schemas++
					if _, err := c.compile(at); err != nil {
						t.Errorf("%s: %v", at, err)
					}
					continue
				}
				walk(at, child)
			}
		case []any:
			for i, child := range node {
				walk(fmt.Sprintf("%s/%d", pointer, i), child)
			}
		}
	}
	walk("/paths", c.doc["paths"])
	if schemas < 50 {
		t.Errorf("only %d schemas were found", schemas)
	}
}

type recorder struct{ errors []string }

func (r *recorder) Helper()                  {}
func (r *recorder) Context() context.Context { return context.Background() }
func (r *recorder) Errorf(format string, args ...any) {
	r.errors = append(r.errors, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatal(args ...any) { r.errors = append(r.errors, fmt.Sprint(args...)) }

func TestClientReports(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("X-Request-Id", "request-0001")
		_, _ = io.WriteString(w, `{"status":"splendid"}`)
	}))
	t.Cleanup(srv.Close)
	r := &recorder{}
	res, err := Client(r).Get(srv.URL + "/api/health")
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	if body, _ := io.ReadAll(res.Body); string(body) != `{"status":"splendid"}` {
		t.Errorf("the body is gone: %s", body)
	}
	if len(r.errors) != 1 || !strings.Contains(r.errors[0], "status") {
		t.Errorf("reported %q", r.errors)
	}
}
