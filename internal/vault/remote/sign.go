package remote

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
)

// signing is the request of pki/sign. Names come from here alone: the role takes none from the CSR.
type signing struct {
	CSR        string   `json:"csr"`
	CommonName string   `json:"common_name"`
	AltNames   string   `json:"alt_names,omitempty"` // emails and DNS names, comma-separated
	IPs        []string `json:"ip_sans,omitempty"`
	URIs       []string `json:"uri_sans,omitempty"`
	Others     string   `json:"other_sans,omitempty"` // OID;UTF8:value
	TTL        string   `json:"ttl,omitempty"`        // none: the role's
	WithoutCN  bool     `json:"exclude_cn_from_sans"`
}

// Makeable has the names in the form that a vault can make: no Kerberos principal, and the SID as a
// URI (KB5014754).
func Makeable(r vault.SignRequest) vault.SignRequest {
	r.Principal = vault.Principal{}
	if r.SID != "" {
		r.URIs, r.SID = append(slices.Clone(r.URIs), pki.SIDPrefix+r.SID), ""
	}
	return r
}

// Prepare implements vault.PKI.
func (e *Engine) Prepare(ctx context.Context, req vault.SignRequest) (vault.Prepared, error) {
	names, err := pki.CheckNames(Makeable(req))
	if err != nil {
		return nil, err
	}
	csr := req.CSR.Request()
	if req.CSR.Loose() {
		return nil, fault.New(fault.CSRRejected, "csr_printable_string",
			"The CSR's subject is encoded as PrintableString, which can't hold characters such as _ and @, and Vault refuses that. "+
				"Create it with UTF8String.").With(vault.ErrInvalid)
	}
	if err := pki.CheckCSR(csr, e.opts.KeyTypes); err != nil {
		return nil, err
	}
	if req.Usage.Key == 0 {
		req.Usage = vault.DefaultUsage(csr.PublicKey)
	}
	if req.TTL < 0 {
		return nil, invalid("the lifetime is negative")
	}
	ca, err := e.active(ctx)
	if err != nil {
		return nil, err
	}
	if !ca.addressed() {
		return nil, e.unaddressed(ca)
	}
	if err := pki.CheckPurposes(ca.chain, req.Usage.Purposes); err != nil {
		return nil, err
	}
	if err := ca.limits.Check(names); err != nil {
		return nil, err
	}
	q := &prepared{engine: e, names: names, usage: req.Usage, csr: csr, ttl: req.TTL, ca: ca, base: e.opts.PublicBase, now: e.opts.Now()}
	left := ca.cert().NotAfter.Sub(q.now).Truncate(time.Second)
	if left <= 0 {
		return nil, vault.ErrEnded
	}
	// The role's own time is the vault's matter; setup has it cut at the CA's end.
	q.ttl = min(q.ttl, left)
	return q, nil
}

// Unsigned implements vault.Prepared: the vault shows nothing before it signs.
func (q *prepared) Unsigned() vault.Unsigned { return vault.Unsigned{} }

// Sign implements vault.Prepared. The certificate is compared with the request
// after it was signed; one that differs is revoked.
func (q *prepared) Sign(ctx context.Context) (vault.Issued, error) {
	if q.used.Swap(true) {
		return vault.Issued{}, errors.New("vault: signed before")
	}
	e := q.engine
	role := e.opts.Mounts.profileRole(q.usage.Profile, piv.KeyTypeOf(q.csr.PublicKey).Algorithm())
	a, err := e.do(ctx, call{method: http.MethodPost, path: e.opts.Mounts.PKI + "/sign/" + role, body: q.body()})
	if err != nil {
		return vault.Issued{}, e.refused(err, role)
	}
	cert, err := a.certificate()
	if err != nil {
		return vault.Issued{}, err
	}
	if q.ca, err = e.issuerOf(ctx, cert, q.ca); err == nil {
		err = errors.Join(pki.CheckPurposes(q.ca.chain, q.usage.Purposes), q.differs(cert)) // another CA may sign by now
	}
	if err != nil {
		return vault.Issued{}, e.reject(ctx, cert, err)
	}
	if (len(cert.OCSPServer) > 0) != e.opts.OCSP {
		e.noOCSP.Do(func() {
			e.opts.Logger.WarnContext(ctx, "the vault's certificates don't follow PKI_OCSP; run keyward vault setup",
				"ocsp", e.opts.OCSP, "in_certificates", cert.OCSPServer)
		})
	}
	issued := vault.Issued{Certificate: cert, Serial: vault.SerialOf(cert.SerialNumber), CA: q.ca.id}
	for _, der := range q.ca.ders {
		issued.Chain = append(issued.Chain, append([]byte(nil), der...))
	}
	return issued, nil
}

func (q *prepared) body() signing {
	s := signing{
		CSR: encodePEM("CERTIFICATE REQUEST", q.csr.Raw), CommonName: q.names.CommonName, WithoutCN: true, URIs: q.names.URIs,
		AltNames: strings.Join(append(append([]string(nil), q.names.Emails...), q.names.DNS...), ","),
	}
	if q.names.UPN != "" {
		s.Others = pki.OIDUserPrincipalName.String() + ";UTF8:" + q.names.UPN
	}
	for _, ip := range q.names.IPs {
		s.IPs = append(s.IPs, ip.String())
	}
	if q.ttl > 0 { // rounded up, so that no requested second is lost
		s.TTL = fmt.Sprintf("%ds", (q.ttl+time.Second-1)/time.Second)
	}
	return s
}

// refused decides whether a refusal to sign is about the vault or the request.
func (e *Engine) refused(err error, role string) error {
	r, ok := errors.AsType[*refusal](err)
	switch {
	case !ok:
		return err
	case r.says("unknown role"):
		return unprepared("the mount " + e.opts.Mounts.PKI + " has no role " + role)
	case r.says("issuer"):
		return unprepared("the mount " + e.opts.Mounts.PKI + " has no CA")
	}
	return err
}
