package applet_test

import (
	"bytes"
	"crypto/rand"
	"testing"

	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
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
		// A failed proof takes the earlier one away.
		c.want(0x6982, 0x47, 0, 0x9A, tlv(0xAC, tlv(0x80, []byte{0x11})))

		block := blockOf(t, alg, key)
		challenge := value(t, c.must(0x87, alg, 0x9B, tlv(0x7C, tlv(0x81))), 0x7C, 0x81)
		response := make([]byte, len(challenge))
		block.Encrypt(response, challenge)
		c.must(0x87, alg, 0x9B, tlv(0x7C, tlv(0x82, response)))
		c.want(0x6982, 0x87, alg, 0x9B, tlv(0x7C, tlv(0x82, response))) // a challenge serves once
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

// A management key that asks for a touch.
func TestManagementKeyTouch(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.managed()
	c.must(0xFF, 0xFF, 0xFE, append([]byte{0x03, 0x9B, 24}, factoryKey...))
	c.card.SetTouch(func(applet.Command) bool { return false })
	c.open()
	c.card.PowerOn()
	c.open()
	if sw := c.manage(0x03, factoryKey); sw != 0x6982 {
		t.Errorf("without a touch: %04X, want 6982", sw)
	}
	c.card.SetTouch(nil)
	c.managed()
}

func TestSetRetries(t *testing.T) {
	t.Parallel()
	c := setup(t)
	c.managed()
	c.want(0x6982, 0xFA, 5, 8, nil) // the PIN is missing
	c.must(0x24, 0, 0x81, append(pad8("12345678"), pad8("87654321")...))
	c.verify("123456")
	c.must(0xFA, 5, 8, nil)
	if total, left := c.retries(0x80); total != 5 || left != 5 {
		t.Errorf("PIN: %d of %d", left, total)
	}
	if total, left := c.retries(0x81); total != 8 || left != 8 {
		t.Errorf("PUK: %d of %d", left, total)
	}
	c.must(0x2C, 0, 0x80, append(pad8("12345678"), pad8("654321")...)) // the factory PUK is back
	c.want(0x6A86, 0xFA, 0, 8, nil)
}

func TestPINComplexity(t *testing.T) {
	t.Parallel()
	c := setup(t, firmware(t, "5.7.1"), func(o *applet.Options) { o.PINComplexity = true })
	change := func(pin string) int {
		_, sw := c.send(0x24, 0, 0x80, append(pad8("123456"), pad8(pin)...))
		return sw
	}
	for _, pin := range []string{"111111", "654321", "password", "aaaaaaaa"} {
		if sw := change(pin); sw != 0x6985 {
			t.Errorf("PIN %q: %04X, want 6985", pin, sw)
		}
	}
	if sw := change("428193"); sw != 0x9000 {
		t.Errorf("a good PIN: %04X", sw)
	}
}

// What the management application tells ykman.
func TestDeviceInfo(t *testing.T) {
	t.Parallel()
	c := setup(t)
	banner := c.must(0xA4, 4, 0, unhex(t, "A0 00 00 05 27 47 11 17"))
	if !bytes.Contains(banner, []byte("5.4.3")) {
		t.Errorf("the banner %q has no version", banner)
	}
	info := c.must(0x1D, 0, 0, nil)
	if int(info[0]) != len(info)-1 {
		t.Fatalf("length byte %d of %d bytes", info[0], len(info))
	}
	for tag, want := range map[int]string{2: "01 35 24 A1", 4: "01", 5: "05 04 03"} {
		if got := value(t, info[1:], tag); !bytes.Equal(got, unhex(t, want)) {
			t.Errorf("tag %02X: % X, want %s", tag, got, want)
		}
	}
}
