package storetest

import (
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
)

// stopped is a clock for services over an engine under test.
func stopped() time.Time { return Now }

// actorOf is the account as an actor that has just authenticated.
func actorOf(u account.User) access.Actor {
	return access.Actor{UserID: u.ID, Username: u.Username, Role: u.Role, OrganizationID: u.OrganizationID, AuthenticatedAt: Now}
}
