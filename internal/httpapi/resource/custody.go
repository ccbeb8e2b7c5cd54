package resource

import (
	"context"
	"net/http"
	"strings"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
)

// ReasonQuery carries the reason for a release.
type ReasonQuery struct {
	Reason string `query:"reason" maxLength:"256" doc:"required for someone else's token; shown in the audit log"`
}

// RotationPath names a rotation of a token.
type RotationPath struct {
	SerialPath
	ID int64 `path:"id" minimum:"1"`
}

func registerCustody(s *httpapi.Server, h hwkeyHandlers) {
	tags := []string{"custody"}
	httpapi.Register(s, httpapi.Operation{ID: "get-secrets", Method: http.MethodGet, Path: "/api/hwkey/{serial}/secrets", Tags: tags,
		Writes: true, Summary: "Release a token's secrets, encrypted for the session's agent"}, h.secrets)
	httpapi.Register(s, httpapi.Operation{ID: "hwkey-releases", Method: http.MethodGet, Path: "/api/hwkey/{serial}/releases", Tags: tags,
		Summary:     "Show how often a token's secrets were released, and whether the audit log has it",
		Description: "Compares what the vault logged with the audit log."},
		func(ctx context.Context, in *SerialPath) (*answer[backend.ReleasesOnRecord], error) {
			r, err := h.keys.Releases(ctx, httpapi.ScopeFrom(ctx), in.Serial)
			if err != nil {
				return nil, err
			}
			return &answer[backend.ReleasesOnRecord]{backend.ReleasesOnRecord{
				Count: r.Count, OnRecord: r.Sound(), Lost: r.Lost, Missing: few(r.Missing), Changed: few(r.Changed), Damaged: r.Problem != "",
			}}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "hwkey-history", Method: http.MethodGet, Path: "/api/hwkey/{serial}/history", Tags: tags,
		Summary: "List what happened to a token and its certificates, newest first",
		Description: "Audit entries. Owners see those since the token became theirs, including what others did, but not from where; " +
			"managers see those of their own organization."},
		func(ctx context.Context, in *struct {
			SerialPath
			Paging
		}) (*answer[page.Page[backend.AuditEntry]], error) {
			p, err := in.parse()
			if err != nil {
				return nil, err
			}
			list, err := h.keys.History(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Serial, p)
			if err != nil {
				return nil, err
			}
			return &answer[page.Page[backend.AuditEntry]]{page.Map(list, auditBody)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "start-rotation", Method: http.MethodPost, Path: "/api/hwkey/{serial}/rotations",
		Tags: tags, Status: http.StatusCreated,
		Summary: "Start a change of secrets",
		Description: "The next values are pending in the vault before they are handed out. " +
			"Only one rotation can be open at a time."}, h.startRotation)
	httpapi.Register(s, httpapi.Operation{ID: "get-rotation", Method: http.MethodGet, Path: "/api/hwkey/{serial}/rotations/{id}", Tags: tags,
		Writes: true, Summary: "Get the open rotation"},
		func(ctx context.Context, in *struct {
			RotationPath
			ReasonQuery
		}) (*answer[backend.Rotation], error) {
			r, err := h.keys.Rotation(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Serial, in.ID, in.Reason)
			if err != nil {
				return nil, err
			}
			return &answer[backend.Rotation]{r}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "commit-rotation", Method: http.MethodPost,
		Path: "/api/hwkey/{serial}/rotations/{id}/commit", Tags: tags,
		Summary: "Report that the card has the next values"}, h.settle(custody.Pending))
	httpapi.Register(s, httpapi.Operation{ID: "abort-rotation", Method: http.MethodPost,
		Path: "/api/hwkey/{serial}/rotations/{id}/abort", Tags: tags,
		Summary: "Report that the card has the previous values"}, h.settle(custody.Current))
	httpapi.Register(s, httpapi.Operation{ID: "observe-secret", Method: http.MethodPost,
		Path: "/api/hwkey/{serial}/secrets/observations", Tags: tags,
		Summary: "Report what a probe found outside a rotation"}, h.observe)
	httpapi.Register(s, httpapi.Operation{ID: "hwkey-enrolled", Method: http.MethodPost, Path: "/api/hwkey/{serial}/enrolled", Tags: tags,
		Summary: "Report that the card accepted all three secrets"},
		func(ctx context.Context, in *struct {
			SerialPath
			Body *backend.EnrolledHWKeyRequest
		}) (*answer[backend.HWKey], error) {
			firmware := ""
			if in.Body != nil {
				firmware = in.Body.FirmwareVersion
			}
			d, err := h.keys.Enrolled(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Serial, firmware)
			return h.one(ctx, d, err)
		})
	httpapi.Register(s, httpapi.Operation{ID: "reset-hwkey", Method: http.MethodPost, Path: "/api/hwkey/{serial}/reset", Tags: tags,
		Summary: "Prepare a reset of the card",
		Description: "Revokes the token's certificates, creates new secrets and keeps the previous ones. You can repeat it. " +
			"With remove_owner the token returns to stock."},
		func(ctx context.Context, in *struct {
			SerialPath
			Body *backend.ResetHWKeyRequest
		}) (*answer[backend.HWKey], error) {
			reason, reset := "", h.keys.Reset
			if in.Body != nil {
				reason = in.Body.Reason
				if in.Body.RemoveOwner {
					reset = h.keys.TakeBack
				}
			}
			d, err := reset(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Serial, reason)
			return h.one(ctx, d, err)
		})
}

func (h hwkeyHandlers) secrets(ctx context.Context, in *struct {
	SerialPath
	ReasonQuery
	Fields     string `query:"fields" maxLength:"64" doc:"pin, puk, management_key, separated by commas; pin is always there"`
	Candidates bool   `query:"candidates" doc:"add what a probe should try"`
}) (*answer[backend.SecretsAnswer], error) {
	fields, err := parseFields(in.Fields)
	if err != nil {
		return nil, err
	}
	r, err := h.keys.Secrets(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Serial,
		hwkey.ReleaseRequest{Fields: fields, Candidates: in.Candidates, Reason: in.Reason})
	if err != nil {
		return nil, err
	}
	return &answer[backend.SecretsAnswer]{r}, nil
}

// few returns at most 100 ids, and never nil.
func few(ids []int64) []int64 { return append([]int64{}, ids[:min(len(ids), 100)]...) }

func parseFields(text string) ([]piv.Field, error) {
	var fields []piv.Field
	if text == "" {
		return nil, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		f := piv.Field(strings.TrimSpace(name))
		if !f.Valid() {
			return nil, fault.Invalid(fault.Wrong("fields", "bad_fields", "must name pin, puk or management_key, separated by commas"))
		}
		fields = append(fields, f)
	}
	return fields, nil
}

func (h hwkeyHandlers) startRotation(ctx context.Context, in *struct {
	SerialPath
	Body backend.StartRotationRequest
}) (*answer[backend.Rotation], error) {
	r, err := h.keys.StartRotation(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Serial, hwkey.RotationRequest{
		Fields: in.Body.Fields, PIN: in.Body.PIN, Reason: in.Body.Reason,
	})
	if err != nil {
		return nil, err
	}
	return &answer[backend.Rotation]{r}, nil
}

type settleInput struct {
	RotationPath
	Body *backend.SettleRotationRequest
}

func (h hwkeyHandlers) settle(to custody.Kind) func(context.Context, *settleInput) (*answer[backend.HWKey], error) {
	return func(ctx context.Context, in *settleInput) (*answer[backend.HWKey], error) {
		var fields []piv.Field
		if in.Body != nil {
			fields = in.Body.Fields
		}
		d, err := h.keys.SettleRotation(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Serial, in.ID, fields, to)
		return h.one(ctx, d, err)
	}
}

func (h hwkeyHandlers) observe(ctx context.Context, in *struct {
	SerialPath
	Body backend.Observation
}) (*answer[backend.HWKey], error) {
	seen := hwkey.Observation{Field: in.Body.Field, Matched: custody.Kind(in.Body.Matched), Version: in.Body.Version}
	d, err := h.keys.Observe(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Serial, seen)
	return h.one(ctx, d, err)
}
