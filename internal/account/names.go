package account

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/textinput"
	"github.com/keyward/keyward/internal/vault"
)

func among(list []string, name string) bool {
	key := textinput.Fold(name)
	return slices.ContainsFunc(list, func(one string) bool { return textinput.Fold(one) == key })
}

// Carries reports whether the certificate contains a username or an email.
func (c Certificate) Carries(login string) bool {
	return among(c.Names, login) || among(c.Principals, login)
}

// CarriesUPN reports whether the certificate contains a UPN, or a Kerberos principal made of it.
func (c Certificate) CarriesUPN(upn string) bool {
	local, _, _ := strings.Cut(upn, "@")
	return upn != "" && (among(c.UPNs, upn) || among(c.Principals, local))
}

// CarriesSID reports whether the certificate contains a SID.
func (c Certificate) CarriesSID(sid string) bool { return sid != "" && among(c.SIDs, sid) }

// carrying returns the serial numbers of the live certificates that contain a
// name the account would give up. Names that differ only in case are the same.
func (s UserState) carrying(next User) []string {
	var former []string
	for _, name := range []string{s.User.Username, s.User.Email} {
		if !among([]string{next.Username, next.Email}, name) {
			former = append(former, name)
		}
	}
	upn := textinput.Fold(next.UPN) != textinput.Fold(s.User.UPN)
	if s.User.Name != "" && textinput.Fold(next.Name) != textinput.Fold(s.User.Name) {
		former = append(former, s.User.Name) // the CN of some profiles
	}
	sid := textinput.Fold(next.SID) != textinput.Fold(s.User.SID)
	var serials []string
	for _, c := range s.Certificates {
		if c.Revoked {
			continue
		}
		if slices.ContainsFunc(former, c.Carries) || upn && c.CarriesUPN(s.User.UPN) || sid && c.CarriesSID(s.User.SID) {
			serials = append(serials, c.SerialNumber)
		}
	}
	return serials
}

// names decides about the live certificates that contain a former name: the
// patch says whether to revoke or keep them. CertificatesLive when it does not
// say.
func (p *UserPatch) names(a access.Actor, state UserState, c *UserChange) error {
	serials := state.carrying(c.User)
	switch {
	case len(serials) == 0:
		return nil
	case p.RevokeCertificates == nil:
		return fault.Newf(fault.CertificatesLive, "",
			"Valid certificates have this account's current name ({count}). Set revoke_certificates to revoke "+
				"them (true) or keep them until they expire (false).", fault.Params{"count": len(serials)})
	}
	id := audit.ID(c.User.ID)
	details := fmt.Sprintf("%d certificates with the former name stay", len(serials))
	if *p.RevokeCertificates {
		details = fmt.Sprintf("%d certificates with the former name revoked", len(serials))
		entry := audit.By(a, audit.CertificateRevoked, "certificate", "", "the name of user "+id+" was changed").In(c.User.OrganizationID)
		c.Revoke = &Revocation{SerialNumbers: serials, Reason: vault.AffiliationChanged, Entry: entry}
	}
	entry := audit.By(a, audit.UserUpdated, "user", id, details).In(c.User.OrganizationID)
	if c.Revoke != nil {
		entry = entry.Notifying(noticeTo(a, c.User, notify.CertificateRevoked, c.At, notify.Params{"count": strconv.Itoa(len(serials))})...)
	}
	c.Entries = append(c.Entries, entry)
	return nil
}

// noticeTo returns a message to an account about what someone else did to it.
func noticeTo(a access.Actor, u User, kind notify.Kind, at time.Time, params notify.Params) []notify.Message {
	if a.UserID == u.ID {
		return nil
	}
	params["by"] = a.Username
	return []notify.Message{{To: notify.Audience{UserID: u.ID}, Kind: kind, Params: params, At: at}}
}
