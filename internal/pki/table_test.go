package pki_test

import (
	"crypto/sha256"
	"crypto/x509"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/test/must"
)

// chain is a real chain, slot attestation and F9, in DER.
type chain struct {
	name     string
	leaf, f9 []byte
}

func (c chain) pem() []string { return []string{encode(c.leaf), encode(c.f9)} }

func encode(der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}))
}

// claim returns what a chain proves.
func (c chain) claim(t testing.TB) pki.Expected {
	t.Helper()
	leaf := must.Get(x509.ParseCertificate(c.leaf))(t)
	// The file's name: fw5.4.3-sn15732500-9a-5c7793cd.pem
	parts := strings.Split(strings.TrimSuffix(c.name, ".pem"), "-")
	return pki.Expected{Key: leaf.PublicKey, Serial: strings.TrimPrefix(parts[1], "sn"), Slot: piv.Slot(parts[2])}
}

func readChain(t testing.TB, path string) chain {
	t.Helper()
	raw := must.Get(os.ReadFile(path))(t)
	leaf, rest := pem.Decode(raw)
	f9, rest := pem.Decode(rest)
	if leaf == nil || f9 == nil || len(rest) > 0 {
		t.Fatalf("%s does not hold two certificates", path)
	}
	return chain{filepath.Base(path), leaf.Bytes, f9.Bytes}
}

func allChains(t testing.TB) []chain {
	t.Helper()
	var all []chain
	for _, path := range must.Get(filepath.Glob("testdata/chains/*.pem"))(t) {
		all = append(all, readChain(t, path))
	}
	if len(all) != 114 {
		t.Fatalf("%d chains", len(all))
	}
	return all
}

func yubico(t testing.TB) *pki.AttestationVerifier {
	t.Helper()
	return must.Get(pki.NewVerifier(nil))(t)
}

// row is a line of the table in testdata/chains/README.md, made with OpenSSL and
// another parser.
type row struct{ file, firmware, serial, slot, key, policy, form, root string }

var cell = regexp.MustCompile("`")

func table(t *testing.T) []row {
	t.Helper()
	var rows []row
	for line := range strings.Lines(string(must.Get(os.ReadFile("testdata/chains/README.md"))(t))) {
		if !strings.HasPrefix(line, "| `fw") {
			continue
		}
		cells := strings.Split(cell.ReplaceAllString(line, ""), "|")
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		rows = append(rows, row{cells[1], cells[2], cells[3], cells[4], cells[5], cells[6], cells[7], cells[9]})
	}
	return rows
}

// The table's terms, and ours.
var (
	keyWords  = map[string]piv.KeyType{"EC P-256": piv.ECP256, "EC P-384": piv.ECP384, "RSA-2048": piv.RSA2048, "Ed25519": piv.Ed25519}
	formWords = map[string]string{
		"USB-A keychain": "Keychain (USB-A)", "USB-C keychain": "Keychain (USB-C)", "USB-C nano": "Nano (USB-C)",
		"USB-C/Lightning": "Keychain (USB-C, Lightning)", "USB-C Bio": "Bio (USB-C)", "–": "",
	}
	rootWords = map[string]string{
		"P": "Yubico PIV Root CA Serial 263751", "U": "Yubico U2F Root CA Serial 457200631", "N": "Yubico Attestation Root 1",
	}
)

// TestRealChains: each real attestation verifies, and states what the table says.
func TestRealChains(t *testing.T) {
	t.Parallel()
	rows := table(t)
	if len(rows) != 114 {
		t.Fatalf("the table has %d rows", len(rows))
	}
	v := yubico(t)
	for _, r := range rows {
		c := readChain(t, filepath.Join("testdata/chains", r.file))
		claim := c.claim(t)
		s, err := v.Verify(c.pem(), claim)
		if strings.HasPrefix(r.serial, "–") {
			if !errors.Is(err, pki.ErrNoSerial) || !pki.TreatAsUnattested(err) {
				t.Errorf("%s: %v, want ErrNoSerial", r.file, err)
			}
			if s != (pki.Statement{Firmware: s.Firmware}) || s.Firmware.String() != r.firmware {
				t.Errorf("%s says %+v, want the firmware alone", r.file, s)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", r.file, err)
			continue
		}
		r.compare(t, s)
		if !piv.SameKey(s.Key, claim.Key) || claim.Serial != r.serial || string(claim.Slot) != r.slot {
			t.Errorf("%s: claimed %v", r.file, claim)
		}
	}
}

func (r row) compare(t *testing.T, s pki.Statement) {
	t.Helper()
	policy, _, _ := strings.Cut(r.policy, " (")
	form, _, _ := strings.Cut(r.form, " (")
	form = strings.TrimSuffix(form, " FIPS")
	want, known := formWords[form]
	switch {
	case s.Firmware.String() != r.firmware, string(s.Slot) != r.slot, piv.KeyTypeOf(s.Key) != keyWords[r.key],
		s.PINPolicy+" / "+s.TouchPolicy != policy, !known || s.FormFactor != want,
		s.Root != rootWords[r.root]:
		t.Errorf("%+v\nsays %+v", r, s)
	}
}

// TestPinned: the CAs are those of yubico/README.md, by fingerprint.
func TestPinned(t *testing.T) {
	t.Parallel()
	for file, prints := range map[string][]string{
		"roots.pem": {
			"63ece914e54dd87915f34033c85af4c0696ba1512f8add66ced738331207b546",
			"7e996a28e3055223733c9aec897900eda9b746e3e15d419556ac6a1179879a50",
			"0fa1386f80eb8713263ae5c1d84deb455bdf08aea50ab05503cefee82b092d42",
			"62760c6a6ef91679f454c8902b80fd009825b3f25da90f1fbace2ec6586cd5a8",
		},
		"intermediates.pem": {
			"4698a1d3389c3ec60016c216250f1d0439922832d65142327436376dc2942b55",
			"d4cc3f456fdaf4e7812a21aab1dfe9d8e27d24e2fd2d6f21c9940109f0daa754",
			"6de693f05376f5d8ca29069261e1c8626c75d503bd2edbfd75354cad1f722870",
			"2d55b7998f4e42569d6d8fa382b6dc77d1dacf07358b19701163892922b17052",
			"0c90b7d184a36edf50a35f9be935f0c5689bfdcfe5bdd073366cafb49061a440",
		},
	} {
		rest := must.Get(os.ReadFile(filepath.Join("yubico", file)))(t)
		for i, want := range prints {
			var block *pem.Block
			if block, rest = pem.Decode(rest); block == nil {
				t.Fatalf("%s: %d certificates", file, i)
			}
			if sum := sha256.Sum256(block.Bytes); hex.EncodeToString(sum[:]) != want {
				t.Errorf("%s: certificate %d is %x", file, i+1, sum)
			}
		}
		if len(rest) > 0 {
			t.Errorf("%s holds more", file)
		}
	}
}
