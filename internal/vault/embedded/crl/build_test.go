package crl

import (
	"bytes"
	"crypto/rand"
	"crypto/x509"
	"math/big"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// TestLikeStandardLibrary builds the same lists with crypto/x509 and compares
// what a parser reads, and the signed bytes themselves.
func TestLikeStandardLibrary(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	many := []Entry{}
	for i := range 3000 { // lengths of one, two and three bytes
		serial := make([]byte, 20)
		_, _ = rand.Read(serial)
		serial[0] = byte(i%255) + 1 // the top bit too
		many = append(many, Entry{serial[:1+i%20], now.Add(-time.Duration(i) * time.Minute), vault.Reason(i % 6)})
	}
	for name, entries := range map[string][]Entry{
		"none": nil, "one": many[:1], "two": many[:2], "some": many[:40], "many": many,
		"after 2049": {{[]byte{1}, time.Date(2050, 1, 1, 0, 0, 0, 0, time.UTC), vault.KeyCompromise}},
	} {
		for _, keyType := range []piv.KeyType{piv.RSA2048, piv.ECP256, piv.ECP384} {
			numbers := []uint64{7}
			if name == "one" {
				numbers = []uint64{1, 127, 128, 1 << 40, 1<<64 - 1}
			}
			for _, number := range numbers {
				compare(t, name, keyType, Frame{number, now, now.Add(48 * time.Hour)}, entries)
			}
		}
	}
}

func compare(t *testing.T, name string, keyType piv.KeyType, f Frame, entries []Entry) {
	t.Helper()
	ca := authority(t, keyType)
	var encoded []byte
	template := &x509.RevocationList{Number: new(big.Int).SetUint64(f.Number), ThisUpdate: f.ThisUpdate, NextUpdate: f.NextUpdate}
	for _, e := range entries {
		encoded = AppendEntry(encoded, e)
		template.RevokedCertificateEntries = append(template.RevokedCertificateEntries, x509.RevocationListEntry{
			SerialNumber: new(big.Int).SetBytes(e.Serial), RevocationTime: e.At, ReasonCode: int(e.Reason),
		})
	}
	want := must.Get(x509.CreateRevocationList(rand.Reader, template, ca.cert, ca.key))(t)
	half := len(encoded) / 2 // a list built from old and new entries
	got := must.Get(Build(ca.cert, ca.key, f, encoded[:half], encoded[half:]))(t)
	wantList, gotList := parse(t, want), parse(t, got.DER)
	if err := gotList.CheckSignatureFrom(ca.cert); err != nil {
		t.Errorf("%s, %s: %v", name, keyType, err)
	}
	if diff := cmp.Diff(wantList.RawTBSRevocationList, gotList.RawTBSRevocationList); diff != "" {
		t.Errorf("%s, %s, number %d: the signed part differs from the standard library's", name, keyType, f.Number)
	}
	if !bytes.Equal(got.Entries(), encoded) {
		t.Errorf("%s: the list lost track of its entries", name)
	}
}

func parse(t *testing.T, der []byte) *x509.RevocationList {
	t.Helper()
	return must.Get(x509.ParseRevocationList(der))(t)
}

// TestWithout: the rest is as if the others had never been there.
func TestWithout(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	all := []Entry{{[]byte{1}, at, 0}, {[]byte{2, 0xff}, at, 1}, {[]byte{1}, at, vault.KeyCompromise}, {bytes.Repeat([]byte{0xfe}, 20), at, 4}}
	encoded := func(which ...int) (b []byte) {
		for _, i := range which {
			b = AppendEntry(b, all[i])
		}
		return b
	}
	for _, c := range []struct{ gone, left []int }{
		{nil, []int{0, 1, 2, 3}}, {[]int{0}, []int{1, 2, 3}}, {[]int{3}, []int{0, 1, 2}}, {[]int{1, 2}, []int{0, 3}},
		{[]int{0, 1, 2, 3}, nil},
	} {
		gone := map[string]bool{"absent": true}
		for _, i := range c.gone {
			gone[string(encoded(i))] = true
		}
		if got := bytes.Join(Without(encoded(0, 1, 2, 3), gone), nil); !bytes.Equal(got, encoded(c.left...)) {
			t.Errorf("without %v: %x", c.gone, got)
		}
	}
	if got := bytes.Join(Without(nil, map[string]bool{"x": true}), nil); len(got) != 0 {
		t.Errorf("of nothing: %x", got)
	}
}

// FuzzAppendEntry: any serial, time and reason reads back as it went in.
func FuzzAppendEntry(f *testing.F) {
	f.Add([]byte{1}, int64(0), 0)
	f.Add(bytes.Repeat([]byte{0xff}, 20), int64(4102444800), 10)
	now := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, serial []byte, at int64, reason int) {
		when := time.Unix(at, 0).UTC()
		if len(serial) == 0 || len(serial) > vault.MaxSerial || serial[0] == 0 || !vault.Reason(reason).Valid() ||
			when.Year() < 1950 || when.Year() > 9999 {
			return // callers check these first
		}
		ca := authority(t, piv.ECP256)
		list, err := Build(ca.cert, ca.key, Frame{1, now, now.Add(time.Hour)}, nil, AppendEntry(nil, Entry{serial, when, vault.Reason(reason)}))
		if err != nil {
			t.Fatal(err)
		}
		e := parse(t, list.DER).RevokedCertificateEntries[0]
		if !bytes.Equal(e.SerialNumber.Bytes(), serial) || !e.RevocationTime.Equal(when) || e.ReasonCode != reason {
			t.Errorf("read back %+v", e)
		}
	})
}
