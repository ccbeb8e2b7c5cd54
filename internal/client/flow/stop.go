package flow

import (
	"errors"
	"strings"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
)

// Code identifies an outcome, for programs.
type Code string

// The outcomes that have ways out.
const (
	Unknown     Code = "unknown"     // the card holds none of the vault's values
	RetriesLow  Code = "retries_low" // one more wrong try could block the card
	PINBlocked  Code = "pin_blocked"
	PUKBlocked  Code = "puk_blocked"
	PINRefused  Code = "pin_refused"
	WrongPIN    Code = "wrong_pin" // the PIN that the user typed is not the card's
	NotEnrolled Code = "not_enrolled"
	NotReady    Code = "not_ready"     // a CSR would not be signed
	Occupied    Code = "slot_occupied" // and the user did not agree to overwrite it
	Changed     Code = "changed"       // the card answered differently a moment ago
	NotPaired   Code = "agent_confirmation_required"
)

// Stop is a stop with a way out. The card and the vault still agree on what may be
// tried, and the flow may be rerun.
type Stop struct {
	Code    Code
	Field   piv.Field // empty when it is not about a secret
	Text    string    // the problem, in one or two sentences
	WaysOut []string  // what to do now, the gentlest first
	Reasons []string  // of NotReady: the server's codes
	// Kept, of RetriesLow: tries are left, but reserved for the user.
	Kept bool
	// RetriesLeft, of WrongPIN, if the card reports it.
	RetriesLeft *int
	Cause       error
}

func (o *Stop) Error() string {
	if len(o.WaysOut) == 0 {
		return o.Text
	}
	return o.Text + "\n  - " + strings.Join(o.WaysOut, "\n  - ")
}

// Unwrap returns the error that led here, if any.
func (o *Stop) Unwrap() error { return o.Cause }

var names = map[piv.Field]string{
	piv.PIN: "PIN", piv.PUK: "PUK", piv.ManagementKey: "management key",
}

const (
	wayType    = "Enter the PIN that the token has, and set a new one: keyward token change-pin --current-pin."
	wayUnblock = "Set a new PIN with the PUK: keyward token unblock."
	wayRetries = "If the PIN is still known, set the tries again: keyward token set-retries. PIN and PUK then have their factory " +
		"values: set up the token again with keyward token enroll."
	wayReset = "Reset the token, which destroys its keys: first in Keyward, then the PIV application on the token. Then " +
		"set it up again."
	wayForeign = "Find out whether the value was changed outside Keyward, or whether the token is set up in another " +
		"installation, and undo the change with the same program."
)

func unknown(f piv.Field) *Stop {
	o := &Stop{Code: Unknown, Field: f,
		Text: "The token's " + names[f] + " is none of those that Keyward knows. It was changed outside Keyward, or " +
			"the token is set up elsewhere."}
	switch f {
	case piv.PIN:
		o.WaysOut = []string{wayForeign, wayType, wayUnblock, wayReset}
	case piv.PUK:
		o.WaysOut = []string{wayForeign, wayRetries, wayReset}
	default:
		o.WaysOut = []string{wayForeign, wayReset}
	}
	return o
}

func low(f piv.Field, cause error) *Stop {
	o := &Stop{Code: RetriesLow, Field: f, Cause: cause,
		Text: "The " + names[f] + " has too few tries left to find out which one the token has. Keyward stopped so that it doesn't get blocked."}
	if f == piv.PIN {
		o.WaysOut = []string{wayType, "Enter the correct PIN once in a program that uses the token. That restores its tries. Then run " +
			"this command again.",
			wayUnblock}
	} else {
		o.WaysOut = []string{wayRetries, wayReset}
	}
	return o
}

// kept is low for a PIN whose last tries are reserved: a user who knows it can type it.
func kept(cause error) *Stop {
	o := low(piv.PIN, cause)
	o.Kept = true
	return o
}

// declined is low after the user declined another try.
func declined(f piv.Field) *Stop {
	o := low(f, nil)
	if f == piv.PIN {
		o = kept(nil)
	}
	o.Text = "You chose not to use another try. Nothing else was tried, and the token is unchanged."
	return o
}

func blocked(f piv.Field, cause error) *Stop {
	if f == piv.PUK {
		return &Stop{Code: PUKBlocked, Field: f, Cause: cause, Text: "The token's PUK is blocked.", WaysOut: []string{wayRetries, wayReset}}
	}
	return &Stop{Code: PINBlocked, Field: f, Cause: cause, Text: "The token's PIN is blocked.", WaysOut: []string{wayUnblock, wayReset}}
}

// named turns an agent's refusal into an outcome, if there is one for it.
func named(f piv.Field, err error) error {
	if _, ok := errors.AsType[*Stop](err); ok { // already named
		return err
	}
	switch fault.CodeOf(err) {
	case fault.RetriesLow:
		return low(f, err)
	case fault.PINBlocked:
		return blocked(piv.PIN, err)
	case fault.PUKBlocked:
		return blocked(piv.PUK, err)
	case fault.WrongPIN, fault.WrongPUK, fault.WrongManagementKey:
		if fault.Is(err, fault.WrongPUK) {
			f = piv.PUK
		}
		return &Stop{Code: Changed, Field: f, Cause: err,
			Text:    "The token rejected the " + names[f] + " it had a moment ago: someone else has changed it.",
			WaysOut: []string{"Run the same command again. It first checks what the token has."}}
	}
	return err
}

// strangeAgent: the user did not confirm that what answers is their agent.
func strangeAgent(cause error) *Stop {
	return &Stop{Code: NotPaired, Cause: cause,
		Text: "You didn't confirm the agent on this computer as yours, so nothing was sent to it.",
		WaysOut: []string{
			"Run keyward-agent code and compare. If the code is the same, run this command again and answer yes, or add --agent-code CODE.",
			"If the codes differ, something else is posing as your agent: tell your administrator."}}
}

func notEnrolled(f piv.Field) *Stop {
	return &Stop{Code: NotEnrolled, Field: f,
		Text:    "The token has the factory " + names[f] + ".",
		WaysOut: []string{"Set it up: keyward token enroll."}}
}
