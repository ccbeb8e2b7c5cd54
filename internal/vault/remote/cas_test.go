package remote_test

import (
	"crypto/rand"
	"crypto/x509"
	"errors"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded/issuance"
	"github.com/keyward/keyward/internal/vault/remote"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/vaultserver"
)

// byHand makes a root as an operator does, and perhaps has it sign.
func byHand(t *testing.T, m remote.Mounts, signs bool) (ref string) {
	t.Helper()
	server := vaultserver.Shared(t)
	made := server.Call(t, http.MethodPost, m.PKI+"/root/generate/internal", map[string]any{
		"common_name": "Second CA", "key_type": "ec", "key_bits": 256, "ttl": "87600h", "not_before_duration": "1s",
	})
	if signs {
		server.Call(t, http.MethodPost, m.PKI+"/config/issuers", map[string]any{"default": made["issuer_id"]})
	}
	return made["issuer_id"].(string)
}

func zoe(t *testing.T) vault.SignRequest {
	t.Helper()
	return vault.SignRequest{CSR: vaulttest.NewCSR(t, vaulttest.RSAKey()), CommonName: "zoe"}
}

// addressed checks what a certificate says of its CA.
func addressed(t *testing.T, issued vault.Issued, first bool) {
	t.Helper()
	crl, ca := vault.Addresses(issued.CA, first)
	if cert := issued.Certificate; !slices.Equal(cert.CRLDistributionPoints, []string{vaultserver.PublicBase + crl}) ||
		!slices.Equal(cert.IssuingCertificateURL, []string{vaultserver.PublicBase + ca}) {
		t.Errorf("it names %s and %s", cert.CRLDistributionPoints, cert.IssuingCertificateURL)
	}
}

// revokes revokes certificates and finds each on its CA's list, and on no other.
func revokes(t *testing.T, e *remote.Engine, all ...vault.Issued) {
	t.Helper()
	var revocations []vault.Revocation
	for _, i := range all {
		revocations = append(revocations, vault.Revocation{Serial: i.Serial, At: time.Now(), Certificate: i.Certificate.Raw})
	}
	must.OK(t, e.Revoke(t.Context(), revocations...))
	for _, on := range all {
		list := must.Get(x509.ParseRevocationList(must.Get(e.CRL(t.Context(), on.CA))(t).DER))(t)
		for _, i := range all {
			listed := slices.ContainsFunc(list.RevokedCertificateEntries, func(r x509.RevocationListEntry) bool {
				return vault.SerialOf(r.SerialNumber) == i.Serial
			})
			if listed != (i.CA == on.CA) {
				t.Errorf("the list of %s: %s of %s: %v", on.CA, i.Serial, i.CA, listed)
			}
		}
	}
}

// TestMadeDefaultByHand: a CA that an operator made and had sign gets addresses of its own before it signs;
// the former one's list is still served. What a CA signed that the mount never had holds up nothing.
func TestMadeDefaultByHand(t *testing.T) {
	t.Parallel()
	e, o := engine(t)
	former := must.Get(vaulttest.Sign(t.Context(), e, zoe(t)))(t)
	byHand(t, o.Mounts, true)
	next := must.Get(vaulttest.Sign(t.Context(), e, zoe(t)))(t)
	if cn := next.Certificate.Issuer.CommonName; cn != "Second CA" || former.CA == next.CA {
		t.Fatalf("signed by %s", cn)
	}
	addressed(t, former, true)
	addressed(t, next, false)
	revokes(t, e, former, next)
	revokes(t, open(t, o), former, next)
	ca, key := must.Both(issuance.NewRoot(piv.ECP256, "A CA that the mount never had", time.Now()))(t)
	stranger := must.Get(x509.CreateCertificate(rand.Reader, &x509.Certificate{SerialNumber: big.NewInt(0x4711)}, ca, ca.PublicKey, key))(t)
	must.OK(t, e.Revoke(t.Context(), vault.Revocation{Serial: "4711", At: time.Now(), Certificate: stranger}))
}

