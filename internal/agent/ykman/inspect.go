package ykman

import (
	"context"
	"fmt"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
)

// What Inspect sends, in this order.
const (
	getVersion = "00fd0000" // Yubico: GET VERSION
	pinTries   = "00200080" // VERIFY without data returns the tries left, costs none (SP 800-73-4 part 2, 3.2.1)
	metaPIN    = "00f70080" // Yubico: GET METADATA, firmware 5.3
	metaPUK    = "00f70081"
	metaKey    = "00f7009b"
	pivmanData = "00cb3fff:5c035fff00" // ykman's own notes on the token
	getCCC     = "00cb3fff:5c035fc107" // Card Capability Container (SP 800-73-4 part 1, 3.1.1)
)

func metaSlot(s piv.Slot) string { return "00f700" + string(s) }
func getObject(id string) string { return "00cb3fff:5c03" + id }

// Inspect reads everything in one call of the tool.
func (d *Driver) Inspect(ctx context.Context, serial string) (driver.Card, error) {
	apdus := []string{getVersion, pinTries, metaPIN, metaPUK, metaKey, pivmanData, getCCC}
	fixed := len(apdus)
	for _, s := range piv.Slots {
		apdus = append(apdus, metaSlot(s), getObject(fmt.Sprintf("%06x", s.CertificateObject())))
	}
	rs, err := d.transmit(ctx, serial, apdus...)
	if err != nil {
		return driver.Card{}, err
	}
	c := driver.Card{Serial: serial, PIN: driver.Unknown, PUK: driver.Unknown, Slots: map[piv.Slot]driver.SlotState{}}
	if err := readFixed(&c, rs[:fixed]); err != nil {
		return driver.Card{}, fault.New(fault.ToolFailed, "answers",
			"The token's responses can't be read. Its PIV application may be damaged or unknown. Try another token.").With(
			err).WithExtra(driver.OutcomeKnown, true)
	}
	for i, s := range piv.Slots {
		c.Slots[s] = readSlot(rs[fixed+2*i], rs[fixed+2*i+1])
	}
	return c, nil
}

func readFixed(c *driver.Card, rs []response) error {
	if !rs[0].ok() || len(rs[0].data) != 3 {
		return fmt.Errorf("GET VERSION: SW=%04X, %d bytes", rs[0].sw, len(rs[0].data))
	}
	c.Version = piv.Version(rs[0].data)
	c.ManagementKeyAlgorithm = piv.TDES // before firmware 5.3 there is no other
	if left, ok := triesFromSW(rs[1].sw); ok {
		c.PIN.Left = left
	}
	if err := readCounter(&c.PIN, rs[2]); err != nil {
		return err
	}
	if err := readCounter(&c.PUK, rs[3]); err != nil {
		return err
	}
	if err := readManagementKey(c, rs[4]); err != nil {
		return err
	}
	c.ManagementKeyOnToken = keyOnToken(rs[5])
	c.NoCapabilities = rs[6].sw == swNotFound
	return nil
}

// triesFromSW decodes 63Cx and 6983 (ISO/IEC 7816-4, table 6).
func triesFromSW(sw uint16) (int, bool) {
	switch {
	case sw&0xfff0 == 0x63c0:
		return int(sw & 0x0f), true
	case sw == 0x6983:
		return 0, true
	}
	return 0, false
}

// Tags of Yubico's metadata.
const (
	metaAlgorithm = 0x01
	metaPolicy    = 0x02
	metaOrigin    = 0x03
	metaPublicKey = 0x04
	metaDefault   = 0x05
	metaRetries   = 0x06
)

// readCounter reads the metadata of the PIN or PUK. Without metadata it leaves c
// unchanged.
func readCounter(c *driver.Counter, r response) error {
	if !r.ok() {
		return nil
	}
	m, err := tlvs(r.data)
	if err != nil {
		return err
	}
	if t := m[metaRetries]; len(t) == 2 {
		c.Total, c.Left = int(t[0]), int(t[1])
	}
	c.Default = flag(m[metaDefault])
	return nil
}

func readManagementKey(c *driver.Card, r response) error {
	if !r.ok() {
		return nil
	}
	m, err := tlvs(r.data)
	if err != nil {
		return err
	}
	c.ManagementKeyDefault = flag(m[metaDefault])
	if a := m[metaAlgorithm]; len(a) == 1 {
		if c.ManagementKeyAlgorithm = piv.CipherOf(a[0]); c.ManagementKeyAlgorithm == "" {
			return fmt.Errorf("unknown management key algorithm %02X", a[0])
		}
	}
	return nil
}

func flag(b []byte) *bool {
	if len(b) != 1 {
		return nil
	}
	v := b[0] != 0
	return &v
}

// keyOnToken reads ykman's notes: object 80, flags 81 (bit 2: the key is
// stored under the PIN), salt 82 (the key is derived from the PIN).
func keyOnToken(r response) bool {
	if !r.ok() {
		return false
	}
	outer, err := tlvs(r.data)
	if err != nil {
		return false
	}
	notes, err := tlvs(outer[0x53])
	if err != nil {
		return false
	}
	m, err := tlvs(notes[0x80])
	if err != nil {
		return false
	}
	flags := m[0x81]
	return len(m[0x82]) > 0 || len(flags) == 1 && flags[0]&0x02 != 0
}
