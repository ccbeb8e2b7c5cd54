package signon

import (
	"context"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/session"
)

// name gives an account the UPN and the SID of its claims, as the system. A claim that
// is missing, malformed or of another account leaves what the account has, and keeps
// nobody out. Certificates with the former name stay until they end: nobody is there to
// be asked, and the name stays reserved.
func (s *Service) name(ctx context.Context, c session.Client, set Settings, id Identity, u account.User) (account.User, error) {
	actor := access.Actor{IPAddress: c.IPAddress, RequestID: c.RequestID}
	keep := false
	for _, n := range []struct {
		claim, has string
		patch      func(value *string) account.UserPatch
	}{
		{set.UPNClaim, u.UPN, func(v *string) account.UserPatch { return account.UserPatch{UPN: v, RevokeCertificates: &keep} }},
		{set.SIDClaim, u.SID, func(v *string) account.UserPatch { return account.UserPatch{SID: v, RevokeCertificates: &keep} }},
	} {
		if n.claim == "" {
			continue
		}
		value := text(id.Claims, n.claim)
		if value == "" || value == n.has {
			continue
		}
		changed, err := s.Accounts.Update(ctx, actor, access.All(), u.ID, n.patch(&value))
		switch {
		case fault.Is(err, fault.Conflict), fault.Is(err, fault.InvalidRequest):
			s.Log.Warn("single sign-on: a claim cannot become the account's UPN or SID; the account keeps what it has",
				"claim", n.claim, "user_id", u.ID, "request_id", c.RequestID, "error", err)
		case err != nil:
			return u, err
		default:
			u = changed.User
		}
	}
	return u, nil
}
