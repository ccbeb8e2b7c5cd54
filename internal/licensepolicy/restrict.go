package licensepolicy

import (
	"context"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/license"
)

// Grows returns LicenseRestricted while the installation may not grow. It only reads memory.
func (s *Service) Grows(context.Context) error {
	st := s.Latest()
	switch {
	case !st.Status.Restricts():
		return nil
	case st.Status == license.Invalid:
		return fault.New(fault.LicenseRestricted, "license_invalid",
			"The license is not valid. No one can add accounts, tokens or certificates until a license is "+
				"uploaded. Everything else keeps working, and valid certificates can be renewed. A global "+
				"administrator can upload one on the License page.")
	case st.Status == license.Missing:
		return fault.New(fault.LicenseRestricted, "license_missing",
			"The license was removed. No one can add accounts, tokens or certificates until a license is "+
				"uploaded. Everything else keeps working, and valid certificates can be renewed. A global "+
				"administrator can upload one on the License page.")
	case st.License == nil:
		return fault.New(fault.LicenseRestricted, "trial_over",
			"The trial is over. No one can add accounts, tokens or certificates until a license is "+
				"uploaded. Everything else keeps working, and valid certificates can be renewed. A global "+
				"administrator can upload one on the License page.")
	default:
		return fault.New(fault.LicenseRestricted, "license_expired",
			"The license has expired. No one can add accounts, tokens or certificates until a license is "+
				"uploaded. Everything else keeps working, and valid certificates can be renewed. A global "+
				"administrator can upload one on the License page.")
	}
}
