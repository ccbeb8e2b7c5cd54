package piv_test

import (
	"crypto/ecdh"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"math/big"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/piv"
)

func TestParseVersion(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]piv.Version{"5.4.3": {5, 4, 3}, "0.0.0": {}, "4.3.7": {4, 3, 7}, "255.0.255": {255, 0, 255}} {
		if got, err := piv.ParseVersion(text); err != nil || got != want || got.String() != text {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{
		"", "5", "5.4", "5.4.", ".4.3", "5.4.3.1", "5.4.256", "5.4.-3", "+5.4.3", "05.4.3", "5.4.3 ",
		" 5.4.3", "5.4.3a", "v5.4.3", "5,4,3", "5.4.³",
	} {
		if got, err := piv.ParseVersion(text); err == nil {
			t.Errorf("%q was read as %v", text, got)
		}
	}
}

func TestAtLeast(t *testing.T) {
	t.Parallel()
	ascending := []piv.Version{{4, 3, 7}, {5, 2, 7}, {5, 3, 0}, {5, 4, 1}, {5, 4, 2}, {5, 7, 0}, {5, 10, 0}, {6, 0, 0}}
	for i, v := range ascending {
		for j, since := range ascending {
			if v.AtLeast(since) != (i >= j) {
				t.Errorf("%v at least %v: %v", v, since, i < j)
			}
		}
	}
}

// AES-192 from 5.4.2 on, 3DES before (contract, "Hardware tokens and custody").
func TestCipher(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]piv.Cipher{"4.3.7": "TDES", "5.3.9": "TDES", "5.4.1": "TDES", "5.4.2": "AES192", "5.7.1": "AES192"} {
		v, err := piv.ParseVersion(text)
		if err != nil || v.Cipher() != want {
			t.Errorf("%s: %v, %v", text, v.Cipher(), err)
		}
	}
	for c, want := range map[piv.Cipher]struct {
		bytes      int
		identifier byte
	}{"TDES": {24, 3}, "AES128": {16, 8}, "AES192": {24, 10}, "AES256": {32, 12}, "AES512": {}} {
		if c.KeyBytes() != want.bytes || c.Identifier() != want.identifier {
			t.Errorf("%s: %d bytes, identifier %d", c, c.KeyBytes(), c.Identifier())
		}
		if want.bytes > 0 && piv.CipherOf(want.identifier) != c {
			t.Errorf("identifier %d: %s", want.identifier, piv.CipherOf(want.identifier))
		}
	}
	if c := piv.CipherOf(0x07); c != "" {
		t.Errorf("RSA's identifier is that of %s", c)
	}
}

func TestKeyTypes(t *testing.T) {
	t.Parallel()
	ec := func(curve elliptic.Curve) *ecdsa.PublicKey {
		key, err := ecdsa.GenerateKey(curve, rand.Reader)
		if err != nil {
			t.Fatal(err)
		}
		return &key.PublicKey
	}
	edwards, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	montgomery, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	modulus := func(bits uint) *rsa.PublicKey {
		return &rsa.PublicKey{N: new(big.Int).Lsh(big.NewInt(1), bits-1), E: 65537}
	}
	for _, c := range []struct {
		key        any
		identifier byte // 0: the card does not support such a key
		want       piv.KeyType
		tool       string
	}{
		{modulus(1024), 0x06, "rsa-1024", "RSA1024"},
		{modulus(2048), 0x07, "rsa-2048", "RSA2048"},
		{modulus(3072), 0x05, "rsa-3072", "RSA3072"},
		{modulus(4096), 0x16, "rsa-4096", "RSA4096"},
		{modulus(2047), 0, "rsa-2047", "RSA2047"},
		{ec(elliptic.P256()), 0x11, "ec-p256", "ECCP256"},
		{ec(elliptic.P384()), 0x14, "ec-p384", "ECCP384"},
		{ec(elliptic.P521()), 0, "ec-p521", "ECCP521"},
		{edwards, 0xe0, "ed25519", "ED25519"},
		{montgomery.PublicKey(), 0xe1, "x25519", "X25519"},
		{"no key", 0, "", ""},
		{nil, 0, "", ""},
	} {
		got := piv.KeyTypeOf(c.key)
		if got != c.want || got.ToolName() != c.tool {
			t.Errorf("%T: %q, %q; want %q, %q", c.key, got, got.ToolName(), c.want, c.tool)
		}
		if c.identifier != 0 && piv.KeyTypeByIdentifier(c.identifier) != c.want {
			t.Errorf("identifier %02x: %q, want %q", c.identifier, piv.KeyTypeByIdentifier(c.identifier), c.want)
		}
	}
	if got := piv.KeyTypeByIdentifier(0x03); got != "" {
		t.Errorf("3DES's identifier is that of %q", got)
	}
	if !piv.SameKey(edwards, edwards) || piv.SameKey(edwards, modulus(2048)) || piv.SameKey(nil, nil) {
		t.Error("keys are compared wrongly")
	}
}

func TestSlots(t *testing.T) {
	t.Parallel()
	for slot, want := range map[piv.Slot]struct {
		reference byte
		object    uint32
	}{"9a": {0x9a, 0x5fc105}, "9c": {0x9c, 0x5fc10a}, "9d": {0x9d, 0x5fc10b}, "9e": {0x9e, 0x5fc101}} {
		if !slot.Valid() || slot.Reference() != want.reference || slot.CertificateObject() != want.object {
			t.Errorf("%s: valid %v, %02x, %06x", slot, slot.Valid(), slot.Reference(), slot.CertificateObject())
		}
	}
	for _, slot := range []piv.Slot{"", "9A", "9b", "82", "f9", "9a9a", "no"} {
		if slot.Valid() {
			t.Errorf("%q is taken for a slot", slot)
		}
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	for field, factory := range map[piv.Field]string{
		"pin": "123456", "puk": "12345678", "management_key": "010203040506070801020304050607080102030405060708",
	} {
		if !field.Valid() || field.Factory().Reveal() != factory {
			t.Errorf("%s: valid %v, factory value %s", field, field.Valid(), field.Factory().Reveal())
		}
	}
	if piv.Field("").Valid() || piv.Field("PIN").Valid() {
		t.Error("what is no field is taken for one")
	}
}

func TestSerials(t *testing.T) {
	t.Parallel()
	for _, s := range []string{"1234", "Key-0001", "0abc", "a---", strings.Repeat("x", 64), "licenses"} {
		if !piv.ValidSerial(s) {
			t.Errorf("%q is refused", s)
		}
	}
	for _, s := range []string{"", "123", "-123", "a_bc", "ab c", "a/bc", "äbcd", "abc\n", strings.Repeat("x", 65), "license", "LICENSE"} {
		if piv.ValidSerial(s) {
			t.Errorf("%q is taken", s)
		}
	}
	if piv.SerialKey("Key-0001") != piv.SerialKey("kEY-0001") {
		t.Error("serials that differ by case alone are told apart")
	}
	if n, ok := piv.ParseYubiKeySerial("4294967295"); !ok || n != 4294967295 {
		t.Errorf("the highest serial: %d, %v", n, ok)
	}
	for _, s := range []string{"", "0", "0123", "+1", "-1", "4294967296", "12a", " 1"} {
		if _, ok := piv.ParseYubiKeySerial(s); ok {
			t.Errorf("%q is taken for a YubiKey's serial", s)
		}
	}
}
