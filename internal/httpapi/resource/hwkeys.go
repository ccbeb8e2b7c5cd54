package resource

import (
	"context"
	"net/http"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
)

// SerialPath names a token.
type SerialPath struct {
	Serial string `path:"serial" maxLength:"64"`
}

type hwkeyHandlers struct {
	keys  *hwkey.Service
	certs *cert.Service
}

// show adds the live certificates to tokens.
func (h hwkeyHandlers) show(ctx context.Context, devices ...hwkey.Device) ([]backend.HWKey, error) {
	serials := make([]string, len(devices))
	for i, d := range devices {
		serials[i] = d.Serial
	}
	live, err := h.certs.LiveOf(ctx, serials)
	if err != nil {
		return nil, err
	}
	out := make([]backend.HWKey, len(devices))
	for i, d := range devices {
		out[i] = hwkeyBody(d, httpapi.ScopeFrom(ctx))
		for _, c := range live[d.Serial] {
			out[i].Certificates = append(out[i].Certificates, backend.ShortCertificate{
				SerialNumber: c.SerialNumber, Slot: c.Slot, CommonName: c.CommonName,
				NotBefore: c.NotBefore.UTC(), NotAfter: c.NotAfter.UTC(), InstalledAt: utc(c.InstalledAt),
			})
		}
	}
	return out, nil
}

func (h hwkeyHandlers) one(ctx context.Context, d hwkey.Device, err error) (*answer[backend.HWKey], error) {
	if err != nil {
		return nil, err
	}
	shown, err := h.show(ctx, d)
	if err != nil {
		return nil, err
	}
	return &answer[backend.HWKey]{shown[0]}, nil
}

func hwkeyBody(d hwkey.Device, scope access.Scope) backend.HWKey {
	out := backend.HWKey{
		Serial: d.Serial, Label: d.Label, Model: d.Model, FirmwareVersion: d.FirmwareVersion, FormFactor: d.FormFactor,
		Status: string(d.Status), OrganizationID: d.OrganizationID, OrganizationName: d.OrganizationName,
		RegisteredAt: d.RegisteredAt.UTC(), EnrolledAt: utc(d.EnrolledAt), LastSeenAt: utc(d.LastSeenAt),
		Secrets:      backend.Secrets{Version: d.SecretsVersion, RotationPending: d.RotationPending, ChangedAt: utc(d.SecretsChangedAt)},
		Certificates: []backend.ShortCertificate{}, NextStatuses: []string{},
	}
	for _, next := range d.Next(scope) {
		out.NextStatuses = append(out.NextStatuses, string(next))
	}
	if d.OwnerID != nil {
		out.Owner = &backend.Owner{ID: *d.OwnerID, Username: d.OwnerUsername, Name: d.OwnerName}
	}
	return out
}

func registerHWKeys(s *httpapi.Server, h hwkeyHandlers) {
	tags := []string{"hwkey"}
	httpapi.Register(s, httpapi.Operation{ID: "list-hwkeys", Method: http.MethodGet, Path: "/api/hwkey",
		Tags: tags, Summary: "List tokens"}, h.list)
	httpapi.Register(s, httpapi.Operation{ID: "register-hwkey", Method: http.MethodPost, Path: "/api/hwkey",
		Tags: tags, Status: http.StatusCreated,
		Summary:     "Register a token",
		Description: "A random PIN, PUK and management key are in the vault before the token is on record."}, h.register)
	httpapi.Register(s, httpapi.Operation{ID: "get-hwkey", Method: http.MethodGet, Path: "/api/hwkey/{serial}",
		Tags: tags, Summary: "Show a token"},
		func(ctx context.Context, in *SerialPath) (*answer[backend.HWKey], error) {
			d, err := h.keys.Get(ctx, httpapi.ScopeFrom(ctx), in.Serial)
			return h.one(ctx, d, err)
		})
	httpapi.Register(s, httpapi.Operation{ID: "update-hwkey", Method: http.MethodPatch, Path: "/api/hwkey/{serial}", Tags: tags,
		Summary: "Change a token", Description: "Users can only report their own tokens lost (status lost)."}, h.update)
	registerHWKeyAdministration(s, h)
	registerCustody(s, h)
	registerSigning(s, h)
}

