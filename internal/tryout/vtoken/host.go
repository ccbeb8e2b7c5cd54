package vtoken

import (
	"context"
	"crypto/rsa"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
	"github.com/keyward/keyward/internal/tryout/vtoken/ifd"
)

// DefaultSerial is the token of a host without Options.Serials.
const DefaultSerial uint32 = 20260001

// Options describe a host. Only StateDir is needed.
type Options struct {
	// StateDir keeps the tokens; one host at a time uses it. It is created if needed.
	StateDir string
	// DriverDir keeps the compiled reader driver; empty means StateDir/driver. Tests
	// share one, to compile it once.
	DriverDir string
	// Serials are the tokens, one reader each, at most [ifd.MaxReaders]. Empty means
	// DefaultSerial. A token without a state file is created.
	Serials []uint32
	// Unplugged names the tokens that are not in their readers at the start.
	Unplugged []uint32
	// Firmware of new tokens; zero means applet.DefaultFirmware. Existing tokens keep
	// theirs; a different one here is an error.
	Firmware piv.Version
	// PINComplexity refuses trivial PINs, as firmware 5.7 can.
	PINComplexity bool
	// GenerateRSA replaces the slow generation of RSA keys, for tests.
	GenerateRSA func(bits int) (*rsa.PrivateKey, error)
	// PCSCD is the daemon's program; empty means "pcscd" from PATH or /usr/sbin.
	PCSCD string
}

// Host is a running pcscd with its readers. It is safe for concurrent use.
type Host struct {
	dir     dir
	run     string // short path of the run folder
	root    *applet.Root
	slots   []*slot
	cleanup []func() error // in order of setup

	daemon  *daemon
	closing sync.Once
	closed  error
}

