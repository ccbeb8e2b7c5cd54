package applet

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/des" //nolint:gosec // SP 800-78-4 keys of older cards are 3DES
	"crypto/rand"
	"crypto/subtle"

	"github.com/keyward/keyward/internal/piv"
)

// Management key algorithms (SP 800-78-4, table 6-2).
const (
	algDefaultTDES = 0x00
	algTDES        = 0x03
	algAES128      = 0x08
	algAES192      = 0x0A
	algAES256      = 0x0C

	refManagement = 0x9B
)

// Tags of GENERAL AUTHENTICATE (SP 800-73-4 part 2, table 7).
const (
	tagAuth        = 0x7C
	tagWitness     = 0x80
	tagChallenge   = 0x81
	tagResponse    = 0x82
	tagExponential = 0x85
)

// managementKeyLen returns the key's length in bytes, 0 for an unknown algorithm.
func managementKeyLen(alg byte) int {
	switch alg {
	case algTDES, algAES192:
		return 24
	case algAES128:
		return 16
	case algAES256:
		return 32
	}
	return 0
}

// challenge is what the card expects in the second half of a proof.
type challenge struct {
	mutual bool
	value  []byte // the plain witness or challenge
}

func (k managementKey) block() (cipher.Block, error) {
	if k.Algorithm == algTDES {
		return des.NewTripleDESCipher(k.Value) //nolint:gosec // as above
	}
	return aes.NewCipher(k.Value)
}

// isDefault reports whether the key is the factory's.
func (k managementKey) isDefault() bool { return bytes.Equal(k.Value, defaultManagementKey) }

// authenticate is GENERAL AUTHENTICATE (3.2.4): proofs with the management
// key, and all use of private keys.
func (c *Card) authenticate(cmd Command) ([]byte, Status) {
	request, ok := unwrap(cmd.Data, tagAuth)
	if !ok {
		return nil, WrongData
	}
	if cmd.P2 == refManagement {
		return c.proveManagement(cmd, request)
	}
	return c.useKey(cmd, request)
}

// proveManagement is external and mutual authentication. Each proof takes two commands;
// the card's random value is valid for one try.
func (c *Card) proveManagement(cmd Command, request fields) ([]byte, Status) {
	alg := cmd.P1
	if alg == algDefaultTDES {
		alg = algTDES
	}
	key := c.state.Management
	if alg != key.Algorithm {
		return nil, WrongParameters
	}
	block, err := key.block()
	if err != nil {
		return nil, Failure
	}
	pending := c.session.pending
	c.session.pending = challenge{}
	witness, hasWitness := request.get(tagWitness)
	given, hasChallenge := request.get(tagChallenge)
	response, hasResponse := request.get(tagResponse)
	switch {
	case hasWitness && len(witness) == 0:
		return c.offer(block, true)
	case hasWitness && hasChallenge:
		return c.finishMutual(block, pending, witness, given)
	case hasChallenge && len(given) == 0 && !hasResponse:
		return c.offer(block, false)
	case hasResponse && !hasChallenge:
		return nil, c.finishSingle(block, pending, response)
	}
	return nil, WrongData
}

// offer creates the random value: encrypted as a witness, plain as a challenge.
func (c *Card) offer(block cipher.Block, mutual bool) ([]byte, Status) {
	value := make([]byte, block.BlockSize())
	_, _ = rand.Read(value) // never fails (crypto/rand)
	c.session.pending = challenge{mutual, value}
	if !mutual {
		return object(tagAuth, object(tagChallenge, value)), OK
	}
	sealed := make([]byte, len(value))
	block.Encrypt(sealed, value)
	return object(tagAuth, object(tagWitness, sealed)), OK
}

func (c *Card) finishMutual(block cipher.Block, p challenge, witness, given []byte) ([]byte, Status) {
	if len(given) != block.BlockSize() {
		return nil, WrongData
	}
	if !p.mutual || subtle.ConstantTimeCompare(p.value, witness) != 1 {
		return nil, c.refuseManagement()
	}
	if status := c.grantManagement(); status != OK {
		return nil, status
	}
	sealed := make([]byte, len(given))
	block.Encrypt(sealed, given)
	return object(tagAuth, object(tagResponse, sealed)), OK
}

func (c *Card) finishSingle(block cipher.Block, p challenge, response []byte) Status {
	if p.mutual || p.value == nil {
		return c.refuseManagement()
	}
	want := make([]byte, len(p.value))
	block.Encrypt(want, p.value)
	if subtle.ConstantTimeCompare(want, response) != 1 {
		return c.refuseManagement()
	}
	return c.grantManagement()
}

// refuseManagement also forgets an earlier proof.
func (c *Card) refuseManagement() Status {
	c.session.managed = false
	return SecurityNotSatisfied
}

func (c *Card) grantManagement() Status {
	if !c.touchedFor(refManagement, c.state.Management.Touch) {
		return c.refuseManagement()
	}
	c.session.managed = true
	return OK
}

// setManagement is Yubico's SET MANAGEMENT KEY: algorithm, key reference and length,
// key. P2 FE requires a touch for each later proof.
func (c *Card) setManagement(cmd Command) Status {
	touch := touchNever
	switch {
	case cmd.P1 != 0xFF:
		return WrongParameters
	case cmd.P2 == 0xFE:
		touch = touchAlways
	case cmd.P2 == 0xFD:
		touch = touchCached
	case cmd.P2 != 0xFF:
		return WrongParameters
	}
	if !c.session.managed {
		return SecurityNotSatisfied
	}
	d := cmd.Data
	if len(d) < 3 || d[1] != refManagement || int(d[2]) != len(d)-3 || len(d)-3 != managementKeyLen(d[0]) {
		return WrongData
	}
	if d[0] != algTDES && !c.state.Firmware.AtLeast(piv.SinceAES) {
		return WrongData
	}
	return c.update(func(s *state) { s.Management = managementKey{d[0], bytes.Clone(d[3:]), touch} })
}
