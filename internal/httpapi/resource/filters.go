package resource

import (
	"time"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/hwkey"
)

// DeviceFilters filter tokens by what they are and how they stand.
type DeviceFilters struct {
	Model         string              `query:"model" maxLength:"64" doc:"part of it"`
	Firmware      string              `query:"firmware" maxLength:"64" doc:"exactly this version; none: an unknown one"`
	FirmwareBelow string              `query:"firmware_below" maxLength:"16" doc:"versions before this one, like 5.7; an unknown one is not"`
	Owner         string              `query:"owner" enum:"some,none" doc:"whether it has one"`
	Enrolled      optionalQuery[bool] `query:"enrolled" doc:"whether it has been set up: enrolled_at is not null"`
	SeenFrom      time.Time           `query:"last_seen_from" doc:"last seen then or later"`
	SeenBefore    time.Time           `query:"last_seen_before" doc:"last seen before, or never"`
	SecretsBefore time.Time           `query:"secrets_changed_before" doc:"only tokens, not retired, whose secrets were last changed before"`
	ExpiringDays  int                 `query:"expiring_within_days" minimum:"1" maximum:"3650" doc:"only tokens with a certificate, not revoked, that expires within so many days"`
}

func (in DeviceFilters) narrow(f *hwkey.Filter) {
	f.Model, f.FirmwareBelow, f.Owned = in.Model, in.FirmwareBelow, someOrNone(in.Owner)
	if in.Firmware == none {
		f.Firmware = new(string)
	} else if in.Firmware != "" {
		f.Firmware = &in.Firmware
	}
	f.Enrolled, f.SeenFrom, f.SeenBefore = in.Enrolled.pointer(), in.SeenFrom, in.SeenBefore
	f.SecretsBefore, f.ExpiringDays = in.SecretsBefore, in.ExpiringDays
}

// UserFilters filter accounts by what they have and did.
type UserFilters struct {
	Tokens       string `query:"tokens" enum:"some,none" doc:"whether it owns any, not counting lost and retired ones"`
	State        string `query:"state" enum:"invited,never_signed_in" doc:"invited: active accounts whose invitation is yet to be accepted (waiting); never_signed_in: active accounts without last_login_at, including those"`
	ExpiringDays int    `query:"expiring_within_days" minimum:"1" maximum:"3650" doc:"only accounts with a certificate, not revoked, that expires within so many days"`
}

func (in UserFilters) narrow(f *account.UserFilter) {
	f.Tokens, f.State, f.ExpiringDays = someOrNone(in.Tokens), account.Beginning(in.State), in.ExpiringDays
}

const none = "none"

// someOrNone is a condition on whether there are any.
func someOrNone(text string) *bool {
	if text == "" {
		return nil
	}
	some := text != none
	return &some
}
