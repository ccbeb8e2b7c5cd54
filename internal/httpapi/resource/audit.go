package resource

import (
	"context"
	"net/http"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/page"
)

// AuditEntry is an entry as the API shows it.
type AuditEntry struct {
	ID             int64     `json:"id"`
	At             time.Time `json:"at"`
	Action         string    `json:"action" doc:"noun.verb"`
	Outcome        string    `json:"outcome" enum:"success,failure,denied"`
	ActorID        *int64    `json:"actor_id" nullable:"true"`
	Actor          string    `json:"actor" doc:"username, system, or api-key: and the name of a key"`
	OrganizationID *int64    `json:"organization_id" nullable:"true"`
	TargetType     string    `json:"target_type"`
	TargetID       string    `json:"target_id"`
	Hostname       string    `json:"hostname"`
	IPAddress      string    `json:"ip_address"`
	RequestID      string    `json:"request_id"`
	Reason         string    `json:"reason" doc:"as the person gave it; of a revocation its RFC 5280 name"`
	Details        string    `json:"details"`
	FileName       string    `json:"file_name"`
	BackupType     string    `json:"backup_type"`
	DurationMS     *int64    `json:"duration_ms" nullable:"true"`
	SizeBytes      *int64    `json:"size_bytes" nullable:"true"`
}

func auditBody(e audit.Entry) AuditEntry {
	return AuditEntry{
		ID: e.ID, At: e.At.UTC(), Action: string(e.Action), Outcome: string(e.Outcome), ActorID: e.ActorID, Actor: e.Actor,
		OrganizationID: e.OrganizationID, TargetType: e.TargetType, TargetID: e.TargetID, Hostname: e.Hostname,
		IPAddress: e.IPAddress, RequestID: e.RequestID, Reason: e.Reason, Details: e.Details, FileName: e.FileName, BackupType: e.BackupType,
		DurationMS: e.DurationMS, SizeBytes: e.SizeBytes,
	}
}

// AuditFilters are the filters of the list and of the export.
type AuditFilters struct {
	Actor          string    `query:"actor" maxLength:"254" doc:"username"`
	Action         string    `query:"action" maxLength:"64" doc:"the start of an action, for example hwkey."`
	Target         string    `query:"target" maxLength:"64" doc:"target_id"`
	Outcome        string    `query:"outcome" enum:"success,failure,denied"`
	OrganizationID int64     `query:"organization_id" minimum:"1"`
	From           time.Time `query:"from" doc:"inclusive"`
	To             time.Time `query:"to" doc:"exclusive"`
}

func (in AuditFilters) filter() audit.Filter {
	return audit.Filter{
		Actor: in.Actor, Action: in.Action, Target: in.Target, Outcome: audit.Outcome(in.Outcome),
		OrganizationID: positive(in.OrganizationID), From: in.From, To: in.To,
	}
}

func registerAudit(s *httpapi.Server, store audit.Store) {
	httpapi.Register(s, httpapi.Operation{ID: "list-audit", Method: http.MethodGet, Path: "/api/admin/audit", Tags: []string{"audit"}, Summary: "List audit entries, newest first"},
		func(ctx context.Context, in *struct {
			Paging
			AuditFilters
		}) (*answer[page.Page[AuditEntry]], error) {
			p, err := in.parse()
			if err != nil {
				return nil, err
			}
			list, err := store.ListAudit(ctx, httpapi.ScopeFrom(ctx), in.filter(), p)
			if err != nil {
				return nil, err
			}
			return &answer[page.Page[AuditEntry]]{page.Map(list, auditBody)}, nil
		})
}
