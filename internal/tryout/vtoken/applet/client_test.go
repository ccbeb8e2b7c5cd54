package applet_test

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/des"
	"crypto/rand"
	"crypto/rsa"
	"encoding/hex"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
	"github.com/keyward/keyward/test/must"
)

// unhex decodes bytes written as in the standards: "00 A4 04 00".
func unhex(t testing.TB, text string) []byte {
	t.Helper()
	raw, err := hex.DecodeString(strings.ReplaceAll(text, " ", ""))
	if err != nil {
		t.Fatalf("bad hex in the test: %v", err)
	}
	return raw
}

// client talks to a card as a middleware does. It is written from the standard, without
// the card's own code.
type client struct {
	t    testing.TB
	card *applet.Card
}

// rsaPool is generated once: the card's tests need a key, not a fresh one.
var rsaPool = sync.OnceValues(func() (*rsa.PrivateKey, error) { return rsa.GenerateKey(rand.Reader, 2048) })

// setup creates a card with its own file and selects the PIV application.
func setup(t testing.TB, change ...func(*applet.Options)) client {
	t.Helper()
	o := applet.Options{
		Serial: 20260001, Path: filepath.Join(t.TempDir(), "card.json"),
		GenerateRSA: func(int) (*rsa.PrivateKey, error) { return rsaPool() },
	}
	for _, f := range change {
		f(&o)
	}
	card := must.Get(applet.New(o))(t)
	c := client{t, card}
	c.open()
	return c
}

func firmware(t testing.TB, text string) func(*applet.Options) {
	v := must.Get(applet.ParseFirmware(text))(t)
	return func(o *applet.Options) { o.Firmware = v }
}

// raw sends bytes; the status word 0 means "no answer".
func (c client) raw(apdu []byte) ([]byte, int) {
	reply := c.card.Transmit(apdu)
	if reply == nil {
		return nil, 0
	}
	n := len(reply) - 2
	return reply[:n], int(reply[n])<<8 | int(reply[n+1])
}

// send sends a command with extended lengths.
func (c client) send(ins, p1, p2 byte, data []byte) ([]byte, int) {
	apdu := []byte{0, ins, p1, p2, 0}
	if len(data) > 0 {
		apdu = append(apdu, byte(len(data)>>8), byte(len(data)))
		apdu = append(apdu, data...)
	}
	return c.raw(append(apdu, 0, 0))
}

// must sends a command that must succeed.
func (c client) must(ins, p1, p2 byte, data []byte) []byte {
	c.t.Helper()
	reply, sw := c.send(ins, p1, p2, data)
	if sw != 0x9000 {
		c.t.Fatalf("INS %02X P1 %02X P2 %02X: status word %04X", ins, p1, p2, sw)
	}
	return reply
}

// want sends a command and checks its status word.
func (c client) want(sw int, ins, p1, p2 byte, data []byte) {
	c.t.Helper()
	if _, got := c.send(ins, p1, p2, data); got != sw {
		c.t.Errorf("INS %02X P1 %02X P2 %02X: status word %04X, want %04X", ins, p1, p2, got, sw)
	}
}

// open powers the card and selects the PIV application.
func (c client) open() {
	c.t.Helper()
	c.card.PowerOn()
	c.must(0xA4, 4, 0, []byte{0xA0, 0, 0, 3, 8})
}

// pad8 is the card's form of a PIN or PUK.
func pad8(text string) []byte {
	b := []byte(text)
	for len(b) < 8 {
		b = append(b, 0xFF)
	}
	return b
}

func (c client) verify(pin string) int {
	_, sw := c.send(0x20, 0, 0x80, pad8(pin))
	return sw
}

// tlv makes one data object with a one or two byte tag.
func tlv(tag int, value ...[]byte) []byte {
	var body []byte
	for _, v := range value {
		body = append(body, v...)
	}
	var b []byte
	if tag > 0xFFFF {
		b = append(b, byte(tag>>16))
	}
	if tag > 0xFF {
		b = append(b, byte(tag>>8))
	}
	b = append(b, byte(tag))
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

// value extracts the value of nested data objects, one tag per level.
func value(t testing.TB, b []byte, tags ...int) []byte {
	t.Helper()
	for _, tag := range tags {
		found := false
		for len(b) > 0 && !found {
			got, n := int(b[0]), 1
			if b[0]&0x1F == 0x1F {
				got, n = got<<8|int(b[1]), 2
			}
			size := int(b[n])
			n++
			switch size {
			case 0x81:
				size, n = int(b[n]), n+1
			case 0x82:
				size, n = int(b[n])<<8|int(b[n+1]), n+2
			}
			if got == tag {
				b, found = b[n:n+size], true
			} else {
				b = b[n+size:]
			}
		}
		if !found {
			t.Fatalf("data object %X is missing", tag)
		}
	}
	return b
}

var factoryKey = []byte{1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8}

func blockOf(t testing.TB, alg byte, key []byte) cipher.Block {
	t.Helper()
	make := aes.NewCipher
	if alg == 0x03 {
		make = des.NewTripleDESCipher
	}
	return must.Get(make(key))(t)
}

// manage performs mutual authentication with a management key and returns the last
// status word.
func (c client) manage(alg byte, key []byte) int {
	c.t.Helper()
	block := blockOf(c.t, alg, key)
	reply, sw := c.send(0x87, alg, 0x9B, tlv(0x7C, tlv(0x80)))
	if sw != 0x9000 {
		return sw
	}
	witness := make([]byte, block.BlockSize())
	block.Decrypt(witness, value(c.t, reply, 0x7C, 0x80))
	challenge := make([]byte, block.BlockSize())
	_, _ = rand.Read(challenge)
	reply, sw = c.send(0x87, alg, 0x9B, tlv(0x7C, tlv(0x80, witness), tlv(0x81, challenge)))
	if sw != 0x9000 {
		return sw
	}
	want := make([]byte, block.BlockSize())
	block.Encrypt(want, challenge)
	if got := value(c.t, reply, 0x7C, 0x82); string(got) != string(want) {
		c.t.Error("the card did not prove that it knows the management key")
	}
	return sw
}

// managed is manage with the factory key, which must succeed.
func (c client) managed() {
	c.t.Helper()
	if sw := c.manage(0x03, factoryKey); sw != 0x9000 {
		c.t.Fatalf("management key: status word %04X", sw)
	}
}

// generate generates a key in a slot and returns the public key's data objects.
func (c client) generate(slot, alg byte, policies ...[]byte) []byte {
	c.t.Helper()
	request := append([][]byte{tlv(0x80, []byte{alg})}, policies...)
	return value(c.t, c.must(0x47, 0, slot, tlv(0xAC, request...)), 0x7F49)
}

// retries reads total and left from the metadata of PIN (80) or PUK (81).
func (c client) retries(reference byte) (total, left int) {
	c.t.Helper()
	b := value(c.t, c.must(0xF7, 0, reference, nil), 0x06)
	return int(b[0]), int(b[1])
}

// modelTime is any moment within the validity of the tests' roots.
var modelTime = time.Now()
