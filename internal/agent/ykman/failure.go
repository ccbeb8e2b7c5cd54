package ykman

import (
	"errors"
	"regexp"
	"strconv"
	"strings"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/fault"
)

// step is what the driver was doing when the tool failed, which decides what the
// tool's message means.
type step struct {
	name     string
	serial   string
	harmless bool       // a failure never changes the token, whatever the message
	tries    fault.Code // wrong_pin or wrong_puk: which counter "N tries left" means
	setsCode bool       // the step gives the token a new PIN or PUK
}

var (
	triesLeft  = regexp.MustCompile(`(?i)\b(?:PIN|PUK)\b[^\n]*?\b(\d+) (?:tries|try|attempts?|retries)\b`)
	pinBlocked = regexp.MustCompile(`(?i)\bPIN is blocked`)
	pukBlocked = regexp.MustCompile(`(?i)\bPUK is blocked`)
	wrongKey   = regexp.MustCompile(`(?i)Authentication with management key failed`)
	noSerial   = regexp.MustCompile(`(?i)Failed connecting to a YubiKey with serial|given serial not found|No eligi[ab]+le connections`)
	noDevice   = regexp.MustCompile(`(?i)No YubiKey detected`)
	refused    = regexp.MustCompile(`(?i)SW=(?:0x)?6985|complexity`)
	// pyscard's message; on Windows in the system's words. It must be about
	// connecting: after a later sharing violation, the outcome is unknown.
	held = regexp.MustCompile(`(?i)Unable to connect[^\n]*(?:Sharing violation|other connections outstanding)`)
	// ykman 5 hides the cause. The reader was listed, so it has a token.
	unconnected = regexp.MustCompile(`(?m)Failed to connect to YubiKey\.?\s*$`)
	noKey       = regexp.MustCompile(`(?i)not tied to the private key`)
)

// inUse reports whether another program has exclusive use of the token in the
// reader that was called.
func (f *failure) inUse() bool { return held.MatchString(f.text) || unconnected.MatchString(f.text) }

// classify turns a failed run into a fault. Other errors pass unchanged.
func (d *Driver) classify(err error, s step) error {
	f, ok := errors.AsType[*failure](err)
	if !ok {
		return err
	}
	d.log.Warn("the token tool failed", "step", s.name, "exit", f.exit, "killed", f.killed)
	if f.exit < 0 {
		return unknown(f, s)
	}
	switch text := f.text; {
	case held.MatchString(text):
		return driver.ErrInUse.With(f)
	case noSerial.MatchString(text):
		return notFound()
	case noDevice.MatchString(text):
		return fault.New(fault.NoToken, "", "No token is plugged in. Plug one in and try again.")
	case pinBlocked.MatchString(text):
		return fault.New(fault.PINBlocked, "", "The PIN is blocked. Unblock it with the PUK.").WithExtra("retries_left", 0)
	case pukBlocked.MatchString(text):
		return fault.New(fault.PUKBlocked, "",
			"The PUK is blocked. Reset the tries with the management key and the PIN, or reset the token.").WithExtra("retries_left", 0)
	case wrongKey.MatchString(text):
		return fault.New(fault.WrongManagementKey, "", "The token doesn't accept this management key. Find out which one it has.")
	case s.setsCode && refused.MatchString(text):
		return fault.New(fault.PINRefused, "",
			"The token rejected the new value and kept the old one: it may be too simple for the token's rules. Choose another.").With(f)
	case noKey.MatchString(text):
		return driver.ErrKeyMismatch
	}
	if m := triesLeft.FindStringSubmatch(f.text); m != nil && s.tries != "" {
		if left, err := strconv.Atoi(m[1]); err == nil {
			return wrongCode(s.tries, left, f)
		}
	}
	return unknown(f, s)
}

func wrongCode(code fault.Code, left int, cause error) error {
	tries := fault.Params{"retries_left": left}
	e := fault.Newf(fault.WrongPIN, "", "The PIN is wrong. Tries left: {retries_left}.", tries)
	if code == fault.WrongPUK {
		e = fault.Newf(fault.WrongPUK, "", "The PUK is wrong. Tries left: {retries_left}.", tries)
	}
	return e.With(cause).WithExtra("retries_left", left)
}

// unknown is the fault of an unexplained failure. Exit code 2 means that the tool
// refused the command line before touching the token.
func unknown(f *failure, s step) error {
	known := s.harmless || f.exit == 2
	e := fault.New(fault.ToolFailed, "unchanged", "The token tool failed. The token was not changed. Unplug it, "+
		"plug it in again and try again.")
	if !known {
		e = fault.New(fault.ToolFailed, "outcome_unknown",
			"The token tool failed, perhaps because the token was unplugged. The token may have been changed. "+
				"Plug it in and check what it has first.")
	}
	if strings.Contains(f.text, "not supported") {
		e = fault.New(fault.ToolFailed, "unsupported", "The token doesn't support this. Use another token.")
	}
	return e.With(f).WithExtra(driver.OutcomeKnown, known)
}
