package vaulttest

import (
	"bytes"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

var issuedCases = []testCase{
	{"known before it is signed", testUnsigned},
	{"signed once", testSignedOnce},
	{"listed", testIssued},
	{"revoked by its serial number", testBySerial},
}

// testUnsigned: what an engine tells before it signs is what it then signs.
func testUnsigned(t *testing.T, h Harness) {
	prepared := must.Get(h.Engine.Prepare(t.Context(), request(t, h)))(t)
	var before, after intentlog.Issuance
	if before.SetUnsigned(prepared.Unsigned()); before == after {
		return // its vault shows nothing before
	}
	issued := must.Get(prepared.Sign(t.Context()))(t)
	after.CA = issued.CA
	if after.SetCertificate(issued.Certificate); before != after || before.SerialNumber != issued.Serial {
		t.Errorf("known as %+v, signed as %+v", before, after)
	}
}

func testSignedOnce(t *testing.T, h Harness) {
	prepared := must.Get(h.Engine.Prepare(t.Context(), request(t, h)))(t)
	must.Get(prepared.Sign(t.Context()))(t)
	if issued, err := prepared.Sign(t.Context()); err == nil || issued.Certificate != nil {
		t.Error("signed twice")
	}
}

func testIssued(t *testing.T, h Harness) {
	ctx, log := t.Context(), intentlog.NewIssuances(h.Engine, time.Now)
	prepared := must.Get(h.Engine.Prepare(ctx, request(t, h)))(t)
	i := intentlog.Issuance{HWKeySerial: "key-1"}
	i.SetUnsigned(prepared.Unsigned())
	intent := must.Get(log.Record(ctx, i))(t)
	issued := must.Get(prepared.Sign(ctx))(t)
	lists := func(when string) {
		t.Helper()
		lister, ok := h.Engine.(vault.IssuedLister)
		if !ok {
			t.Fatal("the engine does not list what it issued")
		}
		var serials []string
		must.OK(t, lister.Issued(ctx, func(serial string) error { serials = append(serials, serial); return nil }))
		if !slices.Contains(serials, issued.Serial) {
			t.Errorf("%s: %s is not among %d", when, issued.Serial, len(serials))
		}
		stop := errors.New("stop")
		if err := lister.Issued(ctx, func(string) error { return stop }); !errors.Is(err, stop) {
			t.Errorf("%s: stopped by %v", when, err)
		}
		der, err := lister.Certificate(ctx, issued.Serial)
		if kept := err == nil; kept && !bytes.Equal(der, issued.Certificate.Raw) || !kept && !errors.Is(err, vault.ErrNotFound) {
			t.Errorf("%s: %v", when, err)
		}
		if _, err := lister.Certificate(ctx, "4711"); !errors.Is(err, vault.ErrNotFound) {
			t.Errorf("one that was never issued: %v", err)
		}
		if _, err := lister.Certificate(ctx, "AB"); !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("no serial number: %v", err)
		}
	}
	lists("logged")
	i.SetRecorded(issued.Certificate)
	log.Conclude(intent, i)
	must.OK(t, log.Flush(ctx))
	lists("recorded")
	if h.Reopen != nil {
		h.Engine = h.Reopen(t)
		lists("after a restart")
	}
}

// testBySerial: an engine that says so revokes any serial number, another none
// that it does not keep.
func testBySerial(t *testing.T, h Harness) {
	lister, ok := h.Engine.(vault.IssuedLister)
	if !ok {
		t.Fatal("the engine does not list what it issued")
	}
	err := h.Engine.Revoke(t.Context(), vault.Revocation{Serial: "4711", At: time.Now(), Reason: vault.Superseded})
	if _, refused := errors.AsType[*vault.Unrevoked](err); refused == lister.RevokesBySerial() || !refused && err != nil {
		t.Errorf("one that was never issued: %v", err)
	}
}
