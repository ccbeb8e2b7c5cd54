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
	"github.com/keyward/keyward/internal/middleware"
)

// Operation describes one operation of the API.
type Operation struct {
	ID          access.Operation // its row in access.Table
	Method      string
	Path        string // ServeMux pattern, for example /api/session/{id}; {key...} is {key} in the description
	Summary     string
	Description string
	Tags        []string
	Status      int           // on success; zero: 200, or 204 without a body
	MaxBody     int64         // bytes; zero: middleware.MaxBody
	BodyTimeout time.Duration // for the whole body to arrive; zero: middleware.BodyTimeout
	Limit       LimitClass    // of a public operation
	Passes      Passage       // while nobody is admitted (Options.SignInBlocked)
	Writes      bool          // a GET that changes things: also refused while nothing may be changed
	Unbarred    bool          // allowed while nothing may be changed (Options.Changes)
	Witnessed   bool          // clients that Options.Witness knows may call it, though no longer signed in
	Verbatim    bool          // a raw GET: what its last path parameter matches is data, never cleaned or redirected
	hidden      bool          // not described in the contract; for tests
}

// Passage says when an operation is allowed although nobody is admitted.
type Passage int

const (
	// NoPassage: the response is the bar's reason.
	NoPassage Passage = iota
	// UntilCompared passes while it is unknown whether database and vault belong
	// together, but not when they do not: it reports the server's state.
	UntilCompared
	// Always passes: the operation needs neither a sign-in nor the records for it; or
	// its handler checks Server.SignInBlocked, to report it in its own way.
	Always
)

// route is an operation with what the guard needs at each request.
type route struct {
	Operation
	public  bool
	body    middleware.Body
	metrics *routeMetrics
}

// Register adds an operation. The input is validated against its schema after the guard
// has admitted the request; any error of the handler becomes a problem document.
func Register[I, O any](s *Server, op Operation, handler func(context.Context, *I) (*O, error)) {
	rt := s.newRoute(op)
	checkInput(op, reflect.TypeFor[I]())
	huma.Register(s.api, *rt.huma(), func(ctx context.Context, in *I) (*O, error) {
		out, err := handler(ctx, in)
		if err != nil {
			s.denied(ctx, err)
			return nil, middleware.NewProblem(ctx, err)
		}
		return out, nil
	})
}

// checkInput finds at startup what the HTTP library would silently ignore: an
// unexported embedded struct, and a path parameter without a field.
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

// RegisterRaw adds an operation whose handler writes the response itself, for responses
// that are not JSON. responses documents them, by status.
func RegisterRaw(s *Server, op Operation, responses map[string]*huma.Response, handler http.Handler) {
	rt := s.newRoute(op)
	h := rt.huma()
	h.Responses = responses
	h.Responses["default"] = middleware.ErrorResponse(problemSchema(s.api))
	if !op.hidden {
		s.api.OpenAPI().AddOperation(h)
	}
	s.handle(rt, handler)
	if op.Method == http.MethodGet && !strings.Contains(op.Path, "{") {
		s.static[op.Path] = s.guard(rt, handler)
	}
	if prefix, _, found := strings.Cut(op.Path, "{"); found && op.Verbatim {
		s.verbatim[prefix] = s.guard(rt, handler)
	}
}

func (s *Server) newRoute(op Operation) *route {
	if _, ok := access.Table()[op.ID]; !ok {
		panic(fmt.Sprintf("operation %q has no row in the table of package access", op.ID))
	}
	rt := &route{Operation: op, public: access.IsPublic(op.ID), body: middleware.Body{Max: op.MaxBody, Timeout: op.BodyTimeout},
		metrics: s.opts.Metrics.route(string(op.ID))}
	s.routes[string(op.ID)] = rt
	return rt
}

// huma returns the operation in the library's form.
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

// describe adds the requirements in package access's tables to an operation's
// description.
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
		// The library adds bytes if a handler also reads its raw body.
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
