package vault

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/keyward/keyward/internal/fault"
)

func isFault(err error) bool {
	_, ok := fault.As(err)
	return ok
}

func withdrawn(err error) bool {
	_, ok := errors.AsType[*Withdrawn](err)
	return ok
}

// NoRoom tells that the file of an engine on this machine could not grow: a full disk, a
// quota, or a limit on files.
func NoRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
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
			"The secrets vault is sealed. Ask an administrator to unseal it, or to give the server its seal key.").With(err)
	case errors.Is(err, ErrStandby):
		return fault.New(fault.VaultUnavailable, "standby",
			"No node of the secrets vault is active at the moment: they are choosing one, or being unsealed. Try again in a moment.").With(err)
	case withdrawn(err):
		return fault.New(fault.VaultUnavailable, "differs", "The CA signed something else than was asked for, which is revoked. Ask an "+
			"administrator to run keyward vault setup, which names what was changed in the secrets vault.").With(err)
	case errors.Is(err, ErrBusy):
		return fault.New(fault.VaultUnavailable, "busy", "The secrets vault takes no more requests at the moment, since it limits them. "+
			"Try again in a moment.").With(err)
	case errors.Is(err, ErrDenied):
		return fault.New(fault.VaultUnavailable, "denied", "The secrets vault does not let the server in. Ask an administrator to look at "+
			"the server's log: its credentials have ended, or lack a permission that keyward vault setup gives.").With(err)
	case errors.Is(err, ErrOutdated):
		return fault.New(fault.VaultUnavailable, "outdated", "The secrets vault's CRL is older than one that it gave before, so it is not "+
			"taken. Ask an administrator whether the vault was put back from a snapshot.").With(err)
	case errors.Is(err, ErrSlow):
		return fault.New(fault.VaultUnavailable, "slow", "The secrets vault did not answer in time. Try again in a moment.").With(err)
	case NoRoom(err):
		return fault.New(fault.VaultUnavailable, "full", "The disk of the secrets vault is full, or a quota is reached, and nothing was "+
			"changed. Make room in the server's data directory, then try again.").With(err)
	case errors.Is(err, ErrUnavailable):
		return fault.New(fault.VaultUnavailable, "silent", "The secrets vault does not answer. Try again in a moment.").With(err)
	default:
		return fmt.Errorf("vault: %w", err)
	}
}
