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
	_, ok := errors.AsType[*MisissuedError](err)
	return ok
}

// NoRoom reports whether the file of a local engine could not grow: a full disk, a quota, or a
// limit on file size.
func NoRoom(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EFBIG)
}

// Fault maps an engine's error to its public fault, such as VaultUnavailable if the engine is
// sealed or away. Any other error is only wrapped, for the log.
func Fault(err error) error {
	switch {
	case err == nil:
		return nil
	case isFault(err): // from a Guarded engine's check
		return err
	case errors.Is(err, ErrSealed):
		return fault.New(fault.VaultUnavailable, "sealed",
			"The vault is sealed. Ask an administrator to unseal it, or to give the server its seal key.").With(err)
	case errors.Is(err, ErrEnded):
		return fault.New(fault.CAEnded, "", "The CA's certificate has expired, so it signs nothing any more. Ask an administrator to "+
			"renew the CA.").With(err)
	case errors.Is(err, ErrStandby):
		return fault.New(fault.VaultUnavailable, "standby",
			"No vault node is active right now. Try again in a moment.").With(err)
	case withdrawn(err):
		return fault.New(fault.VaultUnavailable, "differs", "The CA signed something other than what was "+
			"requested. That certificate is revoked. Ask an administrator to run keyward vault setup, which "+
			"shows what was changed in the vault.").With(err)
	case errors.Is(err, ErrBusy):
		return fault.New(fault.VaultUnavailable, "busy", "The vault is limiting requests. Try again in a moment.").With(err)
	case errors.Is(err, ErrDenied):
		return fault.New(fault.VaultUnavailable, "denied", "The vault denied the server access. Ask an "+
			"administrator to check the server's log: its credentials have expired, or lack a permission that "+
			"keyward vault setup grants.").With(err)
	case errors.Is(err, ErrOutdated):
		return fault.New(fault.VaultUnavailable, "outdated", "The vault's CRL is older than one it returned "+
			"before, so it is not used. Ask an administrator whether the vault was restored from a snapshot.").With(err)
	case errors.Is(err, ErrSlow):
		return fault.New(fault.VaultUnavailable, "slow", "The vault did not respond in time. Try again in a moment.").With(err)
	case NoRoom(err):
		return fault.New(fault.VaultUnavailable, "full", "The vault's disk is full, or a quota is used up. "+
			"Nothing was changed. Free some space in the server's data directory, then try again.").With(err)
	case errors.Is(err, ErrUnavailable):
		return fault.New(fault.VaultUnavailable, "silent", "The vault is not responding. Try again in a moment.").With(err)
	default:
		return fmt.Errorf("vault: %w", err)
	}
}
