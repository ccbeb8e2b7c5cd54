package agentkey_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"math/big"
	"strings"
	"sync"
	"testing"

	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// Generating a key of 4096 bits takes about a second: two serve all tests.
var (
	keyA = sync.OnceValue(newKey)
	keyB = sync.OnceValue(newKey)
)

func newKey() *rsa.PrivateKey {
	k, err := rsa.GenerateKey(rand.Reader, 4096)
	if err != nil {
		panic(err)
	}
	return k
}

func TestSealIsBound(t *testing.T) {
	t.Parallel()
	key, other := keyA(), keyB()
	sealed, err := agentkey.Seal(&key.PublicKey, "12345678", piv.PIN, secret.New("24681357"))
	if err != nil {
		t.Fatal(err)
	}
	again, err := agentkey.Seal(&key.PublicKey, "12345678", piv.PIN, secret.New("24681357"))
	if err != nil || again == sealed {
		t.Errorf("two ciphertexts of one secret are equal (%v)", err)
	}
	raw, err := base64.StdEncoding.DecodeString(sealed)
	if err != nil {
		t.Fatal(err)
	}
	raw[len(raw)-1] ^= 1
	for _, tc := range []struct {
		name   string
		key    *rsa.PrivateKey
		serial string
		field  piv.Field
		sealed string
		opens  bool
	}{
		{"as sealed", key, "12345678", piv.PIN, sealed, true},
		{"another key", other, "12345678", piv.PIN, sealed, false},
		{"another token", key, "12345679", piv.PIN, sealed, false},
		{"another field", key, "12345678", piv.PUK, sealed, false},
		{"label shifted", key, "12345678/pin", "", sealed, false},
		{"a bit changed", key, "12345678", piv.PIN, base64.StdEncoding.EncodeToString(raw), false},
		{"cut", key, "12345678", piv.PIN, sealed[:len(sealed)-4], false},
		{"unpadded", key, "12345678", piv.PIN, strings.TrimRight(sealed, "="), strings.TrimRight(sealed, "=") == sealed},
		{"with a newline", key, "12345678", piv.PIN, sealed + "\n", false},
		{"URL alphabet", key, "12345678", piv.PIN, "-_" + sealed[2:], false},
		{"empty", key, "12345678", piv.PIN, "", false},
		{"plain text", key, "12345678", piv.PIN, "24681357", false},
	} {
		got, err := agentkey.Open(tc.key, tc.serial, tc.field, tc.sealed)
		switch {
		case tc.opens && (err != nil || got.Reveal() != "24681357"):
			t.Errorf("%s: %v", tc.name, err)
		case !tc.opens && (err != agentkey.ErrOpen || !got.Empty()): //nolint:errorlint // exactly this one: a wrapped one would say more
			t.Errorf("%s: opens, or says more than that it does not: %v", tc.name, err)
		}
	}
}

func encode(t *testing.T, pub any, typ string) string {
	t.Helper()
	der, err := x509.MarshalPKIXPublicKey(pub)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: typ, Bytes: der}))
}

