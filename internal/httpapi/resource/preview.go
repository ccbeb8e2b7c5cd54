package resource

import (
	"context"
	"encoding/json"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/profile/preview"
)

func registerPreview(s *httpapi.Server, previews *preview.Service) {
	httpapi.Register(s, httpapi.Operation{ID: "preview-profile", Method: http.MethodPost, Path: "/api/admin/profiles/preview",
		Tags: []string{"certificates"}, Summary: "Show the certificate that would come out of a profile",
		Description: "For the owner of a token, an account, or a made-up person with every name. Its key and its CA are thrown away: " +
			"nothing is recorded."},
		func(ctx context.Context, in *struct{ Body previewBody }) (*answer[backend.ProfilePreview], error) {
			b := in.Body
			want := preview.Want{Name: b.Profile.name, Serial: b.Serial, UserID: b.UserID}
			if b.Profile.whole != nil {
				p := profileOf(b.Profile.whole.ProfileBody)
				p.Name, want.Profile = b.Profile.whole.Name, &p
			}
			if want.Serial != "" && want.UserID != 0 {
				return nil, fault.Invalid(fault.Wrong("user_id", "serial_or_user", "can't be given together with serial"))
			}
			made, err := previews.Make(ctx, httpapi.ScopeFrom(ctx), want)
			if err != nil {
				return nil, err
			}
			out := backend.ProfilePreview{Warnings: fault.Texts(made.Warnings), Sentences: sentences(made.Warnings)}
			if c := made.Certificate; c != nil {
				pem := cert.PEM(c.Raw)
				out.Certificate, out.Text = &pem, preview.Text(c)
			}
			return &answer[backend.ProfilePreview]{out}, nil
		})
}

type previewBody struct {
	Profile profileChoice `json:"profile" doc:"the name of a profile, or a whole one, which need not be saved"`
	Serial  string        `json:"serial,omitempty" maxLength:"64" doc:"of the token whose owner it would be for"`
	UserID  int64         `json:"user_id,omitempty" minimum:"1" doc:"of the account that it would be for"`
}

// profileChoice is a profile's name, or a whole profile.
type profileChoice struct {
	name  string
	whole *backend.NewProfile
}

// UnmarshalJSON is called with what the schema has let in.
func (c *profileChoice) UnmarshalJSON(b []byte) error {
	if len(b) > 0 && b[0] == '"' {
		return json.Unmarshal(b, &c.name)
	}
	return json.Unmarshal(b, &c.whole)
}

// Schema returns the schema of either.
func (c profileChoice) Schema(r huma.Registry) *huma.Schema {
	longest := 40
	return &huma.Schema{OneOf: []*huma.Schema{
		{Type: huma.TypeString, MaxLength: &longest}, r.Schema(reflect.TypeFor[backend.NewProfile](), true, ""),
	}}
}
