package applet

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"

	"github.com/keyward/keyward/internal/durable"
	"github.com/keyward/keyward/internal/piv"
)

// stateFormat is the version of the state file.
const stateFormat = 1

// defaultTries is the number of tries of a new card's PIN and PUK.
const defaultTries = 3

// defaultManagementKey is the factory key, for 3DES and AES-192 alike.
var defaultManagementKey, _ = hex.DecodeString(piv.FactoryManagementKey)

// state is what survives a power cut. It is never changed in place: [Card.update]
// changes a copy, writes it, and only then uses it.
type state struct {
	Format     int                 `json:"format"`
	Serial     uint32              `json:"serial"`
	Firmware   piv.Version         `json:"firmware"`
	PIN        reference           `json:"pin"`
	PUK        reference           `json:"puk"`
	Management managementKey       `json:"management_key"`
	Keys       map[slot]key        `json:"keys"`
	Objects    map[objectID][]byte `json:"objects"`
}

// reference is a PIN or a PUK with its retry counter.
type reference struct {
	Value []byte `json:"value"` // 8 bytes, padded with FF
	Tries int    `json:"tries"`
	Left  int    `json:"left"`
}

type managementKey struct {
	Algorithm byte        `json:"algorithm"`
	Value     []byte      `json:"value"`
	Touch     touchPolicy `json:"touch"`
}

func factoryState(serial uint32, firmware piv.Version) *state {
	s := &state{Format: stateFormat, Serial: serial, Firmware: firmware}
	s.resetApplication()
	return s
}

// resetApplication restores the factory values. The attestation key and its certificate
// stay, as on a YubiKey.
func (s *state) resetApplication() {
	s.PIN = reference{pad(piv.FactoryPIN), defaultTries, defaultTries}
	s.PUK = reference{pad(piv.FactoryPUK), defaultTries, defaultTries}
	s.Management = managementKey{algTDES, defaultManagementKey, touchNever}
	if s.Firmware.AtLeast(piv.SinceLargerKeys) {
		s.Management.Algorithm = algAES192
	}
	keys, objects := map[slot]key{}, map[objectID][]byte{}
	if k, ok := s.Keys[slotAttestation]; ok {
		keys[slotAttestation] = k
	}
	if o, ok := s.Objects[objAttestation]; ok {
		objects[objAttestation] = o
	}
	s.Keys, s.Objects = keys, objects
}

func (s *state) clone() *state {
	next := *s
	next.Keys, next.Objects = maps.Clone(s.Keys), maps.Clone(s.Objects)
	return &next
}

// update changes the state: first on disk, then in memory. A state that cannot be
// written is not used.
func (c *Card) update(change func(*state)) Status {
	next := c.state.clone()
	change(next)
	if err := save(c.path, next); err != nil {
		return MemoryFailure
	}
	c.state = next
	if c.cut(Written) {
		return powerCut
	}
	return OK
}

// load reads a state file; fs.ErrNotExist when the card is new.
func load(path string) (*state, error) {
	raw, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s state
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&s); err != nil {
		return nil, fmt.Errorf("%s is not the state of a virtual token; move it away to start with a new token: %w", path, err)
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("%s: %w; move it away to start with a new token", path, err)
	}
	return &s, nil
}

// check refuses a state that the card could not work with.
func (s *state) check() error {
	for _, r := range []reference{s.PIN, s.PUK} {
		if len(r.Value) != referenceLen || r.Left < 0 || r.Left > r.Tries || r.Tries > 255 {
			return errors.New("a PIN or PUK is damaged")
		}
	}
	if n := managementKeyLen(s.Management.Algorithm); n == 0 || n != len(s.Management.Value) {
		return errors.New("the management key is damaged")
	}
	if s.Format != stateFormat {
		return fmt.Errorf("format %d is not known", s.Format)
	}
	if !imitates(s.Firmware) {
		return fmt.Errorf("firmware %s is not known", s.Firmware)
	}
	if s.Keys == nil || s.Objects == nil {
		return errors.New("keys or objects are missing")
	}
	for _, k := range s.Keys {
		if _, err := k.private(); err != nil {
			return errors.New("a private key is damaged")
		}
	}
	return nil
}

// save writes a state so that a crash leaves the old one or the new one.
func save(path string, s *state) error {
	if path == "" {
		return nil
	}
	raw, err := json.MarshalIndent(s, "", " ")
	if err != nil {
		return err
	}
	return durable.Replace(path, raw, 0o600)
}

func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }
