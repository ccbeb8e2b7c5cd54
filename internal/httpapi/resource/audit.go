package resource

import (
	"context"
	"net/http"
	"time"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/page"
)

func auditBody(e audit.Entry) backend.AuditEntry {
	return backend.AuditEntry{
		ID: e.ID, At: e.At.UTC(), Action: string(e.Action), Outcome: string(e.Outcome), ActorID: e.ActorID, Actor: e.Actor,
		OrganizationID: e.OrganizationID, TargetType: e.TargetType, TargetID: e.TargetID, Hostname: e.Hostname,
		IPAddress: e.IPAddress, RequestID: e.RequestID, Reason: e.Reason, Details: e.Details, FileName: e.FileName, BackupType: e.BackupType,
		DurationMS: e.DurationMS, SizeBytes: e.SizeBytes,
	}
}

// AuditFilters are the filters of the list and of the export.
type AuditFilters struct {
	Actor          string    `query:"actor" maxLength:"254" doc:"username"`
	Action         string    `query:"action" maxLength:"64" doc:"the start of an action, for example hwkey.; several are separated by commas"`
	Target         string    `query:"target" maxLength:"64" doc:"target_id; of a token, its certificates' entries are included"`
	UserID         int64     `query:"user_id" minimum:"1" doc:"what the account did, and what was done to it, its sessions, certificates and tokens (while it had them)"`
	NoRenewals     bool      `query:"no_renewals" doc:"true: without auth.refresh, which every page load causes"`
	Outcome        string    `query:"outcome" enum:"success,failure,denied"`
	OrganizationID int64     `query:"organization_id" minimum:"1"`
	From           time.Time `query:"from" doc:"inclusive"`
	To             time.Time `query:"to" doc:"exclusive"`
}

func (in AuditFilters) filter() audit.Filter {
	return audit.Filter{
		Actor: in.Actor, Action: in.Action, Target: in.Target, User: in.UserID, Outcome: audit.Outcome(in.Outcome), NoRenewals: in.NoRenewals,
		OrganizationID: positive(in.OrganizationID), From: in.From, To: in.To,
	}
}

func registerAudit(s *httpapi.Server, store audit.Store) {
	httpapi.Register(s, httpapi.Operation{ID: "list-audit", Method: http.MethodGet, Path: "/api/admin/audit",
		Tags: []string{"audit"}, Summary: "List audit entries"},
		func(ctx context.Context, in *struct {
			Paging
			AuditFilters
			Sort string `query:"sort" enum:"-at,at" default:"-at" doc:"-at: the newest first; at: the oldest first. A cursor continues in the order in which you got it"`
		}) (*answer[page.Page[backend.ListedAuditEntry]], error) {
			p, err := in.parse()
			if err != nil {
				return nil, err
			}
			f := in.filter()
			f.OldestFirst = in.Sort == "at"
			list, err := store.ListAudit(ctx, httpapi.ScopeFrom(ctx), f, p)
			if err != nil {
				return nil, err
			}
			names, err := store.NameAudit(ctx, httpapi.ScopeFrom(ctx), list.Items)
			if err != nil {
				return nil, err
			}
			return &answer[page.Page[backend.ListedAuditEntry]]{page.Map(list, func(e audit.Entry) backend.ListedAuditEntry {
				return backend.ListedAuditEntry{AuditEntry: auditBody(e), ActorName: names.Actor(e), TargetName: names.Target(e)}
			})}, nil
		})
}
