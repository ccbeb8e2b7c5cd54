package embedded

import (
	"bytes"
	"errors"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// FuzzParse: no record makes a parser panic, and an accepted one re-encodes to the same bytes.
func FuzzParse(f *testing.F) {
	now := time.Unix(1_700_000_000, 5).UTC()
	f.Add(append(head{created: now, updated: now, number: 300}.encode(), `{"a":1}`...))
	f.Add(encodeRevocation(vault.Revocation{At: now, Reason: vault.KeyCompromise, NotAfter: now}))
	f.Add(newKDF().encode())
	f.Add(crlMark{7, now}.encode())
	f.Add([]byte(`{"format":1,"seal":"key","params":"","key_id":"AAAA","dek":"AAAA"}`))
	f.Fuzz(func(t *testing.T, b []byte) {
		if h, data, err := parseDocument(b); err == nil {
			again, rest, err := parseDocument(append(h.encode(), data...))
			if err != nil || again != h || !bytes.Equal(rest, data) {
				t.Errorf("document: %v", err)
			}
		} else if !errors.Is(err, vault.ErrTampered) {
			t.Error(err)
		}
		if r, err := parseRevocation([]byte{0x41}, b); err == nil && !bytes.Equal(encodeRevocation(r), b) {
			t.Error("revocation")
		}
		if h, err := parseHeader(b); err == nil {
			if again, err := h.encode(); err != nil || !bytes.Equal(again, b) {
				t.Error("header")
			}
		}
		if k, err := parseKDF(b); err == nil && !bytes.Equal(k.encode(), b) {
			t.Error("KDF")
		}
		if _, err := parseAuthority(b); err == nil {
			t.Error("a CA out of nowhere")
		}
	})
}

// TestPlaceIsBound: a sealed value opens at its own place only.
func TestPlaceIsBound(t *testing.T) {
	t.Parallel()
	ring := must.Get(newKeyring(bytes.Repeat([]byte{7}, keySize)))(t)
	sealed := ring.seal("b", []byte("key"), []byte("extra"), []byte("plain"))
	if got, err := ring.open("b", []byte("key"), []byte("extra"), sealed); err != nil || string(got) != "plain" {
		t.Fatal(err)
	}
	for name, place := range map[string][3]string{
		"bucket": {"c", "key", "extra"}, "key": {"b", "kez", "extra"}, "extra": {"b", "key", "extrb"},
		"moved border": {"b", "keye", "xtra"}, "bucket border": {"bk", "ey", "extra"},
	} {
		if _, err := ring.open(place[0], []byte(place[1]), []byte(place[2]), sealed); !errors.Is(err, vault.ErrTampered) {
			t.Errorf("another %s: %v", name, err)
		}
	}
	parts := ring.seal("b", []byte("key"), nil, []byte("in "), nil, []byte("parts"))
	if got, err := ring.open("b", []byte("key"), nil, parts); err != nil || string(got) != "in parts" {
		t.Errorf("sealed in parts: %q, %v", got, err)
	}
	if bytes.Equal(sealed, ring.seal("b", []byte("key"), []byte("extra"), []byte("plain"))) {
		t.Error("sealing twice gives the same bytes")
	}
}
