package applet

import (
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/piv"
)

// Options describe a card. Only Serial is needed.
type Options struct {
	// Serial is the number that the token reports, 1 to 4294967295.
	Serial uint32
	// Firmware decides the available features. Zero means the state file's, or
	// [DefaultFirmware] for a new card.
	Firmware piv.Version
	// Path is the state file. Empty keeps the state in memory only.
	Path string
	// Root signs the card's attestation certificate when the card is new. Nil creates a
	// root for this card.
	Root *Root
	// Touch stands for the finger: it is called when a touch is needed, may block, and
	// reports whether the touch came. Nil touches at once.
	Touch func(cmd Command) bool
	// Fault lets a test cut the power, see [FaultFunc].
	Fault FaultFunc
	// PINComplexity refuses trivial PINs and PUKs, as firmware 5.7 can.
	PINComplexity bool
	// GenerateRSA replaces the slow generation of RSA keys by a test's own pool. The
	// bits are 2048, 3072 or 4096.
	GenerateRSA func(bits int) (*rsa.PrivateKey, error)
	// Now is the clock for cached touches and certificates. Nil means time.Now.
	Now func() time.Time
}

// Card is one virtual token. It is safe for concurrent use.
type Card struct {
	generateRSA func(bits int) (*rsa.PrivateKey, error)
	now         func() time.Time
	root        *Root
	path        string
	complexity  bool

	mu      sync.Mutex
	touch   func(Command) bool
	fault   FaultFunc
	powered bool
	state   *state
	session session
	current Command
}

// session is what a reset or a power cut clears.
type session struct {
	application application
	pinVerified bool // since the application was selected
	pinFresh    bool // and not used up by a key that requires it every time
	managed     bool // the management key was proven
	pending     challenge
	touched     map[slot]time.Time
	chain       *Command
	rest        []byte // response data that GET RESPONSE will fetch
}

// New returns a card, from its state file if there is one. It fails when the file
// cannot be read or written, is damaged, or is another token's.
func New(o Options) (*Card, error) {
	c := &Card{
		generateRSA: o.GenerateRSA, now: o.Now, root: o.Root, path: o.Path,
		complexity: o.PINComplexity, touch: o.Touch, fault: o.Fault, powered: true,
	}
	if c.generateRSA == nil {
		c.generateRSA = func(bits int) (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, bits) }
	}
	if c.now == nil {
		c.now = time.Now
	}
	if o.Serial == 0 {
		return nil, errors.New("serial must be a number from 1 to 4294967295")
	}
	if err := c.open(o); err != nil {
		return nil, err
	}
	return c, nil
}

// open loads the state, or creates and writes a new token's.
func (c *Card) open(o Options) error {
	if o.Path != "" {
		s, err := load(o.Path)
		if err == nil {
			return c.adopt(s, o)
		}
		if !missing(err) {
			return err
		}
	}
	if o.Firmware == (piv.Version{}) {
		o.Firmware = DefaultFirmware
	}
	s := factoryState(o.Serial, o.Firmware)
	if err := c.makeAttestation(s); err != nil {
		return fmt.Errorf("making the attestation certificate: %w", err)
	}
	c.state = s
	return save(c.path, s)
}

func (c *Card) adopt(s *state, o Options) error {
	if s.Serial != o.Serial {
		return fmt.Errorf("%s is the state of token %d, not of %d", o.Path, s.Serial, o.Serial)
	}
	if o.Firmware != (piv.Version{}) && o.Firmware != s.Firmware {
		return fmt.Errorf("token %d exists with firmware %s: leave the firmware out, or remove %s to create a new token",
			s.Serial, s.Firmware, o.Path)
	}
	c.state = s
	return nil
}

// Serial returns the token's number.
func (c *Card) Serial() uint32 { return c.snapshot().Serial }

// Firmware returns the token's version.
func (c *Card) Firmware() piv.Version { return c.snapshot().Firmware }

func (c *Card) snapshot() *state {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// SetTouch replaces Options.Touch; nil touches at once.
func (c *Card) SetTouch(touch func(Command) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.touch = touch
}

// PowerOn resets the card, or restores its power: all PIN and management key proofs are
// cleared.
func (c *Card) PowerOn() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.powered = true
	c.session = session{}
}

// PowerOff cuts the power; Transmit returns nil until PowerOn.
func (c *Card) PowerOff() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.powered = false
	c.session = session{}
}

// Powered reports whether the card answers.
func (c *Card) Powered() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.powered
}

// FactoryReset resets the PIV application without requiring a blocked PIN and PUK, as
// the command RESET does. The attestation key stays.
func (c *Card) FactoryReset() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.session = session{}
	if status := c.update((*state).resetApplication); status == MemoryFailure {
		return fmt.Errorf("could not write %s: the token is unchanged", c.path)
	}
	return nil
}
