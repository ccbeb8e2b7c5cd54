package vaulttest

import (
	"errors"
	"math"
	"testing"

	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/must"
)

// testNumber: the CRL's number can be raised above any that it may have had
// elsewhere, and nothing leaves the list by that.
func testNumber(t *testing.T, h Harness) {
	engine, ok := h.Engine.(vault.Numbered)
	if !ok {
		t.Fatal("the engine cannot raise the CRL's number")
	}
	r := revocation(t, h, vault.Superseded)
	must.OK(t, h.Engine.Revoke(t.Context(), r))
	before, _ := crl(t, h)
	if n, at := must.Both(engine.CRLNumber(t.Context(), vault.Active))(t); n < before.Number || at.Before(before.ThisUpdate) {
		t.Errorf("number %d of %s after a list of number %d of %s", n, at, before.Number, before.ThisUpdate)
	}
	var on uint64
	must.OK(t, engine.RaiseCRL(t.Context(), vault.Active, before.Number+5, func(n uint64) error { on = n; return nil }))
	after, listed := crl(t, h)
	if after.Number <= before.Number+5 || on <= before.Number+5 {
		t.Errorf("number %d, told of %d, is not above %d", after.Number, on, before.Number+5)
	}
	if _, ok := listed[r.Serial]; !ok {
		t.Error("a revocation has left the list")
	}
	must.OK(t, engine.RaiseCRL(t.Context(), vault.Active, before.Number, nil)) // it is above that already
	enough := errors.New("enough")
	if err := engine.RaiseCRL(t.Context(), vault.Active, after.Number+5, func(uint64) error { return enough }); !errors.Is(err, enough) {
		t.Errorf("ended on the way: %v", err)
	}
	for _, absurd := range []uint64{math.MaxUint64, math.MaxInt64, after.Number + 2*vault.MaxRaise} {
		if err := engine.RaiseCRL(t.Context(), vault.Active, absurd, nil); !errors.Is(err, vault.ErrInvalid) {
			t.Errorf("above %d: %v", absurd, err)
		}
	}
	if last, _ := crl(t, h); last.Number > after.Number+vault.MaxRaise {
		t.Errorf("number %d", last.Number)
	}
}