func TestParsePublicKey(t *testing.T) {
	t.Parallel()
	key := &keyA().PublicKey
	good := encode(t, key, "PUBLIC KEY")
	ec, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	modulus := func(bits uint) *big.Int { // odd, of exactly that many bits
		n := new(big.Int).Lsh(big.NewInt(1), bits-1)
		return n.SetBit(n, 0, 1)
	}
	for _, tc := range []struct {
		name, text string
		ok         bool
	}{
		{"good", good, true},
		{"CRLF and spaces", strings.ReplaceAll(good, "\n", "\r\n") + " \t\n", true},
		{"8192 bits", encode(t, &rsa.PublicKey{N: modulus(8192), E: 65537}, "PUBLIC KEY"), true},
		{"4095 bits", encode(t, &rsa.PublicKey{N: modulus(4095), E: 65537}, "PUBLIC KEY"), false},
		{"2048 bits", encode(t, &rsa.PublicKey{N: modulus(2048), E: 65537}, "PUBLIC KEY"), false},
		{"8193 bits", encode(t, &rsa.PublicKey{N: modulus(8193), E: 65537}, "PUBLIC KEY"), false},
		{"16384 bits", encode(t, &rsa.PublicKey{N: modulus(16384), E: 65537}, "PUBLIC KEY"), false},
		{"exponent 3", encode(t, &rsa.PublicKey{N: key.N, E: 3}, "PUBLIC KEY"), false},
		{"exponent 65539", encode(t, &rsa.PublicKey{N: key.N, E: 65539}, "PUBLIC KEY"), false},
		{"even modulus", encode(t, &rsa.PublicKey{N: new(big.Int).Add(key.N, big.NewInt(1)), E: 65537}, "PUBLIC KEY"), false},
		{"elliptic curve", encode(t, &ec.PublicKey, "PUBLIC KEY"), false},
		{"PKCS #1", string(pem.EncodeToMemory(&pem.Block{Type: "RSA PUBLIC KEY", Bytes: x509.MarshalPKCS1PublicKey(key)})), false},
		{"private key", string(pem.EncodeToMemory(&pem.Block{Type: "RSA PRIVATE KEY", Bytes: x509.MarshalPKCS1PrivateKey(keyA())})), false},
		{"headers", strings.Replace(good, "-----\n", "-----\nProc-Type: 4,ENCRYPTED\n\n", 1), false},
		{"two keys", good + good, false},
		{"trailing text", good + "x", false},
		{"no PEM", "ssh-rsa AAAA", false},
		{"empty", "", false},
		{"broken DER", string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: []byte{0x30, 0x80}})), false},
	} {
		got, err := agentkey.ParsePublicKey(tc.text)
		if (err == nil) != tc.ok || err != nil && (got != nil || !errors.Is(err, agentkey.ErrKey)) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	parsed, err := agentkey.ParsePublicKey(good)
	if err != nil || !parsed.Equal(key) {
		t.Fatalf("%v", err)
	}
	if text, err := agentkey.EncodePublicKey(parsed); err != nil || text != good {
		t.Errorf("EncodePublicKey: %v", err)
	}
}

func TestFields(t *testing.T) {
	t.Parallel()
	for f, valid := range map[piv.Field]bool{"pin": true, "puk": true, "management_key": true, "": false, "PIN": false, "license": false} {
		if f.Valid() != valid {
			t.Errorf("%q", f)
		}
	}
}

func FuzzParsePublicKey(f *testing.F) {
	text, err := agentkey.EncodePublicKey(&keyA().PublicKey)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add("-----BEGIN PUBLIC KEY-----\nMA==\n-----END PUBLIC KEY-----\n")
	f.Add("-----BEGIN PUBLIC KEY-----\nA: b\n\nMA==\n-----END PUBLIC KEY-----\n")
	f.Fuzz(func(t *testing.T, text string) {
		key, err := agentkey.ParsePublicKey(text)
		if err != nil {
			if !errors.Is(err, agentkey.ErrKey) {
				t.Errorf("not ErrKey: %v", err)
			}
			return
		}
		if key.E != 65537 || key.N.BitLen() < 4096 || key.N.BitLen() > 8192 {
			t.Errorf("%d bits, exponent %d", key.N.BitLen(), key.E)
		}
		encoded, err := agentkey.EncodePublicKey(key)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := agentkey.ParsePublicKey(encoded); err != nil || !again.Equal(key) {
			t.Errorf("does not come back: %v", err)
		}
	})
}

func FuzzOpen(f *testing.F) {
	sealed, err := agentkey.Seal(&keyA().PublicKey, "1", piv.PIN, secret.New("123456"))
	if err != nil {
		f.Fatal(err)
	}
	f.Add("1", "pin", sealed)
	f.Add("2", "puk", "AAAA")
	f.Add("", "", strings.Repeat("A", 684))
	key := keyB() // nothing from the fuzzer is sealed for it
	f.Fuzz(func(t *testing.T, serial, field, sealed string) {
		got, err := agentkey.Open(key, serial, piv.Field(field), sealed)
		if err != agentkey.ErrOpen || !got.Empty() { //nolint:errorlint // exactly this one
			t.Errorf("%v", err)
		}
	})
}
