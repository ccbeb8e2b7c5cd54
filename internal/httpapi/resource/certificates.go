package resource

import (
	"cmp"
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/vault"
)

func certificateBody(c cert.Certificate, now time.Time) backend.Certificate {
	out := backend.Certificate{
		SerialNumber: c.SerialNumber, HWKeySerial: c.HWKeySerial, Slot: c.Slot, Subject: c.Subject, CommonName: c.CommonName,
		SANs: sans(c.SANs), Issuer: c.Issuer, NotBefore: c.NotBefore.UTC(), NotAfter: c.NotAfter.UTC(), KeyAlgorithm: c.KeyAlgorithm,
		PublicKeySHA256: c.PublicKeySHA256, Status: string(c.Status), RevokedAt: utc(c.RevokedAt), IssuedBy: c.IssuedBy,
		Profile: c.Profile, InstalledAt: utc(c.InstalledAt), Attested: c.Attestation != nil,
	}
	if a := c.Attestation; a != nil {
		out.Attestation = &backend.Attestation{FirmwareVersion: a.FirmwareVersion, FormFactor: a.FormFactor, PINPolicy: a.PINPolicy,
			TouchPolicy: a.TouchPolicy, Root: a.Root}
	}
	if c.OwnerID != nil {
		out.Owner = &backend.Owner{ID: *c.OwnerID, Username: c.OwnerUsername, Name: c.OwnerName}
	}
	if c.Status == cert.Revoked {
		out.RevocationReason = &c.RevocationReason
	} else if !now.Before(c.NotAfter) {
		out.Status = string(cert.Expired)
	}
	return out
}

func sans(in []cert.SAN) []backend.SAN {
	out := make([]backend.SAN, len(in))
	for i, s := range in {
		out[i] = backend.SAN(s)
	}
	return out
}

// CertificatePath names a certificate.
type CertificatePath struct {
	SerialNumber string `path:"serial_number" maxLength:"59" doc:"hex, in either case, also with colons between the bytes"`
}

func (p CertificatePath) serial() string { return vault.CanonicalSerial(p.SerialNumber) }

type certificateHandlers struct{ certs *cert.Service }

func (h certificateHandlers) one(c cert.Certificate, err error) (*answer[backend.OneCertificate], error) {
	if err != nil {
		return nil, err
	}
	return &answer[backend.OneCertificate]{backend.OneCertificate{Certificate: certificateBody(c, h.certs.Now()), PEM: cert.PEM(c.DER)}}, nil
}

func registerCertificates(s *httpapi.Server, h certificateHandlers) {
	tags := []string{"certificates"}
	httpapi.Register(s, httpapi.Operation{ID: "list-certificates", Method: http.MethodGet, Path: "/api/certificates",
		Tags: tags, Summary: "List certificates"}, h.list)
	httpapi.Register(s, httpapi.Operation{ID: "certificates-by-week", Method: http.MethodGet, Path: "/api/certificates/by-week",
		Tags: tags, Summary: "Count the certificates that expire in each week of the coming year",
		Description: "Takes the filters of the list. With q, it searches the first 10,000 to expire; see counts_are_exact."}, h.byWeek)
	httpapi.Register(s, httpapi.Operation{ID: "get-certificate", Method: http.MethodGet, Path: "/api/certificates/{serial_number}",
		Tags: tags, Summary: "Show a certificate",
		Description: "With format, it is a file: PEM, DER, with its chain (PEM, or PKCS #7 as DER), or its key as a line of OpenSSH's " +
			"authorized_keys."},
		h.get)
	describeCertificate(s)
	httpapi.Register(s, httpapi.Operation{ID: "revoke-certificate", Method: http.MethodPost,
		Path: "/api/certificates/{serial_number}/revoke", Tags: tags, Summary: "Revoke a certificate",
		Description: "With keyCompromise, it revokes all certificates of the key and bars it; you can also use that for a certificate " +
			"that was revoked for another reason, or has expired. 409 for any other certificate that is already revoked."},
		func(ctx context.Context, in *struct {
			CertificatePath
			Body *backend.RevokeCertificateRequest
		}) (*answer[backend.OneCertificate], error) {
			reason := ""
			if in.Body != nil {
				reason = in.Body.Reason
			}
			return h.one(h.certs.Revoke(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.serial(), reason))
		})
	httpapi.Register(s, httpapi.Operation{ID: "certificate-written", Method: http.MethodPost,
		Path: "/api/certificates/{serial_number}/installed", Tags: tags,
		Summary: "Report that the certificate is on the token", Description: "The slot's previous certificates are then revoked as superseded."},
		func(ctx context.Context, in *CertificatePath) (*answer[backend.OneCertificate], error) {
			return h.one(h.certs.Installed(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.serial()))
		})
}

