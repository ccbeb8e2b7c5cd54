package resource

import (
	"encoding/json"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/fault"
)

// Optional is a field of a PATCH: absent is unchanged, null clears (contract,
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

// Schema is that of T, or null.
func (o Optional[T]) Schema(r huma.Registry) *huma.Schema {
	s := *huma.SchemaFromType(r, reflect.TypeFor[T]())
	s.Nullable = true
	return &s
}

// orZero is nil when the field is absent and the zero value when it is null.
func (o Optional[T]) orZero() *T {
	if !o.Set {
		return nil
	}
	v := o.Value
	return &v
}

// orNil is nil when the field is absent and a pointer to nil when it is null.
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

// Settable is a field of a PATCH that cannot be cleared: absent is unchanged,
// and null is refused.
type Settable[T any] struct{ Optional[T] }

// Schema is that of T.
func (o Settable[T]) Schema(r huma.Registry) *huma.Schema {
	return huma.SchemaFromType(r, reflect.TypeFor[T]())
}

// pointer is nil when the field is absent, and when it is null, which it
// notes as wrong: the HTTP library takes the one for the other.
func (o Settable[T]) pointer(field string, bad *[]fault.Field) *T {
	if o.Null {
		*bad = append(*bad, fault.NotNull(field))
		return nil
	}
	return o.orZero()
}
