package resource

import (
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
)

// Paging is embedded by every list's input. Like the other embedded inputs it is
// exported, because the HTTP library ignores unexported ones.
type Paging struct {
	Limit  int    `query:"limit" default:"50" minimum:"1" maximum:"500"`
	Cursor string `query:"cursor" maxLength:"2743" doc:"next_cursor of the page before"`
}

func (p Paging) parse() (page.Request, error) { return page.Parse(p.Limit, p.Cursor) }

// sortOf returns the requested order of a list; natural names the list's default.
func sortOf(name, natural string) page.Sort {
	if name == natural {
		return ""
	}
	return page.Sort(name)
}

// optionalQuery is a query parameter that can be told apart from an absent one.
type optionalQuery[T any] struct {
	value T
	set   bool
}

// Receiver returns where the HTTP library stores the parameter.
func (o *optionalQuery[T]) Receiver() reflect.Value { return reflect.ValueOf(&o.value).Elem() }

// OnParamSet is called with every request.
func (o *optionalQuery[T]) OnParamSet(set bool, _ any) { o.set = set }

// Schema returns the schema of T.
func (o optionalQuery[T]) Schema(r huma.Registry) *huma.Schema {
	return huma.SchemaFromType(r, reflect.TypeFor[T]())
}

func (o *optionalQuery[T]) pointer() *T {
	if !o.set {
		return nil
	}
	return &o.value
}

// Identified is embedded by the body of a PATCH, which may repeat the response of GET.
type Identified struct {
	ID *int64 `json:"id,omitempty" readOnly:"true" doc:"that of the path: it can't be changed"`
}

func (i Identified) same(id int64) error { return unchanged("id", i.ID, id) }

// unchanged refuses an identifier that differs from the current one.
func unchanged[T comparable](field string, sent *T, present T) error {
	if sent == nil || *sent == present {
		return nil
	}
	return fault.Invalid(readOnly(field))
}

func readOnly(field string) fault.Field { return fault.Wrong(field, "read_only", "can't be changed") }

func positive(id int64) *int64 {
	if id <= 0 {
		return nil
	}
	return &id
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}
