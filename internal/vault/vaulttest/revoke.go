package vaulttest

import (
	"bytes"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/vault"
)

var revokeCases = []testCase{
	{"CRL", testCRL},
	{"reasons", testReasons},
	{"idempotent", testRevokeAgain},
	{"compromised later", testCompromisedLater},
	{"malformed", testMalformedRevocations},
	{"concurrent", testConcurrentRevocations},
	{"lister", testLister},
	{"number", testNumber},
}

// revocation signs a certificate and returns its revocation.
func revocation(t *testing.T, h Harness, reason vault.Reason) vault.Revocation {
	t.Helper()
	issued, cert := sign(t, h, request(t, h))
	return vault.Revocation{
		Serial: issued.Serial, At: time.Now(), Reason: reason,
		Certificate: issued.Certificate.Raw, NotAfter: cert.NotAfter,
	}
}

// crl fetches the CRL, checks what holds for every one and parses it.
func crl(t *testing.T, h Harness) (vault.CRL, map[string]x509.RevocationListEntry) {
	t.Helper()
	raw, err := h.Engine.CRL(t.Context(), vault.Active)
	if err != nil {
		t.Fatalf("CRL: %v", err)
	}
	list, err := x509.ParseRevocationList(raw.DER)
	if err != nil {
		t.Fatalf("parse CRL: %v", err)
	}
	caDER := active(t, h).Chain[0]
	ca := certificate(t, caDER)
	if err := list.CheckSignatureFrom(ca); err != nil {
		t.Errorf("CRL signature: %v", err)
	}
	if !bytes.Equal(raw.CA, caDER) {
		t.Error("the CRL is said to be of another CA")
	}
	if list.Number == nil || list.Number.Cmp(new(big.Int).SetUint64(raw.Number)) != 0 {
		t.Errorf("CRL number %v, said to be %d", list.Number, raw.Number)
	}
	if !list.ThisUpdate.Equal(raw.ThisUpdate) || !list.NextUpdate.Equal(raw.NextUpdate) {
		t.Errorf("CRL times %v to %v, said to be %v to %v", list.ThisUpdate, list.NextUpdate, raw.ThisUpdate, raw.NextUpdate)
	}
	if life := list.NextUpdate.Sub(list.ThisUpdate); life != 48*time.Hour && life != 72*time.Hour {
		t.Errorf("the CRL lasts %v", life)
	}
	if string(list.AuthorityKeyId) != string(ca.SubjectKeyId) {
		t.Error("CRL authority key identifier")
	}
	entries := map[string]x509.RevocationListEntry{}
	for _, e := range list.RevokedCertificateEntries {
		serial := hex.EncodeToString(e.SerialNumber.Bytes())
		if _, twice := entries[serial]; twice {
			t.Errorf("%s stands on the CRL twice", serial)
		}
		entries[serial] = e
	}
	return raw, entries
}

func revoke(t *testing.T, h Harness, rs ...vault.Revocation) {
	t.Helper()
	if err := h.Engine.Revoke(t.Context(), rs...); err != nil {
		t.Fatalf("Revoke: %v", err)
	}
}

func testCRL(t *testing.T, h Harness) {
	first, _ := crl(t, h)
	r := revocation(t, h, vault.Unspecified)
	if _, entries := crl(t, h); has(entries, r.Serial) {
		t.Fatal("on the CRL before its revocation")
	}
	revoke(t, h, r)
	second, entries := crl(t, h)
	entry, ok := entries[r.Serial]
	if !ok {
		t.Fatal("not on the CRL after Revoke")
	}
	if d := entry.RevocationTime.Sub(r.At); d < -time.Minute || d > time.Minute {
		t.Errorf("revocation time is %v off", d)
	}
	if entry.ReasonCode != 0 || len(entry.Extensions) != 0 {
		t.Errorf("unspecified must be left out: %v", entry.Extensions)
	}
	if second.Number <= first.Number {
		t.Errorf("CRL number %d after %d", second.Number, first.Number)
	}
	text := openssl(t, second.DER, "crl", "-inform", "DER", "-noout", "-text")
	for _, want := range []string{"Version 2 (0x1)", "X509v3 CRL Number", "Serial Number: " + strings.ToUpper(r.Serial)} {
		if !strings.Contains(text, want) {
			t.Errorf("openssl does not show %q", want)
		}
	}
}

