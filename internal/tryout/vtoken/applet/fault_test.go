package applet_test

import (
	"testing"

	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
)

// cutAt cuts the power once, at the nth time that a command of an instruction reaches a
// moment.
func cutAt(ins byte, at applet.Moment, nth int) applet.FaultFunc {
	seen := 0
	return func(m applet.Moment, cmd applet.Command) bool {
		if m != at || cmd.INS != ins {
			return false
		}
		seen++
		return seen == nth
	}
}

// What a power cut leaves: nothing happened, a part happened, or everything happened
// and the response was lost.
func TestPowerCuts(t *testing.T) {
	t.Parallel()
	const oldPIN, newPIN = "123456", "654321"
	for name, test := range map[string]struct {
		at   applet.Moment
		nth  int
		left int
		pin  string
	}{
		"before":                    {applet.Before, 1, 3, oldPIN},
		"attempt written off":       {applet.Written, 1, 2, oldPIN},
		"attempt given back":        {applet.Written, 2, 3, oldPIN},
		"new PIN written":           {applet.Written, 3, 3, newPIN},
		"after: the answer is lost": {applet.After, 1, 3, newPIN},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var path string
			c := setup(t, atPath(&path))
			c.card.SetFault(cutAt(0x24, test.at, test.nth))
			c.want(0, 0x24, 0, 0x80, append(pad8(oldPIN), pad8(newPIN)...))
			c.want(0, 0xFD, 0, 0, nil) // still without power
			if c.card.Powered() {
				t.Error("the card has power")
			}
			for _, after := range []client{c, reopen(t, path)} {
				after.card.SetFault(nil)
				after.open()
				if _, left := after.retries(0x80); left != test.left {
					t.Errorf("%d attempts left, want %d", left, test.left)
				}
			}
			if sw := reopen(t, path).verify(test.pin); sw != 0x9000 {
				t.Errorf("the PIN is not the expected one: %04X", sw)
			}
		})
	}
}

// However often the power is cut, nobody gets more than the allowed attempts.
func TestPowerCutsGiveNoAttempts(t *testing.T) {
	t.Parallel()
	var path string
	c := setup(t, atPath(&path))
	tried := 0
	for range 10 {
		c.card.SetFault(cutAt(0x20, applet.Written, 1))
		_, left := c.retries(0x80)
		if left == 0 {
			break
		}
		tried++
		c.verify("666666")
		c = reopen(t, path)
	}
	if tried != 3 {
		t.Errorf("%d attempts, want 3", tried)
	}
}
