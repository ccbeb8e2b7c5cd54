package resource

import (
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// answer is an output whose body is T.
type answer[T any] struct{ Body T }

func utc(t *time.Time) *time.Time {
	if t == nil {
		return nil
	}
	v := t.UTC()
	return &v
}

func present(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return utc(&t)
}

func nullable[T any](r huma.Registry) *huma.Schema {
	s := *huma.SchemaFromType(r, reflect.TypeFor[T]())
	s.Nullable = true
	return &s
}