// oneOrFile is a certificate as JSON or as a file.
type oneOrFile struct {
	ContentType string `header:"Content-Type"`
	Body        any    // backend.OneCertificate or []byte
}

func (h certificateHandlers) get(ctx context.Context, in *struct {
	CertificatePath
	Format string `query:"format" enum:"pem,der,chain,pkcs7,ssh"`
}) (*oneOrFile, error) {
	c, err := h.certs.Get(ctx, httpapi.ScopeFrom(ctx), in.serial())
	if err != nil {
		return nil, err
	}
	if in.Format == "" {
		one, err := h.one(c, nil)
		return &oneOrFile{"application/json", one.Body}, err
	}
	content, mediaType, err := h.certs.File(ctx, c, in.Format)
	return &oneOrFile{mediaType, content}, err
}

// describeCertificate says what get answers, which its type doesn't.
func describeCertificate(s *httpapi.Server) {
	api := s.OpenAPI()
	content := api.Paths["/api/certificates/{serial_number}"].Get.Responses["200"].Content
	content["application/json"].Schema = api.Components.Schemas.Schema(reflect.TypeFor[backend.OneCertificate](), true, "OneCertificate")
	delete(api.Paths["/api/certificates/{serial_number}"].Get.Responses["200"].Headers, "Content-Type") // which says itself
	for _, mediaType := range []string{"application/x-pem-file", "application/pkix-cert", "application/pkcs7-mime", "text/plain"} {
		content[mediaType] = &huma.MediaType{Schema: &huma.Schema{Type: "string", Format: "binary"}}
	}
}

// registerUnrecorded registers the operations on unrecorded certificates.
func registerUnrecorded(s *httpapi.Server, h certificateHandlers) {
	tags := []string{"certificates"}
	httpapi.Register(s, httpapi.Operation{ID: "list-unrecorded-certificates", Method: http.MethodGet, Path: "/api/certificates/unrecorded",
		Tags: tags, Summary: "List certificates that the vault logged before signing and that aren't on record",
		Description: "Before each signature, the vault logs what is about to be signed. This lists what was never recorded afterwards, " +
			"for example because of a crash, newest first."},
		func(ctx context.Context, in *Paging) (*answer[page.Page[backend.UnrecordedIssuance]], error) {
			p, err := in.parse()
			if err != nil {
				return nil, err
			}
			list, err := h.certs.ListUnrecorded(ctx, p)
			return &answer[page.Page[backend.UnrecordedIssuance]]{page.Map(list, unrecordedBody)}, err
		})
	httpapi.Register(s, httpapi.Operation{ID: "revoke-unrecorded-certificate", Method: http.MethodPost, Path: "/api/certificates/revoke",
		Tags: tags, Summary: "Revoke any certificate of the CA, even one without a record",
		Description: "Name the certificate, or its serial number. A remote vault that doesn't keep it needs the certificate. One that " +
			"is on record is revoked as by revoke-certificate; 409 if it is already revoked, unless you report its key as " +
			"compromised now, or send the certificate whose key was not known then."},
		func(ctx context.Context, in *struct{ Body backend.RevokeAnyRequest }) (*answer[backend.RevokedAny], error) {
			r, err := h.certs.RevokeUnrecorded(ctx, httpapi.ActorFrom(ctx), cert.RevokeAny{
				Certificate: in.Body.Certificate, SerialNumber: in.Body.SerialNumber, Reason: in.Body.Reason,
			})
			if err != nil {
				return nil, err
			}
			return &answer[backend.RevokedAny]{backend.RevokedAny{
				SerialNumber: r.SerialNumber, RevokedAt: r.RevokedAt.UTC(), RevocationReason: r.Reason, OnRecord: r.OnRecord,
				KeyBarred: r.KeyBarred,
			}}, nil
		})
}

