package hwkey

// Status is where a token stands in its life.
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

// Valid tells whether s is a status.
func (s Status) Valid() bool {
	_, ok := transitions[s]
	return ok
}

// transitions is the one table of moves that a person may ask for by PATCH.
// Three moves are not asked for but happen: an owner is set (in_stock to
// assigned), the token is enrolled (assigned to active), the token is reset
// (any to in_stock, or to assigned when it has an owner).
var transitions = map[Status][]Status{
	InStock:   {Lost, Retired},
	Assigned:  {Suspended, Lost, Retired},
	Active:    {Suspended, Lost, Retired},
	Suspended: {Assigned, Active, Lost, Retired},
	Lost:      {Suspended, Retired},
	Retired:   {Lost},
}

// CanBecome tells whether PATCH may move a token from s to next. Moving to
// the same status changes nothing and is allowed.
func (s Status) CanBecome(next Status) bool {
	if s == next {
		return true
	}
	for _, t := range transitions[s] {
		if t == next {
			return true
		}
	}
	return false
}

// Signs tells whether certificates may be signed for a token.
func (s Status) Signs() bool { return s == Assigned || s == Active }

// OwnerMayUse tells whether the owner may have the secrets.
func (s Status) OwnerMayUse() bool { return s == InStock || s == Assigned || s == Active }

// RevokesCertificates tells whether entering s ends the token's
// certificates.
func (s Status) RevokesCertificates() bool { return s == Lost || s == Retired }
