// Package page is keyset paging: a list is newest first by an increasing
// number, and a cursor is the number of the last row seen; in another order it
// also has that row's sort value at the time. A page deep in the list costs as
// much as the first (contract, "Lists").
package page

import (
	"encoding/base64"
	"encoding/binary"
	"strings"
	"unicode/utf8"

	"github.com/keyward/keyward/internal/fault"
)

// Limits of a page.
const (
	DefaultLimit = 50
	MaxLimit     = 500
)

// CountTo is how far lists are counted: a longer one has this total, marked as inexact.
const CountTo = 10_000

// Count is the length of a list.
type Count struct {
	Total        int  `json:"total" doc:"how many there are on all pages together, as far as they are counted"`
	TotalIsExact bool `json:"total_is_exact" doc:"false: there are at least total; a list is counted to 10,000"`
}

// Request asks for at most Limit rows after the row numbered Before; zero
// starts at the beginning. For a sorted list, Sorted is true and After is that
// row's sort value at the time: renaming it between two pages does not move the
// position.
type Request struct {
	Limit  int
	Before int64
	Sorted bool
	After  string
}

// Page is one page of a list. NextCursor is nil at the end.
type Page[T any] struct {
	Items      []T     `json:"items" nullable:"false"`
	NextCursor *string `json:"next_cursor" nullable:"true" doc:"Give it as cursor to get the next page; null at the end"`
	Count
}

// A cursor is, in base64, a version, the last row's number and, for a sorted
// list, that row's sort value.
const (
	numbered = 3
	sorted   = 4
	begin    = 1 + 8

	maxAfter = 2048 // bytes: the longest label, folded
)

// MaxCursor is the maximum length of a cursor.
const MaxCursor = (begin+maxAfter)*4/3 + 1

// BadCursor is for a cursor that is not from a page of the list.
var BadCursor = fault.Wrong("cursor", "bad_cursor", "is not a cursor of this list; start again without it")

// Parse checks the query parameters limit and cursor. A limit of zero means the
// default. Forging a cursor is harmless: it only says where a page begins in a
// list that its sender may see.
func Parse(limit int, cursor string) (Request, error) {
	r := Request{Limit: limit}
	switch {
	case limit == 0:
		r.Limit = DefaultLimit
	case limit < 1 || limit > MaxLimit:
		return Request{}, fault.Invalid(fault.OutOfRange("limit", 1, MaxLimit))
	}
	if cursor == "" {
		return r, nil
	}
	raw, err := base64.RawURLEncoding.Strict().DecodeString(cursor)
	// Checks the length, too, because the decoder skips line breaks.
	if err != nil || len(cursor) != base64.RawURLEncoding.EncodedLen(len(raw)) || len(raw) < begin || len(raw) > begin+maxAfter {
		return Request{}, fault.Invalid(BadCursor)
	}
	number, after := binary.BigEndian.Uint64(raw[1:]), string(raw[begin:])
	switch {
	case number == 0 || number > 1<<62:
		return Request{}, fault.Invalid(BadCursor)
	case raw[0] == numbered && after == "":
	case raw[0] == sorted && utf8.ValidString(after) && !strings.Contains(after, "\x00"):
		r.Sorted, r.After = true, after
	default:
		return Request{}, fault.Invalid(BadCursor)
	}
	r.Before = int64(number)
	return r, nil
}

// Cursor encodes the number of the last row of a page.
func Cursor(number int64) string { return encode(numbered, number, "") }

// SortedCursor is Cursor for a sorted list, with the row's sort value.
func SortedCursor(number int64, after string) string { return encode(sorted, number, after) }

func encode(version byte, number int64, after string) string {
	raw := binary.BigEndian.AppendUint64([]byte{version}, uint64(number))
	return base64.RawURLEncoding.EncodeToString(append(raw, after...))
}

// Make builds a page from rows fetched with r.Limit+1: one row too many means
// that there is a next page. number returns a row's number. count is called
// unless the page is the whole list. Invalid for a cursor of another order.
func Make[T any](rows []T, r Request, number func(T) int64, count func() (Count, error)) (Page[T], error) {
	if r.Sorted {
		return Page[T]{}, fault.Invalid(BadCursor)
	}
	return made(rows, r, func(row T) string { return Cursor(number(row)) }, count)
}

// MakeSorted is Make for a sorted list: after returns a row's sort value.
func MakeSorted[T any](
	rows []T, r Request, number func(T) int64, after func(T) string, count func() (Count, error),
) (Page[T], error) {
	return made(rows, r, func(row T) string { return SortedCursor(number(row), after(row)) }, count)
}

func made[T any](rows []T, r Request, cursor func(T) string, count func() (Count, error)) (p Page[T], err error) {
	more := len(rows) > r.Limit
	p.Items = append([]T{}, rows[:min(len(rows), r.Limit)]...)
	if r.Before == 0 && !more {
		p.Count = Count{Total: len(rows), TotalIsExact: true}
		return p, nil
	}
	if p.Count, err = count(); err != nil {
		return Page[T]{}, err
	}
	p.Total = max(p.Total, len(p.Items)) // if counting stopped earlier
	if more {
		next := cursor(rows[r.Limit-1])
		p.NextCursor = &next
	}
	return p, nil
}

// Map converts the rows of a page.
func Map[T, U any](p Page[T], f func(T) U) Page[U] {
	answers := make([]U, len(p.Items))
	for i, item := range p.Items {
		answers[i] = f(item)
	}
	return With(p, answers)
}

// With returns the page with answers, one for each row, in place of its rows.
func With[T, U any](p Page[T], answers []U) Page[U] {
	return Page[U]{Items: answers, NextCursor: p.NextCursor, Count: p.Count}
}
