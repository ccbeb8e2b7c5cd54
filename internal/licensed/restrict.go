package licensed

import (
	"context"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/license"
)

// Grows is LicenseRestricted while the installation may not grow. It costs a look at
// what is in memory.
func (s *Service) Grows(context.Context) error {
	st := s.Standing()
	switch {
	case !st.Status.Restricts():
		return nil
	case st.Status == license.Invalid:
		return fault.New(fault.LicenseRestricted, "license_invalid",
			"The license of this installation does not verify. Until it has a valid one, no accounts, tokens or first certificates are "+
				"added; all else goes on. A global administrator uploads one on the page License.")
	case st.Status == license.Missing:
		return fault.New(fault.LicenseRestricted, "license_missing",
			"This installation has no license any more. Until it has one, no accounts, tokens or first certificates are added; all else "+
				"goes on. A global administrator uploads one on the page License.")
	case st.License == nil:
		return fault.New(fault.LicenseRestricted, "trial_over",
			"The trial of this installation is over. Until it has a license, no accounts, tokens or first certificates are added; all else "+
				"goes on. A global administrator uploads one on the page License.")
	default:
		return fault.New(fault.LicenseRestricted, "license_expired",
			"The license of this installation has expired. Until it has a new one, no accounts, tokens or first certificates are added; all "+
				"else goes on. A global administrator uploads one on the page License.")
	}
}
