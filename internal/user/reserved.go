package user

import (
	"strings"

	"github.com/keyward/keyward/internal/audit"
)

// unknownActor is whom the audit log names when nobody knows who it was.
const unknownActor = "unknown"

// Reserved tells whether a username is one of the audit log's own actors,
// whatever its case: what somebody of that name did would read there as the
// doing of the system, or of nobody.
func Reserved(username string) bool {
	return strings.EqualFold(username, audit.System) || strings.EqualFold(username, unknownActor)
}
