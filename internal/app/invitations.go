package app

import (
	"context"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/httpapi/resource"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/secret"
)

// invitationLinks creates the links in mailed invitations.
type invitationLinks struct {
	invitations *account.Invitations
	siteURL     string
}

// Link implements mail.Links.
func (l invitationLinks) Link(ctx context.Context, m mail.Message) (secret.String, bool, error) {
	if m.Kind != notify.Invitation {
		return secret.String{}, true, nil
	}
	token, open, err := l.invitations.Open(ctx, mail.Random(m.MessageID), m.UserID)
	if err != nil || !open {
		return secret.String{}, false, err
	}
	return secret.New(resource.InvitationURL(l.siteURL, token)), true, nil
}
