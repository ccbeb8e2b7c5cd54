package password

import (
	"context"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

// Policy is what a password must satisfy, how long it lasts, and how guessing
// is limited. The JSON names are the contract's.
type Policy struct {
	MinLength           int  `json:"min_length"` // characters, after Normalize
	MaxLength           int  `json:"max_length"` // characters, after Normalize
	RequireLowercase    bool `json:"require_lowercase"`
	RequireUppercase    bool `json:"require_uppercase"`
	RequireDigit        bool `json:"require_digit"`
	RequireSymbol       bool `json:"require_symbol"` // punctuation, symbol or space
	RejectCommon        bool `json:"reject_common"`
	ChangeAtFirstSignIn bool `json:"change_at_first_sign_in"` // for accounts that an administrator creates
	MaxAgeDays          int  `json:"max_age_days"`            // 0: a password never expires
	LockoutAttempts     int  `json:"lockout_attempts"`        // consecutive failed sign-ins that lock the account
	LockoutMinutes      int  `json:"lockout_minutes"`         // duration of the lock
}

// Policies returns the current policy, which an administrator may change while the server runs.
type Policies interface {
	PasswordPolicy(ctx context.Context) (Policy, error)
}

// Fixed is a policy that never changes.
type Fixed Policy

// PasswordPolicy implements Policies.
func (p Fixed) PasswordPolicy(context.Context) (Policy, error) { return Policy(p), nil }

// DefaultPolicy is the contract's: 8 to 128 characters, no common passwords; 5
// failures lock for 15 minutes.
func DefaultPolicy() Policy {
	return Policy{MinLength: 8, MaxLength: 128, RejectCommon: true, LockoutAttempts: 5, LockoutMinutes: 15}
}

// Validate refuses a policy that is out of bounds, naming every offending
// field. Any policy within the bounds can be satisfied.
func (p Policy) Validate() error {
	var bad []fault.Field
	for _, f := range []struct {
		name        string
		value       int
		least, most int
	}{
		{"min_length", p.MinLength, 8, 64},
		{"max_length", p.MaxLength, 64, 128},
		{"max_age_days", p.MaxAgeDays, 0, 3650},
		{"lockout_attempts", p.LockoutAttempts, 1, 20},
		{"lockout_minutes", p.LockoutMinutes, 1, 1440},
	} {
		if f.value < f.least || f.value > f.most {
			bad = append(bad, fault.OutOfRange(f.name, f.least, f.most))
		}
	}
	if len(bad) > 0 {
		return fault.Invalid(bad...)
	}
	return nil
}

// Expired reports whether a password set at changed is too old now.
func (p Policy) Expired(changed, now time.Time) bool {
	return p.MaxAgeDays > 0 && now.Sub(changed) >= time.Duration(p.MaxAgeDays)*24*time.Hour
}

// LockoutFor is how long a lockout lasts.
func (p Policy) LockoutFor() time.Duration { return time.Duration(p.LockoutMinutes) * time.Minute }

// Check refuses a password that breaks the policy. The fault is PasswordPolicy;
// it names the field once for each broken rule, and never shows the value.
func (p Policy) Check(field string, password secret.String, username, email string) error {
	if broken := p.broken(field, Normalize(password).Reveal(), username, email); len(broken) > 0 {
		return refusal(broken...)
	}
	return nil
}

// MustDiffer refuses a new password equal to the current one.
func MustDiffer(field string, current, next secret.String) error {
	if !Normalize(next).Equal(Normalize(current)) {
		return nil
	}
	return refusal(fault.Wrong(field, "unchanged", "must differ from the current one"))
}

func refusal(broken ...fault.Field) error {
	f := fault.New(fault.PasswordPolicy, "", "The new password breaks several rules; see errors.").About(broken...)
	if len(broken) == 1 {
		f.Detail = "The new password " + broken[0].Message + "."
	}
	return f
}

// broken returns the rules that a normalized password breaks.
func (p Policy) broken(field, text, username, email string) []fault.Field {
	var found []fault.Field
	rule := func(kept bool, f fault.Field) {
		if !kept {
			found = append(found, f)
		}
	}
	n, c := utf8.RuneCountInString(text), classesOf(text)
	rule(n >= p.MinLength && n <= p.MaxLength, fault.BadLength(field, p.MinLength, p.MaxLength))
	rule(utf8.ValidString(text), fault.Wrong(field, "not_utf8", "is not valid UTF-8"))
	rule(!c.control, fault.Wrong(field, "control_characters", "must not contain control characters"))
	rule(c.lower || !p.RequireLowercase, fault.Wrong(field, "no_lower_case", "must contain a lowercase letter"))
	rule(c.upper || !p.RequireUppercase, fault.Wrong(field, "no_upper_case", "must contain an uppercase letter"))
	rule(c.digit || !p.RequireDigit, fault.Wrong(field, "no_digit", "must contain a digit"))
	rule(c.symbol || !p.RequireSymbol, fault.Wrong(field, "no_symbol", "must contain a symbol, punctuation mark or space"))
	rule(!named(text, username, email), fault.Wrong(field, "like_name",
		"must not be the username or email, or that followed by a few digits or symbols"))
	rule(!p.RejectCommon || !common(text), fault.Wrong(field, "common", "is too common"))
	return found
}

// named reports whether a password is one of the account's names, with or
// without a short tail. A name inside a longer password is fine.
func named(password, username, email string) bool {
	local, _, _ := strings.Cut(email, "@")
	for stem := range stems(password) {
		if stem != "" && (strings.EqualFold(stem, username) || strings.EqualFold(stem, email) || strings.EqualFold(stem, local)) {
			return true
		}
	}
	return false
}

// classes are the kinds of characters in a password.
type classes struct{ lower, upper, digit, symbol, control bool }

func classesOf(text string) classes {
	var c classes
	for _, r := range text {
		c.lower = c.lower || unicode.IsLower(r)
		c.upper = c.upper || unicode.IsUpper(r) || unicode.IsTitle(r)
		c.digit = c.digit || unicode.IsDigit(r)
		c.symbol = c.symbol || unicode.IsPunct(r) || unicode.IsSymbol(r) || r == ' '
		c.control = c.control || unicode.IsControl(r)
	}
	return c
}
