package ykman

import (
	"context"
	"errors"
	"strconv"
	"strings"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// errEmpty guards against a caller's bug: an empty line at the prompt for a
// management key means the factory key, and at other prompts makes the tool ask
// again.
var errEmpty = errors.New("an empty or broken secret reached the driver")

// change runs a command that takes secrets, one line per prompt.
func (d *Driver) change(ctx context.Context, s step, c call) ([]byte, error) {
	for _, l := range c.lines {
		if l.Empty() || strings.ContainsAny(l.Reveal(), "\r\n\x00") {
			return nil, errEmpty
		}
	}
	args, err := on(s.serial, c.args...)
	if err != nil {
		return nil, err
	}
	c.args = args
	if c.timeout == 0 {
		c.timeout = changeTimeout
	}
	out, err := d.run(ctx, c)
	if err != nil {
		return nil, d.classify(err, s)
	}
	return out, nil
}

// ChangePIN implements driver.Driver.
func (d *Driver) ChangePIN(ctx context.Context, serial string, current, next secret.String) error {
	_, err := d.change(ctx, step{name: "change PIN", serial: serial, tries: fault.WrongPIN, setsCode: true},
		call{args: []string{"piv", "access", "change-pin"}, lines: []secret.String{current, next}})
	return err
}

// ChangePUK implements driver.Driver.
func (d *Driver) ChangePUK(ctx context.Context, serial string, current, next secret.String) error {
	_, err := d.change(ctx, step{name: "change PUK", serial: serial, tries: fault.WrongPUK, setsCode: true},
		call{args: []string{"piv", "access", "change-puk"}, lines: []secret.String{current, next}})
	return err
}

// UnblockPIN implements driver.Driver.
func (d *Driver) UnblockPIN(ctx context.Context, serial string, puk, next secret.String) error {
	_, err := d.change(ctx, step{name: "unblock PIN", serial: serial, tries: fault.WrongPUK, setsCode: true},
		call{args: []string{"piv", "access", "unblock-pin"}, lines: []secret.String{puk, next}})
	return err
}

// SetRetries implements driver.Driver. It answers the confirmation, since the
// tool's -f would disable the prompts.
func (d *Driver) SetRetries(ctx context.Context, serial string, managementKey, pin secret.String, pinRetries, pukRetries int) error {
	_, err := d.change(ctx, step{name: "set retries", serial: serial, tries: fault.WrongPIN}, call{
		args:  []string{"piv", "access", "set-retries", strconv.Itoa(pinRetries), strconv.Itoa(pukRetries)},
		lines: []secret.String{managementKey, pin, secret.New("y")},
	})
	return err
}

// ChangeManagementKey implements driver.Driver. Without --algorithm, 4.0.9
// would turn an AES key into TDES.
func (d *Driver) ChangeManagementKey(ctx context.Context, serial string, current, next secret.String, alg piv.Cipher) error {
	_, err := d.change(ctx, step{name: "change management key", serial: serial}, call{
		args:  []string{"piv", "access", "change-management-key", "--algorithm", string(alg)},
		lines: []secret.String{current, next},
	})
	return err
}

// TakeManagementKey implements driver.Driver. The tool finds its note that the
// token holds the key, asks for the PIN instead, and clears the note.
func (d *Driver) TakeManagementKey(ctx context.Context, serial string, pin, next secret.String, alg piv.Cipher) error {
	_, err := d.change(ctx, step{name: "take management key", serial: serial, tries: fault.WrongPIN}, call{
		args:  []string{"piv", "access", "change-management-key", "--algorithm", string(alg)},
		lines: []secret.String{pin, next},
	})
	return err
}

// notAKey is sent as the new key to try only the current one.
const notAKey = "no-new-key"

// TryManagementKey implements driver.Driver. The tool authenticates with the
// current key before it reads the new one, and stops at a new one that is not
// hex. So nothing is written: not even the same key, which would lose its touch
// policy.
func (d *Driver) TryManagementKey(ctx context.Context, serial string, alg piv.Cipher, key secret.String) error {
	s := step{name: "try management key", serial: serial, harmless: true}
	args, err := on(serial, "piv", "access", "change-management-key", "--algorithm", string(alg))
	if err != nil {
		return err
	}
	if key.Empty() {
		return errEmpty
	}
	_, err = d.run(ctx, call{args: args, lines: []secret.String{key, secret.New(notAKey)}, timeout: changeTimeout})
	if f, ok := errors.AsType[*failure](err); ok && strings.Contains(f.text, "New management key has the wrong format") {
		return nil
	}
	if err == nil {
		return fault.New(fault.ToolFailed, "tool_accepts_all",
			"The token tool accepted a value that is not a management key. Install a version of ykman that the "+
				"agent supports. The token's management key may have been changed.").WithExtra(driver.OutcomeKnown, false)
	}
	return d.classify(err, s)
}

// Reset implements driver.Driver.
func (d *Driver) Reset(ctx context.Context, serial string) error {
	_, err := d.change(ctx, step{name: "reset", serial: serial}, call{args: []string{"piv", "reset", "--force"}})
	return err
}
