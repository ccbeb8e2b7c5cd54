package lint

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/server"
)

// The keys of contract §6, as values of PKI_CA_KEY_TYPE and PKI_KEY_TYPES.
var (
	caKeys      = []string{"rsa-2048", "rsa-3072", "rsa-4096", "ec-p256", "ec-p384"}
	subjectKeys = append([]string{"ed25519"}, caKeys...)
)

// reasons are those of RFC 5280 that contract §6 allows.
var reasons = []string{
	"unspecified", "keyCompromise", "cACompromise", "affiliationChanged", "superseded", "cessationOfOperation",
	"privilegeWithdrawn", "aACompromise",
}

// slotsOf are the built-in profiles beside the specification's, by slot.
var slotsOf = map[string][]string{
	"9a": {"logon", "tls-client"}, "9c": {"signature"}, "9d": {"encryption"}, "9e": {"card-authentication"},
}

// TestWhatIsPublished: every CA key type with every token key type, with an email and
// without, and by every profile, and the list before and after all reasons.
func TestWhatIsPublished(t *testing.T) {
	t.Parallel()
	for _, ca := range caKeys {
		t.Run(ca, func(t *testing.T) {
			t.Parallel()
			c := newCA(t, ca)
			things := map[string][]byte{
				"ca": c.get(t, "ca"), "ca_chain": c.get(t, "ca_chain"), "crl-empty": c.get(t, "crl"),
			}
			var serials []string
			for _, subject := range subjectKeys {
				for _, email := range []string{"", "owner@example.org"} {
					name := strings.Trim(subject+"-"+email, "-")
					signed := c.Must(t, "POST", "/api/hwkey/"+c.token+"/sign-csr", c.access, server.Fields{
						"csr": request(t, keys(t)[subject], email), "reason": "test",
					})
					things[name], serials = []byte(signed["certificate"].(string)), append(serials, signed["serial_number"].(string))
				}
			}
			for slot, profiles := range slotsOf {
				for _, profile := range profiles {
					for _, subject := range subjectKeys {
						if profile == "encryption" && subject == "ed25519" {
							continue // which enciphers nothing
						}
						signed := c.Must(t, "POST", "/api/hwkey/"+c.token+"/sign-csr", c.access, server.Fields{
							"csr": request(t, keys(t)[subject], ""), "reason": "test", "slot": slot, "profile": profile,
						})
						things[profile+"-"+subject], serials = []byte(signed["certificate"].(string)), append(serials, signed["serial_number"].(string))
					}
				}
			}
			for i, serial := range serials {
				res := c.Call(t, "POST", "/api/certificates/"+serial+"/revoke", c.access, server.Fields{"reason": reasons[i%len(reasons)]})
				if res.Status != 200 && res.Status != 409 { // revoked with its key already
					t.Fatal(res.Raw)
				}
			}
			things["crl-reasons"] = c.get(t, "crl")
			list, err := x509.ParseRevocationList(things["crl-reasons"])
			if err != nil || len(list.RevokedCertificateEntries) != len(serials) {
				t.Fatalf("the list has not all %d certificates: %v", len(serials), err)
			}
			for _, f := range judge(t, things) {
				t.Error(f)
			}
		})
	}
}

