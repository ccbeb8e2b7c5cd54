package fault_test

import (
	"errors"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/fault"
)

func TestCodeOf(t *testing.T) {
	t.Parallel()
	conflict := fault.New(fault.Conflict, "", "There is one already.")
	for _, tc := range []struct {
		name string
		err  error
		want fault.Code
	}{
		{"nil", nil, ""},
		{"fault", conflict, fault.Conflict},
		{"wrapped", fmt.Errorf("store: %w", conflict), fault.Conflict},
		{"joined", errors.Join(io.EOF, conflict), fault.Conflict},
		{"the outer fault counts", fault.New(fault.NotFound, "", "").With(conflict), fault.NotFound},
		{"no fault", io.EOF, fault.Internal},
	} {
		if got := fault.CodeOf(tc.err); got != tc.want {
			t.Errorf("%s: %q", tc.name, got)
		}
		if tc.want != "" && !fault.Is(tc.err, tc.want) {
			t.Errorf("%s: Is says no", tc.name)
		}
	}
	if fault.Is(nil, "") || fault.Is(nil, fault.Internal) {
		t.Error("nil is a fault")
	}
}

// TestCopies: a fault in a variable does not change when a cause, a wait or a member is added.
func TestCopies(t *testing.T) {
	t.Parallel()
	base := fault.New(fault.PINBlocked, "", "The PIN is blocked.").WithExtra("retries_left", 0)
	derived := base.With(io.EOF).After(time.Minute).WithExtra("field", "pin")
	if base.Cause != nil || base.RetryAfter != 0 || len(base.Extra) != 1 {
		t.Errorf("the original changed: %+v", base)
	}
	if diff := cmp.Diff(map[string]any{"retries_left": 0, "field": "pin"}, derived.Extra); diff != "" || derived.RetryAfter != time.Minute {
		t.Errorf("%+v\n%s", derived, diff)
	}
	if !errors.Is(derived, io.EOF) || derived.Error() != "pin_blocked: The PIN is blocked.: EOF" ||
		base.Error() != "pin_blocked: The PIN is blocked." {
		t.Errorf("%q, %q", derived, base)
	}
}

// TestPlaces: the English text is made from the params, so that translations
// have all values; a param's text is not a template.
func TestPlaces(t *testing.T) {
	t.Parallel()
	f := fault.Newf(fault.Conflict, "full", "{count} of {kinds}; {missing}", fault.Params{"count": 3, "kinds": []string{"{count}", "b"}})
	if f.Detail != "3 of {count}, b; {missing}" || f.Reason != "full" || f.Params["count"] != 3 {
		t.Errorf("%+v", f)
	}
	type kind string
	if got := fault.NotOneOf("a", kind("x"), kind("y")); got.Message != "must be one of x, y" ||
		got.Code != "not_one_of" || got.Params["values"] == nil {
		t.Errorf("%+v", got)
	}
}

func TestInvalid(t *testing.T) {
	t.Parallel()
	one := fault.Invalid(fault.Wrong("email", "bad_email", "is not an address"))
	if one.Code != fault.InvalidRequest || one.Detail != "The request has an invalid field: email is not an address." || len(one.Fields) != 1 {
		t.Errorf("%+v", one)
	}
	two := fault.Invalid(fault.Wrong("a", "x", "x"), fault.Wrong("b", "y", "y"))
	if two.Detail != "The request has invalid fields; see errors." || len(two.Fields) != 2 {
		t.Errorf("%+v", two)
	}
}
