package resource

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/fault"
)

// Optional is a field of a PATCH: absent leaves the value, null clears it (contract,
// "Success").
type Optional[T any] struct {
	Set   bool
	Null  bool
	Value T
}

// UnmarshalJSON is called only for a field that is present.
func (o *Optional[T]) UnmarshalJSON(b []byte) error {
	o.Set = true
	if string(b) == "null" {
		o.Null = true
		return nil
	}
	return json.Unmarshal(b, &o.Value)
}

// Schema returns the schema of T, or null.
func (o Optional[T]) Schema(r huma.Registry) *huma.Schema {
	s := *huma.SchemaFromType(r, reflect.TypeFor[T]())
	s.Nullable = true
	return &s
}

// orZero returns nil when the field is absent and the zero value when it is null.
func (o Optional[T]) orZero() *T {
	if !o.Set {
		return nil
	}
	v := o.Value
	return &v
}

// orNil returns nil when the field is absent and a pointer to nil when it is null.
func (o Optional[T]) orNil() **T {
	if !o.Set {
		return nil
	}
	var v *T
	if !o.Null {
		v = &o.Value
	}
	return &v
}

// Settable is a field of a PATCH that cannot be cleared: absent leaves the value, and
// null is refused.
type Settable[T any] struct{ Optional[T] }

// Schema returns the schema of T.
func (o Settable[T]) Schema(r huma.Registry) *huma.Schema {
	return huma.SchemaFromType(r, reflect.TypeFor[T]())
}

// pointer returns nil when the field is absent, and when it is null, which it adds to
// bad: the HTTP library treats both the same.
func (o Settable[T]) pointer(field string, bad *[]fault.Field) *T {
	if o.Null {
		*bad = append(*bad, fault.NotNull(field))
		return nil
	}
	return o.orZero()
}

// orNull is a text for an answer in which an empty one is null.
func orNull(text string) *string {
	if text == "" {
		return nil
	}
	return &text
}

// orEmpty is a text of a request in which null is as good as empty.
func orEmpty(text *string) string {
	if text == nil {
		return ""
	}
	return *text
}
