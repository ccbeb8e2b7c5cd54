// Package carddriver drives virtual PIV cards in process: it implements the agent's
// driver port with command APDUs (NIST SP 800-73-4 part 2 and Yubico's published
// extensions), without a reader, pcscd or token tool in between.
//
// It exists for tests that need thousands of operations, and a cut between any two
// commands of a card. A card without power counts as a pulled token: token_not_found
// before an operation, tool_failed with outcome_known=false during one.
package carddriver

import (
	"context"
	"fmt"
	"sync"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
)

// Driver drives the cards that were added to it.
type Driver struct {
	mu    sync.Mutex
	cards map[string]*applet.Card
}

var _ driver.Driver = (*Driver)(nil)

// New returns a driver without cards.
func New() *Driver { return &Driver{cards: map[string]*applet.Card{}} }

// Add connects a card and returns its serial.
func (d *Driver) Add(c *applet.Card) string {
	serial := fmt.Sprint(c.Serial())
	d.mu.Lock()
	defer d.mu.Unlock()
	d.cards[serial] = c
	return serial
}

// Tool implements driver.Driver.
func (d *Driver) Tool(context.Context) (driver.Tool, error) {
	return driver.Tool{Name: "carddriver", Version: "1"}, nil
}

// List implements driver.Driver.
func (d *Driver) List(context.Context, []string) (driver.Found, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := driver.Found{Complete: true}
	for serial, c := range d.cards {
		if c.Powered() {
			found.Tokens = append(found.Tokens, driver.Token{Serial: serial, Model: "Virtual token", FirmwareVersion: c.Firmware().String()})
		}
	}
	return found, nil
}

// session is one connection to a card.
type session struct {
	card *applet.Card
}

// connect resets a card, as opening a connection does, and selects PIV.
func (d *Driver) connect(serial string) (*session, error) {
	d.mu.Lock()
	c := d.cards[serial]
	d.mu.Unlock()
	if c == nil || !c.Powered() {
		return nil, fault.New(fault.TokenNotFound, "not_connected", "This token is not connected. Insert it.")
	}
	c.PowerOn()
	s := &session{card: c}
	if _, sw := s.send(0xA4, 4, 0, []byte{0xA0, 0, 0, 3, 8}); sw != applet.OK {
		return nil, s.fail("SELECT", sw)
	}
	return s, nil
}

// send sends a command with extended lengths. Status 0 means no answer.
func (s *session) send(ins, p1, p2 byte, data []byte) ([]byte, applet.Status) {
	apdu := []byte{0, ins, p1, p2, 0}
	if len(data) > 0 {
		apdu = append(apdu, byte(len(data)>>8), byte(len(data)))
		apdu = append(apdu, data...)
	}
	reply := s.card.Transmit(append(apdu, 0, 0))
	if len(reply) < 2 {
		return nil, 0
	}
	n := len(reply) - 2
	return reply[:n], applet.Status(reply[n])<<8 | applet.Status(reply[n+1])
}

// fail returns the fault for a status that an operation does not expect.
func (s *session) fail(what string, sw applet.Status) error {
	if sw == 0 {
		return fault.New(fault.ToolFailed, "pulled",
			"The token was pulled while it worked; what became of the operation is unknown.").WithExtra(driver.OutcomeKnown, false)
	}
	return fault.New(fault.ToolFailed, "", what+" failed.").With(sw).WithExtra(driver.OutcomeKnown, true)
}

// reference pads a PIN or PUK to the card's 8 bytes.
func reference(v secret.String) []byte {
	b := []byte(v.Reveal())
	for len(b) < 8 {
		b = append(b, 0xFF)
	}
	return b
}

// codes are the two faults of a wrong PIN or PUK.
type codes struct{ wrong, blocked fault.Code }

var (
	pinCodes = codes{fault.WrongPIN, fault.PINBlocked}
	pukCodes = codes{fault.WrongPUK, fault.PUKBlocked}
)

// judge turns the status of a command that proves a PIN or PUK into a fault.
func (s *session) judge(what string, sw applet.Status, c codes) error {
	switch {
	case sw == applet.OK:
		return nil
	case sw == applet.Blocked || sw == applet.WrongReference:
		return fault.New(c.blocked, "", what+": no tries are left.").WithExtra("retries_left", 0)
	case sw&0xFFF0 == applet.WrongReference:
		return fault.New(c.wrong, "", what+": wrong.").WithExtra("retries_left", int(sw&0xF))
	case sw == applet.ConditionsNotMet || sw == applet.WrongData:
		return fault.New(fault.PINRefused, "", "The token refuses this value by its own rules.")
	}
	return s.fail(what, sw)
}

// prove sends a command that proves a PIN or PUK and sets a new value.
func (d *Driver) prove(serial, what string, ins, p2 byte, c codes, given, next secret.String) error {
	s, err := d.connect(serial)
	if err != nil {
		return err
	}
	_, sw := s.send(ins, 0, p2, append(reference(given), reference(next)...))
	return s.judge(what, sw, c)
}

// ChangePIN implements driver.Driver.
func (d *Driver) ChangePIN(_ context.Context, serial string, current, next secret.String) error {
	return d.prove(serial, "Changing the PIN", 0x24, 0x80, pinCodes, current, next)
}

// ChangePUK implements driver.Driver.
func (d *Driver) ChangePUK(_ context.Context, serial string, current, next secret.String) error {
	return d.prove(serial, "Changing the PUK", 0x24, 0x81, pukCodes, current, next)
}

// UnblockPIN implements driver.Driver.
func (d *Driver) UnblockPIN(_ context.Context, serial string, puk, next secret.String) error {
	return d.prove(serial, "Unblocking the PIN", 0x2C, 0x80, pukCodes, puk, next)
}

// SetRetries implements driver.Driver.
func (d *Driver) SetRetries(_ context.Context, serial string, managementKey, pin secret.String, pinRetries, pukRetries int) error {
	s, err := d.managed(serial, "", managementKey)
	if err != nil {
		return err
	}
	if _, sw := s.send(0x20, 0, 0x80, reference(pin)); sw != applet.OK {
		return s.judge("Verifying the PIN", sw, pinCodes)
	}
	if _, sw := s.send(0xFA, byte(pinRetries), byte(pukRetries), nil); sw != applet.OK {
		return s.fail("Setting the retries", sw)
	}
	return nil
}

// Reset implements driver.Driver: it blocks PIN and PUK, then resets.
func (d *Driver) Reset(_ context.Context, serial string) error {
	s, err := d.connect(serial)
	if err != nil {
		return err
	}
	junk := make([]byte, 16)
	for _, p2 := range []byte{0x80, 0x81} {
		for {
			_, sw := s.send(0x24, 0, p2, junk)
			if sw == applet.Blocked || sw == applet.WrongReference {
				break
			}
			if sw&0xFFF0 != applet.WrongReference {
				return s.fail("Blocking for the reset", sw)
			}
		}
	}
	if _, sw := s.send(0xFB, 0, 0, nil); sw != applet.OK {
		return s.fail("Resetting", sw)
	}
	return nil
}
