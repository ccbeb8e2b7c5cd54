package applet

import (
	"encoding/binary"

	"github.com/keyward/keyward/internal/piv"
)

// Tags of the device information (Yubico's management application).
const (
	infoUSBSupported = 0x01
	infoSerial       = 0x02
	infoUSBEnabled   = 0x03
	infoFormFactor   = 0x04
	infoVersion      = 0x05
	infoLocked       = 0x0A
	infoNFCSupported = 0x0D
	infoNFCEnabled   = 0x0E
	infoComplexity   = 0x16 // firmware 5.7

	capabilityPIV = 0x10
)

// readConfig is READ CONFIG: a length byte, then the device information. PIV is the
// only application that it reports.
func (c *Card) readConfig(cmd Command) ([]byte, Status) {
	if cmd.P1 != 0 || cmd.P2 != 0 {
		return nil, WrongParameters
	}
	b := object(infoUSBSupported, []byte{0, capabilityPIV})
	b = appendField(b, infoSerial, binary.BigEndian.AppendUint32(nil, c.state.Serial))
	b = appendField(b, infoUSBEnabled, []byte{0, capabilityPIV})
	b = appendField(b, infoFormFactor, []byte{formFactor})
	b = appendField(b, infoVersion, c.state.Firmware[:])
	b = appendField(b, infoLocked, []byte{0})
	b = appendField(b, infoNFCSupported, []byte{0, capabilityPIV})
	b = appendField(b, infoNFCEnabled, []byte{0, capabilityPIV})
	if c.state.Firmware.AtLeast(piv.SinceLargerKeys) {
		b = appendField(b, infoComplexity, []byte{bit(c.complexity)})
	}
	return append([]byte{byte(len(b))}, b...), OK
}
