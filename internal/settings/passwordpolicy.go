package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/password"
)

// policySetting is the name of the policy among the settings.
const policySetting = "password_policy"

// PasswordPolicies is the domain's face to the edges. It implements
// password.Policies.
type PasswordPolicies struct {
	Store   Store
	Default password.Policy // as long as nobody has set any, and for fields that a stored one lacks
	Now     func() time.Time
}

// errUnreadable: someone edited the database.
var errUnreadable = errors.New("the stored password policy cannot be read")

// PasswordPolicy returns the current policy. It fails when the stored one
// cannot be read: the default must not replace something stricter.
func (s *PasswordPolicies) PasswordPolicy(ctx context.Context) (password.Policy, error) {
	v, err := s.Store.Setting(ctx, policySetting)
	switch {
	case fault.Is(err, fault.NotFound):
		return s.Default, nil
	case err != nil:
		return password.Policy{}, err
	}
	p := s.Default
	if err := json.Unmarshal([]byte(v.Text), &p); err != nil {
		return password.Policy{}, fmt.Errorf("%w: %w", errUnreadable, err)
	}
	if err := p.Validate(); err != nil {
		return password.Policy{}, fmt.Errorf("%w: %s", errUnreadable, err.Error()) // as text: the fault does not concern the current caller
	}
	return p, nil
}

// Put stores a policy, which applies everywhere at once. InvalidRequest names
// every field that is out of bounds.
func (s *PasswordPolicies) Put(ctx context.Context, a access.Actor, p password.Policy) error {
	if err := p.Validate(); err != nil {
		return err
	}
	old, err := s.PasswordPolicy(ctx)
	changes := difference(old, p)
	switch {
	case errors.Is(err, errUnreadable):
		changes = "replaces one that could not be read"
	case err != nil:
		return err
	}
	text, err := json.Marshal(p)
	if err != nil {
		return fmt.Errorf("password policy: %w", err)
	}
	entry := audit.By(a, audit.SettingsChanged, "settings", policySetting, changes).In(nil)
	return s.Store.PutSetting(ctx, policySetting, Value{Text: string(text), UpdatedAt: s.Now()}, entry)
}

// difference describes the changes, for the audit log: "min_length 8 to 12".
func difference(old, next password.Policy) string {
	var changes []string
	before, after := reflect.ValueOf(old), reflect.ValueOf(next)
	for i := range before.NumField() {
		if b, a := before.Field(i).Interface(), after.Field(i).Interface(); b != a {
			changes = append(changes, fmt.Sprintf("%s %v to %v", before.Type().Field(i).Tag.Get("json"), b, a))
		}
	}
	if len(changes) == 0 {
		return "nothing changed"
	}
	return strings.Join(changes, ", ")
}