func has(entries map[string]x509.RevocationListEntry, serial string) bool {
	_, ok := entries[serial]
	return ok
}

func testReasons(t *testing.T, h Harness) {
	// The numbers of RFC 5280, section 5.3.1.
	reasons := map[vault.Reason]int{
		vault.KeyCompromise: 1, vault.CACompromise: 2, vault.AffiliationChanged: 3, vault.Superseded: 4,
		vault.CessationOfOperation: 5, vault.PrivilegeWithdrawn: 9, vault.AACompromise: 10,
	}
	want := map[string]int{}
	var rs []vault.Revocation
	for reason, code := range reasons {
		r := revocation(t, h, reason)
		rs = append(rs, r)
		want[r.Serial] = code
	}
	revoke(t, h, rs...)
	_, entries := crl(t, h)
	for serial, code := range want {
		entry, ok := entries[serial]
		if !ok {
			t.Errorf("reason %d is not on the CRL", code)
		} else if h.ReasonCodes && entry.ReasonCode != code {
			t.Errorf("reason %d stands as %d", code, entry.ReasonCode)
		}
	}
}

func testRevokeAgain(t *testing.T, h Harness) {
	r := revocation(t, h, vault.KeyCompromise)
	revoke(t, h, r, r)
	_, before := crl(t, h)
	again := r
	again.At, again.Reason = r.At.Add(time.Hour), vault.Superseded
	revoke(t, h, again)
	revoke(t, h)
	_, after := crl(t, h)
	if !before[r.Serial].RevocationTime.Equal(after[r.Serial].RevocationTime) || before[r.Serial].ReasonCode != after[r.Serial].ReasonCode {
		t.Error("a second revocation changed the first")
	}
}

// testCompromisedLater: a certificate that was revoked for another reason is listed once, with its
// first time, as compromised, whether or not a list was made in between.
func testCompromisedLater(t *testing.T, h Harness) {
	listed, unlisted, atOnce, other := revocation(t, h, vault.Superseded), revocation(t, h, vault.Unspecified),
		revocation(t, h, vault.AffiliationChanged), revocation(t, h, vault.Superseded)
	later := func(r vault.Revocation) vault.Revocation {
		r.At, r.Reason = r.At.Add(time.Hour), vault.KeyCompromise
		return r
	}
	revoke(t, h, listed, other)
	before, first := crl(t, h)
	revoke(t, h, unlisted)
	revoke(t, h, later(listed), later(unlisted), atOnce, later(atOnce))
	after, entries := crl(t, h)
	if after.Number <= before.Number {
		t.Errorf("CRL number %d after %d", after.Number, before.Number)
	}
	for _, r := range []vault.Revocation{listed, unlisted, atOnce} {
		e, ok := entries[r.Serial]
		if d := e.RevocationTime.Sub(r.At); !ok || d < -time.Minute || d > time.Minute {
			t.Errorf("%s: %v, %v off", r.Serial, ok, d)
		}
		if h.ReasonCodes && e.ReasonCode != 1 {
			t.Errorf("%s stands with reason %d", r.Serial, e.ReasonCode)
		}
	}
	want := first[other.Serial]
	if e := entries[other.Serial]; !e.RevocationTime.Equal(want.RevocationTime) || e.ReasonCode != want.ReasonCode {
		t.Errorf("another one became %+v", e)
	}
	if h.Reopen == nil {
		return
	}
	h.Engine = h.Reopen(t)
	if _, reopened := crl(t, h); len(reopened) < 4 || h.ReasonCodes && reopened[listed.Serial].ReasonCode != 1 {
		t.Errorf("reopened: %+v", reopened)
	}
}

