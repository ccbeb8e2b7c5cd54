package resource

import (
	"context"
	"net/http"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/page"
)

// mailSettingsOf applies the request to the defaults.
func mailSettingsOf(in backend.PutMailSettings) mail.Settings {
	out := mail.DefaultSettings()
	out.Enabled, out.Host, out.AllowInsecureAuth, out.Username = in.Enabled, in.Host, in.AllowInsecureAuth, in.Username
	out.From, out.CAPEM = in.From, in.CAPEM
	set(&out.Port, in.Port)
	set(&out.FromName, in.FromName)
	set(&out.Language, in.Language)
	if in.Security != nil {
		out.Security = mail.Security(*in.Security)
	}
	return out
}

func mailBody(m mail.Message) backend.MailMessage {
	return backend.MailMessage{
		ID: m.ID, User: backend.Owner{ID: m.UserID, Username: m.Username}, Kind: string(m.Kind), Address: m.Address,
		Language: m.Language, MessageID: m.MessageID, Status: string(m.Status), Attempts: m.Attempts,
		NextAttemptAt: utc(m.NextAttemptAt), Error: string(m.Error), Reply: m.Reply, CreatedAt: m.CreatedAt.UTC(), SentAt: utc(m.SentAt),
	}
}

type mailHandlers struct{ mail *mail.Service }

func registerMail(s *httpapi.Server, svc *mail.Service) {
	h, settings, tags := mailHandlers{svc}, "/api/admin/settings/mail", []string{"mail"}
	httpapi.Register(s, httpapi.Operation{ID: "get-mail-settings", Method: http.MethodGet, Path: settings, Tags: tags,
		Summary: "Show the mail settings", Description: "Includes the status of mail."},
		func(ctx context.Context, _ *struct{}) (*answer[backend.MailSettings], error) { return h.show(ctx) })
	httpapi.Register(s, httpapi.Operation{ID: "put-mail-settings", Method: http.MethodPut, Path: settings, Tags: tags,
		Summary: "Change the mail settings",
		Description: "Replaces all settings: fields that you leave out get their default, except the password, which doesn't change. " +
			"Doesn't contact the server: POST /api/admin/settings/mail/test tries it."},
		func(ctx context.Context, in *struct{ Body backend.PutMailSettings }) (*answer[backend.MailSettings], error) {
			if _, err := svc.Change(ctx, httpapi.ActorFrom(ctx), mailSettingsOf(in.Body), in.Body.Password); err != nil {
				return nil, err
			}
			return h.show(ctx)
		})
	httpapi.Register(s, httpapi.Operation{ID: "test-mail", Method: http.MethodPost, Path: settings + "/test", Tags: tags,
		Summary: "Send a test message",
		Description: "Sent immediately with the saved settings, even while mail is off. If the server doesn't accept it, the answer is " +
			"mail_failed: its reason says why, and its params have the host and the codes of the reply."}, h.test)
	httpapi.Register(s, httpapi.Operation{ID: "list-mail", Method: http.MethodGet, Path: "/api/admin/mail", Tags: tags,
		Summary: "List mail messages, newest first", Description: "Messages are kept for 90 days after they are done."}, h.list)
	httpapi.Register(s, httpapi.Operation{ID: "retry-mail", Method: http.MethodPost, Path: "/api/admin/mail/{id}/retry", Tags: tags,
		Summary:     "Send a failed message again",
		Description: "It is retried for another day, to the address it was written for."}, h.retry)
}

// show returns the current settings and the state of mail.
func (h mailHandlers) show(ctx context.Context) (*answer[backend.MailSettings], error) {
	s, err := h.mail.Settings(ctx)
	if err != nil {
		return nil, err
	}
	stands, err := h.mail.Health(ctx)
	if err != nil {
		return nil, err
	}
	out := backend.MailSettings{
		Enabled: s.Enabled, Host: s.Host, Port: s.Port, Security: string(s.Security), AllowInsecureAuth: s.AllowInsecureAuth,
		Username: s.Username, PasswordSet: s.PasswordID != "", From: s.From, FromName: s.FromName, Language: s.Language, CAPEM: s.CAPEM,
		Waiting: stands.Waiting,
	}
	if t := stands.Trouble; t != nil {
		out.Standing = &backend.MailStanding{
			Since: t.Since.UTC(), Error: string(t.Class), Reply: t.Reply, NextAttemptAt: t.NextAttemptAt.UTC(),
		}
	}
	return &answer[backend.MailSettings]{out}, nil
}

func (h mailHandlers) test(ctx context.Context, in *struct {
	Body backend.TestMailRequest
}) (*answer[backend.MailTestResult], error) {
	id, err := h.mail.Test(ctx, httpapi.ActorFrom(ctx), in.Body.To)
	if err != nil {
		return nil, err
	}
	return &answer[backend.MailTestResult]{backend.MailTestResult{MessageID: id}}, nil
}

func (h mailHandlers) list(ctx context.Context, in *struct {
	Paging
	Status string `query:"status" enum:"pending,sent,failed,dropped"`
	Q      string `query:"q" maxLength:"128" doc:"part of the address or the username"`
}) (*answer[page.Page[backend.MailMessage]], error) {
	p, err := in.parse()
	if err != nil {
		return nil, err
	}
	list, err := h.mail.List(ctx, mail.Filter{Status: mail.Status(in.Status), Q: in.Q}, p)
	if err != nil {
		return nil, err
	}
	return &answer[page.Page[backend.MailMessage]]{page.Map(list, mailBody)}, nil
}

func (h mailHandlers) retry(ctx context.Context, in *struct {
	ID int64 `path:"id" minimum:"1"`
}) (*answer[backend.MailMessage], error) {
	m, err := h.mail.Retry(ctx, httpapi.ActorFrom(ctx), in.ID)
	if err != nil {
		return nil, err
	}
	return &answer[backend.MailMessage]{mailBody(m)}, nil
}
