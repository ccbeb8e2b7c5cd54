package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"reflect"
	"regexp"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/edge"
)

// Operation describes one operation of the API.
type Operation struct {
	ID          access.Operation // its row in access.Table
	Method      string
	Path        string // ServeMux pattern, for example /api/session/{id}; {key...} is {key} in the description
	Summary     string
	Description string
	Tags        []string
	Status      int           // of success; zero: 200, or 204 without a body
	MaxBody     int64         // bytes; zero: edge.MaxBody
	BodyTimeout time.Duration // for the whole body to arrive; zero: edge.BodyTimeout
	Limit       LimitClass    // of a public operation
	Passes      Passage       // while nobody is let in (Options.Barred)
	Writes      bool          // a GET that changes things, and so waits like the others while nothing may be changed
	Unbarred    bool          // goes on while nothing may be changed (Options.Changes)
	Witnessed   bool          // whom Options.Witness knows may call it, though they are not signed in any more
	hidden      bool          // not described in the contract; for tests
}

// Passage is when an operation goes on although nobody is let in.
type Passage int

const (
	// NoPassage: whoever asks gets the bar's answer.
	NoPassage Passage = iota
	// UntilCompared passes while it is not known yet whether database and vault belong
	// together, not where they do not: it tells how the server stands.
	UntilCompared
	// Always passes: it needs nobody to sign in, and no record of who may; or its
	// handler asks Server.Barred, to tell it in its own way.
	Always
)

// route is an operation with what the guard needs at each request.
type route struct {
	Operation
	public  bool
	body    edge.Body
	metrics *routeMetrics
}

// Register adds an operation. The input's fields are checked against its
// schema after the guard has let the request pass; whatever the handler
// returns as error becomes a problem document.
func Register[I, O any](s *Server, op Operation, handler func(context.Context, *I) (*O, error)) {
	rt := s.newRoute(op)
	checkInput(op, reflect.TypeFor[I]())
	huma.Register(s.api, *rt.huma(), func(ctx context.Context, in *I) (*O, error) {
		out, err := handler(ctx, in)
		if err != nil {
			s.denied(ctx, err)
			return nil, edge.NewProblem(ctx, err)
		}
		return out, nil
	})
}

// checkInput finds at start what the HTTP library would ignore in silence: an
// embedded struct that is not exported, and a path parameter without a field.
func checkInput(op Operation, input reflect.Type) {
	params := map[string]bool{}
	for _, f := range reflect.VisibleFields(input) {
		if f.Anonymous && !f.IsExported() {
			panic(fmt.Sprintf("operation %q: the embedded %s must be exported", op.ID, f.Name))
		}
		params[f.Tag.Get("path")] = true
	}
	for _, m := range pathParameter.FindAllStringSubmatch(op.Path, -1) {
		if !params[m[1]] {
			panic(fmt.Sprintf("operation %q: the input has no field for {%s}", op.ID, m[1]))
		}
	}
}

var pathParameter = regexp.MustCompile(`\{([^}.]+)`)

// RegisterRaw adds an operation whose handler writes the answer itself, for
// answers that are no JSON. responses documents them, by status.
func RegisterRaw(s *Server, op Operation, responses map[string]*huma.Response, handler http.Handler) {
	rt := s.newRoute(op)
	h := rt.huma()
	h.Responses = responses
	h.Responses["default"] = edge.ErrorResponse(problemSchema(s.api))
	if !op.hidden {
		s.api.OpenAPI().AddOperation(h)
	}
	s.handle(rt, handler)
	if op.Method == http.MethodGet && !strings.Contains(op.Path, "{") {
		s.static[op.Path] = s.guard(rt, handler)
	}
}

func (s *Server) newRoute(op Operation) *route {
	if _, ok := access.Table()[op.ID]; !ok {
		panic(fmt.Sprintf("operation %q has no row in the table of package access", op.ID))
	}
	rt := &route{Operation: op, public: access.IsPublic(op.ID), body: edge.Body{Max: op.MaxBody, Timeout: op.BodyTimeout},
		metrics: s.opts.Metrics.route(string(op.ID))}
	s.routes[string(op.ID)] = rt
	return rt
}

// huma gives the operation as the library wants it.
func (rt *route) huma() *huma.Operation {
	h := &huma.Operation{
		OperationID: string(rt.ID), Method: rt.Method, Path: strings.ReplaceAll(rt.Path, "...}", "}"), Summary: rt.Summary,
		Description: describe(rt.Operation), Tags: rt.Tags, DefaultStatus: rt.Status,
		Hidden:   rt.hidden,
		Metadata: map[string]any{routeKey: rt},
	}
	if !rt.public {
		h.Security = []map[string][]string{{bearerScheme: {}}}
	}
	return h
}

// describe adds to an operation's description what the tables of package access demand.
func describe(op Operation) string {
	text := op.Description
	if text != "" && !strings.HasSuffix(text, ".") {
		text += "."
	}
	switch fields := access.Effective(op.ID); {
	case access.IsPublic(op.ID):
		return op.Description
	case access.NeedsRecent(op.ID):
		text += " Requires recent authentication."
	case len(fields) > 0:
		text += " What these fields lead to can require recent authentication, and be refused to API keys: " +
			strings.Join(fields, ", ") + "."
	default:
		return op.Description
	}
	return strings.TrimSpace(text)
}

const routeKey = "route"

// adapter puts the library's handlers behind our guard.
type adapter struct{ s *Server }

func (a adapter) Handle(op *huma.Operation, handler func(huma.Context)) {
	rt, ok := op.Metadata[routeKey].(*route)
	if !ok {
		panic("operation " + op.OperationID + " was not registered by Register")
	}
	if op.RequestBody != nil {
		// The library adds bytes where a handler reads its body as such, too.
		if op.RequestBody.Content["application/json"] != nil {
			delete(op.RequestBody.Content, "application/octet-stream")
		}
		for mediaType := range op.RequestBody.Content {
			rt.body.Types = append(rt.body.Types, mediaType)
		}
	}
	a.s.handle(rt, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Cache-Control"] = noStore
		handler(humago.NewContext(op, r, w))
	}))
}

func (a adapter) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.s.ServeHTTP(w, r) }

func (s *Server) handle(rt *route, next http.Handler) {
	s.mux.Handle(rt.Method+" "+rt.Path, s.guard(rt, next))
}
