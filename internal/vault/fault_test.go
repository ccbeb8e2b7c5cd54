package vault

import (
	"errors"
	"fmt"
	"syscall"
	"testing"

	"github.com/keyward/keyward/internal/fault"
)

// TestFault: each way of being away has its own text; a wrong certificate or a rate limit is not
// reported as expired credentials.
func TestFault(t *testing.T) {
	t.Parallel()
	for reason, err := range map[string]error{
		"sealed": ErrSealed, "standby": ErrStandby, "denied": ErrDenied, "slow": ErrSlow, "silent": ErrUnavailable, "busy": ErrBusy,
		"full": fmt.Errorf("%w: the file: %w", ErrUnavailable, syscall.ENOSPC), "outdated": ErrOutdated,
		"differs": fmt.Errorf("%w: %w", ErrDenied, &MisissuedError{Serial: "4711", Why: errors.New("it differs")}),
	} {
		err = fmt.Errorf("a call: %w", err)
		f, ok := fault.As(Fault(err))
		if !ok || f.Code != fault.VaultUnavailable || f.Reason != reason || !errors.Is(f, ErrUnavailable) {
			t.Errorf("%v: %+v", err, f)
		}
	}
	if err := Fault(ErrNotFound); fault.Is(err, fault.VaultUnavailable) || !errors.Is(err, ErrNotFound) {
		t.Errorf("%v", err)
	}
}
