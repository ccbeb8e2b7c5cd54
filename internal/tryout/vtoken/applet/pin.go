package applet

import (
	"bytes"
	"crypto/subtle"
)

// Key references of the PIN and the PUK (SP 800-73-4, table 4).
const (
	refPIN = 0x80
	refPUK = 0x81

	referenceLen = 8
	minReference = 6
	padding      = 0xFF
)

// pad pads a factory PIN or PUK to the card's 8 bytes.
func pad(text string) []byte {
	return append([]byte(text), bytes.Repeat([]byte{padding}, referenceLen-len(text))...)
}

func (s *state) pin() *reference { return &s.PIN }
func (s *state) puk() *reference { return &s.PUK }

// compare checks a PIN or PUK. It records the attempt on disk before the comparison, so
// that no power cut restores an attempt.
//
// Any 8 bytes count as an attempt, even ones that no PIN can have: ykman's reset blocks
// the PIN with eight FF. SP 800-73-4 would refuse them uncounted.
func (c *Card) compare(which func(*state) *reference, given []byte) Status {
	if which(c.state).Left == 0 {
		return Blocked
	}
	if status := c.update(func(s *state) { which(s).Left-- }); status != OK {
		return status
	}
	r := which(c.state)
	if subtle.ConstantTimeCompare(r.Value, given) != 1 {
		return wrongReference(r.Left)
	}
	return c.update(func(s *state) { which(s).Left = which(s).Tries })
}

// verify is VERIFY for the PIN: with data it checks the PIN, without data it returns
// the status, and with P1 FF it clears an earlier success (SP 800-73-4, 3.2.1).
func (c *Card) verify(cmd Command) Status {
	switch {
	case cmd.P2 != refPIN:
		return NoSuchReference
	case cmd.P1 == 0xFF && len(cmd.Data) == 0:
		c.session.pinVerified, c.session.pinFresh = false, false
		return OK
	case cmd.P1 != 0:
		return WrongParameters
	case len(cmd.Data) == 0:
		return c.pinStatus()
	case len(cmd.Data) != referenceLen:
		return WrongData
	}
	c.session.pinVerified, c.session.pinFresh = false, false
	status := c.compare((*state).pin, cmd.Data)
	c.session.pinVerified, c.session.pinFresh = status == OK, status == OK
	return status
}

func (c *Card) pinStatus() Status {
	switch {
	case c.session.pinVerified:
		return OK
	case c.state.PIN.Left == 0:
		return Blocked
	}
	return wrongReference(c.state.PIN.Left)
}

// changeReference is CHANGE REFERENCE DATA for PIN and PUK (3.2.2).
func (c *Card) changeReference(cmd Command) Status {
	which := (*state).pin
	switch {
	case cmd.P1 != 0:
		return WrongParameters
	case cmd.P2 == refPUK:
		which = (*state).puk
	case cmd.P2 != refPIN:
		return NoSuchReference
	}
	status := c.replace(cmd.Data, which, which)
	if cmd.P2 == refPIN && status != WrongData {
		c.session.pinVerified, c.session.pinFresh = status == OK, status == OK
	}
	return status
}

// resetRetryCounter is RESET RETRY COUNTER: the PUK sets a new PIN (3.2.3).
func (c *Card) resetRetryCounter(cmd Command) Status {
	switch {
	case cmd.P1 != 0:
		return WrongParameters
	case cmd.P2 != refPIN:
		return NoSuchReference
	}
	return c.replace(cmd.Data, (*state).puk, (*state).pin)
}

// replace checks one reference and gives another a new value and full tries.
func (c *Card) replace(data []byte, proof, target func(*state) *reference) Status {
	if len(data) != 2*referenceLen {
		return WrongData
	}
	given, next := data[:referenceLen], data[referenceLen:]
	if status := c.compare(proof, given); status != OK {
		return status
	}
	if !wellFormed(next) {
		return WrongData
	}
	if c.complexity && trivial(next) {
		return ConditionsNotMet
	}
	return c.update(func(s *state) {
		r := target(s)
		r.Value, r.Left = bytes.Clone(next), r.Tries
	})
}

// wellFormed reports whether 8 bytes are a text of 6 to 8 bytes and its padding.
func wellFormed(value []byte) bool {
	text := bytes.TrimRight(value, string([]byte{padding}))
	return len(text) >= minReference && bytes.IndexByte(text, padding) < 0
}

// trivial implements the PIN complexity rule (Yubico, firmware 5.7): it reports a value
// of one repeated character, or a common value.
func trivial(value []byte) bool {
	text := string(bytes.TrimRight(value, string([]byte{padding})))
	for _, common := range commonReferences {
		if text == common {
			return true
		}
	}
	for i := range text {
		if text[i] != text[0] {
			return false
		}
	}
	return true
}

// commonReferences are the values of Yubico's published list that fit in 6 to 8 bytes.
var commonReferences = []string{
	"123456", "123123", "654321", "123321", "112233", "121212", "520520",
	"123654", "159753", "1234567", "12345678", "123456789", "qwerty",
	"abc123", "password", "qwerty12",
}
