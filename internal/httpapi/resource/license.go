package resource

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/licensepolicy"
	"github.com/keyward/keyward/internal/page"
)

func licenseBody(st licensepolicy.Evaluation) backend.License {
	body := backend.License{
		Status: string(st.Status), DaysRemaining: st.DaysRemaining, InstallationID: st.InstallationID, EndsAt: present(st.EndsAt),
		Restricted: st.Status.Restricts(), Reached: st.Reached, ClockBehind: st.ClockBehind, NoKeys: st.NoKeys,
	}
	if st.License != nil {
		body.License = licenseSummary(licensepolicy.Summary(*st.License))
	}
	return body
}

func licenseSummary(s licensepolicy.Summary) *backend.LicenseSummary {
	return &backend.LicenseSummary{
		InstallationID: s.InstallationID, CustomerName: s.CustomerName, CustomerEmail: s.CustomerEmail,
		LicenseType: s.LicenseType, IssueDate: s.IssueDate.UTC(), ExpiryDate: s.ExpiryDate.UTC(),
	}
}

func licenseEvent(r licensepolicy.Record) backend.LicenseEvent {
	e := backend.LicenseEvent{
		ID: r.ID, At: r.At.UTC(), Operation: string(r.Operation), Outcome: string(r.Outcome), Actor: r.Actor, Message: r.Message,
		Reason: r.Reason,
	}
	if r.Summary != nil {
		e.LicenseSummary = licenseSummary(*r.Summary)
	}
	return e
}

type licenseHandlers struct{ licensed *licensepolicy.Service }

func registerLicense(s *httpapi.Server, svc *licensepolicy.Service) {
	h, tags := licenseHandlers{svc}, []string{"license"}
	const base = "/api/admin/license"
	httpapi.Register(s, httpapi.Operation{ID: "get-license", Method: http.MethodGet, Path: base, Tags: tags,
		Summary:     "Show the license status",
		Description: "As the server knew it a few seconds ago. While the license service doesn't answer, the status is TRIAL."}, h.get)
	httpapi.Register(s, httpapi.Operation{ID: "upload-license", Method: http.MethodPost, Path: base + "/upload", Tags: tags,
		MaxBody: maxLicense, Summary: "Upload a license",
		Description: "The body is the file as the vendor sent it. 422 license_rejected has a reason in its params: malformed, " +
			"unknown_key, bad_signature, other_installation, expired, older."}, h.upload)
	httpapi.Register(s, httpapi.Operation{ID: "remove-license", Method: http.MethodDelete, Path: base, Tags: tags,
		Summary: "Remove the license", Description: "404 if there is none."}, h.remove)
	httpapi.Register(s, httpapi.Operation{ID: "license-history", Method: http.MethodGet, Path: base + "/history", Tags: tags,
		Summary: "List changes of the license, newest first"}, h.history)
	httpapi.Register(s, httpapi.Operation{ID: "installation-id", Method: http.MethodGet, Path: base + "/installation-id", Tags: tags,
		Summary: "Show the installation ID"}, h.installationID)
}

// licenseFile is any object: the check of the signature reports what is wrong with it.
type licenseFile map[string]any

// Schema describes a license without requiring one.
func (licenseFile) Schema(huma.Registry) *huma.Schema {
	return &huma.Schema{
		Type: huma.TypeObject, AdditionalProperties: true,
		Description: "The file as the vendor sent it: license (installation_id, customer_name, customer_email, issue_date, expiry_date, " +
			"license_type) and signature (base64)",
	}
}

// maxLicense exceeds the size of any license file, so that a larger body is refused as
// not being one.
const maxLicense = 64 << 10

func (h licenseHandlers) get(context.Context, *struct{}) (*answer[backend.License], error) {
	return &answer[backend.License]{licenseBody(h.licensed.Latest())}, nil
}

func (h licenseHandlers) upload(ctx context.Context, in *struct {
	ReplaceNewer bool `query:"replace_newer" doc:"take a license, too, that was issued before the latest that was stored here"`
	Body         licenseFile
	RawBody      []byte // what is verified: a signature is over the exact text
}) (*answer[backend.License], error) {
	st, err := h.licensed.Upload(ctx, httpapi.ActorFrom(ctx), in.RawBody, in.ReplaceNewer)
	if err != nil {
		return nil, err
	}
	return &answer[backend.License]{licenseBody(st)}, nil
}

func (h licenseHandlers) remove(ctx context.Context, _ *struct{}) (*struct{}, error) {
	_, err := h.licensed.Remove(ctx, httpapi.ActorFrom(ctx))
	return nil, err
}

func (h licenseHandlers) history(ctx context.Context, in *struct{ Paging }) (*answer[page.Page[backend.LicenseEvent]], error) {
	p, err := in.parse()
	if err != nil {
		return nil, err
	}
	list, err := h.licensed.History(ctx, p)
	if err != nil {
		return nil, err
	}
	return &answer[page.Page[backend.LicenseEvent]]{page.Map(list, licenseEvent)}, nil
}

func (h licenseHandlers) installationID(ctx context.Context, _ *struct{}) (*answer[backend.InstallationID], error) {
	id, err := h.licensed.InstallationID(ctx)
	if err != nil {
		return nil, err
	}
	return &answer[backend.InstallationID]{backend.InstallationID{InstallationID: id}}, nil
}
