package httpapi

import (
	"net/http"
	"reflect"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/middleware"
)

const bearerScheme = "bearer"

// newAPI creates the description's head, with our adapter behind it.
func newAPI(s *Server) huma.API {
	return middleware.NewAPI(&huma.OpenAPI{
		Info: &huma.Info{
			Title:       "Keyward backend",
			Version:     "1",
			Description: "Hardware tokens, their secrets and their certificates. Errors are RFC 9457 problem documents; branch on their code.",
		},
		Components: &huma.Components{
			Schemas: huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer),
			SecuritySchemes: map[string]*huma.SecurityScheme{
				bearerScheme: {Type: "http", Scheme: "bearer", BearerFormat: "JWT",
					Description: "The access_token of login or refresh; or an API key, where the operation allows one."},
			},
		},
	}, reflect.TypeFor[problemDocument](), adapter{s})
}

// problemDocument documents a problem; some codes add their own members.
type problemDocument struct {
	middleware.ProblemDocument
	_ struct{} `json:"-" additionalProperties:"true"`
}

func problemSchema(api huma.API) *huma.Schema {
	return api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[problemDocument](), true, "")
}

// OpenAPI returns the description of the operations registered so far.
func (s *Server) OpenAPI() *huma.OpenAPI { return s.api.OpenAPI() }

func (s *Server) registerOpenAPI() {
	spec := sync.OnceValues(func() ([]byte, error) { return s.api.OpenAPI().YAML() })
	op := Operation{
		ID: "openapi", Method: http.MethodGet, Path: "/api/openapi.yaml", Passes: Always, Tags: []string{"system"},
		Summary: "Get this description",
	}
	RegisterRaw(s, op, map[string]*huma.Response{
		"200": {Description: "OK", Content: map[string]*huma.MediaType{"application/yaml": {Schema: &huma.Schema{Type: "string"}}}},
	}, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, err := spec()
		if err != nil {
			s.Fail(r.Context(), err)
			return
		}
		w.Header().Set("Content-Type", "application/yaml")
		w.Header().Set("Cache-Control", "public, max-age=300")
		_, _ = w.Write(text)
	}))
}
