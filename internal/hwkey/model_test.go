package hwkey_test

import (
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
)

// moves are the contract's words on status ("Hardware tokens and custody"),
// for PATCH: "in_stock → assigned → active ⇄ suspended; any → lost → (found)
// suspended; any → retired; back to in_stock only by reset". The first two
// arrows happen by an owner and by enrolment, but for the way back from a
// suspension, which ends where it began.
const moves = "assigned>suspended active>suspended suspended>assigned suspended>active lost>suspended"

// model is what must be true of one token, whatever came before.
type model struct {
	status   hwkey.Status
	owner    int // index of a person; 0 is nobody
	enrolled bool
	live     int // certificates
}

func (m *model) revoke() { m.live = 0 }

// patchStatus gives the code of the refusal, or "".
func (m *model) patchStatus(next hwkey.Status) fault.Code {
	if next == m.status {
		return ""
	}
	allowed := next == hwkey.Lost || next == hwkey.Retired || slices.Contains(strings.Fields(moves), string(m.status)+">"+string(next))
	inUse := next == hwkey.Assigned || next == hwkey.Active
	if !allowed || inUse && m.owner == 0 || next == hwkey.Active && !m.enrolled {
		return fault.Conflict
	}
	m.status = next
	if next == hwkey.Lost || next == hwkey.Retired {
		m.revoke()
	}
	return ""
}

func (m *model) patchOwner(next int) fault.Code {
	if next == m.owner {
		return ""
	}
	if m.status == hwkey.Lost || m.status == hwkey.Retired {
		return fault.Conflict
	}
	if m.owner != 0 {
		m.enrolled = false
		m.revoke()
	}
	m.owner = next
	switch {
	case m.status == hwkey.Suspended:
	case next == 0:
		m.status = hwkey.Suspended
	case m.enrolled:
		m.status = hwkey.Active
	default:
		m.status = hwkey.Assigned
	}
	return ""
}

// patch does both or nothing: first the owner, then the status.
func (m *model) patch(owner *int, status *hwkey.Status) (code fault.Code) {
	after := *m
	if owner != nil {
		code = after.patchOwner(*owner)
	}
	if status != nil && code == "" {
		code = after.patchStatus(*status)
	}
	if code == "" {
		*m = after
	}
	return code
}

// barred: "suspended and lost stop … the owner's access"; a retired token is
// nobody's tool either.
func (m *model) barred() bool {
	return m.status == hwkey.Suspended || m.status == hwkey.Lost || m.status == hwkey.Retired
}

func (m *model) reset(byOwner bool) fault.Code {
	if byOwner && m.barred() {
		return fault.PermissionDenied
	}
	m.status, m.enrolled = hwkey.InStock, false
	if m.owner != 0 {
		m.status = hwkey.Assigned
	}
	m.revoke()
	return ""
}

func (m *model) enrol(byOwner bool) fault.Code {
	switch {
	case byOwner && m.barred():
		return fault.PermissionDenied
	case m.barred():
		return fault.Conflict
	}
	m.enrolled = true
	if m.owner != 0 {
		m.status = hwkey.Active
	}
	return ""
}

func (m *model) sign() fault.Code {
	switch {
	case m.barred():
		return fault.PermissionDenied
	case m.owner == 0:
		return fault.Conflict
	}
	m.live++
	return ""
}

// next are the statuses that a PATCH by a manager may ask for.
func (m *model) next() []hwkey.Status {
	list := []hwkey.Status{}
	for _, s := range hwkey.Statuses {
		if try := *m; s != m.status && try.patchStatus(s) == "" {
			list = append(list, s)
		}
	}
	return list
}
