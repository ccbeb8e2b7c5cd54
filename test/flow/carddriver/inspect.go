package carddriver

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rsa"
	"crypto/x509"
	"math/big"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
)

// Inspect implements driver.Driver.
func (d *Driver) Inspect(_ context.Context, serial string) (driver.Card, error) {
	s, err := d.connect(serial)
	if err != nil {
		return driver.Card{}, err
	}
	v, sw := s.send(0xFD, 0, 0, nil)
	if sw != applet.OK || len(v) != 3 {
		return driver.Card{}, s.fail("Reading the version", sw)
	}
	c := driver.Card{
		Serial: serial, Version: piv.Version(v),
		Slots: map[piv.Slot]driver.SlotState{},
	}
	if c.PIN, err = s.counter(0x80); err != nil {
		return c, err
	}
	if c.PUK, err = s.counter(0x81); err != nil {
		return c, err
	}
	if c.ManagementKeyAlgorithm, c.ManagementKeyDefault, err = s.managementKey(); err != nil {
		return c, err
	}
	kept, err := s.object(notes)
	if err != nil {
		return c, err
	}
	flags := find(find(kept, 0x80), 0x81)
	c.ManagementKeyOnToken = len(flags) == 1 && flags[0]&2 != 0
	capabilities, err := s.object(ccc)
	if err != nil {
		return c, err
	}
	c.NoCapabilities = capabilities == nil
	for _, slot := range piv.Slots {
		if c.Slots[slot], err = s.slot(slot); err != nil {
			return c, err
		}
	}
	return c, nil
}

// metadata returns nil, without an error, if the card has none: before firmware 5.3,
// and for an empty slot.
func (s *session) metadata(p2 byte) ([]byte, error) {
	reply, sw := s.send(0xF7, 0, p2, nil)
	switch sw {
	case applet.OK:
		return reply, nil
	case applet.UnknownInstruction, applet.NoSuchReference:
		return nil, nil
	}
	return nil, s.fail("Reading metadata", sw)
}

// counter reads PIN or PUK. Before 5.3 the PIN's tries come from VERIFY without data,
// and the PUK's are unknown.
func (s *session) counter(p2 byte) (driver.Counter, error) {
	c := driver.Unknown
	m, err := s.metadata(p2)
	if err != nil {
		return c, err
	}
	if t := find(m, 0x06); len(t) == 2 {
		c.Total, c.Left = int(t[0]), int(t[1])
	}
	c.Default = flag(find(m, 0x05))
	if m != nil || p2 != 0x80 {
		return c, nil
	}
	switch _, sw := s.send(0x20, 0, p2, nil); {
	case sw == applet.Blocked:
		c.Left = 0
	case sw&0xFFF0 == applet.WrongReference:
		c.Left = int(sw & 0xF)
	default:
		return c, s.fail("Reading the tries", sw)
	}
	return c, nil
}

func (s *session) managementKey() (piv.Cipher, *bool, error) {
	m, err := s.metadata(0x9B)
	if err != nil {
		return "", nil, err
	}
	if id := find(m, 0x01); len(id) == 1 {
		return piv.CipherOf(id[0]), flag(find(m, 0x05)), nil
	}
	return piv.TDES, nil, nil
}

func flag(b []byte) *bool {
	if len(b) != 1 {
		return nil
	}
	v := b[0] != 0
	return &v
}

func (s *session) slot(slot piv.Slot) (driver.SlotState, error) {
	m, err := s.metadata(slot.Reference())
	if err != nil {
		return driver.SlotState{}, err
	}
	state := driver.SlotState{HasKey: m != nil}
	if id := find(m, 0x01); len(id) == 1 {
		switch id[0] {
		case rsa2048:
			state.Type, state.Key = piv.RSA2048, publicKey(find(m, 0x04))
		case p256:
			state.Type = piv.ECP256
			if state.Key, err = ecdsa.ParseUncompressedPublicKey(elliptic.P256(), find(find(m, 0x04), 0x86)); err != nil {
				return state, err
			}
		}
	}
	if o := find(m, 0x03); len(o) == 1 {
		state.Generated = o[0] == 1
	}
	der, err := s.object(slot.CertificateObject())
	if err != nil || der == nil {
		return state, err
	}
	if state.Certificate, err = x509.ParseCertificate(find(der, 0x70)); err != nil {
		state.Unreadable = true
	}
	return state, nil
}

// object reads a data object, nil when there is none.
func (s *session) object(id uint32) ([]byte, error) {
	reply, sw := s.send(0xCB, 0x3F, 0xFF, tlv(0x5C, []byte{byte(id >> 16), byte(id >> 8), byte(id)}))
	switch sw {
	case applet.OK:
		return find(reply, 0x53), nil
	case applet.NotFound:
		return nil, nil
	}
	return nil, s.fail("Reading a data object", sw)
}

func publicKey(b []byte) *rsa.PublicKey {
	e := new(big.Int).SetBytes(find(b, 0x82))
	return &rsa.PublicKey{N: new(big.Int).SetBytes(find(b, 0x81)), E: int(e.Int64())}
}
