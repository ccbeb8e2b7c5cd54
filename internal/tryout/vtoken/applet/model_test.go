package applet_test

import (
	"bytes"
	"crypto/rsa"
	"testing"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
	"github.com/keyward/keyward/test/must"
	"pgregory.net/rapid"
)

// No command returns an imported private key: whatever is sent, the secret appears in
// no response.
func TestKeyNeverLeaves(t *testing.T) {
	t.Parallel()
	secret := bytes.Repeat([]byte{0x5A, 0xC3}, 16)
	c := setup(t, firmware(t, "5.7.1"))
	rapid.Check(t, func(rt *rapid.T) {
		must.OK(rt, c.card.FactoryReset())
		c.open()
		c.manage(0x0A, factoryKey)
		c.verify("123456")
		c.must(0xFE, 0x11, 0x9A, tlv(6, secret))
		for _, apdu := range rapid.SliceOfN(anyCommand(), 1, 30).Draw(rt, "commands") {
			if reply := c.card.Transmit(apdu); bytes.Contains(reply, secret[:16]) {
				rt.Fatalf("% X brought the private key out", apdu)
			}
		}
	})
}

// anyCommand generates commands that are likely to be meaningful.
func anyCommand() *rapid.Generator[[]byte] {
	return rapid.Custom(func(rt *rapid.T) []byte {
		ins := rapid.SampledFrom(instructions).Draw(rt, "ins")
		p1 := rapid.SampledFrom([]byte{0, 0x3F, 0x9A, 0x83, 0x11, 0x0A, 0xFF, 3}).Draw(rt, "p1")
		p2 := rapid.SampledFrom([]byte{0, 0xFF, 0x9A, 0x83, 0x80, 0x81, 0x9B, 0xF9}).Draw(rt, "p2")
		data := rapid.SampledFrom([][]byte{
			nil, {0x5C, 1, 0x7E}, {0x5C, 3, 0x5F, 0xC1, 5}, {0x5C, 3, 0x5F, 0xFF, 1},
			tlv(0x7C, tlv(0x82), tlv(0x81, make([]byte, 32))), tlv(0x7C, tlv(0x80)),
			tlv(0xAC, tlv(0x80, []byte{0x11})), pad8("123456"), pad8("666666"),
			append(pad8("123456"), pad8("123456")...),
		}).Draw(rt, "data")
		apdu := append([]byte{0, ins, p1, p2, 0}, byte(len(data)>>8), byte(len(data)))
		return append(apdu, data...)
	})
}

var instructions = []byte{
	0x20, 0x24, 0x2C, 0x47, 0x87, 0xA4, 0xC0, 0xCB, 0xDB, 0xF6, 0xF7, 0xF8, 0xF9, 0xFD, 0xFE, 0xFF, 0x1D,
}

// FuzzTransmit sends arbitrary bytes: the card never panics, and a powered card always
// returns a status word that ISO 7816-4 allows.
func FuzzTransmit(f *testing.F) {
	for _, seed := range []string{selectPIV, goodPIN, badPUK, askPIN,
		"00 87 11 9A 04 7C 02 82 00", "10 20 00 80 02 31 32", "00 CB 3F FF 00 00 05 5C 03 5F C1 05 00 00",
		"00 47 00 9A 05 AC 03 80 01 11", "00 F9 9A 00", "00 FE 11 9A 03 06 01 01", "00 F6 FF 9A", "00 1D 00 00",
	} {
		f.Add(unhex(f, seed), unhex(f, goodPIN), true)
		f.Add(unhex(f, selectPIV), unhex(f, seed), false)
	}
	root := must.Get(applet.NewRoot(modelTime))(f)
	f.Fuzz(func(t *testing.T, first, second []byte, managed bool) {
		card := must.Get(applet.New(applet.Options{
			Serial: 1, Root: root, Firmware: piv.Version{5, 7, 1},
			GenerateRSA: func(int) (*rsa.PrivateKey, error) { return rsaPool() },
		}))(t)
		c := client{t, card}
		c.open()
		if managed {
			c.manage(0x0A, factoryKey)
		}
		for _, apdu := range [][]byte{first, second} {
			reply := card.Transmit(apdu)
			if len(reply) < 2 {
				t.Fatalf("% X: answer % X has no status word", apdu, reply)
			}
			if sw1 := reply[len(reply)-2]; sw1 != 0x90 && sw1>>4 != 6 {
				t.Fatalf("% X: status word % X", apdu, reply[len(reply)-2:])
			}
		}
	})
}
