package applet_test

import (
	"bytes"
	"crypto/rand"
	"testing"
)

// Every management key algorithm, by mutual and by single authentication.
func TestManagementKeys(t *testing.T) {
	t.Parallel()
	for alg, size := range map[byte]int{0x03: 24, 0x08: 16, 0x0A: 24, 0x0C: 32} {
		c := setup(t)
		c.managed()
		key := make([]byte, size)
		_, _ = rand.Read(key)
		c.must(0xFF, 0xFF, 0xFF, append([]byte{alg, 0x9B, byte(size)}, key...))
		c.open()
		if sw := c.manage(0x03, factoryKey); sw == 0x9000 {
			t.Errorf("algorithm %02X: the old key still works", alg)
		}
		if sw := c.manage(alg, key); sw != 0x9000 {
			t.Errorf("algorithm %02X: %04X", alg, sw)
		}
		other := bytes.Clone(key)
		other[0] ^= 0x80
		if sw := c.manage(alg, other); sw != 0x6982 {
			t.Errorf("algorithm %02X, wrong key: %04X, want 6982", alg, sw)
		}
		// A failed proof revokes the earlier one.
		c.want(0x6982, 0x47, 0, 0x9A, tlv(0xAC, tlv(0x80, []byte{0x11})))

		block := blockOf(t, alg, key)
		challenge := value(t, c.must(0x87, alg, 0x9B, tlv(0x7C, tlv(0x81))), 0x7C, 0x81)
		response := make([]byte, len(challenge))
		block.Encrypt(response, challenge)
		c.must(0x87, alg, 0x9B, tlv(0x7C, tlv(0x82, response)))
		c.want(0x6982, 0x87, alg, 0x9B, tlv(0x7C, tlv(0x82, response))) // a challenge is valid once
	}
}

func TestSetManagementKeyRefusals(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.managed()
	key := make([]byte, 24)
	c.want(0x6A80, 0xFF, 0xFF, 0xFF, append([]byte{0x0C, 0x9B, 24}, key...)) // too short for AES-256
	c.want(0x6A80, 0xFF, 0xFF, 0xFF, append([]byte{0x03, 0x9A, 24}, key...)) // another reference
	c.want(0x6A80, 0xFF, 0xFF, 0xFF, append([]byte{0x77, 0x9B, 24}, key...))
	c.want(0x6A80, 0xFF, 0xFF, 0xFF, append([]byte{0x03, 0x9B, 25}, key...))
	c.want(0x6A86, 0xFF, 0x00, 0xFF, append([]byte{0x03, 0x9B, 24}, key...))

	old := setup(t, firmware(t, "5.2.7"))
	old.managed()
	old.want(0x6A80, 0xFF, 0xFF, 0xFF, append([]byte{0x0A, 0x9B, 24}, key...)) // AES from 5.4 on
	old.want(0x6D00, 0xF7, 0, 0x80, nil)                                       // metadata from 5.3 on
}
