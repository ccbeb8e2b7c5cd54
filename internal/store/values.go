package store

import (
	"encoding/json"
	"time"

	"github.com/keyward/keyward/internal/textinput"
)

// micros is a time as the database keeps it.
func micros(t time.Time) int64 { return t.UnixMicro() }

// microsOrZero keeps the zero time as zero.
func microsOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.UnixMicro()
}

func microsOf(t *time.Time) *int64 {
	if t == nil {
		return nil
	}
	us := t.UnixMicro()
	return &us
}

func moment(us int64) time.Time { return time.UnixMicro(us).UTC() }

// momentOrZero is moment, with the zero time for 0.
func momentOrZero(us int64) time.Time {
	if us == 0 {
		return time.Time{}
	}
	return moment(us)
}

func momentOf(us *int64) *time.Time {
	if us == nil {
		return nil
	}
	t := moment(*us)
	return &t
}

// fold returns the form in which texts that differ only in case are equal.
func fold(s string) string { return textinput.Fold(s) }

// listText is a list as JSON; nil becomes the empty list.
func listText[T any](list []T) (string, error) {
	if list == nil {
		list = []T{}
	}
	b, err := json.Marshal(list)
	return string(b), err
}

func listOf[T any](text string) ([]T, error) {
	list := []T{}
	err := json.Unmarshal([]byte(text), &list)
	return list, err
}

func value[T any](p *T) T {
	if p == nil {
		var zero T
		return zero
	}
	return *p
}

func pointerTo[T any](v T) *T { return &v }

func set[T any](column, change *T) {
	if change != nil {
		*column = *change
	}
}