// TestLongList: its lengths take three bytes.
func TestLongList(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	e, err := embedded.Open(t.Context(), embedded.Options{
		Path: filepath.Join(dir,
			"vault"), Seal: embedded.FileSeal(filepath.Join(dir, "key")), PublicBase: "https://keys.example.org", CAKeyType: piv.ECP256,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = e.Close() }()
	var all []vault.Revocation
	for i := range 2000 {
		all = append(all, vault.Revocation{Serial: fmt.Sprintf("4242%028x", i), At: time.Now(), Reason: vault.Superseded,
			NotAfter: time.Now().Add(time.Hour)})
	}
	if err := e.Revoke(t.Context(), all...); err != nil {
		t.Fatal(err)
	}
	list, err := e.CRL(t.Context(), vault.Active)
	if err != nil || len(list.DER) < 1<<16 {
		t.Fatalf("%d bytes, %v", len(list.DER), err)
	}
	for _, f := range judge(t, map[string][]byte{"crl-long": list.DER}) {
		t.Error(f)
	}
}

// TestJudge: zlint reports a violation in a certificate and in a list, by the rules of RFCs and of its
// community alone.
func TestJudge(t *testing.T) {
	t.Parallel()
	key := keys(t)["ec-p256"]
	bad := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: strings.Repeat("long ", 20)}, KeyUsage: x509.KeyUsageCertSign,
		NotBefore: time.Now(), NotAfter: time.Now().Add(time.Hour), BasicConstraintsValid: true,
	}
	certificate, err := x509.CreateCertificate(rand.Reader, bad, bad, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	issuer := &x509.Certificate{Subject: pkix.Name{CommonName: "CA"}, KeyUsage: x509.KeyUsageCRLSign, SubjectKeyId: []byte{1}}
	list, err := x509.CreateRevocationList(rand.Reader, &x509.RevocationList{
		Number: big.NewInt(1), ThisUpdate: time.Now(), NextUpdate: time.Now().Add(time.Hour),
		RevokedCertificateEntries: []x509.RevocationListEntry{
			{SerialNumber: big.NewInt(7), RevocationTime: time.Now(), ReasonCode: 7}, {SerialNumber: big.NewInt(7), RevocationTime: time.Now()},
		},
	}, issuer, key)
	if err != nil {
		t.Fatal(err)
	}
	found := strings.Join(judge(t, map[string][]byte{"certificate": certificate, "list": list}), "\n")
	for _, want := range []string{
		"certificate: e_subject_common_name_max_length (RFC5280)", "certificate: e_ext_key_usage_cert_sign_without_ca (RFC5280)",
		"list: e_crl_has_valid_reason_code (RFC5280)", "list: e_crl_unique_revoked_certificate (Community)",
	} {
		if !strings.Contains(found, want) {
			t.Errorf("not found: %s; only\n%s", want, found)
		}
	}
	if strings.Contains(found, "CABF") {
		t.Errorf("rules for public CAs count:\n%s", found)
	}
}

// ca is a server with a given CA key type, and a recorded token.
type ca struct {
	server.Client
	base, access, token string
}

func newCA(t *testing.T, keyType string) ca {
	t.Helper()
	c := ca{token: "1234567"}
	c.base = server.Start(t, t.TempDir(), server.Settings{
		"PKI_CA_KEY_TYPE": keyType, "PKI_KEY_TYPES": strings.Join(subjectKeys, ","), "SITE_URL": "https://keys.example.org",
		"PKI_KERBEROS_REALM": "CORP.EXAMPLE",
	})
	c.Client = server.NewClient(t, c.base)
	var session int
	c.access, session = c.SignIn(t, "admin", server.Password)
	c.RegisterAgent(t, c.access, session)
	owner := c.Must(t, "POST", "/api/admin/users", c.access,
		server.Fields{
			"username": "owner", "email": "owner@example.org", "password": server.Password, "name": "Zoë Müller",
			"upn": "owner@corp.example", "sid": "S-1-5-21-3623811015-3361044348-30300820-1013",
		})
	c.Must(t, "POST", "/api/hwkey", c.access, server.Fields{"serial": c.token, "owner_id": owner["id"]})
	return c
}

// get fetches what is published.
func (c ca) get(t *testing.T, what string) []byte {
	t.Helper()
	res := c.Call(t, "GET", "/api/pki/"+what, "", nil)
	if res.Status != 200 {
		t.Fatalf("%s: %d %s", what, res.Status, res.Raw)
	}
	return []byte(res.Raw)
}

// request returns a CSR for the token's owner.
func request(t *testing.T, key crypto.Signer, email string) string {
	t.Helper()
	template := &x509.CertificateRequest{Subject: pkix.Name{CommonName: "owner"}}
	if email != "" {
		template.EmailAddresses = []string{email}
	}
	der, err := x509.CreateCertificateRequest(rand.Reader, template, key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE REQUEST", Bytes: der}))
}

var madeKeys = sync.OnceValues(func() (map[string]crypto.Signer, error) {
	made := map[string]crypto.Signer{}
	var err error
	for name, bits := range map[string]int{"rsa-2048": 2048, "rsa-3072": 3072, "rsa-4096": 4096} {
		if made[name], err = rsa.GenerateKey(rand.Reader, bits); err != nil {
			return nil, err
		}
	}
	for name, curve := range map[string]elliptic.Curve{"ec-p256": elliptic.P256(), "ec-p384": elliptic.P384()} {
		if made[name], err = ecdsa.GenerateKey(curve, rand.Reader); err != nil {
			return nil, err
		}
	}
	_, made["ed25519"], err = ed25519.GenerateKey(rand.Reader)
	return made, err
})

// keys returns one key of each type, shared by all tests.
func keys(t *testing.T) map[string]crypto.Signer {
	t.Helper()
	made, err := madeKeys()
	if err != nil {
		t.Fatal(err)
	}
	return made
}