func (h hwkeyHandlers) list(ctx context.Context, in *struct {
	Paging
	Q              string `query:"q" maxLength:"128" doc:"part of serial, label, or the owner's username or name"`
	Status         string `query:"status" enum:"in_stock,assigned,active,suspended,lost,retired"`
	OwnerID        int64  `query:"owner_id" minimum:"1"`
	OrganizationID int64  `query:"organization_id" minimum:"1"`
	Pending        bool   `query:"rotation_pending" doc:"true: only tokens with an open rotation"`
	DeviceFilters
	Sort string `query:"sort" enum:"-registered,registered,serial,-serial,label,-label,status,-status" default:"-registered" doc:"-registered: the last registered first; serial; label; status, by its name in the API; with a minus, reversed. A cursor continues in the order in which you got it"`
}) (*answer[page.Page[backend.HWKey]], error) {
	p, err := in.parse()
	if err != nil {
		return nil, err
	}
	f := hwkey.Filter{Q: in.Q, Status: hwkey.Status(in.Status), OwnerID: positive(in.OwnerID),
		OrganizationID: positive(in.OrganizationID), RotationPending: in.Pending, Sort: sortOf(in.Sort, "-registered")}
	in.narrow(&f)
	list, err := h.keys.List(ctx, httpapi.ScopeFrom(ctx), f, p)
	if err != nil {
		return nil, err
	}
	shown, err := h.show(ctx, list.Items...)
	if err != nil {
		return nil, err
	}
	return &answer[page.Page[backend.HWKey]]{page.With(list, shown)}, nil
}

func (h hwkeyHandlers) register(ctx context.Context, in *struct {
	Body backend.NewHWKey
}) (*answer[backend.HWKey], error) {
	b := in.Body
	d, err := h.keys.Register(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), hwkey.Registration{
		Serial: b.Serial, Label: b.Label, Model: b.Model, FirmwareVersion: b.FirmwareVersion, FormFactor: b.FormFactor,
		OwnerID: b.OwnerID, OrganizationID: b.OrganizationID,
	})
	return h.one(ctx, d, err)
}

func (h hwkeyHandlers) update(ctx context.Context, in *struct {
	SerialPath
	Body struct {
		Serial          *string          `json:"serial,omitempty" readOnly:"true" doc:"that of the path: it can't be changed"`
		Label           Optional[string] `json:"label,omitempty" maxLength:"128"`
		Model           Optional[string] `json:"model,omitempty" maxLength:"64"`
		FirmwareVersion Optional[string] `json:"firmware_version,omitempty" maxLength:"16"`
		FormFactor      Optional[string] `json:"form_factor,omitempty" maxLength:"64"`
		Status          string           `json:"status,omitempty" enum:"in_stock,assigned,active,suspended,lost,retired"`
		OwnerID         Optional[int64]  `json:"owner_id,omitempty"`
		OrganizationID  Optional[int64]  `json:"organization_id,omitempty"`
	}
}) (*answer[backend.HWKey], error) {
	b := in.Body
	if b.Serial != nil && !piv.SameSerial(*b.Serial, in.Serial) {
		return nil, unchanged("serial", b.Serial, in.Serial)
	}
	p := hwkey.Patch{
		Label: b.Label.orZero(), Model: b.Model.orZero(), FirmwareVersion: b.FirmwareVersion.orZero(), FormFactor: b.FormFactor.orZero(),
		OwnerID: b.OwnerID.orNil(), OrganizationID: b.OrganizationID.orNil(),
	}
	if b.Status != "" {
		status := hwkey.Status(b.Status)
		p.Status = &status
	}
	d, err := h.keys.Update(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Serial, p)
	return h.one(ctx, d, err)
}
