package resource

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// SealedFields holds secrets as RSA-OAEP ciphertext for the session's agent:
// SHA-256, label keyward/1/{serial}/{field}, base64.
type SealedFields struct {
	PIN           string `json:"pin,omitempty"`
	PUK           string `json:"puk,omitempty"`
	ManagementKey string `json:"management_key,omitempty"`
}

func sealedBody(s hwkey.Sealed) SealedFields {
	return SealedFields{s[piv.PIN], s[piv.PUK], s[piv.ManagementKey]}
}

// SecretsAnswer is a release of secrets.
type SecretsAnswer struct {
	Encrypted bool `json:"encrypted" enum:"true"`
	SealedFields
	Version    int                    `json:"version"`
	Pending    *PendingSecrets        `json:"pending,omitempty" doc:"there while a rotation is open"`
	Candidates map[string][]Candidate `json:"candidates,omitempty" doc:"per field, what a probe should try, in order"`
	Doubted    []string               `json:"doubted,omitempty" nullable:"false" doc:"with candidates: the fields of which the last probe found none on the card"`
}

// PendingSecrets is the open rotation's part of a release.
type PendingSecrets struct {
	RotationID int64 `json:"rotation_id"`
	SealedFields
}

// Candidate is a value that a card may hold.
type Candidate struct {
	Kind  string `json:"kind" enum:"current,pending,superseded,factory"`
	Value string `json:"value" doc:"ciphertext"`
}

// Rotation is an open rotation.
type Rotation struct {
	ID        int64        `json:"id"`
	Fields    []string     `json:"fields" nullable:"false"`
	Current   SealedFields `json:"current"`
	Next      SealedFields `json:"next" doc:"of the fields that are not settled yet"`
	CreatedAt time.Time    `json:"created_at"`
	Version   int          `json:"version" doc:"of the secrets, with this rotation"`
}

func rotationBody(r hwkey.OpenRotation) Rotation {
	fields := make([]string, len(r.Fields))
	for i, f := range r.Fields {
		fields[i] = string(f)
	}
	return Rotation{ID: r.ID, Fields: fields, Current: sealedBody(r.Current), Next: sealedBody(r.Next), CreatedAt: r.CreatedAt.UTC(), Version: r.Version}
}

// ReasonQuery carries the reason for a release.
type ReasonQuery struct {
	Reason string `query:"reason" maxLength:"256" doc:"required for a token that is not one's own; stands in the audit log"`
}

// RotationPath names a rotation of a token.
type RotationPath struct {
	SerialPath
	ID int64 `path:"id" minimum:"1"`
}

func fieldList(names []string) []piv.Field {
	out := make([]piv.Field, len(names))
	for i, n := range names {
		out[i] = piv.Field(n)
	}
	return out
}

