package license

import (
	"github.com/keyward/keyward/internal/fault"
)

// Reasons for refusing an upload.
const (
	ReasonMalformed         = "malformed"          // not a license file
	ReasonUnknownKey        = "unknown_key"        // this program has no public key
	ReasonBadSignature      = "bad_signature"      // by none of the keys, or the license was changed
	ReasonOtherInstallation = "other_installation" // issued for another
	ReasonExpired           = "expired"            //
	ReasonOlder             = "older"              // issued before one stored earlier
)

// Rejected is the error of a refused upload. It is a LicenseRejected fault with that reason.
type Rejected struct {
	Reason string
	Fault  *fault.Error
}

func (r *Rejected) Error() string { return r.Fault.Error() }

// Unwrap returns the fault.
func (r *Rejected) Unwrap() error { return r.Fault }

func malformed(wrong ...fault.Field) *Rejected {
	return &Rejected{ReasonMalformed, fault.New(fault.LicenseRejected, "malformed",
		"This is not a license file, or it was damaged. Use the file exactly as the vendor sent it.").About(wrong...)}
}

func unknownKey() *Rejected {
	return &Rejected{ReasonUnknownKey, fault.New(fault.LicenseRejected, "unknown_key",
		"This build doesn't have the vendor's public key, so it can't check a license. Install the vendor's release.")}
}

func badSignature() *Rejected {
	return &Rejected{ReasonBadSignature, fault.New(fault.LicenseRejected, "bad_signature",
		"The signature doesn't match: the license was changed after it was issued, or it is not from this "+
			"release's vendor. Upload the file exactly as you got it, or ask the vendor for a new one.")}
}

func otherInstallation(ours string) *Rejected {
	return &Rejected{ReasonOtherInstallation, fault.Newf(fault.LicenseRejected, "other_installation",
		"The license is for another installation. Ask the vendor for one with this installation's ID: {installation_id}",
		fault.Params{"installation_id": ours})}
}

func expired(on string) *Rejected {
	return &Rejected{ReasonExpired, fault.Newf(fault.LicenseRejected, "expired",
		"The license has expired: {expiry_date}. Ask the vendor for a new one.",
		fault.Params{"expiry_date": on})}
}

func older(newest string) *Rejected {
	return &Rejected{ReasonOlder, fault.Newf(fault.LicenseRejected, "older",
		"A newer license was stored here before, issued on {issue_date}. Repeat this with replace_newer to go back to an older one.",
		fault.Params{"issue_date": newest})}
}

// RejectedBy rebuilds the error of another process from its reason and that reason's
// parameters.
func RejectedBy(reason string, params fault.Params, wrong []fault.Field) (r *Rejected, known bool) {
	text := func(name string) string {
		is, _ := params[name].(string)
		return is
	}
	switch reason {
	case ReasonMalformed:
		return malformed(wrong...), true
	case ReasonUnknownKey:
		return unknownKey(), true
	case ReasonBadSignature:
		return badSignature(), true
	case ReasonOtherInstallation:
		return otherInstallation(text("installation_id")), true
	case ReasonExpired:
		return expired(text("expiry_date")), true
	case ReasonOlder:
		return older(text("issue_date")), true
	}
	return nil, false
}
