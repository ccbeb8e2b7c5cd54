package resource

import (
	"context"
	"net/http"
	"time"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/httpapi"
)

func registerPeopleImport(s *httpapi.Server, svc *account.Users) {
	httpapi.Register(s, httpapi.Operation{ID: "import-users", Method: http.MethodPost, Path: "/api/admin/users/import",
		Tags: []string{"users"}, MaxBody: maxCSVBody, BodyTimeout: 2 * time.Minute, Summary: "Import accounts from a CSV file",
		Description: "The first line names the columns, in any order, separated by commas or semicolons: email, and any of username " +
			"(default: the email), name, role (user, org_manager or global_admin; default: user), organization (its name), upn and sid. " +
			"Each account is created without a password, by the rules of create-user and invite-user. A row that fails " +
			"doesn't stop the others: do a dry run first. Existing accounts are never changed: their row is unchanged if it says the same, " +
			"otherwise failed. So " +
			"you can send the same file again, to do what is left."},
		func(ctx context.Context, in *struct {
			DryRun  bool   `query:"dry_run" doc:"do everything but write"`
			Invite  bool   `query:"invite" doc:"make an invitation of each account; it goes by mail, too, while mail is on. Demands recent authentication"`
			Limit   int    `query:"limit" minimum:"0" maximum:"5000" doc:"make so many accounts at most; 0: all"`
			RawBody []byte `contentType:"text/csv"`
		}) (*answer[backend.ImportedUsers], error) {
			// Thousands of rows may take longer than an ordinary response.
			_ = http.NewResponseController(httpapi.WriterFrom(ctx)).SetWriteDeadline(time.Now().Add(importTimeout))
			done, err := svc.Import(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx),
				account.ImportRequest{File: in.RawBody, DryRun: in.DryRun, Invite: in.Invite, Limit: in.Limit})
			if err != nil {
				return nil, err
			}
			return &answer[backend.ImportedUsers]{importedBody(s.SiteURL(), done)}, nil
		})
}

func importedBody(siteURL string, done account.Import) backend.ImportedUsers {
	out := backend.ImportedUsers{DryRun: done.DryRun, Created: done.Created, Unchanged: done.Unchanged,
		Failed: done.Failed, Left: done.Left, Rows: make([]backend.ImportedUser, len(done.Rows))}
	for i, row := range done.Rows {
		out.Rows[i] = backend.ImportedUser{
			Line: row.Line, Username: row.Username, Name: row.Name, Email: row.Email, UPN: row.UPN, SID: row.SID,
			Role: string(row.Role), Organization: row.Organization, Result: string(row.Outcome), Errors: inputErrors(row.Errors),
		}
		if row.Invited != nil {
			url := InvitationURL(siteURL, row.Invited.Token)
			out.Rows[i].URL, out.Rows[i].Mailed = &url, row.Invited.Mailed
		}
	}
	return out
}
