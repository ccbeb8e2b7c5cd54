package storetest

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/test/must"
)

var errRefused = errors.New("refused by the decision")

// equal compares; a nil slice and an empty one are the same.
func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if d := cmp.Diff(want, got, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("%s (-want +got):\n%s", what, d)
	}
}

// refused checks an error's code and that it has a text for people.
func refused(t *testing.T, what string, err error, code fault.Code) {
	t.Helper()
	f, ok := fault.As(err)
	if !ok || f.Code != code {
		t.Errorf("%s: got error %v, want a fault with code %s", what, err, code)
		return
	}
	if f.Detail == "" {
		t.Errorf("%s: the fault has no detail", what)
	}
}

// invalid checks that an error names a field.
func invalid(t *testing.T, what string, err error, field string) {
	t.Helper()
	refused(t, what, err, fault.InvalidRequest)
	if f, ok := fault.As(err); ok && (len(f.Fields) != 1 || f.Fields[0].Field != field) {
		t.Errorf("%s: the fault names the fields %v, want %s", what, f.Fields, field)
	}
}

// walk reads a list to its end in pages of limit rows and checks that each page but the last is
// full and none goes past the end. Every page states how many rows the walk finds.
func walk[T any](t *testing.T, limit int, list func(page.Request) (page.Page[T], error)) []T {
	t.Helper()
	all, counts := []T{}, []page.Count{}
	request := page.Request{Limit: limit}
	for {
		p := must.Get(list(request))(t)
		all, counts = append(all, p.Items...), append(counts, p.Count)
		if p.NextCursor == nil {
			for i, c := range counts {
				equal(t, fmt.Sprint("count on page ", i), c, page.Count{Total: len(all), TotalIsExact: true})
			}
			return all
		}
		if len(p.Items) != limit {
			t.Fatalf("a page that has a next one holds %d rows, want %d", len(p.Items), limit)
		}
		request = must.Get(page.Parse(limit, *p.NextCursor))(t)
	}
}

// names maps rows to what tells them apart.
func names[T any](rows []T, name func(T) string) []string {
	out := []string{}
	for _, r := range rows {
		out = append(out, name(r))
	}
	return out
}

func ptr[T any](v T) *T { return &v }

func value(id *int64) int64 {
	if id == nil {
		return 0
	}
	return *id
}

// errOf is the error of a call whose value does not matter.
func errOf[T any](_ T, err error) error { return err }

// errOf2 is errOf for a call that returns two values.
func errOf2[A, B any](_ A, _ B, err error) error { return err }
