// Package apitest checks responses in handler tests against the contract,
// api/backend.yaml: status, media type and body must be documented. It is for tests
// only; no program imports it.
package apitest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"

	"github.com/keyward/keyward/api"
)

// TB is the part of testing.TB that this package needs.
type TB interface {
	Helper()
	Context() context.Context
	Errorf(format string, args ...any)
	Fatal(args ...any)
}

// Contract is a loaded OpenAPI file. It is safe for concurrent use.
type Contract struct {
	doc      map[string]any
	mu       sync.Mutex
	compiler *jsonschema.Compiler // caches compiled schemas
}

// Load parses api/backend.yaml, once per process: with the race detector that takes
// most of a second.
func Load() (*Contract, error) { return loaded() }

var loaded = sync.OnceValues(func() (*Contract, error) { return Parse(api.Backend) })

const location = "contract.json"

// Parse reads an OpenAPI 3.1 file in YAML.
func Parse(raw []byte) (*Contract, error) {
	var tree any
	if err := yaml.Unmarshal(raw, &tree); err != nil {
		return nil, err
	}
	asJSON, err := json.Marshal(tree)
	if err != nil {
		return nil, err
	}
	decoded, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
	if err != nil {
		return nil, err
	}
	doc, ok := decoded.(map[string]any)
	if !ok {
		return nil, errors.New("apitest: the contract is no object")
	}
	compiler := jsonschema.NewCompiler() // draft 2020-12, which OpenAPI 3.1 builds on
	compiler.AssertFormat()
	return &Contract{doc: doc, compiler: compiler}, compiler.AddResource(location, doc)
}

// Operation describes an operation of the contract.
type Operation struct {
	ID, Method, Path string
	Body             bool // whether it takes one
}

// Operations lists every operation of the contract, by id.
func (c *Contract) Operations() map[string]Operation {
	out := map[string]Operation{}
	paths, _ := c.doc["paths"].(map[string]any)
	for path, item := range paths {
		methods, _ := item.(map[string]any)
		for method, op := range methods {
			o, _ := op.(map[string]any)
			if id, ok := o["operationId"].(string); ok {
				_, body := o["requestBody"]
				out[id] = Operation{id, strings.ToUpper(method), path, body}
			}
		}
	}
	return out
}

// Check reports how a response departs from the contract, or nil. A response for an
// undocumented path must be a problem document.
func (c *Contract) Check(method, path string, status int, header http.Header, body []byte) error {
	if method == http.MethodOptions { // CORS preflights are not operations
		return nil
	}
	if method == http.MethodHead {
		method, body = http.MethodGet, nil
	}
	if header.Get("X-Request-Id") == "" {
		return errors.New("there is no X-Request-Id")
	}
	pointer, responses, err := c.responses(method, path)
	if err != nil {
		if status == http.StatusNotFound || status == http.StatusMethodNotAllowed {
			return c.checkProblem(header, body)
		}
		return err
	}
	key := strconv.Itoa(status)
	response, ok := responses[key].(map[string]any)
	if !ok {
		if status < 400 {
			return fmt.Errorf("status %d is not documented", status)
		}
		key = "default"
		if response, ok = responses[key].(map[string]any); !ok {
			return fmt.Errorf("status %d is not documented, and there is no default", status)
		}
	}
	content, _ := response["content"].(map[string]any)
	if len(content) == 0 {
		if len(body) > 0 {
			return fmt.Errorf("status %d has a body, but none is documented", status)
		}
		return nil
	}
	mediaType, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil {
		return fmt.Errorf("Content-Type %q: %w", header.Get("Content-Type"), err)
	}
	if _, ok := content[mediaType]; !ok {
		return fmt.Errorf("Content-Type %s is not documented for status %d", mediaType, status)
	}
	if body == nil || !strings.HasSuffix(mediaType, "/json") && !strings.HasSuffix(mediaType, "+json") {
		return nil
	}
	return c.validate(pointer+"/"+escape(key)+"/content/"+escape(mediaType)+"/schema", body)
}

func (c *Contract) checkProblem(header http.Header, body []byte) error {
	if got := header.Get("Content-Type"); got != "application/problem+json" {
		return fmt.Errorf("an error has Content-Type %q", got)
	}
	if body == nil {
		return nil
	}
	return c.validate("/components/schemas/ProblemDocument", body)
}

func (c *Contract) validate(pointer string, body []byte) error {
	schema, err := c.compile(pointer)
	if err != nil {
		return err
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		return fmt.Errorf("the body is no JSON: %w", err)
	}
	return schema.Validate(value)
}

func (c *Contract) compile(pointer string) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.compiler.Compile(location + "#" + pointer)
}

// responses returns the documented responses of an operation.
func (c *Contract) responses(method, path string) (pointer string, responses map[string]any, err error) {
	paths, _ := c.doc["paths"].(map[string]any)
	best, fixed := "", -1
	for template := range paths {
		if n, ok := fits(template, path); ok && n > fixed {
			best, fixed = template, n
		}
	}
	if best == "" {
		return "", nil, fmt.Errorf("%s is not documented", path)
	}
	item, _ := paths[best].(map[string]any)
	op, ok := item[strings.ToLower(method)].(map[string]any)
	if !ok {
		return "", nil, fmt.Errorf("%s %s is not documented", method, best)
	}
	responses, _ = op["responses"].(map[string]any)
	return "/paths/" + escape(best) + "/" + strings.ToLower(method) + "/responses", responses, nil
}

// fits matches a path against a template such as /api/hwkey/{serial}; more fixed
// segments mean a better match.
func fits(template, path string) (fixed int, ok bool) {
	want, got := strings.Split(template, "/"), strings.Split(path, "/")
	if len(want) != len(got) {
		return 0, false
	}
	for i := range want {
		switch {
		case strings.HasPrefix(want[i], "{"):
		case want[i] != got[i]:
			return 0, false
		default:
			fixed++
		}
	}
	return fixed, true
}

// escape writes a name as a segment of a JSON pointer in a URI fragment.
func escape(name string) string {
	return strings.NewReplacer("~", "~0", "/", "~1", "{", "%7B", "}", "%7D", "+", "%2B").Replace(name)
}

// Transport sends requests with Next and reports every response below /api that departs
// from the contract.
type Transport struct {
	T        TB
	Contract *Contract
	Next     http.RoundTripper
}

// Client returns an HTTP client that checks every response against the contract.
func Client(t TB) *http.Client {
	t.Helper()
	c, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	return &http.Client{Transport: &Transport{t, c, http.DefaultTransport}}
}

// RoundTrip implements http.RoundTripper. Of an event stream it gives the first part.
func (tr *Transport) RoundTrip(r *http.Request) (*http.Response, error) {
	res, err := tr.Next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	var body []byte
	if res.Header.Get("Content-Type") == "text/event-stream" { // it has no end
		body = make([]byte, 512)
		n, errRead := res.Body.Read(body)
		body, err = body[:n], errRead
	} else {
		body, err = io.ReadAll(res.Body)
	}
	_ = res.Body.Close()
	if err != nil {
		return nil, err
	}
	res.Body = io.NopCloser(bytes.NewReader(body))
	if strings.HasPrefix(r.URL.Path, "/api/") {
		if err := tr.Contract.Check(r.Method, r.URL.EscapedPath(), res.StatusCode, res.Header, body); err != nil {
			tr.T.Errorf("%s %s answers %d against the contract: %v", r.Method, r.URL.Path, res.StatusCode, err)
		}
	}
	return res, nil
}
