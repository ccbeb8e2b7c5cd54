package resource

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/system"
)

// TaskList lists the background tasks.
type TaskList struct {
	Items []system.TaskReport `json:"items" nullable:"false"`
}

// VaultReport is the state of vault, CA and CRL.
type VaultReport struct {
	Engine string     `json:"engine"`
	State  string     `json:"state" enum:"connected,disconnected,sealed,denied"`
	CA     *Authority `json:"ca" doc:"null while the vault does not answer"`
	CRL    *CRL       `json:"crl" doc:"null while the vault does not answer"`
}

// Authority is the issuing certificate, or null.
type Authority system.AuthorityReport

// Schema makes it nullable.
func (Authority) Schema(r huma.Registry) *huma.Schema { return nullable[system.AuthorityReport](r) }

// CRL is the current list, or null.
type CRL system.CRLReport

// Schema makes it nullable.
func (CRL) Schema(r huma.Registry) *huma.Schema { return nullable[system.CRLReport](r) }

func registerSystem(s *httpapi.Server, svc *system.Service) {
	tags := []string{"system"}
	httpapi.Register(s, httpapi.Operation{ID: "system-health", Method: http.MethodGet, Path: "/api/admin/system/health",
		Tags: tags, Passes: httpapi.UntilCompared, Summary: "Show the health of every component",
		Description: "All are checked at once. One that doesn't answer within two seconds is timed_out. The answer is 200 whatever " +
			"they find."},
		func(ctx context.Context, _ *struct{}) (*answer[system.HealthReport], error) {
			return &answer[system.HealthReport]{svc.Health.Report(ctx)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "system-info", Method: http.MethodGet, Path: "/api/admin/system/info",
		Tags: tags, Passes: httpapi.UntilCompared, Summary: "Show version, start time and engines"},
		func(context.Context, *struct{}) (*answer[system.ServerInfo], error) {
			return &answer[system.ServerInfo]{svc.Info()}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "system-database", Method: http.MethodGet, Path: "/api/admin/system/database",
		Tags: tags, Passes: httpapi.UntilCompared, Summary: "Show the size of the database"},
		func(ctx context.Context, _ *struct{}) (*answer[system.DatabaseReport], error) {
			r, err := svc.Database.Statistics(ctx)
			if err != nil {
				return nil, err
			}
			return &answer[system.DatabaseReport]{r}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "system-vault", Method: http.MethodGet, Path: "/api/admin/system/vault",
		Tags: tags, Passes: httpapi.UntilCompared, Summary: "Show the status of vault, CA and CRL"},
		func(ctx context.Context, _ *struct{}) (*answer[VaultReport], error) {
			v := svc.VaultReport(ctx)
			return &answer[VaultReport]{VaultReport{v.Engine, v.State, (*Authority)(v.CA), (*CRL)(v.CRL)}}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "system-storage", Method: http.MethodGet, Path: "/api/admin/system/storage",
		Tags: tags, Passes: httpapi.UntilCompared, Summary: "Show the content of the data directory and its free space"},
		func(ctx context.Context, _ *struct{}) (*answer[system.StorageReport], error) {
			r, err := svc.Storage.Report(ctx)
			if err != nil {
				return nil, err
			}
			return &answer[system.StorageReport]{r}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "system-license", Method: http.MethodGet, Path: "/api/admin/system/license",
		Tags: tags, Passes: httpapi.UntilCompared, Summary: "Show the status of license and license service"},
		func(context.Context, *struct{}) (*answer[system.LicenseReport], error) {
			return &answer[system.LicenseReport]{svc.License()}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "system-first-steps", Method: http.MethodGet, Path: "/api/admin/system/first-steps",
		Tags: tags, Summary: "Show which first steps of an installation are done"},
		func(ctx context.Context, _ *struct{}) (*answer[system.FirstSteps], error) {
			steps, err := svc.Begun.Look(ctx)
			if err != nil {
				return nil, err
			}
			return &answer[system.FirstSteps]{steps}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "system-jobs", Method: http.MethodGet, Path: "/api/admin/system/jobs",
		Tags: tags, Passes: httpapi.UntilCompared, Summary: "List the background tasks and how they ended"},
		func(context.Context, *struct{}) (*answer[TaskList], error) {
			return &answer[TaskList]{TaskList{svc.Tasks.Report()}}, nil
		})
}
