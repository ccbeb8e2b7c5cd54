package httpapi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/line"
	"github.com/keyward/keyward/internal/fault"
)

const (
	exportsAtOnce  = 8                // more would take their memory from everybody
	exportPatience = 60 * time.Second // for a client to take one chunk
	exportLimit    = time.Hour        // for the whole: nobody holds a place for days
	exportRetry    = 10 * time.Second
)

// exporter is somebody who exports: a person or an API key.
type exporter struct{ user, apiKey int64 }

// exports are those that run. The zero value has none.
type exports struct {
	mu      sync.Mutex
	running map[exporter]bool
}

// begin takes a place; end gives it back. One for each, so that nobody takes
// them all.
func (e *exports) begin(who exporter) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case e.running[who]:
		return fault.New(fault.RateLimited, "Another export of yours is running. Wait for its end.").After(exportRetry)
	case len(e.running) >= exportsAtOnce:
		return fault.New(fault.Overloaded, "Too many exports run at the moment. Try again shortly.").After(exportRetry)
	case e.running == nil:
		e.running = map[exporter]bool{}
	}
	e.running[who] = true
	return nil
}

func (e *exports) end(who exporter) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.running, who)
}

// auditExport streams the log.
type auditExport struct {
	s     *Server
	store audit.Store
}

// AuditExportInput is what an export is asked for.
type AuditExportInput struct {
	AuditFilters

	Format string `query:"format" required:"true" enum:"csv,ndjson" doc:"csv with a header, cells defused against formulas; ndjson: one entry a line, as in the list"`
}

func registerAuditExport(s *Server, store audit.Store) {
	h := auditExport{s, store}
	op := Operation{ID: "export-audit", Method: http.MethodGet, Path: "/api/admin/audit/export", Tags: []string{"audit"},
		Summary: "Export audit entries, newest first",
		Description: "Streams every entry that the filters let through, up to the newest one at its begin. " +
			"A connection that is cut means that the export is not whole."}
	register(s, op, func(_ context.Context, in *AuditExportInput) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(ctx huma.Context) { h.stream(ctx, in) }}, nil
	})
	text := func(description string) *huma.MediaType {
		return &huma.MediaType{Schema: &huma.Schema{Type: "string", Description: description}}
	}
	s.api.OpenAPI().Paths[op.Path].Get.Responses["200"] = &huma.Response{
		Description: "The entries", Content: map[string]*huma.MediaType{
			"text/csv": text("RFC 4180, with a header"), "application/x-ndjson": text("One JSON object a line"),
		},
	}
}

func (h auditExport) stream(ctx huma.Context, in *AuditExportInput) {
	x := exchangeFrom(ctx.Context())
	if ctx.Method() == http.MethodHead {
		h.headers(x, in)
		return
	}
	who := exporter{x.actor.UserID, x.actor.APIKeyID}
	if err := h.s.exports.begin(who); err != nil {
		h.s.fail(x, nil, err)
		return
	}
	defer h.s.exports.end(who)
	// An export that cannot be audited does not happen.
	entry := audit.By(x.actor, audit.AuditExported, "audit", "", in.describe())
	if err := h.store.AppendAudit(ctx.Context(), entry); err != nil {
		h.s.fail(x, nil, err)
		return
	}
	h.headers(x, in)
	controller := http.NewResponseController(x)
	end := time.Now().Add(cmp.Or(h.s.opts.exportLimit, exportLimit))
	limited, cancel := context.WithDeadline(ctx.Context(), end)
	defer cancel()
	err := line.Export(limited, h.store, x.scope, in.filter(), line.Format(in.Format), func(chunk []byte) error {
		deadline := time.Now().Add(cmp.Or(h.s.opts.exportPatience, exportPatience))
		if deadline.After(end) {
			deadline = end
		}
		if err := controller.SetWriteDeadline(deadline); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
		_, err := x.Write(chunk)
		return err
	})
	if err == nil {
		return
	}
	if x.status == 0 { // nothing was sent yet
		for _, name := range []string{"Content-Disposition", "Content-Type"} {
			x.Header().Del(name)
		}
		h.s.fail(x, nil, err)
		return
	}
	if ctx.Context().Err() == nil {
		h.s.opts.Log.WarnContext(ctx.Context(), "an export of the audit log was cut off", "request_id", x.requestID, "error", err)
	}
	panic(http.ErrAbortHandler) // a part must not look like the whole
}

func (h auditExport) headers(x *exchange, in *AuditExportInput) {
	header := x.Header()
	header.Set("Content-Type", line.Format(in.Format).ContentType())
	header.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="keyward-audit-%s.%s"`, h.s.opts.Now().UTC().Format("20060102T150405Z"), in.Format))
}

// describe tells the audit log what was exported. The filters come from the
// client: they are quoted.
func (in *AuditExportInput) describe() string {
	parts := []string{"format=" + in.Format}
	for _, f := range []struct{ name, value string }{
		{"actor", in.Actor}, {"action", in.Action}, {"target", in.Target}, {"outcome", in.Outcome},
	} {
		if f.value != "" {
			parts = append(parts, fmt.Sprintf("%s=%q", f.name, f.value))
		}
	}
	if in.OrganizationID > 0 {
		parts = append(parts, fmt.Sprint("organization_id=", in.OrganizationID))
	}
	for _, f := range []struct {
		name string
		at   time.Time
	}{{"from", in.From}, {"to", in.To}} {
		if !f.at.IsZero() {
			parts = append(parts, f.name+"="+f.at.UTC().Format(time.RFC3339Nano))
		}
	}
	return strings.Join(parts, " ")
}
