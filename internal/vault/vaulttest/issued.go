package vaulttest

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/issuancelog"
	"github.com/keyward/keyward/test/must"
)

var issuedCases = []testCase{
	{"announced before it is signed", testAnnounced},
	{"not signed when that fails", testNotAnnounced},
	{"what is refused is not announced", testRefusedUnannounced},
	{"listed", testIssued},
	{"revoked by its serial number", testBySerial},
}

func testAnnounced(t *testing.T, h Harness) {
	var announced []vault.Unsigned
	req := request(t, h)
	req.Before = func(_ context.Context, u vault.Unsigned) error { announced = append(announced, u); return nil }
	issued, cert := sign(t, h, req)
	if len(announced) != 1 {
		t.Fatalf("announced %d times", len(announced))
	}
	var said, is issuancelog.Issuance
	if said.About(announced[0]); said == is {
		return // its vault shows nothing before
	}
	if is.Of(cert); said != is || said.SerialNumber != issued.Serial {
		t.Errorf("announced as %+v, signed as %+v", said, is)
	}
}

func testNotAnnounced(t *testing.T, h Harness) {
	no := errors.New("no")
	req := request(t, h)
	req.Before = func(context.Context, vault.Unsigned) error { return no }
	if issued, err := h.Engine.Sign(t.Context(), req); !errors.Is(err, no) || issued.Certificate != nil {
		t.Errorf("signed: %t, %v", issued.Certificate != nil, err)
	}
}

func testRefusedUnannounced(t *testing.T, h Harness) {
	req := request(t, h)
	req.CommonName = ""
	req.Before = func(context.Context, vault.Unsigned) error { t.Error("announced"); return nil }
	if _, err := h.Engine.Sign(t.Context(), req); !errors.Is(err, vault.ErrInvalid) {
		t.Error(err)
	}
}

func testIssued(t *testing.T, h Harness) {
	ctx, log := t.Context(), issuancelog.New(h.Engine, time.Now)
	req := request(t, h)
	var place issuancelog.Place
	req.Before = func(ctx context.Context, u vault.Unsigned) (err error) {
		i := issuancelog.Issuance{HWKeySerial: "key-1"}
		i.About(u)
		place, err = log.TakeDown(ctx, i)
		return err
	}
	issued, cert := sign(t, h, req)
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
		if kept := err == nil; kept && !bytes.Equal(der, cert.Raw) || !kept && !errors.Is(err, vault.ErrNotFound) {
			t.Errorf("%s: %v", when, err)
		}
		if _, err := lister.Certificate(ctx, "4711"); !errors.Is(err, vault.ErrNotFound) {
			t.Errorf("one that was never issued: %v", err)
		}
		if _, err := lister.Certificate(ctx, "AB"); !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("no serial number: %v", err)
		}
	}
	lists("taken down")
	log.Complete(place, func(i *issuancelog.Issuance) { i.Of(cert) })
	log.Settle(place, issuancelog.Recorded)
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
