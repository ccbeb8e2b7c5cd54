package hwkey

import (
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/fault"
)

var t0 = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// token returns one with a status, perhaps an owner, and perhaps enrolled.
func token(s Status, owner int64, enrolled bool) Device {
	d := Device{Status: s}
	if owner != custody.Nobody {
		d.OwnerID = &owner
	}
	if enrolled {
		d.EnrolledAt = &t0
	}
	return d
}

// TestStatusMoves: every pair of statuses, by the contract ("Hardware tokens and
// custody"), with the owner and enrolment required; lost and retired revoke the certificates.
func TestStatusMoves(t *testing.T) {
	t.Parallel()
	moves := map[Status][]Status{
		InStock: {Lost, Retired}, Assigned: {Suspended, Lost, Retired}, Active: {Suspended, Lost, Retired},
		Suspended: {Assigned, Active, Lost, Retired}, Lost: {Suspended, Retired}, Retired: {Lost},
	}
	for from, may := range moves {
		for _, owner := range []int64{custody.Nobody, 7} {
			for _, enrolled := range []bool{false, true} {
				d, want := token(from, owner, enrolled), []Status{}
				for _, to := range Statuses {
					ok := slices.Contains(may, to) && (owner != custody.Nobody || to != Assigned && to != Active) && (enrolled || to != Active)
					if ok {
						want = append(want, to)
					}
					c, err := Patch{Status: &to}.change(t.Context(), access.Actor{}, access.All(), Present{Device: d}, t0)
					if from == to && (err != nil || len(c.Entries) > 0) || from != to && ok != (err == nil) ||
						err != nil && !fault.Is(err, fault.Conflict) {
						t.Errorf("%s to %s, owner %d, enrolled %v: %v", from, to, owner, enrolled, err)
					}
					if ended := c.Revoke != nil; err == nil && (c.Device.Status != to || ended != (from != to && (to == Lost || to == Retired))) {
						t.Errorf("%s to %s: it is %s, its certificates end: %v", from, to, c.Device.Status, ended)
					}
				}
				if diff := cmp.Diff(want, sorted(d.Next(access.All()))); diff != "" {
					t.Errorf("%s, owner %d, enrolled %v (-want +got):\n%s", from, owner, enrolled, diff)
				}
				own := d.Next(access.Scope{Reach: access.Own})
				if len(own) > 1 || len(own) == 1 && own[0] != Lost {
					t.Errorf("a user is shown that the own token may become %v", own)
				}
			}
		}
	}
}

// sorted sorts in the order of Statuses.
func sorted(list []Status) []Status {
	slices.SortFunc(list, func(a, b Status) int { return slices.Index(Statuses, a) - slices.Index(Statuses, b) })
	return list
}

// TestOwnerMoves: the effect of a change of owner. The former owner's certificates
// are revoked, and the card must be set up again.
func TestOwnerMoves(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		was      Device
		owner    int64
		want     Status // empty: refused
		enrolled bool
		ended    bool
	}{
		{token(InStock, custody.Nobody, false), 7, Assigned, false, false},
		{token(InStock, custody.Nobody, true), 7, Active, true, false},
		{token(Assigned, 7, false), 8, Assigned, false, true},
		{token(Active, 7, true), 8, Assigned, false, true},
		{token(Active, 7, true), custody.Nobody, Suspended, false, true},
		{token(Assigned, 7, false), custody.Nobody, Suspended, false, true},
		{token(Suspended, 7, true), 8, Suspended, false, true},
		{token(Suspended, 7, true), custody.Nobody, Suspended, false, true},
		{token(Suspended, custody.Nobody, true), 7, Suspended, true, false},
		{token(Active, 7, true), 7, Active, true, false},
		{token(Lost, 7, true), 8, "", false, false},
		{token(Retired, custody.Nobody, false), 8, "", false, false},
	} {
		var to *int64
		standing := Present{Device: c.was}
		if c.owner != custody.Nobody {
			to, standing.Owner = &c.owner, &account.User{ID: c.owner, IsActive: true}
		}
		got, err := Patch{OwnerID: &to}.change(t.Context(), access.Actor{}, access.All(), standing, t0)
		if c.want == "" {
			if !fault.Is(err, fault.Conflict) {
				t.Errorf("%s to %d: %v", c.was.Status, c.owner, err)
			}
			continue
		}
		d := got.Device
		if err != nil || d.Status != c.want || (d.EnrolledAt != nil) != c.enrolled || (got.Revoke != nil) != c.ended ||
			!access.SameID(d.OwnerID, to) {
			t.Errorf("%s to %d: %s, enrolled %v, ended %v, %v", c.was.Status, c.owner, d.Status, d.EnrolledAt, got.Revoke != nil, err)
		}
	}
}
