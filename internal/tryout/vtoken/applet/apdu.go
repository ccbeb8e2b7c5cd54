package applet

// Instructions of the PIV application (SP 800-73-4 part 2), then Yubico's.
const (
	insVerify         = 0x20
	insChange         = 0x24
	insResetRetry     = 0x2C
	insGenerate       = 0x47
	insAuthenticate   = 0x87
	insSelect         = 0xA4
	insGetResponse    = 0xC0
	insGetData        = 0xCB
	insPutData        = 0xDB
	insMoveKey        = 0xF6
	insMetadata       = 0xF7
	insSerial         = 0xF8
	insAttest         = 0xF9
	insSetRetries     = 0xFA
	insReset          = 0xFB
	insVersion        = 0xFD
	insImport         = 0xFE
	insSetManagement  = 0xFF
	insReadConfig     = 0x1D // management application
	chainingBit       = 0x10
	secureMessaging   = 0x0C
	maxCommand        = 4096 // bytes of a chained command; a 4096-bit key import fits
	maxShortResponse  = 256
	maxLongResponse   = 65536
	maxObject         = 3052 // bytes of one data object on firmware 5 (Yubico)
	shortHeaderLength = 4
)

// Command is one command APDU, after reassembly of chained ones. Data may hold a PIN or
// a key: a hook must not log it.
type Command struct {
	CLA, INS, P1, P2 byte
	Data             []byte

	limit int // bytes of response data that the client accepts at once
}

// parse reads a short or extended command APDU (ISO 7816-3, cases 1 to 4).
func parse(raw []byte) (Command, Status) {
	if len(raw) < shortHeaderLength {
		return Command{}, WrongLength
	}
	cmd := Command{CLA: raw[0], INS: raw[1], P1: raw[2], P2: raw[3], limit: maxShortResponse}
	body := raw[shortHeaderLength:]
	switch {
	case len(body) == 0:
		return cmd, OK
	case body[0] == 0 && len(body) > 1:
		return parseExtended(cmd, body[1:])
	case len(body) == 1:
		cmd.limit = expected(int(body[0]), maxShortResponse)
		return cmd, OK
	}
	n := int(body[0])
	switch len(body) - 1 - n {
	case 0:
	case 1:
		cmd.limit = expected(int(body[1+n]), maxShortResponse)
	default:
		return Command{}, WrongLength
	}
	cmd.Data = body[1 : 1+n]
	return cmd, OK
}

// parseExtended parses what follows the zero byte that marks extended lengths.
func parseExtended(cmd Command, body []byte) (Command, Status) {
	if len(body) < 2 {
		return Command{}, WrongLength
	}
	n := int(body[0])<<8 | int(body[1])
	cmd.limit = maxLongResponse
	if len(body) == 2 { // case 2: the number is the expected length
		cmd.limit = expected(n, maxLongResponse)
		return cmd, OK
	}
	switch len(body) - 2 - n {
	case 0:
	case 2:
		cmd.limit = expected(int(body[2+n])<<8|int(body[3+n]), maxLongResponse)
	default:
		return Command{}, WrongLength
	}
	if n == 0 {
		return Command{}, WrongLength
	}
	cmd.Data = body[2 : 2+n]
	return cmd, OK
}

// expected decodes Le, in which zero means the greatest length.
func expected(le, greatest int) int {
	if le == 0 {
		return greatest
	}
	return le
}

// answer appends the status word to response data.
func answer(data []byte, status Status) []byte {
	return append(data, byte(status>>8), byte(status))
}
