package ykman

import (
	"context"
	"fmt"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
)

// What Inspect sends, in this order.
const (
	getVersion = "00fd0000" // Yubico: GET VERSION
	pinTries   = "00200080" // VERIFY without data tells the tries left and costs none (SP 800-73-4 part 2, 3.2.1)
	metaPIN    = "00f70080" // Yubico: GET METADATA, firmware 5.3
	metaPUK    = "00f70081"
	metaKey    = "00f7009b"
	pivmanData = "00cb3fff:5c035fff00" // ykman's own notes on the token
)

// certificateObject is the data object of a slot's certificate (SP 800-73-4,
// part 1, table 3).
var certificateObject = map[driver.Slot]string{
	driver.Authentication:     "5fc105",
	driver.Signature:          "5fc10a",
	driver.KeyManagement:      "5fc10b",
	driver.CardAuthentication: "5fc101",
}

func metaSlot(s driver.Slot) string { return "00f700" + string(s) }
func getObject(id string) string    { return "00cb3fff:5c03" + id }

// Inspect reads everything in one call of the tool.
func (d *Driver) Inspect(ctx context.Context, serial string) (driver.Card, error) {
	apdus := []string{getVersion, pinTries, metaPIN, metaPUK, metaKey, pivmanData}
	fixed := len(apdus)
	for _, s := range driver.Slots {
		apdus = append(apdus, metaSlot(s), getObject(certificateObject[s]))
	}
	rs, err := d.transmit(ctx, serial, apdus...)
	if err != nil {
		return driver.Card{}, err
	}
	c := driver.Card{Serial: serial, PIN: driver.Unknown, PUK: driver.Unknown, Slots: map[driver.Slot]driver.SlotState{}}
	if err := readFixed(&c, rs[:fixed]); err != nil {
		return driver.Card{}, fault.New(fault.ToolFailed, "The token's answers are not understood; its PIV application may be damaged or of an unknown make.").With(err).WithExtra(driver.OutcomeKnown, true)
	}
	for i, s := range driver.Slots {
		c.Slots[s] = readSlot(rs[fixed+2*i], rs[fixed+2*i+1])
	}
	return c, nil
}

func readFixed(c *driver.Card, rs []response) error {
	if !rs[0].ok() || len(rs[0].data) != 3 {
		return fmt.Errorf("GET VERSION: SW=%04X, %d bytes", rs[0].sw, len(rs[0].data))
	}
	v := rs[0].data
	c.Version = driver.Version{Major: int(v[0]), Minor: int(v[1]), Patch: int(v[2])}
	c.ManagementKeyAlgorithm = driver.TDES // before firmware 5.3 there is no other
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
	return nil
}

// triesFromSW reads 63Cx and 6983 (ISO/IEC 7816-4, table 6).
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

// readCounter reads the metadata of PIN or PUK; a token without metadata
// leaves what is known already.
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
		alg, ok := managementAlgorithms[a[0]]
		if !ok {
			return fmt.Errorf("unknown management key algorithm %02X", a[0])
		}
		c.ManagementKeyAlgorithm = alg
	}
	return nil
}

// managementAlgorithms are the identifiers of SP 800-78-4, table 6-2.
var managementAlgorithms = map[byte]driver.Algorithm{
	0x03: driver.TDES, 0x08: driver.AES128, 0x0a: driver.AES192, 0x0c: driver.AES256,
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
