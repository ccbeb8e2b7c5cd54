package issuance

import (
	"bytes"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/asn1"
	"encoding/pem"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/vaulttest"
	"github.com/keyward/keyward/test/must"
)

// logon has every name that a profile can give.
var logon = vault.SignRequest{
	Usage: vault.Usage{
		Profile: "logon", Key: x509.KeyUsageDigitalSignature | x509.KeyUsageContentCommitment,
		Purposes: []asn1.ObjectIdentifier{{1, 3, 6, 1, 5, 5, 7, 3, 2}, {1, 3, 6, 1, 4, 1, 311, 20, 2, 2}, {1, 3, 6, 1, 5, 2, 3, 4}},
	},
	CommonName: "Zoë Müller", Organization: "Acme & Söhne", OrganizationalUnit: "Labor", Country: "DE",
	Emails: []string{"zoe@example.org"}, UPN: "zoë@corp.example", Principal: vault.Principal{Name: "zoe", Realm: "CORP.example"},
	SID: "S-1-5-21-3623811015-3361044348-30300820-1013",
}

// asOpenssl are the extensions that the request asks for, as openssl writes them ([MS-WCCE], RFC
// 4556, KB5014754).
const asOpenssl = `
[req]
distinguished_name = dn
x509_extensions = ext
string_mask = utf8only
utf8 = yes
prompt = no
[dn]
C = DE
O = Acme & Söhne
OU = Labor
CN = Zoë Müller
[ext]
keyUsage = critical, digitalSignature, nonRepudiation
extendedKeyUsage = clientAuth, 1.3.6.1.4.1.311.20.2.2, 1.3.6.1.5.2.3.4
subjectAltName = @names
1.3.6.1.4.1.311.25.2 = ASN1:SEQUENCE:sid
[names]
otherName.1 = 1.3.6.1.4.1.311.20.2.3;FORMAT:UTF8,UTF8:zoë@corp.example
otherName.2 = 1.3.6.1.5.2.2;SEQUENCE:principal
email = zoe@example.org
[principal]
realm = EXP:0, GeneralString:CORP.example
name = EXP:1, SEQUENCE:parts
[parts]
type = EXP:0, INTEGER:1
strings = EXP:1, SEQUENCE:string
[string]
name = GeneralString:zoe
[sid]
other = IMP:0, SEQUENCE:value
[value]
id = OID:1.3.6.1.4.1.311.25.2.1
text = EXP:0, OCTETSTRING:S-1-5-21-3623811015-3361044348-30300820-1013
`

// TestNamesOfADirectory: usages and names are byte for byte what openssl makes of the same.
func TestNamesOfADirectory(t *testing.T) {
	t.Parallel()
	i := setup(t)
	req := logon
	req.CSR = vaulttest.NewCSR(t, vaulttest.RSAKey())
	linted := must.Get(i.Lint(req, noon))(t)
	got := must.Get(linted.Sign(t.Context()))(t).Certificate

	config := filepath.Join(t.TempDir(), "openssl.cnf")
	must.OK(t, os.WriteFile(config, []byte(asOpenssl), 0o600))
	cmd := exec.CommandContext(t.Context(), "openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", os.DevNull,
		"-config", config)
	text := must.Get(cmd.Output())(t)
	block, _ := pem.Decode(text)
	want := must.Get(x509.ParseCertificate(block.Bytes))(t)

	if !bytes.Equal(got.RawSubject, want.RawSubject) {
		t.Errorf("subject %x, want %x", got.RawSubject, want.RawSubject)
	}
	for _, w := range want.Extensions {
		at := slices.IndexFunc(got.Extensions, func(e pkix.Extension) bool { return e.Id.Equal(w.Id) })
		switch {
		case w.Id.Equal(oidSubjectKeyID), w.Id.Equal(oidAuthorityKeyID), w.Id.Equal(oidBasicConstraints): // the issuer's own
		case at < 0:
			t.Errorf("no extension %s", w.Id)
		case !bytes.Equal(got.Extensions[at].Value, w.Value) || got.Extensions[at].Critical != w.Critical:
			t.Errorf("%s is %x, want %x", w.Id, got.Extensions[at].Value, w.Value)
		}
	}
}

// TestPurposesThatTheCAHasNot: below a CA that is for sign-in and mail alone, no verifier would
// take a certificate to log on with.
func TestPurposesThatTheCAHasNot(t *testing.T) {
	t.Parallel()
	root, key := must.Both(NewRoot(piv.ECP256, "a", noon))(t)
	root.ExtKeyUsage = []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth}
	profile := Profile{KeyTypes: []piv.KeyType{piv.RSA2048}, MaxTTL: vault.DefaultRole().MaxTTL}
	i := must.Get(NewIssuer([]*x509.Certificate{root}, key, profile))(t)
	req := logon
	req.CSR = vaulttest.NewCSR(t, vaulttest.RSAKey())
	if _, err := i.Lint(req, noon); !errors.Is(err, vault.ErrInvalid) || !fault.Is(err, fault.ProfileUnsupported) {
		t.Errorf("to log on: %v", err)
	}
	req.Usage = vault.Usage{} // mail is left to a warning at the start
	if _, err := i.Lint(req, noon); err != nil {
		t.Errorf("the specification's: %v", err)
	}
}
