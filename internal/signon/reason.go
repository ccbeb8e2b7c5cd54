package signon

// Reason is the stable code that the page gets when single sign-on failed: /login#error=CODE.
type Reason string

// The reasons. The page may also get the code of a fault, such as database_unavailable.
const (
	Disabled             Reason = "oidc_disabled"              // single sign-on is off
	StateInvalid         Reason = "oidc_state_invalid"         // unknown, used or expired round, or another browser's
	Cancelled            Reason = "oidc_cancelled"             // the person or the provider cancelled
	ProviderUnavailable  Reason = "oidc_unavailable"           // the provider does not answer
	Rejected             Reason = "oidc_rejected"              // the provider's answer does not verify
	NotFresh             Reason = "oidc_not_fresh"             // the provider did not ask the person again
	NoAccount            Reason = "oidc_no_account"            // accounts are not created, or not in this round
	NotPermitted         Reason = "oidc_not_permitted"         // the claims map to no role or organization
	AccountConflict      Reason = "oidc_account_conflict"      // the email belongs to another account
	EmailMissing         Reason = "oidc_email_missing"         // no email, or an unusable one
	EmailUnverified      Reason = "oidc_email_unverified"      // the provider says that it has not verified it
	EmailRefused         Reason = "oidc_email_refused"         // not in the organization's domains
	OrganizationDisabled Reason = "oidc_organization_disabled" // or gone
	AccountDisabled      Reason = "account_disabled"
	LicenseRestricted    Reason = "license_restricted" // no account may be added
)

// explanations are for the audit log.
var explanations = map[Reason]string{
	Disabled:             "single sign-on is off",
	StateInvalid:         "the round is unknown, was used, has expired or was begun by another browser",
	Cancelled:            "cancelled at the provider",
	ProviderUnavailable:  "the provider does not answer",
	Rejected:             "the provider's answer does not verify",
	NotFresh:             "the provider did not ask the person anew",
	NoAccount:            "no account, and none is made",
	NotPermitted:         "the claims map to no role or organization",
	AccountConflict:      "the email or username belongs to another account",
	EmailMissing:         "no usable email among the claims",
	EmailUnverified:      "the email is not verified",
	EmailRefused:         "the email lies outside the organization's domains",
	OrganizationDisabled: "the organization is disabled",
	AccountDisabled:      "account disabled",
	LicenseRestricted:    "no account, and none is added: the license restricts the installation",
}

// Refusal ends a round without a code. Its cause is for the log.
type Refusal struct {
	Reason Reason
	Cause  error
}

// Error names the reason.
func (r *Refusal) Error() string {
	if r.Cause == nil {
		return string(r.Reason)
	}
	return string(r.Reason) + ": " + r.Cause.Error()
}

// Unwrap returns the cause.
func (r *Refusal) Unwrap() error { return r.Cause }

func refuse(reason Reason, cause error) error { return &Refusal{reason, cause} }
