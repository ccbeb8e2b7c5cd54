package server

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	wire "github.com/keyward/keyward/api/license"
	"go.opentelemetry.io/otel/trace"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/middleware"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/tracing"
	"github.com/keyward/keyward/internal/vault"
)

// Options is what a server needs.
type Options struct {
	Version string
	License license.Port
	// Token is what callers must send, any of its lines; it is read for each call. Nil: any connected
	// client may call, so the listener must demand a certificate.
	Token func() (secret.String, error)
	Vault func(context.Context) vault.State // the vault's state; nil: not checked
	Log   *slog.Logger
}

// New builds the handler.
func New(o Options) http.Handler {
	s := &server{Options: o, routes: map[string]string{}}
	_, mux := s.newAPI()
	return middleware.Identify(o.Log, s.guard(mux))
}

type server struct {
	Options
	routes map[string]string // the method of each path
}

const healthPath = "/health"

// minToken is the shortest token, in characters, as the settings demand.
const minToken = 16

// guard checks authentication, paths and the headers of bodies, because the mux's own
// refusals are not problem documents.
func (s *server) guard(next http.Handler) http.Handler {
	body := middleware.Body{Types: []string{"application/json"}, Max: license.MaxFile, Timeout: middleware.BodyTimeout}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var err error
		method, ok := s.routes[r.URL.Path]
		switch {
		case r.URL.Path != healthPath && !s.authenticated(r):
			w.Header().Set("WWW-Authenticate", "Bearer")
			err = fault.New(fault.TokenInvalid, "license_service_token",
				"The license service only responds to the backend: give both the same LICENSE_SERVICE_TOKEN.")
		case !ok || r.URL.RawPath != "":
			err = fault.New(fault.NotFound, "no_license_path", "The license service has no such path.")
		case r.Method != method:
			w.Header().Set("Allow", method)
			err = fault.Newf(fault.MethodNotAllowed, "use_method", "Use {method} for this path.", fault.Params{"method": method})
		case method == http.MethodPost:
			err = body.Prepare(w, r)
		}
		if err != nil {
			middleware.From(r.Context()).Fail(err)
			return
		}
		// The caller has proved to be Keyward, and says which trace this belongs to.
		ctx, span := tracing.Root(tracing.Caller(r.Context(), r.Header), method+" "+r.URL.Path, trace.SpanKindServer)
		defer span.End(nil)
		next.ServeHTTP(w, r.WithContext(ctx))
	})
}

func (s *server) authenticated(r *http.Request) bool {
	if s.Token == nil {
		return true
	}
	text, err := s.Token()
	if err != nil {
		s.Log.Warn("callers are refused: the token can't be read", "error", err)
		return false
	}
	given, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if len(given) < minToken { // a line that was cut off is no token
		return false
	}
	return ok && slices.ContainsFunc(text.Lines(), secret.New(given).Equal)
}

// newAPI registers every operation.
func (s *server) newAPI() (huma.API, *http.ServeMux) {
	mux := http.NewServeMux()
	schemas := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	api := middleware.NewAPI(&huma.OpenAPI{
		Info: &huma.Info{
			Title: "Keyward license service", Version: "1",
			Description: "Internal: it only answers backends, which send a shared token or a client certificate.",
		},
		Servers: []*huma.Server{{URL: "http://127.0.0.1:8091"}},
		Components: &huma.Components{
			Schemas:         schemas,
			SecuritySchemes: map[string]*huma.SecurityScheme{"token": {Type: "http", Scheme: "bearer", Description: "LICENSE_SERVICE_TOKEN"}},
		},
	}, reflect.TypeFor[middleware.ProblemDocument](), humago.NewAdapter(mux, ""))
	problem := middleware.ErrorResponse(schemas.Schema(reflect.TypeFor[middleware.ProblemDocument](), true, ""))
	operation := func(method, path, id, summary string) huma.Operation {
		s.routes[path] = method
		op := huma.Operation{
			Method: method, Path: path, OperationID: id, Summary: summary, RejectUnknownQueryParameters: true,
			Responses: map[string]*huma.Response{"default": problem},
		}
		if path != healthPath {
			op.Security = []map[string][]string{{"token": {}}}
		}
		return op
	}
	register(api, s, operation(http.MethodGet, healthPath, "health", "Check whether the service is running"), s.health)
	register(api, s, operation(http.MethodGet, "/license/installation-id", "installation-id", "Show the installation ID; creates it if "+
		"there is none"),
		s.installationID)
	register(api, s, operation(http.MethodGet, "/license/status", "status", "Show the license status"), s.status)
	register(api, s, operation(http.MethodGet, "/license/history", "history", "List license operations, newest first"), s.history)
	upload := operation(http.MethodPost, "/license/upload", "upload", "Check a license file and store its license")
	upload.RequestBody, upload.SkipValidateBody = uploaded(schemas), true
	register(api, s, upload, s.upload)
	register(api, s, operation(http.MethodDelete, "/license", "remove", "Remove the stored license"), s.remove)
	orNull(schemas, "Standing", "license")
	orNull(schemas, "Event", "license_summary")
	return api, mux
}

// orNull documents that an object property may be null: the HTTP library has no tag for that.
func orNull(schemas huma.Registry, of, property string) {
	p := schemas.Map()[of].Properties[property]
	schemas.Map()[of].Properties[property] = &huma.Schema{
		AnyOf: []*huma.Schema{{Ref: p.Ref}, {Type: "null"}}, Description: p.Description,
	}
}

// register logs one line per request, and turns a handler's error into its response.
func register[I, O any](api huma.API, s *server, op huma.Operation, handler func(context.Context, *I) (O, error)) {
	huma.Register(api, op, func(ctx context.Context, in *I) (*answer[O], error) {
		begin := time.Now()
		out, err := handler(ctx, in)
		level, code := slog.LevelInfo, "ok"
		if op.Path == healthPath {
			level = slog.LevelDebug
		}
		if err != nil {
			p := middleware.NewProblem(ctx, err)
			code, err = string(p.Code), p
			if p.Document.Status >= http.StatusInternalServerError {
				level = slog.LevelError
			}
		}
		x := middleware.From(ctx)
		line := []any{"operation", op.OperationID, "outcome", code, "ms", time.Since(begin).Milliseconds(), "request_id", x.RequestID}
		if x.Cause != nil {
			line = append(line, "cause", x.Cause)
		}
		s.Log.Log(ctx, level, "request", line...)
		return &answer[O]{Body: out, CacheControl: "no-store"}, err
	})
}

// answer wraps a body for the HTTP library.
type answer[T any] struct {
	CacheControl string `header:"Cache-Control"`
	Body         T
}

// OpenAPI returns the service's contract, derived from the handlers' types, as YAML.
func OpenAPI() ([]byte, error) {
	s := &server{Options: Options{Log: slog.New(slog.DiscardHandler)}, routes: map[string]string{}}
	api, _ := s.newAPI()
	raw, err := api.OpenAPI().YAML()
	if err != nil {
		return nil, err
	}
	head := []byte("# Made by go generate ./internal/license/server from the handlers' types; do not edit.\n")
	return append(head, bytes.TrimLeft(raw, "\n")...), nil
}

func (s *server) health(ctx context.Context, _ *struct{}) (wire.Health, error) {
	if s.Vault != nil && s.Vault(ctx) != vault.Connected {
		return wire.Health{}, vault.Fault(vault.ErrUnavailable)
	}
	return wire.Health{Status: "ok", Version: s.Version}, nil
}
