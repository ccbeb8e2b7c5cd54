package audit

import "strconv"

// Names are what the accounts and organizations that entries name are called today. They are no
// part of the log: only what was written then is sealed.
type Names struct {
	Users         map[int64]string
	Organizations map[int64]string
	Sessions      map[int64]int64 // a session's account
}

// Actor returns the name of who did it; empty if it is not known.
func (n Names) Actor(e Entry) string {
	if e.ActorID == nil {
		return ""
	}
	return n.Users[*e.ActorID]
}

// Target returns the name of whom an entry is about; empty if it is not known.
func (n Names) Target(e Entry) string {
	id, err := strconv.ParseInt(e.TargetID, 10, 64)
	if err != nil {
		return ""
	}
	switch e.TargetType {
	case "user":
		return n.Users[id]
	case "session":
		return n.Users[n.Sessions[id]]
	case "organization":
		return n.Organizations[id]
	default:
		return ""
	}
}
