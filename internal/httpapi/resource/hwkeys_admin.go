package resource

import (
	"context"
	"net/http"
	"time"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/problem"
)

const (
	maxCSVBody    = 8 << 20 // contract, "Bodies"
	importTimeout = 10 * time.Minute
)

func registerHWKeyAdministration(s *httpapi.Server, h hwkeyHandlers) {
	tags := []string{"hwkey"}
	httpapi.Register(s, httpapi.Operation{ID: "import-hwkeys", Method: http.MethodPost, Path: "/api/hwkey/import",
		Tags: tags, MaxBody: maxCSVBody,
		BodyTimeout: 2 * time.Minute, Summary: "Import tokens from a CSV file",
		Description: "The first line names the columns, in any order: serial, and any of label, model, firmware_version, form_factor, " +
			"owner (username or email) and organization (name). Existing tokens are never changed: their row is unchanged if " +
			"it says the same, otherwise failed. So you can send the same file again."}, h.importFile)
	httpapi.Register(s, httpapi.Operation{ID: "bulk-hwkeys", Method: http.MethodPost, Path: "/api/hwkey/bulk", Tags: tags,
		Summary:     "Change many tokens",
		Description: "Each follows the rules of a PATCH, independently: one that fails doesn't stop the others."},
		func(ctx context.Context, in *bulkInput) (*answer[backend.BulkAnswer], error) {
			done, err := h.bulk(ctx, in)
			if err != nil {
				return nil, err
			}
			for _, r := range done {
				s.DeniedOne(ctx, r.Err, "hwkey", r.Serial)
			}
			return bulkAnswer(done), nil
		})
}

func (h hwkeyHandlers) importFile(ctx context.Context, in *struct {
	DryRun  bool   `query:"dry_run" doc:"do everything but write"`
	RawBody []byte `contentType:"text/csv"`
}) (*answer[backend.ImportAnswer], error) {
	// Twenty thousand rows may take longer than an ordinary response.
	_ = http.NewResponseController(httpapi.WriterFrom(ctx)).SetWriteDeadline(time.Now().Add(importTimeout))
	done, err := h.keys.Import(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.RawBody, in.DryRun)
	if err != nil {
		return nil, err
	}
	out := backend.ImportAnswer{DryRun: done.DryRun, Created: done.Created, Unchanged: done.Unchanged,
		Failed: done.Failed, Rows: make([]backend.ImportRow, len(done.Rows))}
	for i, row := range done.Rows {
		out.Rows[i] = backend.ImportRow{Line: row.Line, Serial: row.Serial, Result: string(row.Outcome), Errors: inputErrors(row.Errors)}
	}
	return &answer[backend.ImportAnswer]{out}, nil
}

// inputErrors converts errors of fields for a response.
func inputErrors(fields []fault.Field) []backend.InputError {
	out := make([]backend.InputError, len(fields))
	for i, f := range fields {
		out[i] = backend.InputError{Field: f.Field, Code: f.Code, Params: f.Params, Message: f.Message}
	}
	return out
}

type bulkInput struct {
	Body struct {
		Serials        []string        `json:"serials" minItems:"1" maxItems:"1000" nullable:"false"`
		Status         string          `json:"status,omitempty" enum:"in_stock,assigned,active,suspended,lost,retired"`
		OwnerID        Optional[int64] `json:"owner_id,omitempty" doc:"null: of nobody"`
		OrganizationID Optional[int64] `json:"organization_id,omitempty"`
		Reason         string          `json:"reason,omitempty" maxLength:"256" doc:"why; the audit log has it with each token"`
	}
}

func (h hwkeyHandlers) bulk(ctx context.Context, in *bulkInput) ([]hwkey.BulkResult, error) {
	p := hwkey.Patch{OwnerID: in.Body.OwnerID.orNil(), OrganizationID: in.Body.OrganizationID.orNil(), Reason: in.Body.Reason}
	if in.Body.Status != "" {
		status := hwkey.Status(in.Body.Status)
		p.Status = &status
	}
	return h.keys.Bulk(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Body.Serials, p)
}

func bulkAnswer(done []hwkey.BulkResult) *answer[backend.BulkAnswer] {
	results := make([]backend.BulkResult, len(done))
	for i, r := range done {
		results[i] = backend.BulkResult{Serial: r.Serial, Result: string(r.Outcome)}
		if r.Err != nil {
			doc := problem.From(r.Err, "")
			results[i].Code, results[i].Detail, results[i].Params = string(doc.Code), doc.Detail, doc.Params
			results[i].Errors = inputErrors(doc.Errors)
		}
	}
	return &answer[backend.BulkAnswer]{backend.BulkAnswer{Results: results}}
}
