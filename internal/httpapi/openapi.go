package httpapi

import (
	"net/http"
	"reflect"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/problem"
)

const bearerScheme = "bearer"

// newAPI sets the HTTP library up: our adapter, our JSON, our errors, and
// none of the routes that it would add.
func newAPI(s *Server) huma.API {
	hook()
	format := huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: unmarshalStrict}
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	registry.RegisterTypeAlias(reflect.TypeFor[Problem](), reflect.TypeFor[problemDocument]())
	return huma.NewAPI(huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title:       "Keyward backend",
				Version:     "1",
				Description: "Hardware tokens, their secrets and their certificates. Errors are RFC 9457 problem documents; branch on their code.",
			},
			Components: &huma.Components{
				Schemas: registry,
				SecuritySchemes: map[string]*huma.SecurityScheme{
					bearerScheme: {Type: "http", Scheme: "bearer", BearerFormat: "JWT", Description: "The access_token of login or refresh; or an API key, where the operation allows one."},
				},
			},
		},
		Formats:       map[string]huma.Format{"application/json": format, "json": format},
		DefaultFormat: "application/json",
	}, adapter{s})
}

// problemDocument documents Problem.
type problemDocument struct {
	Type      string         `json:"type" format:"uri-reference" doc:"about:blank: the code says what happened"`
	Title     string         `json:"title" doc:"The status in words"`
	Status    int            `json:"status" doc:"The HTTP status"`
	Detail    string         `json:"detail" doc:"For people: what happened and what to do next"`
	Code      string         `json:"code" doc:"Stable; for programs" pattern:"^[a-z][a-z0-9_]*$"`
	RequestID string         `json:"request_id" doc:"Also in X-Request-Id and in the server's log"`
	Params    map[string]any `json:"params,omitempty" nullable:"false" doc:"What a translation of the detail needs: reason names the sentence where the code has several (errors.json lists them), the others fill its places"`
	Errors    []problemField `json:"errors,omitempty" nullable:"false" doc:"The invalid fields"`
	_         struct{}       `json:"-" additionalProperties:"true"`
}

type problemField struct {
	Field   string         `json:"field" doc:"Its name; of a field inside others, with dots"`
	Code    string         `json:"code" doc:"What is wrong with it; for programs" pattern:"^[a-z][a-z0-9_]*$"`
	Params  map[string]any `json:"params,omitempty" nullable:"false" doc:"What a translation of the message needs"`
	Message string         `json:"message" doc:"What is wrong with it, in English; never the submitted value"`
}

func errorResponse() *huma.Response {
	return &huma.Response{
		Description: "Error",
		Content: map[string]*huma.MediaType{
			problem.ContentType: {Schema: &huma.Schema{Ref: "#/components/schemas/ProblemDocument"}},
		},
	}
}

// OpenAPI is the description of the operations, which grows with every one
// that is registered.
func (s *Server) OpenAPI() *huma.OpenAPI { return s.api.OpenAPI() }

func (s *Server) registerOpenAPI() {
	spec := sync.OnceValues(func() ([]byte, error) { return s.api.OpenAPI().YAML() })
	op := Operation{
		ID: "openapi", Method: http.MethodGet, Path: "/api/openapi.yaml", Tags: []string{"system"},
		Summary: "Get this description",
	}
	RegisterRaw(s, op, map[string]*huma.Response{
		"200": {Description: "OK", Content: map[string]*huma.MediaType{"application/yaml": {Schema: &huma.Schema{Type: "string"}}}},
	}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := spec()
		if err != nil {
			s.fail(exchangeFrom(r.Context()), r, err)
			return
		}
		w.Header().Set("Content-Type", "application/yaml")
		w.Header().Set("Cache-Control", "public, max-age=300")
		_, _ = w.Write(text)
	}))
}