func testMalformedRevocations(t *testing.T, h Harness) {
	good := revocation(t, h, vault.Unspecified)
	for name, change := range map[string]func(*vault.Revocation){
		"empty": func(r *vault.Revocation) { r.Serial = "" }, "upper case": func(r *vault.Revocation) { r.Serial = "AB" + r.Serial[2:] },
		"odd": func(r *vault.Revocation) { r.Serial = r.Serial[1:] }, "colons": func(r *vault.Revocation) { r.Serial = "ab:cd" },
		"leading zero": func(r *vault.Revocation) { r.Serial = "00ab" },
		"long":         func(r *vault.Revocation) { r.Serial = strings.Repeat("ab", 21) },
		"hold":         func(r *vault.Revocation) { r.Reason = 6 }, "remove": func(r *vault.Revocation) { r.Reason = 8 },
		"negative": func(r *vault.Revocation) { r.Reason = -1 }, "unknown": func(r *vault.Revocation) { r.Reason = 11 },
	} {
		bad := good
		change(&bad)
		if err := h.Engine.Revoke(t.Context(), good, bad); !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, entries := crl(t, h); has(entries, good.Serial) {
		t.Error("a refused call revoked something")
	}
}

// testConcurrentRevocations: what was acknowledged is on every list fetched
// later, and numbers never go back.
func testConcurrentRevocations(t *testing.T, h Harness) {
	rs := make([]vault.Revocation, 12)
	for i := range rs {
		rs[i] = revocation(t, h, vault.Superseded)
	}
	var wg sync.WaitGroup
	for _, r := range rs {
		wg.Go(func() {
			if err := h.Engine.Revoke(t.Context(), r); err != nil {
				t.Error(err)
				return
			}
			raw, err := h.Engine.CRL(t.Context(), vault.Active)
			if err != nil {
				t.Error(err)
				return
			}
			if err := onList(raw, r.Serial); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	_, entries := crl(t, h)
	for _, r := range rs {
		if !has(entries, r.Serial) {
			t.Errorf("%s was lost", r.Serial)
		}
	}
}

func onList(raw vault.CRL, serial string) error {
	list, err := x509.ParseRevocationList(raw.DER)
	if err != nil {
		return err
	}
	for _, e := range list.RevokedCertificateEntries {
		if hex.EncodeToString(e.SerialNumber.Bytes()) == serial {
			return nil
		}
	}
	return fmt.Errorf("%s is not on CRL %d", serial, raw.Number)
}

func testLister(t *testing.T, h Harness) {
	lister, ok := h.Engine.(vault.RevokedLister)
	if !ok {
		return
	}
	r := revocation(t, h, vault.KeyCompromise)
	revoke(t, h, r)
	found := 0
	err := lister.Revoked(t.Context(), func(listed vault.Revocation) error {
		if listed.Serial == r.Serial {
			found++
			if h.ReasonCodes && listed.Reason != vault.KeyCompromise || listed.At.Sub(r.At).Abs() > time.Minute {
				t.Errorf("listed as %+v", listed)
			}
		}
		return nil
	})
	if err != nil || found != 1 {
		t.Errorf("listed %d times, %v", found, err)
	}
	stop := errors.New("stop")
	if err := lister.Revoked(t.Context(), func(vault.Revocation) error { return stop }); !errors.Is(err, stop) {
		t.Errorf("the callback's error came back as %v", err)
	}
}

var reopenCases = []testCase{
	{"everything stays", testReopen},
}

func testReopen(t *testing.T, h Harness) {
	if h.Reopen == nil {
		return
	}
	path := freshPath("durable")
	put(t, h, path, `{"a":"1"}`, 0)
	put(t, h, path, `{"a":"2"}`, 1)
	r := revocation(t, h, vault.KeyCompromise)
	revoke(t, h, r)
	before, _ := crl(t, h)
	ca := active(t, h).Chain[0]

	h.Engine = h.Reopen(t)
	holds(t, h, path, 2, `{"a":"2"}`)
	after, entries := crl(t, h)
	if !has(entries, r.Serial) || after.Number <= before.Number {
		t.Errorf("CRL number %d after %d, %d entries", after.Number, before.Number, len(entries))
	}
	if again := active(t, h).Chain[0]; string(again) != string(ca) {
		t.Error("the CA changed")
	}
}
