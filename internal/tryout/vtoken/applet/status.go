package applet

import "fmt"

// Status is a status word, SW1 SW2 (ISO 7816-4; SP 800-73-4 part 2).
type Status uint16

// The status words that the card returns. 61XX and 63CX carry a count.
const (
	OK                   Status = 0x9000
	MoreData             Status = 0x6100
	WrongReference       Status = 0x63C0
	MemoryFailure        Status = 0x6581
	WrongLength          Status = 0x6700
	NoLogicalChannel     Status = 0x6881
	NoSecureMessaging    Status = 0x6882
	SecurityNotSatisfied Status = 0x6982
	Blocked              Status = 0x6983
	ConditionsNotMet     Status = 0x6985
	WrongData            Status = 0x6A80
	NotFound             Status = 0x6A82
	NoSpace              Status = 0x6A84
	WrongParameters      Status = 0x6A86
	NoSuchReference      Status = 0x6A88
	UnknownInstruction   Status = 0x6D00
	UnknownClass         Status = 0x6E00
	Failure              Status = 0x6F00
)

// powerCut is internal to the card: the power is off, nothing is answered.
const powerCut Status = 0

// Error makes a status usable as a Go error in tests and callers.
func (s Status) Error() string { return fmt.Sprintf("status word %04X", uint16(s)) }

// wrongReference is 63CX for the attempts left. X has only four bits.
func wrongReference(left int) Status { return WrongReference | Status(min(left, 15)) }
