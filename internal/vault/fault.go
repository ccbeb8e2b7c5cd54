package vault

import (
	"errors"
	"fmt"

	"github.com/keyward/keyward/internal/fault"
)

func isFault(err error) bool {
	_, ok := fault.As(err)
	return ok
}

// Fault gives an engine's error its public face: VaultUnavailable when the
// engine is sealed or away. Anything else stays what it is, for the log.
func Fault(err error) error {
	switch {
	case err == nil:
		return nil
	case isFault(err): // of a Guarded engine's check
		return err
	case errors.Is(err, ErrSealed):
		return fault.New(fault.VaultUnavailable, "sealed",
			"The secrets vault is sealed. Ask an administrator to give the server its seal key.").With(err)
	case errors.Is(err, ErrUnavailable):
		return fault.New(fault.VaultUnavailable, "silent", "The secrets vault does not answer. Try again in a moment.").With(err)
	default:
		return fmt.Errorf("vault: %w", err)
	}
}