// TestChangedMeanwhile: a CA that another server made sign after a certificate was prepared counts as its
// issuer; one that an operator made sign, and that has no addresses yet, does not.
func TestChangedMeanwhile(t *testing.T) {
	t.Parallel()
	e, o := engine(t)
	other := open(t, o)
	prepared := must.Get(e.Prepare(t.Context(), zoe(t)))(t)
	next := must.Get(other.NewCA(t.Context(), vault.NewCA{KeyType: piv.ECP256, CommonName: "Next CA", SelfSigned: true}))(t)
	must.OK(t, other.ActivateCA(t.Context(), next.ID))
	issued := must.Get(prepared.Sign(t.Context()))(t)
	if issued.CA != next.ID || len(issued.Chain) != 1 || string(issued.Chain[0]) != string(next.Chain[0]) {
		t.Errorf("signed by %s", issued.CA)
	}
	addressed(t, issued, false)

	prepared = must.Get(e.Prepare(t.Context(), zoe(t)))(t)
	byHand(t, o.Mounts, true)
	if _, err := prepared.Sign(t.Context()); !errors.Is(err, vault.ErrDenied) || !strings.Contains(err.Error(), "CRL distribution point") {
		t.Errorf("by one without addresses: %v", err)
	}
	again := must.Get(vaulttest.Sign(t.Context(), e, zoe(t)))(t)
	addressed(t, again, false)
	revokes(t, e, issued, again)
}

