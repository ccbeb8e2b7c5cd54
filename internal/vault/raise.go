package vault

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// MaxRaise is how far a CRL's number can be raised at once: no CA made that many
// lists since a snapshot, and the one number more must exist.
const MaxRaise = 10_000_000

// HighestCRL is the highest number that a list may have: whoever counts on from there never
// comes to an end.
const HighestCRL = 1 << 52

// CheckRaise is ErrInvalid for a number that is further away than that.
func CheckRaise(number, above uint64) error {
	if above <= number || above-number <= MaxRaise {
		return nil
	}
	return fmt.Errorf("%w: the CRL has number %d, and is to be raised above %d, which no CA can have reached: find out who "+
		"wrote that number, and correct it to the highest number of a CRL that was ever published", ErrInvalid, number, above)
}

// Ahead is the number of the first CRL after a start or a restore, by the number and the
// thisUpdate of the last one that is known (contract, "Backup and restore"): what is known may
// be a copy, and lists were published after it was made, none of them more than ten a minute.
func Ahead(number uint64, thisUpdate, now time.Time) uint64 {
	const atOnce, perMinute = 100, 10
	number += atOnce
	if minutes := now.Sub(thisUpdate) / time.Minute; !thisUpdate.IsZero() && minutes > 0 {
		number += perMinute * uint64(minutes)
	}
	return number
}

// Patience is for RaiseCRL: it gives up, with ErrInvalid, once it is seen that raising a
// number above this one takes longer. A vault that cannot be told the number signs a list for
// each, which takes the longer the more is revoked.
func Patience(above uint64, longest time.Duration) func(number uint64) error {
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

// Quickest is how many lists a vault signs in that time at best: one takes a millisecond.
const Quickest = uint64(RaiseWithin / time.Millisecond)

// Reach raises a CRL's number above another one. Conflict where that would take longer than
// RaiseWithin.
func Reach(ctx context.Context, to Numbered, above uint64) error {
	number, _, err := to.CRLNumber(ctx)
	if err != nil || number > above {
		return Fault(err)
	}
	if err = to.RaiseCRL(ctx, above, Patience(above, RaiseWithin)); errors.Is(err, ErrInvalid) {
		return OutOfReach(number, above)
	}
	return Fault(err)
}

// OutOfReach is the answer where a CRL's number cannot be raised in time.
func OutOfReach(number, above uint64) error {
	return fault.Newf(fault.Conflict, "crl_number_out_of_reach", "The CRL's number is {number} and has to be raised above {above}. That "+
		"would take this vault more than ten minutes, since it signs a list for each number. Nothing else was changed. See \"A CRL number that "+
		"is far ahead\" in docs/operations.md.", fault.Params{"number": number, "above": above})
}
