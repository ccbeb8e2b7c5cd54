package notify

import (
	"slices"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
)

// Preferences are a person's choices, and the state of mail to them.
type Preferences struct {
	Language  string // en, de; empty: none chosen
	Mail      map[Kind]bool
	Address   string
	FailedAt  *time.Time // since when mail to the address fails permanently; nil: it does not
	Error     string     // why: a class of package mail
	Available bool       // the installation sends mail
}

// Languages lists the possible choices; empty: none.
var Languages = []string{"", "en", "de"}

// Choosing is a change of choices; what it leaves out stays.
type Choosing struct {
	Language *string // nil: unchanged
	Mail     map[Kind]bool
}

// Check returns Invalid for an unsupported language, and for a kind without a choice.
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

// ChoiceOf returns the choice of a kind; empty for a kind that is not in the table.
func ChoiceOf(k Kind) Choice {
	r, _ := RowOf(k)
	return r.Choice
}

// Of returns the rows of messages that someone with that role who can sign in may get.
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
