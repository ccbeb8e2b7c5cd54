package hwkey

import (
	"slices"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
)

// Status is a token's stage in its life cycle.
type Status string

// The statuses.
const (
	InStock   Status = "in_stock"
	Assigned  Status = "assigned"
	Active    Status = "active"
	Suspended Status = "suspended"
	Lost      Status = "lost"
	Retired   Status = "retired"
)

// Statuses lists every status.
var Statuses = []Status{InStock, Assigned, Active, Suspended, Lost, Retired}

// Valid reports whether s is a status.
func (s Status) Valid() bool {
	_, ok := transitions[s]
	return ok
}

// transitions is the single table of moves that PATCH may request; the API, the page
// (next_statuses) and a test read it. Three moves happen without such a request: an
// owner is set (in_stock to assigned) or removed (assigned or active to suspended),
// the token is enrolled (assigned to active), the token is reset (any to in_stock,
// or to assigned if it has an owner).
var transitions = map[Status][]Status{
	InStock:   {Lost, Retired},
	Assigned:  {Suspended, Lost, Retired},
	Active:    {Suspended, Lost, Retired},
	Suspended: {Assigned, Active, Lost, Retired},
	Lost:      {Suspended, Retired},
	Retired:   {Lost},
}

// CanBecome reports whether the table has a move from s to next. A move to the same
// status changes nothing and is allowed.
func (s Status) CanBecome(next Status) bool {
	return s == next || slices.Contains(transitions[s], next)
}

// obstacle says why PATCH may not move the token to next, by the table, the owner
// and the enrolment; nil if it may.
func (d Device) obstacle(next Status) error {
	switch {
	case !next.Valid():
		return fault.Invalid(fault.NotOneOf("status", Statuses...))
	case next == InStock:
		return fault.New(fault.Conflict, "stock_by_reset", "Only a reset returns a token to stock. Reset it.")
	case !d.Status.CanBecome(next):
		return fault.Newf(fault.Conflict, "status_unreachable",
			"A token that is {status} can't become {next}.", fault.Params{"status": d.Status, "next": next})
	case (next == Assigned || next == Active) && d.OwnerID == nil:
		return fault.New(fault.Conflict, "owner_needed", "Assign the token to someone first.")
	case next == Active && d.EnrolledAt == nil:
		return fault.New(fault.Conflict, "active_by_enrolment", "A token becomes active when it is set up. Set it up.")
	}
	return nil
}

// Next returns the statuses to which an actor with that scope may now move the token by PATCH.
func (d Device) Next(scope access.Scope) []Status {
	list := []Status{}
	for _, next := range transitions[d.Status] {
		if d.obstacle(next) == nil && (scope.Reach != access.Own || next == Lost) {
			list = append(list, next)
		}
	}
	return list
}

// Signs reports whether certificates may be signed for a token.
func (s Status) Signs() bool { return s == Assigned || s == Active }

// OwnerMayUse reports whether the owner may have the secrets.
func (s Status) OwnerMayUse() bool { return s == InStock || s == Assigned || s == Active }

// RevokesCertificates reports whether entering s revokes the token's certificates.
func (s Status) RevokesCertificates() bool { return s == Lost || s == Retired }
