package resource

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/report"
)

// reportPatience is for a client to read the whole report.
const reportPatience = 2 * time.Minute

func registerReports(s *httpapi.Server, svc *report.Service) {
	op := httpapi.Operation{ID: "compliance-report", Method: http.MethodGet, Path: "/api/reports/compliance", Tags: []string{"reports"},
		Summary: "Report on the compliance of tokens, per organization",
		Description: "Managers get their own organization's report. All numbers are exact, and from the same moment; each list has the " +
			"first 100, and a report at most 20,000 tokens, certificates and people. Reports are made one at a time."}
	httpapi.Register(s, op, func(ctx context.Context, in *struct {
		OrganizationID int64     `query:"organization_id" minimum:"1"`
		OlderThanDays  int       `query:"secrets_older_than_days" minimum:"1" maximum:"3650" default:"365"`
		ExpiringDays   int       `query:"expiring_within_days" minimum:"1" maximum:"3650" default:"30"`
		From           time.Time `query:"from" doc:"of the releases, inclusive; 30 days before to when absent"`
		To             time.Time `query:"to" doc:"exclusive; now when absent"`
		Format         string    `query:"format" enum:"json,csv" default:"json"`
	}) (*huma.StreamResponse, error) {
		c, err := svc.Compliance(ctx, httpapi.ScopeFrom(ctx), report.Request{
			OrganizationID: positive(in.OrganizationID), OlderThanDays: in.OlderThanDays, ExpiringDays: in.ExpiringDays, From: in.From, To: in.To,
		})
		if err != nil {
			return nil, err
		}
		_ = http.NewResponseController(httpapi.WriterFrom(ctx)).SetWriteDeadline(time.Now().Add(reportPatience))
		return &huma.StreamResponse{Body: func(hctx huma.Context) { writeReport(hctx.Context(), s, c, in.Format) }}, nil
	})
	schemas := s.OpenAPI().Components.Schemas
	s.OpenAPI().Paths[op.Path].Get.Responses["200"] = &huma.Response{
		Description: "The report", Content: map[string]*huma.MediaType{
			"application/json": {Schema: schemas.Schema(reflect.TypeFor[report.ComplianceReport](), true, "ComplianceReport")},
			"text/csv": {Schema: &huma.Schema{Type: "string",
				Description: "RFC 4180: organization, section, key, value; cells defused against formulas"}},
		},
	}
}

func writeReport(ctx context.Context, s *httpapi.Server, c report.ComplianceReport, format string) {
	if format != "csv" {
		s.WriteJSON(ctx, c)
		return
	}
	w := httpapi.WriterFrom(ctx)
	h := w.Header()
	h.Set("Content-Type", "text/csv; charset=utf-8; header=present")
	h.Set("Content-Disposition", `attachment; filename="keyward-compliance-`+c.GeneratedAt.Format("20060102T150405Z")+`.csv"`)
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(c.CSV())
}
