package ykman

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"strings"
	"sync"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
)

// Options configure the driver.
type Options struct {
	// Path of the tool, or its name to look up in PATH; empty is "ykman".
	Path string
	// Socket of pcscd for the tool (PCSCLITE_CSOCK_NAME); empty keeps the tool's
	// default.
	Socket string
	Log    *slog.Logger
}

// Driver drives tokens with ykman. Create it with New, end it with Close.
type Driver struct {
	path   string
	socket string
	log    *slog.Logger

	mu      sync.Mutex
	home    string // the private XDG_DATA_HOME, created at the first call
	version string // of a usable tool; empty until it has answered
}

var _ driver.Driver = (*Driver)(nil)

// New returns a driver. The tool need not be installed yet.
func New(o Options) *Driver {
	d := &Driver{path: o.Path, socket: o.Socket, log: o.Log}
	if d.path == "" {
		d.path = "ykman"
	}
	if d.log == nil {
		d.log = slog.New(slog.DiscardHandler)
	}
	return d
}

// Close removes the private folder.
func (d *Driver) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.home == "" {
		return nil
	}
	home := d.home
	d.home = ""
	return os.RemoveAll(home)
}

// dataHome returns a private folder: ykman 5 fails without a writable one, and
// would otherwise leave traces of the tokens in the user's.
func (d *Driver) dataHome() (string, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.home == "" {
		home, err := os.MkdirTemp("", "keyward-agent-")
		if err != nil {
			return "", err
		}
		d.home = home
	}
	return d.home, nil
}

// List asks each reader for its token, since 4.0.9's "list" hides one of two
// tokens of the same product.
func (d *Driver) List(ctx context.Context, readers []string) (driver.Found, error) {
	if readers == nil {
		out, err := d.run(ctx, call{args: []string{"list", "--readers"}, timeout: readTimeout})
		if err != nil {
			if _, ok := errors.AsType[*failure](err); !ok {
				return driver.Found{}, err
			}
			return driver.Found{}, fault.New(fault.ToolFailed, "no_readers",
				"The token tool can't list the readers. Check that the smart card service (pcscd) is running.").
				With(err).WithExtra(driver.OutcomeKnown,
				true)
		}
		readers = strings.Split(strings.TrimSpace(string(out)), "\n")
	}
	found := driver.Found{Complete: true}
	for _, reader := range readers {
		reader = strings.TrimSpace(reader)
		if !yubico(reader) {
			continue
		}
		t, serial, err := d.info(ctx, reader)
		if err == nil && !serial { // as if it hid its number, which it also seems to while others use it
			t, serial, err = d.info(ctx, reader)
		}
		if err != nil { // no card, or another process has it: this does not prove removal
			f, ok := errors.AsType[*failure](err)
			if !ok {
				return driver.Found{}, err
			}
			d.log.Debug("no token in this reader", "reader", reader, "cause", err.Error())
			found.Complete = false
			if f.inUse() {
				found.InUse = append(found.InUse, reader)
			}
			continue
		}
		if serial {
			t.Reader = reader
			found.Tokens = append(found.Tokens, t)
		}
	}
	return found, nil
}

// info asks a reader for its token; false if that has, or tells, no serial number.
func (d *Driver) info(ctx context.Context, reader string) (driver.Token, bool, error) {
	out, err := d.run(ctx, call{args: []string{"--reader", reader, "info"}, timeout: readTimeout})
	t, ok := parseInfo(string(out))
	return t, ok, err
}

// yubico reports whether ykman would take the reader for a YubiKey.
func yubico(reader string) bool {
	return strings.Contains(strings.ToLower(reader), "yubico yubikey")
}

// parseInfo reads the output of "ykman info"; false without a serial.
func parseInfo(out string) (driver.Token, bool) {
	var t driver.Token
	for line := range strings.Lines(out) {
		name, value, ok := strings.Cut(strings.TrimSpace(line), ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch name {
		case "Device type":
			t.Model = value
		case "Serial number":
			t.Serial = value
		case "Firmware version":
			if v, err := piv.ParseVersion(value); err == nil {
				t.FirmwareVersion = v.String()
			}
		case "Form factor":
			t.FormFactor = value
		}
	}
	_, ok := piv.ParseYubiKeySerial(t.Serial)
	return t, ok
}

// on returns the command line for one token.
func on(serial string, args ...string) ([]string, error) {
	if _, ok := piv.ParseYubiKeySerial(serial); !ok {
		return nil, notFound()
	}
	return append([]string{"--device", serial}, args...), nil
}

func notFound() error {
	return fault.New(fault.TokenNotFound, "not_connected",
		"This token is not plugged in, or another program is using it. Plug it in, close other token programs, and try again.")
}
