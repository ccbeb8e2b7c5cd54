package account

import (
	"strings"

	"github.com/keyward/keyward/internal/audit"
)

// unknownActor is the actor that the audit log names for an unknown one.
const unknownActor = "unknown"

// Reserved reports whether a username, in any case, is one of the audit log's
// own actors: the acts of such an account would read as those of the system, or
// of nobody.
func Reserved(username string) bool {
	return strings.EqualFold(username, audit.System) || strings.EqualFold(username, unknownActor)
}