func unrecordedBody(u cert.UnrecordedIssuance) backend.UnrecordedIssuance {
	out := backend.UnrecordedIssuance{
		LoggedAt: u.At(), HWKeySerial: u.HWKeySerial, Slot: u.Slot, CSRSHA256: u.CSRSHA256, PublicKeySHA256: u.PublicKeySHA256,
		APIKeyID: positive(u.APIKey), Outcome: cmp.Or(string(u.Outcome), "open"),
	}
	if u.Account != 0 {
		out.IssuedBy = &backend.Owner{ID: u.Account, Username: u.Username}
	}
	if u.SerialNumber != "" {
		out.SerialNumber = &u.SerialNumber
	}
	if !u.NotAfter.IsZero() {
		out.NotAfter = utc(&u.NotAfter)
	}
	if r := u.Revoked; r != nil {
		reason := cert.ReasonName(r.Reason)
		out.RevokedAt, out.RevocationReason = utc(&r.At), &reason
	}
	return out
}

// CertificateFilters filter the list and its counts.
type CertificateFilters struct {
	Q              string              `query:"q" maxLength:"128" doc:"part of common name or token serial, or the start of a serial number"`
	Status         string              `query:"status" enum:"issued,revoked,expired"`
	HWKeySerial    string              `query:"hwkey_serial" maxLength:"64"`
	OwnerID        int64               `query:"owner_id" minimum:"1"`
	OrganizationID int64               `query:"organization_id" minimum:"1"`
	ExpiresFrom    time.Time           `query:"expires_from" doc:"inclusive"`
	ExpiresBefore  time.Time           `query:"expires_before" doc:"exclusive"`
	Attested       optionalQuery[bool] `query:"attested" doc:"whether a token vouched for its key: attestation is not null"`
	Installed      optionalQuery[bool] `query:"installed" doc:"whether it is confirmed to be on the token: installed_at is not null"`
	Lapsed         bool                `query:"lapsed" doc:"only those that have expired on an active token, with none issued later for the same slot, regardless of status"`
}

func (in CertificateFilters) filter() cert.Filter {
	if in.Lapsed {
		in.Status = string(cert.Expired)
	}
	return cert.Filter{
		Q: in.Q, Status: cert.Status(in.Status), HWKeySerial: in.HWKeySerial, OwnerID: positive(in.OwnerID),
		OrganizationID: positive(in.OrganizationID), ExpiresFrom: in.ExpiresFrom, ExpiresBefore: in.ExpiresBefore,
		Attested: in.Attested.pointer(), Installed: in.Installed.pointer(), Lapsed: in.Lapsed,
	}
}

func (h certificateHandlers) list(ctx context.Context, in *struct {
	Paging
	CertificateFilters
	Sort string `query:"sort" enum:"-issued,issued,not_after,-not_after,common_name,-common_name" default:"-issued" doc:"-issued: the last issued first; issued: reversed; not_after: the next to expire first; -not_after: the last to expire first; common_name: by name. A cursor continues in the order in which you got it"`
}) (*answer[page.Page[backend.Certificate]], error) {
	p, err := in.parse()
	if err != nil {
		return nil, err
	}
	f := in.filter()
	f.Sort = sortOf(in.Sort, "-issued")
	return h.page(ctx, f, p)
}

func (h certificateHandlers) byWeek(ctx context.Context, in *CertificateFilters) (*answer[backend.CertificateWeeks], error) {
	weeks, err := h.certs.ByWeek(ctx, httpapi.ScopeFrom(ctx), in.filter())
	if err != nil {
		return nil, err
	}
	out := backend.CertificateWeeks{Weeks: make([]backend.CertificateWeek, len(weeks.Counts)), CountsAreExact: weeks.AreExact}
	for i, n := range weeks.Counts {
		out.Weeks[i] = backend.CertificateWeek{Start: weeks.First.Add(time.Duration(i) * cert.Week).Format(time.DateOnly), Count: n}
	}
	return &answer[backend.CertificateWeeks]{out}, nil
}

