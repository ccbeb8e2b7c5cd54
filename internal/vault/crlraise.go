package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// MaxRaise is how far a CRL's number can be raised at once: no CA made that many lists since a
// snapshot, and the next number must still exist.
const MaxRaise = 10_000_000

// HighestCRL is the highest number that a list may have: counting on from it never overflows.
const HighestCRL = 1 << 52

// CheckRaise returns ErrInvalid for a number more than MaxRaise away.
func CheckRaise(number, above uint64) error {
	if above <= number || above-number <= MaxRaise {
		return nil
	}
	return fmt.Errorf("%w: the CRL has number %d, and is to be raised above %d, which no CA can have reached: find out who "+
		"wrote that number, and correct it to the highest number of a CRL that was ever published", ErrInvalid, number, above)
}

// NumberAfterRestart returns the number of the first CRL after a start or a restore, from the number and
// thisUpdate of the last known one (contract, "Backup and restore"): that may be a copy, and lists
// were published since, at most ten a minute.
func NumberAfterRestart(number uint64, thisUpdate, now time.Time) uint64 {
	const atOnce, perMinute = 100, 10
	number += atOnce
	if minutes := now.Sub(thisUpdate) / time.Minute; !thisUpdate.IsZero() && minutes > 0 {
		number += perMinute * uint64(minutes)
	}
	return number
}

// RaiseDeadline returns a callback for RaiseCRL that gives up, with ErrInvalid, once raising the number
// above this one turns out to take longer. A vault that does not let its number be set signs a list
// for each, which takes longer the more is revoked.
func RaiseDeadline(above uint64, longest time.Duration) func(number uint64) error {
	var from uint64
	var began time.Time
	return func(number uint64) error {
		if began.IsZero() {
			from, began = number, time.Now()
		}
		if number <= from || number > above {
			return nil
		}
		list := time.Since(began) / time.Duration(number-from)
		if rest := list * time.Duration(above-number); rest > longest {
			return fmt.Errorf("%w: the CRL's number is %d, and is to be raised above %d, which takes this vault %s: docs/operations.md "+
				"(\"A CRL number that is far ahead\") says what to do", ErrInvalid, number, above, rest.Round(time.Minute))
		}
		return nil
	}
}

// RaiseWithin is how long a restore or a move may take to raise a CRL's number.
const RaiseWithin = 10 * time.Minute

// MaxListsWithin is how many lists a vault can sign in that time: one takes a millisecond.
const MaxListsWithin = uint64(RaiseWithin / time.Millisecond)

// RaiseCRLAbove raises the number of a CA's CRL above another one. Conflict if that would take longer
// than RaiseWithin.
func RaiseCRLAbove(ctx context.Context, to Numbered, ca string, above uint64) error {
	number, _, err := to.CRLNumber(ctx, ca)
	if err != nil || number > above {
		return Fault(err)
	}
	if err = to.RaiseCRL(ctx, ca, above, RaiseDeadline(above, RaiseWithin)); errors.Is(err, ErrInvalid) {
		return CRLNumberOutOfReach(number, above)
	}
	return Fault(err)
}

// CRLNumberOutOfReach is the fault for a CRL number that cannot be raised in time.
func CRLNumberOutOfReach(number, above uint64) error {
	return fault.Newf(fault.Conflict, "crl_number_out_of_reach", "The CRL's number is {number} and has to be raised above {above}. That "+
		"would take this vault more than ten minutes, since it signs a list for each number. Nothing else was changed. See \"A CRL number that "+
		"is far ahead\" in docs/operations.md.", fault.Params{"number": number, "above": above})
}
