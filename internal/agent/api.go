package agent

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/middleware"
)

// codes lists the codes of the agent's problem documents.
const codes = "Stable: invalid_request, origin_refused, not_found, method_not_allowed, body_too_large, unsupported_media_type, no_token, " +
	"token_not_found, token_in_use, wrong_pin, wrong_puk, wrong_management_key, pin_blocked, puk_blocked, pin_refused, retries_low, " +
	"slot_occupied, current_required, conflict, busy, decrypt_failed, tool_failed, tool_missing, internal."

// newAPI registers every operation.
func (s *server) newAPI() (huma.API, *http.ServeMux) {
	mux := http.NewServeMux()
	schemas := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	api := middleware.NewAPI(&huma.OpenAPI{
		Info: &huma.Info{
			Title:       "Keyward agent",
			Version:     "1",
			Description: "The workstation agent. There is no authentication: it answers allowed origins and local programs of its own user.",
		},
		Servers:    []*huma.Server{{URL: "http://" + DefaultListen}},
		Components: &huma.Components{Schemas: schemas},
	}, reflect.TypeFor[problemDocument](), humago.NewAdapter(mux, ""))
	problem := schemas.Schema(reflect.TypeFor[problemDocument](), true, "")
	schemas.Map()["ProblemDocument"].Properties["code"].Description = codes
	r := registrar{s, api, middleware.ErrorResponse(problem)}

	get(r, wellKnown, "well-known", "Find the agent", s.health)
	get(r, "/health", "health", "Check that the agent is running", s.health)
	get(r, "/pubkey", "pubkey", "Show the agent's public key; waits until it is created", s.pubkey)
	get(r, "/discover", "discover", "List the connected tokens", s.discover)
	s.registerEvents(r)
	get(r, "/system/info", "system-info", "Show the workstation and the token tool", s.system)
	get(r, "/piv/info", "piv-info", "Show what a token tells without a secret", s.info)
	get(r, "/piv/check-defaults", "piv-check-defaults", "Check whether factory secrets are in use", s.checkDefaults)
	post(r, "/piv/probe", "piv-probe", "Find out which candidate a token has", s.probe)
	post(r, "/piv/set-pin", "piv-set-pin", "Change the PIN", s.setPIN)
	post(r, "/piv/set-puk", "piv-set-puk", "Change the PUK", s.setPUK)
	post(r, "/piv/unblock-pin", "piv-unblock-pin", "Set a new PIN with the PUK", s.unblockPIN)
	post(r, "/piv/set-retries", "piv-set-retries", "Set the numbers of tries; PIN and PUK get their factory values", s.setRetries)
	post(r, "/piv/rotate-management-key", "piv-rotate-management-key", "Change the management key", s.rotateManagementKey)
	post(r, "/piv/generate-csr", "piv-generate-csr", "Create a key and a certificate request", s.generateCSR)
	post(r, "/piv/import-certificate", "piv-import-certificate", "Store a certificate next to its key", s.importCertificate)
	post(r, "/piv/reset", "piv-reset", "Reset the PIV application", s.reset)
	return api, mux
}

type registrar struct {
	s       *server
	api     huma.API
	problem *huma.Response
}

func (r registrar) operation(method, path, id, summary string) huma.Operation {
	if r.s.routes[path] != "" {
		panic("route registered twice: " + path) // a programming error that every test hits
	}
	r.s.routes[path] = method
	return huma.Operation{
		Method: method, Path: path, OperationID: id, Summary: summary,
		RejectUnknownQueryParameters: true,
		Responses:                    map[string]*huma.Response{"default": r.problem},
	}
}

func get[I, O any](r registrar, path, id, summary string, h func(context.Context, *I) (*O, error)) {
	huma.Register(r.api, r.operation(http.MethodGet, path, id, summary), logged(r.s, id, h))
}

func post[I, O any](r registrar, path, id, summary string, h func(context.Context, *body[I]) (*O, error)) {
	huma.Register(r.api, r.operation(http.MethodPost, path, id, summary), logged(r.s, id, h))
}

// logged maps a handler's error to a response and logs one line per request,
// without any field of the request.
func logged[I, O any](s *server, id string, h func(context.Context, *I) (*O, error)) func(context.Context, *I) (*O, error) {
	return func(ctx context.Context, in *I) (*O, error) {
		begin := time.Now()
		out, err := h(ctx, in)
		code := "ok"
		if err != nil {
			p := middleware.NewProblem(ctx, err)
			code, err = string(p.Code), p
		}
		x := middleware.From(ctx)
		if fault.Code(code) == fault.Internal {
			s.log.Error("internal error", "request_id", x.RequestID, "cause", x.Cause)
		}
		s.log.Info("request", "operation", id, "outcome", code, "ms", time.Since(begin).Milliseconds(), "request_id", x.RequestID)
		return out, err
	}
}
