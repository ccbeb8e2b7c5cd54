package storetest

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var crlCases = map[string]func(*testing.T, *fixture){
	"the mark moves with what was carried": crlMark,
	"the newest list is kept":              crlKept,
	"a newer list of the CA is found":      crlNewer,
	"the newest certificate is found":      crlCertificate,
}

func crlMark(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.certificate(t, f.record("aa", "abcd"))
	must.Get(f.RevokeCertificate(t.Context(), "aa", vault.Superseded, Now, entry(audit.CertificateRevoked, "certificate")))(t)
	last := must.Get(f.CRLMark(t.Context()))(t)
	carried := must.Get(f.UnpublishedRevocations(t.Context(), 0, 10))(t)
	equal(t, "unpublished", len(carried), 1)
	equal(t, "mark before", must.Get(f.CRLMark(t.Context()))(t), last)
	for range 3 { // a later publisher of the same makes the others look again
		must.OK(t, f.MarkPublished(t.Context(), carried, Now))
		mark := must.Get(f.CRLMark(t.Context()))(t)
		if mark <= last {
			t.Errorf("the mark is %d, and was %d before", mark, last)
		}
		last = mark
	}
	must.OK(t, f.MarkPublished(t.Context(), nil, Now))
	equal(t, "mark after nothing", must.Get(f.CRLMark(t.Context()))(t), last)
}

func crlKept(t *testing.T, f *fixture) {
	last := func(what string, want pki.CRLCopy) {
		t.Helper()
		equal(t, what, must.Get(f.CRLCopies(t.Context()))(t)[0], want)
	}
	if copies := must.Get(f.CRLCopies(t.Context()))(t); len(copies) > 0 {
		t.Errorf("none was kept: %v", copies)
	}
	ca, other := [][]byte{{1, 2}, {3}}, [][]byte{{4}}
	first := pki.CRLCopy{Chain: ca, DER: []byte{0, 255}, Number: 7, FetchedAt: Now}
	must.OK(t, f.KeepCRL(t.Context(), first))
	last("first", first)
	must.OK(t, f.KeepCRL(t.Context(), pki.CRLCopy{Chain: ca, DER: []byte{6}, Number: 6, FetchedAt: Now.Add(time.Hour)}))
	last("after a lower number", first)
	older := first
	older.FetchedAt = Now.Add(-time.Hour)
	must.OK(t, f.KeepCRL(t.Context(), older))
	last("after an older fetch", first)
	must.OK(t, f.KeepCRL(t.Context(), pki.CRLCopy{Chain: ca, DER: []byte{9}, Number: 7, FetchedAt: Now.Add(time.Minute)}))
	again := first
	again.FetchedAt = Now.Add(time.Minute)
	last("fetched again, which writes the time alone", again)
	next := pki.CRLCopy{Chain: ca, DER: []byte{8}, Number: 8, FetchedAt: Now.Add(2 * time.Minute)}
	must.OK(t, f.KeepCRL(t.Context(), next))
	last("next", next)
	another := pki.CRLCopy{Chain: other, DER: []byte{1}, Number: 1, FetchedAt: Now.Add(3 * time.Minute)}
	must.OK(t, f.KeepCRL(t.Context(), another))
	equal(t, "with another CA", must.Get(f.CRLCopies(t.Context()))(t), []pki.CRLCopy{another, next})
}

func crlNewer(t *testing.T, f *fixture) {
	ca, other := [][]byte{{1, 2}, {3}}, [][]byte{{4}}
	kept := pki.CRLCopy{Chain: ca, DER: []byte{0, 255}, Number: 7, FetchedAt: Now}
	must.OK(t, f.KeepCRL(t.Context(), kept))
	must.OK(t, f.KeepCRL(t.Context(), pki.CRLCopy{Chain: other, DER: []byte{1}, Number: 9, FetchedAt: Now.Add(time.Hour)}))
	for number, want := range map[uint64]bool{0: true, 6: true, 7: false, 8: false} {
		got, found, err := f.NewerCRL(t.Context(), ca[0], number)
		if err != nil || found != want {
			t.Fatalf("newer than %d: %v, %v", number, found, err)
		}
		if found {
			equal(t, "the copy", got, kept)
		}
	}
	if _, found, err := f.NewerCRL(t.Context(), []byte{5}, 0); found || err != nil {
		t.Errorf("of a CA that kept none: %v, %v", found, err)
	}
}

func crlCertificate(t *testing.T, f *fixture) {
	if der := must.Get(f.NewestCertificate(t.Context(), ""))(t); der != nil {
		t.Errorf("none is on record: %x", der)
	}
	f.device(t, "abcd")
	for serial, der := range map[string][]byte{"aa": {1, 2, 3}, "ab": {4, 255, 0}} {
		record := f.record(serial, "abcd")
		record.DER = der
		f.certificate(t, record)
		equal(t, "the newest", must.Get(f.NewestCertificate(t.Context(), ""))(t), der)
	}
}
