package resource

import (
	"context"
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"net/http"
	"time"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/ca"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
)

type caHandlers struct {
	cas     *ca.Service
	parents *pki.ParentCRLs
}

// CAPath names a CA.
type CAPath struct {
	ID string `path:"id" maxLength:"16" pattern:"^[0-9a-f]{16}$"`
}

func registerCAs(s *httpapi.Server, h caHandlers) {
	tags := []string{"certificates"}
	const path = "/api/admin/cas"
	httpapi.Register(s, httpapi.Operation{ID: "list-cas", Method: http.MethodGet, Path: path, Tags: tags,
		Summary: "List the CAs, the active one first"}, h.list)
	httpapi.Register(s, httpapi.Operation{ID: "request-ca", Method: http.MethodPost, Path: path, Tags: tags,
		Status: http.StatusCreated, Summary: "Request another CA",
		Description: "It signs nothing until it is activated. With the parent external the answer has its CSR."},
		func(ctx context.Context, in *struct{ Body backend.NewCA }) (*answer[backend.CA], error) {
			return h.one(h.cas.Request(ctx, httpapi.ActorFrom(ctx), ca.Request{
				SelfSigned: in.Body.Parent == "self", CommonName: in.Body.Subject, KeyType: piv.KeyType(in.Body.KeyType),
			}))
		})
	httpapi.Register(s, httpapi.Operation{ID: "install-ca", Method: http.MethodPost, Path: path + "/{id}/certificate", Tags: tags,
		Summary:     "Give a requested CA its certificate",
		Description: "422 ca_rejected says why a certificate can't be used. The same again changes nothing."},
		func(ctx context.Context, in *struct {
			CAPath
			Body backend.CACertificateBody
		}) (*answer[backend.CA], error) {
			return h.one(h.cas.Install(ctx, httpapi.ActorFrom(ctx), in.ID, in.Body.Certificate, in.Body.Chain))
		})
	httpapi.Register(s, httpapi.Operation{ID: "activate-ca", Method: http.MethodPost, Path: path + "/{id}/activate", Tags: tags,
		Summary: "Have a CA sign certificates from now on",
		Description: "The one before goes on signing its CRL, and can be activated again. 409 ca_not_active for one that can't sign; " +
			"422 ca_rejected if it no longer fits."},
		func(ctx context.Context, in *CAPath) (*answer[backend.CA], error) {
			return h.one(h.cas.Activate(ctx, httpapi.ActorFrom(ctx), in.ID))
		})
	httpapi.Register(s, httpapi.Operation{ID: "withdraw-ca", Method: http.MethodDelete, Path: path + "/{id}", Tags: tags,
		Status: http.StatusNoContent, Summary: "Withdraw the request of a CA", Description: "Its key is lost."},
		func(ctx context.Context, in *CAPath) (*struct{}, error) {
			return nil, h.cas.Withdraw(ctx, httpapi.ActorFrom(ctx), in.ID)
		})
}

func (h caHandlers) list(ctx context.Context, _ *struct{}) (*answer[backend.CAs], error) {
	list, err := h.cas.List(ctx)
	if err != nil {
		return nil, err
	}
	out := backend.CAs{Items: []backend.CA{}, ParentCRLs: []backend.ParentCRL{}}
	var known []*x509.Certificate
	for _, c := range list {
		out.Items = append(out.Items, h.answer(c))
		for _, der := range c.Chain {
			if cert, err := x509.ParseCertificate(der); err == nil {
				known = append(known, cert)
			}
		}
	}
	for _, p := range h.parents.Report(known) {
		row := backend.ParentCRL{File: p.File, Issuer: given(p.Issuer), NextUpdate: moment(p.NextUpdate), Problem: given(string(p.Problem))}
		out.ParentCRLs = append(out.ParentCRLs, row)
	}
	return &answer[backend.CAs]{out}, nil
}

func (h caHandlers) one(c ca.CA, err error) (*answer[backend.CA], error) {
	if err != nil {
		return nil, err
	}
	return &answer[backend.CA]{h.answer(c)}, nil
}

func (h caHandlers) answer(c ca.CA) backend.CA {
	out := backend.CA{
		ID: c.ID, State: string(c.State), Subject: c.Subject(), KeyType: string(c.KeyType), Chain: []backend.CACertificate{},
		Fingerprint: given(c.Fingerprint()), CertificatesLive: c.Live,
		RequestedAt: moment(c.RequestedAt), ActivatedAt: moment(c.ActivatedAt), RetiredAt: moment(c.Retire),
	}
	if c.State == ca.Requested {
		text := string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: c.CSR}))
		out.CSR = &text
		return out
	}
	out.NotBefore, out.NotAfter = moment(c.Certificate.NotBefore), moment(c.Certificate.NotAfter)
	if !c.SelfSigned() {
		out.Parent = given(c.Certificate.Issuer.String())
	}
	for _, der := range c.Chain {
		if cert, err := x509.ParseCertificate(der); err == nil {
			sum := sha256.Sum256(der)
			out.Chain = append(out.Chain, backend.CACertificate{
				Subject: cert.Subject.String(), NotAfter: cert.NotAfter.UTC(), Fingerprint: hex.EncodeToString(sum[:]), PEM: string(pki.PEM(der)),
			})
		}
	}
	if c.List != nil {
		out.CRL = &backend.CACRL{Number: c.List.Number, NextUpdate: c.List.NextUpdate.UTC()}
	}
	list, issuer := vault.Addresses(c.ID, c.First)
	out.CRLPath, out.CAPath = &list, &issuer
	switch c.State {
	case ca.Active:
		out.RenewFrom = moment(h.cas.RenewFrom(c))
	case ca.Retiring, ca.Ended:
		out.LastEndsAt = moment(c.Ends)
	case ca.Requested, ca.Ready:
	}
	return out
}

// given returns nil for an empty text.
func given(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// moment returns nil for the zero time.
func moment(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}