// Start starts a host and waits until its plugged tokens are ready for clients. ctx
// bounds only the start: Close ends the host.
func Start(ctx context.Context, o Options) (*Host, error) {
	if len(o.Serials) == 0 {
		o.Serials = []uint32{DefaultSerial}
	}
	if err := checkSerials(o); err != nil {
		return nil, err
	}
	d, err := openDir(o.StateDir)
	if err != nil {
		return nil, err
	}
	h := &Host{dir: d}
	if err := h.start(ctx, o); err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

func checkSerials(o Options) error {
	if len(o.Serials) > ifd.MaxReaders {
		return fmt.Errorf("%d tokens are too many: one host has at most %d readers", len(o.Serials), ifd.MaxReaders)
	}
	seen := map[uint32]bool{}
	for _, serial := range o.Serials {
		if serial == 0 || seen[serial] {
			return errors.New("serial numbers must be different, and not 0")
		}
		seen[serial] = true
	}
	for _, serial := range o.Unplugged {
		if !seen[serial] {
			return fmt.Errorf("token %d is to be unplugged, but is none of this host's", serial)
		}
	}
	return nil
}

func (h *Host) start(ctx context.Context, o Options) error {
	unlock, err := h.dir.lock()
	if err != nil {
		return err
	}
	h.onClose(unlock)
	if err := h.dir.clearRun(); err != nil {
		return err
	}
	run, done, err := h.dir.shortRun()
	if err != nil {
		return err
	}
	h.run = run
	h.onClose(func() error { done(); return nil })
	if h.root, err = applet.LoadRoot(h.dir.root(), time.Now()); err != nil {
		return err
	}
	if err := h.makeSlots(o); err != nil {
		return err
	}
	if err := h.startDaemon(ctx, o); err != nil {
		return err
	}
	for n, s := range h.slots {
		if err := h.waitPresence(ctx, n, !slices.Contains(o.Unplugged, s.card.Serial())); err != nil {
			return err
		}
	}
	return h.listenControl()
}

// makeSlots loads the cards and plugs them in, so that pcscd finds them.
func (h *Host) makeSlots(o Options) error {
	for i, serial := range o.Serials {
		card, err := applet.New(applet.Options{
			Serial: serial, Firmware: o.Firmware, Path: h.dir.token(serial), Root: h.root,
			PINComplexity: o.PINComplexity, GenerateRSA: o.GenerateRSA,
		})
		if err != nil {
			return err
		}
		s := &slot{card: card, path: filepath.Join(h.run, fmt.Sprintf("slot%d.sock", i))}
		h.slots = append(h.slots, s)
		h.onClose(s.close)
		if slices.Contains(o.Unplugged, serial) {
			continue
		}
		if err := s.plug(); err != nil {
			return err
		}
	}
	return nil
}

func (h *Host) startDaemon(ctx context.Context, o Options) error {
	driverDir := o.DriverDir
	if driverDir == "" {
		driverDir = h.dir.driver()
	}
	built, err := ifd.Build(ctx, driverDir)
	if err != nil {
		return err
	}
	// pcscd's reader file has no quoting, so it gets a link with a plain name.
	driver := filepath.Join(h.run, "driver.so")
	if err := os.Symlink(built, driver); err != nil {
		return err
	}
	config := readerFile(h.slots, driver)
	if err := os.WriteFile(filepath.Join(h.run, "reader.conf"), []byte(config), 0o600); err != nil {
		return err
	}
	h.daemon, err = startDaemon(ctx, o.PCSCD, h.run)
	if err != nil {
		return err
	}
	h.onClose(h.daemon.stop)
	return nil
}

func (h *Host) onClose(f func() error) { h.cleanup = append(h.cleanup, f) }

// SocketPath is the value of PCSCLITE_CSOCK_NAME for clients.
func (h *Host) SocketPath() string { return h.daemon.socket }

// Env is the line for a client's environment.
func (h *Host) Env() string { return "PCSCLITE_CSOCK_NAME=" + h.SocketPath() }

// Root is the test root that signed the tokens' attestation certificates.
func (h *Host) Root() *applet.Root { return h.root }

// Serials lists the host's tokens, plugged or not, in the order of the readers.
func (h *Host) Serials() []uint32 {
	var list []uint32
	for _, s := range h.slots {
		list = append(list, s.card.Serial())
	}
	return list
}

// Card returns a token for direct use, nil for a serial that the host lacks. Commands
// sent to it mix with those of pcscd's clients.
func (h *Host) Card(serial uint32) *applet.Card {
	n, err := h.index(serial)
	if err != nil {
		return nil
	}
	return h.slots[n].card
}

// Plug plugs a token into its reader and waits until pcscd's clients see it. It
// succeeds if the token is already there.
func (h *Host) Plug(ctx context.Context, serial uint32) error {
	n, err := h.index(serial)
	if err != nil {
		return err
	}
	if !h.slots[n].plugged() { // a power cut may not have been noticed yet
		if err := h.waitPresence(ctx, n, false); err != nil {
			return err
		}
	}
	if err := h.slots[n].plug(); err != nil {
		return err
	}
	return h.waitPresence(ctx, n, true)
}

// Unplug pulls a token and waits until pcscd's clients notice. It succeeds if the token
// is not there. The reader stays: Debian's pcscd cannot remove it.
func (h *Host) Unplug(ctx context.Context, serial uint32) error {
	n, err := h.index(serial)
	if err != nil {
		return err
	}
	if err := h.slots[n].unplug(ctx); err != nil {
		return err
	}
	return h.waitPresence(ctx, n, false)
}

// FactoryReset resets a token's PIV application, whether PIN and PUK are blocked or
// not. It unplugs a plugged token and plugs it in again.
func (h *Host) FactoryReset(ctx context.Context, serial uint32) error {
	n, err := h.index(serial)
	if err != nil {
		return err
	}
	s := h.slots[n]
	plugged := s.plugged()
	if err := h.Unplug(ctx, serial); err != nil {
		return err
	}
	if err := s.card.FactoryReset(); err != nil {
		return err
	}
	if !plugged {
		return nil
	}
	return h.Plug(ctx, serial)
}

// Done is closed when pcscd has ended, by Close or by accident.
func (h *Host) Done() <-chan struct{} { return h.daemon.done }

// index finds the reader of a token.
func (h *Host) index(serial uint32) (int, error) {
	for n, s := range h.slots {
		if s.card.Serial() == serial {
			return n, nil
		}
	}
	return 0, fmt.Errorf("token %d is none of this host's, which has %v", serial, h.Serials())
}

// Close ends pcscd and pulls all tokens. It may be called more than once.
func (h *Host) Close() error {
	h.closing.Do(func() {
		for _, f := range slices.Backward(h.cleanup) {
			h.closed = errors.Join(h.closed, f())
		}
	})
	return h.closed
}

// FactoryReset resets a token of a state directory while no host runs on it.
func FactoryReset(stateDir string, serial uint32) error {
	d, err := openDir(stateDir)
	if err != nil {
		return err
	}
	if _, err := os.Stat(d.token(serial)); err != nil {
		return fmt.Errorf("there is no token %d in %s", serial, d)
	}
	unlock, err := d.lock()
	if err != nil {
		return err
	}
	card, err := applet.New(applet.Options{Serial: serial, Path: d.token(serial)})
	if err == nil {
		err = card.FactoryReset()
	}
	return errors.Join(err, unlock())
}
