package middleware

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/problem"
)

// format is our JSON format for the HTTP library.
var format = huma.Format{Marshal: huma.DefaultJSONFormat.Marshal, Unmarshal: unmarshal}

// NewAPI sets up the HTTP library: our JSON, our errors, and none of the routes
// that it would add. document is the type that describes a problem document.
func NewAPI(doc *huma.OpenAPI, document reflect.Type, adapter huma.Adapter) huma.API {
	localizeErrors()
	doc.OpenAPI = "3.1.0"
	doc.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[Problem](), document)
	return huma.NewAPI(huma.Config{
		OpenAPI:       doc,
		Formats:       map[string]huma.Format{"application/json": format, "json": format}, // json is for +json types
		DefaultFormat: "application/json",
	}, patient{adapter})
}

// patient leaves the connection's deadlines and the body's size to Body. The
// library applies its own at each request: zero makes it leave a deadline
// alone, and a negative value means no limit.
type patient struct{ huma.Adapter }

func (a patient) Handle(op *huma.Operation, handler func(huma.Context)) {
	op.BodyReadTimeout, op.MaxBodyBytes = 0, -1
	a.Adapter.Handle(op, handler)
}

// ProblemDocument describes a problem document (RFC 9457).
type ProblemDocument struct {
	Type      string         `json:"type" format:"uri-reference" doc:"about:blank: the code says what happened"`
	Title     string         `json:"title" doc:"The status in words"`
	Status    int            `json:"status" doc:"The HTTP status"`
	Detail    string         `json:"detail" doc:"For people: what happened and what to do next"`
	Code      string         `json:"code" doc:"Stable; for programs" pattern:"^[a-z][a-z0-9_]*$"`
	RequestID string         `json:"request_id" doc:"Also in X-Request-Id and in the server's log"`
	Params    map[string]any `json:"params,omitempty" nullable:"false" doc:"What a translation of the detail needs: reason names the sentence where the code has several (errors.json lists them), the others fill its places"`
	Errors    []ProblemField `json:"errors,omitempty" nullable:"false" doc:"The invalid fields"`
}

// ProblemField describes what is wrong with one input.
type ProblemField struct {
	Field   string         `json:"field" doc:"Its name; of a field inside others, with dots"`
	Code    string         `json:"code" doc:"What is wrong with it; for programs" pattern:"^[a-z][a-z0-9_]*$"`
	Params  map[string]any `json:"params,omitempty" nullable:"false" doc:"What a translation of the message needs"`
	Message string         `json:"message" doc:"What is wrong with it, in English; never the submitted value"`
}

// ErrorResponse documents the error response of an operation.
func ErrorResponse(document *huma.Schema) *huma.Response {
	return &huma.Response{Description: "Error", Content: map[string]*huma.MediaType{problem.ContentType: {Schema: document}}}
}
