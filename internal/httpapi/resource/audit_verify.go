package resource

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
)

const (
	verifyLimit    = 15 * time.Minute
	verifyPatience = time.Minute            // for a client to read a line
	verifyTells    = 250 * time.Millisecond // between two lines, at least
	verifyRetry    = 10 * time.Second
)

// Verified is what a verification found: errors that name what was changed.
type Verified struct {
	chain.Report

	Releases, Certificates int64
	Found                  []error
}

// VerifyAudit checks the log, and tells up to which entry it is done. An error: it could not.
type VerifyAudit func(ctx context.Context, tell func(last, of int64)) (Verified, error)

// auditVerify runs one verification at a time: it reads the whole log.
type auditVerify struct {
	*httpapi.Server
	verify  VerifyAudit
	running sync.Mutex
}

func registerAuditVerify(s *httpapi.Server, verify VerifyAudit) {
	h := &auditVerify{Server: s, verify: verify}
	op := httpapi.Operation{ID: "audit-verify", Method: http.MethodGet, Path: "/api/admin/audit/verify", Tags: []string{"audit"},
		Summary: "Verify that nobody changed the audit log",
		Description: "Does what keyward audit verify does with the vault, beside the running server, one at a time. Each line is a JSON " +
			"object: how far it is and, in the last one, the result. Without a result, it broke off."}
	httpapi.Register(s, op, func(context.Context, *struct{}) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(ctx huma.Context) {
			httpapi.WriterFrom(ctx.Context()).Header().Set("Content-Type", "application/x-ndjson")
			if ctx.Method() != http.MethodHead {
				h.stream(ctx.Context())
			}
		}}, nil
	})
	line := s.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[backend.AuditVerification](), true, "")
	s.OpenAPI().Paths[op.Path].Get.Responses["200"] = &huma.Response{
		Description: "The lines", Content: map[string]*huma.MediaType{"application/x-ndjson": {Schema: line}},
	}
}

func (h *auditVerify) stream(ctx context.Context) {
	w := httpapi.WriterFrom(ctx)
	fail := func(err error) {
		w.Header().Del("Content-Type")
		h.Fail(ctx, err)
	}
	if !h.running.TryLock() {
		fail(fault.New(fault.RateLimited, "verification_running",
			"The audit log is being verified already. Wait until that ends.").After(verifyRetry))
		return
	}
	defer h.running.Unlock()
	w.Header().Set("X-Accel-Buffering", "no") // nginx would collect them
	limited, cancel := context.WithTimeout(ctx, verifyLimit)
	defer cancel()
	controller := http.NewResponseController(w)
	send := func(line backend.AuditVerification) {
		// Whoever does not read it any more needs no result.
		text, err := json.Marshal(line)
		if err == nil {
			err = controller.SetWriteDeadline(time.Now().Add(verifyPatience))
		}
		if err == nil || errors.Is(err, http.ErrNotSupported) {
			_, err = w.Write(append(text, '\n'))
		}
		if err == nil {
			err = controller.Flush()
		}
		if err != nil && !errors.Is(err, http.ErrNotSupported) {
			cancel()
		}
	}
	var at backend.AuditVerification
	var told time.Time
	found, err := h.verify(limited, func(last, of int64) {
		at.Checked, at.Of = last, of
		if now := time.Now(); now.Sub(told) >= verifyTells {
			told = now
			send(at)
		}
	})
	switch {
	case err == nil:
		at.Result = verificationBody(found)
		send(at)
	case !httpapi.Begun(ctx):
		fail(err)
	default:
		if ctx.Err() == nil {
			h.Log().WarnContext(ctx, "a verification of the audit log broke off", "error", err)
		}
		panic(http.ErrAbortHandler) // no result must not look like one
	}
}

func verificationBody(v Verified) *backend.AuditVerificationResult {
	r := &backend.AuditVerificationResult{OK: len(v.Found) == 0, Entries: v.Entries, Unsealed: v.Unsealed,
		Releases: v.Releases, Certificates: v.Certificates, Findings: []backend.AuditVerificationFinding{}}
	for _, err := range v.Found {
		finding := backend.AuditVerificationFinding{Detail: err.Error()}
		if bad, ok := errors.AsType[*chain.Bad](err); ok {
			finding.Entry = bad.Entry
		}
		r.Findings = append(r.Findings, finding)
	}
	return r
}
