package agent

import (
	"slices"
	"testing"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/tryout/vtoken"
)

// TestSetPINWithoutTheCurrentOneBlocksNoCard: the specification's example call
// names no current PIN. Each call against an enrolled card would cost a try, and
// three would block it.
func TestSetPINWithoutTheCurrentOneBlocksNoCard(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		firmware piv.Version
		codes    []string // the response to each call
		left     float64  // PIN tries left afterwards
		leftPUK  any
	}{
		{"a card that tells", piv.Version{5, 4, 3}, slices.Repeat([]string{"current_required"}, 4), 3, 3.0},
		// One try is spent while there are three; the last two are left to the
		// user.
		{"firmware before 5.3", piv.Version{5, 2, 7}, []string{"wrong_pin", "current_required", "current_required", "current_required"}, 2, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			a := startOn(t, host(t, vtoken.Options{Firmware: c.firmware}), Config{})
			a.works(t, "/piv/set-pin", m{"encrypted": true, "serial": serial, "pin": pin(t, pin1)}) // a new card needs no current one
			a.works(t, "/piv/set-puk", m{"encrypted": true, "serial": serial, "puk": puk(t, puk1), "current_puk": puk(t, "12345678")})
			for i, want := range c.codes {
				if got := a.post(t, "/piv/set-pin", m{"encrypted": true, "serial": serial, "pin": pin(t, pin2)}); got.code() != want {
					t.Fatalf("call %d: got %d %s, want %s", i+1, got.status, got.raw, want)
				}
				a.refuses(t, "/piv/set-puk", m{"encrypted": true, "serial": serial, "puk": puk(t, puk1)}, 409, "current_required")
			}
			info := a.get(t, "/piv/info?serial="+serial).body
			if info["pin_retries"] != c.left || info["puk_retries"] != c.leftPUK {
				t.Errorf("tries left: PIN %v, PUK %v; want %v, %v", info["pin_retries"], info["puk_retries"], c.left, c.leftPUK)
			}
			// A client that names the current values succeeds; the PUK is not
			// blocked either.
			a.works(t, "/piv/set-pin", m{"encrypted": true, "serial": serial, "pin": pin(t, pin2), "current_pin": pin(t, pin1)})
			a.works(t, "/piv/set-puk", m{"encrypted": true, "serial": serial, "puk": puk(t, "50617283"), "current_puk": puk(t, puk1)})
		})
	}
}

// TestSetPUKOfANewCard: metadata reports the factory PUK, so none need be named;
// older firmware cannot report it.
func TestSetPUKOfANewCard(t *testing.T) {
	t.Parallel()
	a := startOn(t, host(t, vtoken.Options{Firmware: piv.Version{5, 4, 3}}), Config{})
	a.works(t, "/piv/set-puk", m{"encrypted": true, "serial": serial, "puk": puk(t, puk1)})
	old := startOn(t, host(t, vtoken.Options{Firmware: piv.Version{5, 2, 7}}), Config{})
	old.refuses(t, "/piv/set-puk", m{"encrypted": true, "serial": serial, "puk": puk(t, puk1)}, 409, "current_required")
}