func registerCustody(s *httpapi.Server, h hwkeyHandlers) {
	tags := []string{"custody"}
	httpapi.Register(s, httpapi.Operation{ID: "get-secrets", Method: http.MethodGet, Path: "/api/hwkey/{serial}/secrets", Tags: tags,
		Summary: "Release a token's secrets, encrypted for the session's agent"}, h.secrets)
	httpapi.Register(s, httpapi.Operation{ID: "start-rotation", Method: http.MethodPost, Path: "/api/hwkey/{serial}/rotations", Tags: tags, Status: http.StatusCreated,
		Summary: "Open a change of secrets", Description: "The next values are pending in the vault before they are handed out. One rotation is open at a time."}, h.startRotation)
	httpapi.Register(s, httpapi.Operation{ID: "get-rotation", Method: http.MethodGet, Path: "/api/hwkey/{serial}/rotations/{id}", Tags: tags,
		Summary: "Read the open rotation again"},
		func(ctx context.Context, in *struct {
			RotationPath
			ReasonQuery
		}) (*answer[Rotation], error) {
			r, err := h.keys.Rotation(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Serial, in.ID, in.Reason)
			if err != nil {
				return nil, err
			}
			return &answer[Rotation]{rotationBody(r)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "commit-rotation", Method: http.MethodPost, Path: "/api/hwkey/{serial}/rotations/{id}/commit", Tags: tags,
		Summary: "Say that the card holds the next values"}, h.settle(hwkey.Pending))
	httpapi.Register(s, httpapi.Operation{ID: "abort-rotation", Method: http.MethodPost, Path: "/api/hwkey/{serial}/rotations/{id}/abort", Tags: tags,
		Summary: "Say that the card holds the former values"}, h.settle(hwkey.Current))
	httpapi.Register(s, httpapi.Operation{ID: "observe-secret", Method: http.MethodPost, Path: "/api/hwkey/{serial}/secrets/observations", Tags: tags,
		Summary: "Report what a probe found outside a rotation"}, h.observe)
	httpapi.Register(s, httpapi.Operation{ID: "hwkey-enrolled", Method: http.MethodPost, Path: "/api/hwkey/{serial}/enrolled", Tags: tags,
		Summary: "Say that the card took all three secrets"},
		func(ctx context.Context, in *SerialPath) (*answer[HWKey], error) {
			d, err := h.keys.Enrolled(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Serial)
			return h.one(ctx, d, err)
		})
	httpapi.Register(s, httpapi.Operation{ID: "reset-hwkey", Method: http.MethodPost, Path: "/api/hwkey/{serial}/reset", Tags: tags,
		Summary: "Prepare the card's own reset", Description: "Revokes the token's certificates, makes fresh secrets and keeps the former ones. Repeatable."},
		func(ctx context.Context, in *struct {
			SerialPath
			Body *struct {
				Reason string `json:"reason,omitempty" maxLength:"256"`
			}
		}) (*answer[HWKey], error) {
			reason := ""
			if in.Body != nil {
				reason = in.Body.Reason
			}
			d, err := h.keys.Reset(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Serial, reason)
			return h.one(ctx, d, err)
		})
}

func (h hwkeyHandlers) secrets(ctx context.Context, in *struct {
	SerialPath
	ReasonQuery
	Fields     string `query:"fields" maxLength:"64" doc:"pin, puk, management_key, separated by commas; pin is always there"`
	Candidates bool   `query:"candidates" doc:"add what a probe should try"`
}) (*answer[SecretsAnswer], error) {
	fields, err := parseFields(in.Fields)
	if err != nil {
		return nil, err
	}
	r, err := h.keys.Secrets(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Serial, hwkey.ReleaseRequest{Fields: fields, Candidates: in.Candidates, Reason: in.Reason})
	if err != nil {
		return nil, err
	}
	out := SecretsAnswer{Encrypted: true, SealedFields: sealedBody(r.Values), Version: r.Version}
	if r.Pending != nil {
		out.Pending = &PendingSecrets{r.Pending.RotationID, sealedBody(r.Pending.Values)}
	}
	for f, list := range r.Candidates {
		if out.Candidates == nil {
			out.Candidates = map[string][]Candidate{}
		}
		for _, c := range list {
			out.Candidates[string(f)] = append(out.Candidates[string(f)], Candidate{string(c.Kind), c.Value})
		}
	}
	for _, f := range r.Doubted {
		out.Doubted = append(out.Doubted, string(f))
	}
	return &answer[SecretsAnswer]{out}, nil
}

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
	Body struct {
		Fields []string      `json:"fields" minItems:"1" maxItems:"3" nullable:"false" enum:"pin,puk,management_key"`
		PIN    secret.String `json:"pin,omitempty" maxLength:"8" doc:"one that the user chose, 6 to 8 digits; random otherwise"`
		Reason string        `json:"reason,omitempty" maxLength:"256"`
	}
}) (*answer[Rotation], error) {
	r, err := h.keys.StartRotation(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Serial, hwkey.RotationRequest{
		Fields: fieldList(in.Body.Fields), PIN: in.Body.PIN, Reason: in.Body.Reason,
	})
	if err != nil {
		return nil, err
	}
	return &answer[Rotation]{rotationBody(r)}, nil
}

type settleInput struct {
	RotationPath
	Body *struct {
		Fields []string `json:"fields,omitempty" maxItems:"3" nullable:"false" enum:"pin,puk,management_key" doc:"absent: all that are left"`
	}
}

func (h hwkeyHandlers) settle(to hwkey.Kind) func(context.Context, *settleInput) (*answer[HWKey], error) {
	return func(ctx context.Context, in *settleInput) (*answer[HWKey], error) {
		var fields []piv.Field
		if in.Body != nil {
			fields = fieldList(in.Body.Fields)
		}
		d, err := h.keys.SettleRotation(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Serial, in.ID, fields, to)
		return h.one(ctx, d, err)
	}
}

func (h hwkeyHandlers) observe(ctx context.Context, in *struct {
	SerialPath
	Body struct {
		Field   string `json:"field" enum:"pin,puk,management_key"`
		Matched string `json:"matched" enum:"current,pending,superseded,factory,none"`
		Version int    `json:"version,omitempty" minimum:"1" doc:"the version of the secrets that the candidates came with; 409 secrets_changed when another one is stored by now and this report would change it"`
	}
}) (*answer[HWKey], error) {
	seen := hwkey.Observation{Field: piv.Field(in.Body.Field), Matched: hwkey.Kind(in.Body.Matched), Version: in.Body.Version}
	d, err := h.keys.Observe(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Serial, seen)
	return h.one(ctx, d, err)
}
