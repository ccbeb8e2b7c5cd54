package carddriver

import (
	"context"
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"encoding/hex"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
)

// managed connects and authenticates with a management key. For an empty algorithm it
// reads the card's.
func (d *Driver) managed(serial string, alg piv.Cipher, key secret.String) (*session, error) {
	s, err := d.connect(serial)
	if err != nil {
		return nil, err
	}
	if alg == "" {
		if alg, _, err = s.managementKey(); err != nil {
			return nil, err
		}
	}
	return s, s.authenticate(alg, key)
}

// authenticate is external authentication: the key encrypts the card's challenge (SP
// 800-73-4 part 2, A.1).
func (s *session) authenticate(alg piv.Cipher, key secret.String) error {
	wrong := fault.New(fault.WrongManagementKey, "", "The management key is wrong.")
	block, err := blockOf(alg, key)
	if err != nil {
		return wrong
	}
	reply, sw := s.send(0x87, alg.Identifier(), 0x9B, tlv(0x7C, tlv(0x81)))
	if sw != applet.OK {
		return s.fail("Asking for a challenge", sw)
	}
	challenge := find(find(reply, 0x7C), 0x81)
	if len(challenge) != block.BlockSize() {
		return s.fail("Asking for a challenge", applet.WrongData)
	}
	answer := make([]byte, len(challenge))
	block.Encrypt(answer, challenge)
	switch _, sw := s.send(0x87, alg.Identifier(), 0x9B, tlv(0x7C, tlv(0x82, answer))); sw {
	case applet.OK:
		return nil
	case applet.SecurityNotSatisfied:
		return wrong
	default:
		return s.fail("Authenticating with the management key", sw)
	}
}

func blockOf(alg piv.Cipher, key secret.String) (cipher.Block, error) {
	raw, err := hex.DecodeString(key.Reveal())
	if err != nil {
		return nil, err
	}
	if alg == piv.TDES {
		return des.NewTripleDESCipher(raw) // #nosec G405 -- what such cards know
	}
	return aes.NewCipher(raw)
}

// TryManagementKey implements driver.Driver.
func (d *Driver) TryManagementKey(_ context.Context, serial string, alg piv.Cipher, key secret.String) error {
	_, err := d.managed(serial, alg, key)
	return err
}

// ChangeManagementKey implements driver.Driver.
func (d *Driver) ChangeManagementKey(_ context.Context, serial string, current, next secret.String, alg piv.Cipher) error {
	s, err := d.managed(serial, "", current)
	if err != nil {
		return err
	}
	return s.setKey(next, alg)
}

// Where ykman notes that the card holds the key, and where it stores it.
const (
	notes   = 0x5FFF00
	printed = 0x5FC109
)

// Protect does what ykman's change-management-key --protect does: the card stores the
// key, readable with the PIN.
func (d *Driver) Protect(serial string, current, next secret.String) error {
	s, err := d.managed(serial, "", current)
	if err != nil {
		return err
	}
	if err := s.setKey(next, piv.TDES); err != nil {
		return err
	}
	raw, err := hex.DecodeString(next.Reveal())
	if err != nil {
		return err
	}
	if err := s.store(notes, tlv(0x80, tlv(0x81, []byte{2}))); err != nil {
		return err
	}
	return s.store(printed, tlv(0x88, tlv(0x89, raw)))
}

// TakeManagementKey implements driver.Driver.
func (d *Driver) TakeManagementKey(_ context.Context, serial string, pin, next secret.String, alg piv.Cipher) error {
	s, err := d.connect(serial)
	if err != nil {
		return err
	}
	if _, sw := s.send(0x20, 0, 0x80, reference(pin)); sw != applet.OK {
		return s.judge("Verifying the PIN", sw, pinCodes)
	}
	kept, err := s.object(printed)
	if err != nil {
		return err
	}
	present, _, err := s.managementKey()
	if err != nil {
		return err
	}
	if err := s.authenticate(present, secret.New(hex.EncodeToString(find(find(kept, 0x88), 0x89)))); err != nil {
		return err
	}
	if err := s.setKey(next, alg); err != nil {
		return err
	}
	return s.store(notes, tlv(0x80, tlv(0x81, []byte{0})))
}

func (s *session) setKey(key secret.String, alg piv.Cipher) error {
	raw, err := hex.DecodeString(key.Reveal())
	if err != nil {
		return fault.Invalid(fault.Wrong("management_key", "not_hex", "must be hexadecimal"))
	}
	data := append([]byte{alg.Identifier(), 0x9B, byte(len(raw))}, raw...)
	if _, sw := s.send(0xFF, 0xFF, 0xFF, data); sw != applet.OK {
		return s.fail("Setting the management key", sw)
	}
	return nil
}

// store writes a data object.
func (s *session) store(id uint32, content ...[]byte) error {
	data := append(tlv(0x5C, []byte{byte(id >> 16), byte(id >> 8), byte(id)}), tlv(0x53, content...)...)
	if _, sw := s.send(0xDB, 0x3F, 0xFF, data); sw != applet.OK {
		return s.fail("Storing a data object", sw)
	}
	return nil
}

// tlv encodes one data object with a tag of one to three bytes.
func tlv(tag uint32, values ...[]byte) []byte {
	var body, b []byte
	for _, v := range values {
		body = append(body, v...)
	}
	for shift := 16; shift >= 0; shift -= 8 {
		if tag>>shift > 0 {
			b = append(b, byte(tag>>shift))
		}
	}
	switch n := len(body); {
	case n < 0x80:
		b = append(b, byte(n))
	case n < 0x100:
		b = append(b, 0x81, byte(n))
	default:
		b = append(b, 0x82, byte(n>>8), byte(n))
	}
	return append(b, body...)
}

// find returns the value of the first top-level object of a tag (of one or two bytes),
// nil when there is none or the data is truncated.
func find(b []byte, tag uint32) []byte {
	for len(b) >= 2 {
		got, n := uint32(b[0]), 1
		if b[0]&0x1F == 0x1F {
			got, n = got<<8|uint32(b[1]), 2
		}
		if len(b) < n+3 && len(b) < n+1 {
			return nil
		}
		size := int(b[n])
		n++
		switch {
		case size == 0x81 && len(b) > n:
			size, n = int(b[n]), n+1
		case size == 0x82 && len(b) > n+1:
			size, n = int(b[n])<<8|int(b[n+1]), n+2
		}
		if len(b) < n+size {
			return nil
		}
		if got == tag {
			return b[n : n+size]
		}
		b = b[n+size:]
	}
	return nil
}