func (h certificateHandlers) page(ctx context.Context, f cert.Filter, p page.Request) (*answer[page.Page[backend.Certificate]], error) {
	list, err := h.certs.List(ctx, httpapi.ScopeFrom(ctx), f, p)
	if err != nil {
		return nil, err
	}
	now := h.certs.Now()
	return &answer[page.Page[backend.Certificate]]{page.Map(list,
		func(c cert.Certificate) backend.Certificate { return certificateBody(c, now) })}, nil
}

func registerSigning(s *httpapi.Server, h hwkeyHandlers) {
	tags := []string{"certificates"}
	httpapi.Register(s, httpapi.Operation{ID: "signing-readiness", Method: http.MethodGet,
		Path: "/api/hwkey/{serial}/signing-readiness", Tags: tags,
		Summary: "Check whether a CSR would be signed, before creating a key"},
		func(ctx context.Context, in *struct {
			SerialPath
			Slot            string `query:"slot" default:"9a" enum:"9a,9c,9d,9e"`
			Profile         string `query:"profile" maxLength:"40" doc:"the slot's when absent"`
			PublicKeySHA256 string `query:"public_key_sha256" pattern:"^[0-9a-f]{64}$" doc:"of the key to keep, if no new one is to be created: SHA-256 of its SubjectPublicKeyInfo, hex"`
		}) (*answer[backend.Readiness], error) {
			r, err := h.certs.Ready(ctx, httpapi.ScopeFrom(ctx), in.Serial, in.Slot, in.Profile, in.PublicKeySHA256)
			if err != nil {
				return nil, err
			}
			out := &answer[backend.Readiness]{backend.Readiness{Ready: r.Ready, Reasons: r.Reasons, Profile: r.Profile,
				KeyType: string(r.KeyType), PINPolicy: r.PINPolicy, TouchPolicy: r.TouchPolicy}}
			out.Body.Subject.CommonName, out.Body.Subject.Email = r.CommonName, r.Email
			return out, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "sign-csr", Method: http.MethodPost, Path: "/api/hwkey/{serial}/sign-csr", Tags: tags,
		Summary: "Sign a token's CSR",
		Description: "While its certificate is valid, the same CSR returns the same certificate, unless renew is set. " +
			"With a verified attestation, it takes a session with a registered agent, or an API key. Without one (none, or one " +
			"whose issuer isn't trusted or that " +
			"has no serial number), it takes a recent proof of identity and a registered agent, and no API key will do; for " +
			"someone else's token it also takes a reason, and counts as a release of secrets within the hour. The owner gets " +
			"a notice if someone else had it issued."},
		func(ctx context.Context, in *struct {
			SerialPath
			Body backend.SignCSRRequest
		}) (*answer[backend.SignedCertificate], error) {
			signed, err := h.certs.Sign(ctx, httpapi.ActorFrom(ctx), httpapi.ScopeFrom(ctx), in.Serial, cert.SignRequest{
				CSR: in.Body.CSR, Slot: in.Body.Slot, Profile: in.Body.Profile, Attestation: in.Body.Attestation, Reason: in.Body.Reason,
				Renew: in.Body.Renew,
			})
			if err != nil {
				return nil, err
			}
			return &answer[backend.SignedCertificate]{signedBody(signed)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "hwkey-certificates", Method: http.MethodGet, Path: "/api/hwkey/{serial}/certificates",
		Tags: tags, Summary: "List a token's certificates"},
		func(ctx context.Context, in *struct {
			SerialPath
			Paging
		}) (*answer[page.Page[backend.Certificate]], error) {
			p, err := in.parse()
			if err != nil {
				return nil, err
			}
			d, err := h.keys.Get(ctx, httpapi.ScopeFrom(ctx), in.Serial)
			if err != nil {
				return nil, err
			}
			return certificateHandlers{h.certs}.page(ctx, cert.Filter{HWKeySerial: d.Serial}, p)
		})
}

func signedBody(s cert.Signed) backend.SignedCertificate {
	c := s.Certificate
	out := backend.SignedCertificate{Certificate: cert.PEM(c.DER), Chain: []string{}, SerialNumber: c.SerialNumber,
		NotBefore: c.NotBefore.UTC(), NotAfter: c.NotAfter.UTC(), Warnings: s.Warnings}
	for _, der := range s.Chain {
		out.Chain = append(out.Chain, cert.PEM(der))
	}
	return out
}
