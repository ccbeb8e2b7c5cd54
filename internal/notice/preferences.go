package notice

import (
	"slices"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
)

// Preferences are what a person chose, and how mail to them fares.
type Preferences struct {
	Language  string // en, de; empty: none chosen
	Mail      map[Kind]bool
	Address   string
	FailedAt  *time.Time // since when mail to the address fails for good; nil: it does not
	Error     string     // why, in a word: a class of package mail
	Available bool       // the installation sends mail
}

// Languages are those that a person may choose; the empty one is none.
var Languages = []string{"", "en", "de"}

// Choosing is what a person chooses now; what it does not name stays.
type Choosing struct {
	Language *string // nil: as it is
	Mail     map[Kind]bool
}

// Check is Invalid for a language that there are no words in, and for a choice of what
// is not to be chosen.
func (c Choosing) Check() error {
	var bad []fault.Field
	if c.Language != nil && !slices.Contains(Languages, *c.Language) {
		bad = append(bad, fault.NotOneOf("language", Languages...))
	}
	for kind := range c.Mail {
		if ChoiceOf(kind) != On {
			bad = append(bad, fault.Wrong("mail", "no_choice", "names a kind of message that can't be turned off; see kinds"))
		}
	}
	if len(bad) > 0 {
		return fault.Invalid(bad...)
	}
	return nil
}

// ChoiceOf is the choice of a kind; empty for a kind that is not in the table.
func ChoiceOf(k Kind) Choice {
	r, _ := RowOf(k)
	return r.Choice
}

// Of are the rows of what may be told to somebody with that role who can sign in.
func Of(role access.Role) []Row {
	return slices.DeleteFunc(slices.Clone(Table), func(r Row) bool {
		switch r.To {
		case account, atFormer, owner, formerly, newOwner:
			return r.Kind == Invitation
		case everyAdmin:
			return role != access.GlobalAdmin
		default:
			return role == access.User
		}
	})
}
