package storetest

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/crlcache"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var crlCases = map[string]func(*testing.T, *fixture){
	"the mark moves with what was carried": crlMark,
	"the newest list is kept":              crlKept,
}

func crlMark(t *testing.T, f *fixture) {
	f.device(t, "abcd")
	f.certificate(t, f.record("aa", "abcd"))
	must.Get(f.RevokeCertificate(t.Context(), "aa", vault.Superseded, Now, entry(audit.CertificateRevoked, "certificate")))(t)
	last := must.Get(f.CRLMark(t.Context()))(t)
	carried := must.Get(f.UnpublishedRevocations(t.Context(), 10))(t)
	equal(t, "unpublished", len(carried), 1)
	equal(t, "mark before", must.Get(f.CRLMark(t.Context()))(t), last)
	for range 3 { // whoever carried it too, and was later, has the others look again
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
	last := func(what string, want crlcache.Copy) {
		t.Helper()
		got, found, err := f.LastCRL(t.Context())
		if err != nil || !found {
			t.Fatalf("%s: %v, %v", what, found, err)
		}
		equal(t, what, got, want)
	}
	if _, found, err := f.LastCRL(t.Context()); found || err != nil {
		t.Errorf("none was kept: %v, %v", found, err)
	}
	ca, other := [][]byte{{1, 2}, {3}}, [][]byte{{4}}
	first := crlcache.Copy{Chain: ca, DER: []byte{0, 255}, Number: 7, FetchedAt: Now}
	must.OK(t, f.KeepCRL(t.Context(), first))
	last("first", first)
	must.OK(t, f.KeepCRL(t.Context(), crlcache.Copy{Chain: ca, DER: []byte{6}, Number: 6, FetchedAt: Now.Add(time.Hour)}))
	last("after a lower number", first)
	must.OK(t, f.KeepCRL(t.Context(), crlcache.Copy{Chain: ca, DER: []byte{7}, Number: 7, FetchedAt: Now.Add(-time.Hour)}))
	last("after an older fetch", first)
	again := crlcache.Copy{Chain: ca, DER: []byte{0, 255}, Number: 7, FetchedAt: Now.Add(time.Minute)}
	must.OK(t, f.KeepCRL(t.Context(), again))
	last("fetched again", again)
	next := crlcache.Copy{Chain: ca, DER: []byte{8}, Number: 8, FetchedAt: Now.Add(2 * time.Minute)}
	must.OK(t, f.KeepCRL(t.Context(), next))
	last("next", next)
	replaced := crlcache.Copy{Chain: other, DER: []byte{1}, Number: 1, FetchedAt: Now.Add(3 * time.Minute)}
	must.OK(t, f.KeepCRL(t.Context(), replaced))
	last("of another CA", replaced)
}
