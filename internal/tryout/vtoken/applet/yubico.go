package applet

import (
	"bytes"
	"encoding/binary"

	"github.com/keyward/keyward/internal/piv"
)

// Tags of GET METADATA (Yubico, firmware 5.3).
const (
	metaAlgorithm = 0x01
	metaPolicy    = 0x02
	metaOrigin    = 0x03
	metaPublic    = 0x04
	metaDefault   = 0x05
	metaRetries   = 0x06

	originGenerated = 0x01
	originImported  = 0x02
	notAnAlgorithm  = 0xFF // in place of an algorithm for PIN and PUK
)

func (c *Card) dispatchYubico(cmd Command) ([]byte, Status) {
	switch cmd.INS {
	case insVersion:
		return bytes.Clone(c.state.Firmware[:]), OK
	case insSerial:
		return binary.BigEndian.AppendUint32(nil, c.state.Serial), OK
	case insAttest:
		return c.attest(cmd)
	case insSetManagement:
		return nil, c.setManagement(cmd)
	case insImport:
		return nil, c.importKey(cmd)
	case insSetRetries:
		return nil, c.setRetries(cmd)
	case insReset:
		return nil, c.reset(cmd)
	case insMetadata:
		if c.state.Firmware.AtLeast(piv.SinceMetadata) {
			return c.metadata(cmd)
		}
	case insMoveKey:
		if c.state.Firmware.AtLeast(piv.SinceLargerKeys) {
			return nil, c.moveKey(cmd)
		}
	}
	return nil, UnknownInstruction
}

// metadata is GET METADATA: what is known of a key, the PIN or the PUK. It needs no
// PIN.
func (c *Card) metadata(cmd Command) ([]byte, Status) {
	if cmd.P1 != 0 {
		return nil, WrongParameters
	}
	s := c.state
	switch cmd.P2 {
	case refPIN:
		return s.PIN.metadata(piv.FactoryPIN), OK
	case refPUK:
		return s.PUK.metadata(piv.FactoryPUK), OK
	case refManagement:
		m := s.Management
		b := object(metaAlgorithm, []byte{m.Algorithm})
		b = appendField(b, metaPolicy, []byte{0, byte(m.Touch)})
		return appendField(b, metaDefault, []byte{bit(m.isDefault())}), OK
	}
	k, ok := s.Keys[slot(cmd.P2)]
	if !ok {
		return nil, NoSuchReference
	}
	return k.metadata()
}

func (r reference) metadata(factory string) []byte {
	b := object(metaAlgorithm, []byte{notAnAlgorithm})
	b = appendField(b, metaDefault, []byte{bit(bytes.Equal(r.Value, pad(factory)))})
	return appendField(b, metaRetries, []byte{byte(r.Tries), byte(r.Left)})
}

func (k key) metadata() ([]byte, Status) {
	private, err := k.private()
	if err != nil {
		return nil, Failure
	}
	pub, err := encodePublic(public(private))
	if err != nil {
		return nil, Failure
	}
	origin := byte(originGenerated)
	if k.Imported {
		origin = originImported
	}
	b := object(metaAlgorithm, []byte{k.Algorithm})
	b = appendField(b, metaPolicy, []byte{byte(k.PIN), byte(k.Touch)})
	b = appendField(b, metaOrigin, []byte{origin})
	return appendField(b, metaPublic, pub), OK
}

func bit(yes bool) byte {
	if yes {
		return 1
	}
	return 0
}

// setRetries is SET PIN RETRIES: P1 for the PIN, P2 for the PUK. It needs the
// management key and the PIN, and restores the factory PIN and PUK.
func (c *Card) setRetries(cmd Command) Status {
	if cmd.P1 == 0 || cmd.P2 == 0 {
		return WrongParameters
	}
	if !c.session.managed || !c.session.pinVerified {
		return SecurityNotSatisfied
	}
	pin, puk := int(cmd.P1), int(cmd.P2)
	return c.update(func(s *state) {
		s.PIN = reference{pad(piv.FactoryPIN), pin, pin}
		s.PUK = reference{pad(piv.FactoryPUK), puk, puk}
	})
}

// reset is RESET: only when neither PIN nor PUK has an attempt left.
func (c *Card) reset(cmd Command) Status {
	if cmd.P1 != 0 || cmd.P2 != 0 {
		return WrongParameters
	}
	if c.state.PIN.Left > 0 || c.state.PUK.Left > 0 {
		return ConditionsNotMet
	}
	c.session = session{application: appPIV}
	return c.update((*state).resetApplication)
}

// moveKey is MOVE KEY (firmware 5.7): P1 the new slot, or FF to delete, and P2
// the old one. Certificates stay where they are.
func (c *Card) moveKey(cmd Command) Status {
	from, to := slot(cmd.P2), slot(cmd.P1)
	remove := cmd.P1 == 0xFF
	if !from.valid() || !remove && (!to.valid() || to == slotAttestation || from == slotAttestation || from == to) {
		return WrongParameters
	}
	if !c.session.managed {
		return SecurityNotSatisfied
	}
	k, ok := c.state.Keys[from]
	if !ok {
		return NoSuchReference
	}
	if _, occupied := c.state.Keys[to]; !remove && occupied {
		return WrongData
	}
	return c.update(func(s *state) {
		delete(s.Keys, from)
		if !remove {
			s.Keys[to] = k
		}
	})
}
