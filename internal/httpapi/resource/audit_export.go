package resource

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

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/line"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
)

const (
	exportsAtOnce  = 8                // more would take memory from everyone
	exportsOfOne   = 2                // of an organization's managers and keys, of its other people, or of those without one
	exportsForAll  = 6                // of all organizations: the rest is for global administrators
	exportPatience = 60 * time.Second // for a client to read one chunk
	exportLimit    = time.Hour        // for the whole export: nobody holds a place for days
	exportRetry    = 10 * time.Second
)

// exporter is a person or an API key that exports.
type exporter struct{ user, apiKey int64 }

// group is the pool of places that an exporter uses: an organization's (0: those
// without one), of its managers or of its other people; global administrators use all
// places.
type group struct {
	global       bool
	manages      bool
	organization int64
}

func groupOf(a access.Actor) group {
	g := group{global: a.Role == access.GlobalAdmin, manages: a.Role == access.OrgManager}
	if a.OrganizationID != nil {
		g.organization = *a.OrganizationID
	}
	return g
}

// exports are the running exports.
type exports struct {
	patience, limit time.Duration

	mu      sync.Mutex
	running map[exporter]group
}

func newExports() *exports {
	return &exports{patience: exportPatience, limit: exportLimit, running: map[exporter]group{}}
}

// begin takes a place, which end releases. Each exporter has one and each group a few,
// so that nobody takes them all, with however many API keys.
func (e *exports) begin(who exporter, of group) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	_, running := e.running[who]
	same, others := 0, 0
	for _, g := range e.running {
		if g == of {
			same++
		}
		if !g.global {
			others++
		}
	}
	switch {
	case running:
		return fault.New(fault.RateLimited, "export_running",
			"Another of your exports is still running. Wait until it ends.").After(exportRetry)
	case len(e.running) >= exportsAtOnce, !of.global && (same >= exportsOfOne || others >= exportsForAll):
		return fault.New(fault.Overloaded, "exports", "Too many exports are running. Try again shortly.").After(exportRetry)
	}
	e.running[who] = of
	return nil
}

func (e *exports) end(who exporter) {
	e.mu.Lock()
	defer e.mu.Unlock()
	delete(e.running, who)
}

// auditExport streams the log.
type auditExport struct {
	*httpapi.Server
	store   audit.Store
	exports *exports
}

// AuditExportInput holds the parameters of an export.
type AuditExportInput struct {
	AuditFilters

	Format string `query:"format" default:"ndjson" enum:"csv,ndjson" doc:"csv with a header, and cells defused against formulas; ndjson: one entry per line, as in the list"`
}

func registerAuditExport(s *httpapi.Server, svc Services) {
	h := auditExport{s, svc.Audit, cmp.Or(svc.exports, newExports())}
	op := httpapi.Operation{ID: "export-audit", Method: http.MethodGet, Path: "/api/admin/audit/export", Tags: []string{"audit"},
		Writes:  true,
		Summary: "Export audit entries, newest first",
		Description: "Streams every entry that matches the filters, up to the newest one when it starts. If the connection breaks, the " +
			"export is incomplete."}
	httpapi.Register(s, op, func(_ context.Context, in *AuditExportInput) (*huma.StreamResponse, error) {
		return &huma.StreamResponse{Body: func(ctx huma.Context) { h.stream(ctx, in) }}, nil
	})
	text := func(description string) *huma.MediaType {
		return &huma.MediaType{Schema: &huma.Schema{Type: "string", Description: description}}
	}
	s.OpenAPI().Paths[op.Path].Get.Responses["200"] = &huma.Response{
		Description: "The entries", Content: map[string]*huma.MediaType{
			"text/csv": text("RFC 4180, with a header"), "application/x-ndjson": text("One JSON object a line"),
		},
	}
}

func (h auditExport) stream(hctx huma.Context, in *AuditExportInput) {
	ctx := hctx.Context()
	w, actor := httpapi.WriterFrom(ctx), httpapi.ActorFrom(ctx)
	if hctx.Method() == http.MethodHead {
		h.headers(w, in)
		return
	}
	who := exporter{actor.UserID, actor.APIKeyID}
	if err := h.exports.begin(who, groupOf(actor)); err != nil {
		h.Fail(ctx, err)
		return
	}
	defer h.exports.end(who)
	// An export that cannot be audited does not happen.
	if err := h.store.AppendAudit(ctx, audit.By(actor, audit.AuditExported, "audit", "", in.describe())); err != nil {
		h.Fail(ctx, err)
		return
	}
	h.headers(w, in)
	err := h.write(ctx, w, in)
	if err == nil {
		return
	}
	if !httpapi.Begun(ctx) {
		for _, name := range []string{"Content-Disposition", "Content-Type"} {
			w.Header().Del(name)
		}
		h.Fail(ctx, err)
		return
	}
	if ctx.Err() == nil {
		h.Log().WarnContext(ctx, "an export of the audit log broke off", "request_id", actor.RequestID, "error", err)
	}
	panic(http.ErrAbortHandler) // a part must not look like the whole
}

// write sends the entries as fast as the client reads them.
func (h auditExport) write(ctx context.Context, w http.ResponseWriter, in *AuditExportInput) error {
	controller := http.NewResponseController(w)
	end := time.Now().Add(h.exports.limit)
	limited, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	return line.Export(limited, h.store, httpapi.ScopeFrom(ctx), in.filter(), line.Format(in.Format), func(chunk []byte) error {
		deadline := time.Now().Add(h.exports.patience)
		if deadline.After(end) {
			deadline = end
		}
		if err := controller.SetWriteDeadline(deadline); err != nil && !errors.Is(err, http.ErrNotSupported) {
			return err
		}
		_, err := w.Write(chunk)
		return err
	})
}

func (h auditExport) headers(w http.ResponseWriter, in *AuditExportInput) {
	name := fmt.Sprintf("keyward-audit-%s.%s", h.Now().UTC().Format("20060102T150405Z"), in.Format)
	w.Header().Set("Content-Type", line.Format(in.Format).ContentType())
	w.Header().Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s"`, name))
}

// describe returns the audit log's description of the export. The filters come from the
// client, so they are quoted.
func (in *AuditExportInput) describe() string {
	parts := []string{"format=" + in.Format}
	for _, f := range []struct{ name, value string }{
		{"actor", in.Actor}, {"action", in.Action}, {"target", in.Target}, {"outcome", in.Outcome},
	} {
		if f.value != "" {
			parts = append(parts, fmt.Sprintf("%s=%q", f.name, f.value))
		}
	}
	if in.UserID > 0 {
		parts = append(parts, fmt.Sprint("user_id=", in.UserID))
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