// TestNewRootNamesNobody: a CA that the vault makes has no other CA's list in its certificate, and does not
// sign at once, even where an operator has the latest sign.
func TestNewRootNamesNobody(t *testing.T) {
	t.Parallel()
	e, o := engine(t)
	server := vaultserver.Shared(t)
	is := server.Call(t, http.MethodGet, o.Mounts.PKI+"/config/issuers", nil)
	is["default_follows_latest_issuer"] = true
	server.Call(t, http.MethodPost, o.Mounts.PKI+"/config/issuers", is)
	before := must.Get(vault.ActiveCA(t.Context(), e))(t)
	next := must.Get(e.NewCA(t.Context(), vault.NewCA{KeyType: piv.RSA2048, CommonName: "Next CA", SelfSigned: true}))(t)
	asked := must.Get(e.NewCA(t.Context(), vault.NewCA{KeyType: piv.ECP256, CommonName: "Another, Inc."}))(t)
	must.OK(t, e.InstallCA(t.Context(), asked.ID, vaulttest.NewRoot(t).Sign(t, asked.CSR)))
	if now := must.Get(vault.ActiveCA(t.Context(), e))(t); now.ID != before.ID {
		t.Errorf("%s signs at once", now.ID)
	}
	if cert := must.Get(x509.ParseCertificate(next.Chain[0]))(t); len(cert.CRLDistributionPoints)+len(cert.IssuingCertificateURL) > 0 ||
		len(cert.DNSNames) > 0 || cert.MaxPathLen != 0 {
		t.Errorf("%+v", cert)
	}
	for _, bad := range []vault.NewCA{{KeyType: piv.Ed25519, CommonName: "x"}, {KeyType: piv.ECP256}} {
		if _, err := e.NewCA(t.Context(), bad); !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	elsewhere := must.Get(e.NewCA(t.Context(), vault.NewCA{KeyType: piv.ECP256, CommonName: "Third CA"}))(t)
	if err := e.InstallCA(t.Context(), elsewhere.ID, vaulttest.NewRoot(t).Sign(t, asked.CSR)); !errors.Is(err, vault.ErrInvalid) {
		t.Errorf("the certificate of another key: %v", err)
	}
}

// earlierPolicy is what setup gave before there could be several CAs, and earlier what it made of addresses.
func earlierPolicy(m remote.Mounts) string {
	return strings.NewReplacer("KV", m.KV, "PKI", m.PKI, "ROLE", m.Role).Replace(`
path "KV/data/*" { capabilities = ["create", "read", "update"] }
path "KV/metadata/*" { capabilities = ["read", "list"] }
path "KV/metadata" { capabilities = ["list"] }
path "PKI/sign/ROLE" { capabilities = ["update"] }
path "PKI/sign-verbatim/ROLE-ocsp" {
  capabilities       = ["update"]
  allowed_parameters = { "csr" = [], "key_usage" = [], "ext_key_usage" = [] }
}
path "PKI/revoke" { capabilities = ["update"] }
path "PKI/crl/rotate" { capabilities = ["read"] }
path "PKI/certs" { capabilities = ["list"] }
path "PKI/cert/*" { capabilities = ["read"] }
path "auth/token/lookup-self" { capabilities = ["read"] }
path "auth/token/renew-self" { capabilities = ["update"] }`)
}

func earlier(t *testing.T, m remote.Mounts) {
	t.Helper()
	server := vaultserver.Shared(t)
	server.Call(t, http.MethodPost, "sys/policies/acl/"+m.Role, map[string]string{"policy": earlierPolicy(m)})
	none := map[string]any{"crl_distribution_points": []string{}, "issuing_certificates": []string{}, "ocsp_servers": []string{}}
	server.Call(t, http.MethodPatch, m.PKI+"/issuer/default", none)
	server.Call(t, http.MethodPost, m.PKI+"/config/urls", map[string]any{
		"crl_distribution_points": []string{vaultserver.PublicBase + "/api/pki/crl"},
		"issuing_certificates":    []string{vaultserver.PublicBase + "/api/pki/ca.cer"},
	})
}

// TestEarlierPolicy: until setup is repeated after an upgrade, one CA does all it did; there is no other,
// unless an operator makes it, and its list is served, too.
func TestEarlierPolicy(t *testing.T) {
	t.Parallel()
	o := vaultserver.Shared(t).Prepared(t)
	earlier(t, o.Mounts)
	var ahead atomic.Int64
	o.Now = func() time.Time { return time.Now().Add(time.Duration(ahead.Load())) }
	e := open(t, o)
	issued := must.Get(vaulttest.Sign(t.Context(), e, zoe(t)))(t)
	addressed(t, issued, true)
	revokes(t, e, issued)
	must.Get(e.IssueResponder(t.Context(), vault.Active, vaulttest.RSAKey()))(t)
	refused := func(what string, err error) {
		t.Helper()
		if !errors.Is(err, vault.ErrDenied) || !strings.Contains(err.Error(), "keyward vault setup") {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, self := range []bool{true, false} {
		_, err := e.NewCA(t.Context(), vault.NewCA{KeyType: piv.ECP256, CommonName: "Next CA", SelfSigned: self})
		refused("another CA", err)
	}
	refused("to activate it", e.ActivateCA(t.Context(), issued.CA))

	byHand(t, o.Mounts, true)
	all := must.Get(e.CAs(t.Context()))(t)
	if len(all) != 2 || all[0].First || !all[1].First || all[1].ID != issued.CA {
		t.Fatalf("%+v", all)
	}
	_, err := e.Prepare(t.Context(), zoe(t))
	refused("to sign", err)
	revokes(t, e, issued)
	must.Get(e.CRL(t.Context(), all[0].ID))(t)
	_, err = e.IssueResponder(t.Context(), issued.CA, vaulttest.RSAKey())
	refused("an OCSP signer of the former CA", err)

	to := vaultserver.Shared(t).Operator()
	to.Mounts = o.Mounts
	vaultserver.Shared(t).Prepare(t, to)
	ahead.Store(int64(2 * time.Minute)) // what it knows of the CAs is outdated
	next := must.Get(vaulttest.Sign(t.Context(), e, zoe(t)))(t)
	addressed(t, next, true) // which the default issuer had in earlier versions
	revokes(t, e, issued, next)
}

// TestOnlyOneGetsItsAddresses: the engine tells the only CA of a mount that it is the first.
func TestOnlyOneGetsItsAddresses(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	o := server.Prepared(t)
	none := map[string]any{"crl_distribution_points": []string{}, "issuing_certificates": []string{}, "ocsp_servers": []string{}}
	server.Call(t, http.MethodPatch, o.Mounts.PKI+"/issuer/default", none)
	o.OCSP = true
	first := must.Get(vault.ActiveCA(t.Context(), open(t, o)))(t)
	is := server.Call(t, http.MethodGet, o.Mounts.PKI+"/issuer/default", nil)
	for name, want := range map[string]string{
		"crl_distribution_points": "/api/pki/crl", "issuing_certificates": "/api/pki/ca.cer", "ocsp_servers": "/api/pki/ocsp",
	} {
		if got, _ := is[name].([]any); !slices.Equal(got, []any{vaultserver.PublicBase + want}) {
			t.Errorf("%s: %v", name, got)
		}
	}
	if !first.First || !first.Active {
		t.Errorf("%+v", first)
	}
}

// TestPolicyAboutCAs: with the server's token, no key comes or goes, and no issuer changes what it is for.
func TestPolicyAboutCAs(t *testing.T) {
	t.Parallel()
	server := vaultserver.Shared(t)
	_, o := engine(t)
	token := server.Token(t, "1h", "1h", o.Mounts.Role)
	issuer := server.Call(t, http.MethodGet, o.Mounts.PKI+"/issuer/default", nil)
	ref, key := issuer["issuer_id"].(string), issuer["key_id"].(string)
	for _, c := range []struct {
		method, path string
		body         map[string]any
		allowed      bool
	}{
		{http.MethodPatch, "issuer/" + ref, map[string]any{"ocsp_servers": []string{}}, true},
		{http.MethodPatch, "issuer/" + ref, map[string]any{"usage": "read-only"}, false},
		{http.MethodPatch, "issuer/" + ref, map[string]any{"leaf_not_after_behavior": "permit"}, false},
		{http.MethodPatch, "issuer/" + ref, map[string]any{"manual_chain": []string{ref}}, false},
		{http.MethodPost, "issuer/" + ref, map[string]any{"ocsp_servers": []string{}}, false},
		{http.MethodDelete, "issuer/" + ref, nil, false},
		{http.MethodPost, "issuer/" + ref + "/revoke", map[string]any{}, false},
		{http.MethodPost, "issuer/" + ref + "/sign-intermediate", map[string]any{"csr": "x"}, false},
		{http.MethodPost, "issuer/" + ref + "/sign-verbatim", map[string]any{"csr": "x"}, false},
		{http.MethodDelete, "key/" + key, nil, false},
		{http.MethodGet, "key/" + key, nil, false},
		{http.MethodPost, "keys/import", map[string]any{"pem_bundle": "x"}, false},
		{http.MethodPost, "issuers/import/bundle", map[string]any{"pem_bundle": "x"}, false},
		{http.MethodPost, "issuers/generate/root/exported", map[string]any{"common_name": "x"}, false},
		{http.MethodPost, "issuers/generate/root/internal", map[string]any{"common_name": "x", "not_after": "9999-12-31T00:00:00Z"}, false},
		{http.MethodPost, "config/issuers", map[string]any{"default": ref, "default_follows_latest_issuer": true}, false},
		{http.MethodPost, "config/issuers", map[string]any{"default": ref, "default_follows_latest_issuer": false}, true},
		{http.MethodPost, "config/urls", map[string]any{}, false},
	} {
		status := server.As(t, token, c.method, o.Mounts.PKI+"/"+c.path, c.body)
		if (status == http.StatusForbidden) == c.allowed {
			t.Errorf("%s %s %v: %d", c.method, c.path, c.body, status)
		}
	}
}
