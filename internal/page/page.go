// Package page is keyset paging: a list is newest first by an increasing
// number, and a cursor is the number of the last row seen. A page deep in the
// list costs the same as the first (contract, "Lists").
package page

import (
	"encoding/base64"
	"encoding/binary"

	"github.com/keyward/keyward/internal/fault"
)

// Limits of a page.
const (
	DefaultLimit = 50
	MaxLimit     = 500
)

// CountTo is how far a list is counted: what is longer has this total, and is
// said not to be exact.
const CountTo = 10_000

// Count is how long a list is.
type Count struct {
	Total        int  `json:"total" doc:"how many there are on all pages together, as far as they were counted when the first page was made"`
	TotalIsExact bool `json:"total_is_exact" doc:"false: there are at least total; a list is counted to 10,000"`
}

// Request asks for at most Limit rows that come after the row numbered
// Before; zero starts with the newest. Count is what the first page told: a
// list is counted once.
type Request struct {
	Limit  int
	Before int64
	Count  Count
}

// Page is one page of a list. NextCursor is nil at the end.
type Page[T any] struct {
	Items      []T     `json:"items" nullable:"false"`
	NextCursor *string `json:"next_cursor" nullable:"true" doc:"Give it as cursor to get the next page; null at the end"`
	Count
}

// A cursor is a version, the last row's number, the total, and whether that
// is exact, in base64.
const (
	version    = 2
	cursorSize = 1 + 8 + 2 + 1
)

// BadCursor is a cursor that no page of the list ended with.
var BadCursor = fault.Wrong("cursor", "bad_cursor", "is not a cursor of this list; start again without it")

// Parse checks the query parameters limit and cursor. A limit of zero means
// the default. Who forges a cursor deceives nobody else: its numbers are
// bounded, and say nothing that a page would not.
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
	// The length is checked too: the decoder skips line breaks.
	if err != nil || len(cursor) != base64.RawURLEncoding.EncodedLen(cursorSize) || len(raw) != cursorSize || raw[0] != version {
		return Request{}, fault.Invalid(BadCursor)
	}
	number, total, exact := binary.BigEndian.Uint64(raw[1:]), binary.BigEndian.Uint16(raw[9:]), raw[11]
	if number == 0 || number > 1<<62 || total > CountTo || exact > 1 {
		return Request{}, fault.Invalid(BadCursor)
	}
	r.Before, r.Count = int64(number), Count{Total: int(total), TotalIsExact: exact == 1}
	return r, nil
}

// Cursor encodes the number of the last row of a page, and the list's count.
func Cursor(number int64, c Count) string {
	raw := binary.BigEndian.AppendUint64([]byte{version}, uint64(number))
	raw = binary.BigEndian.AppendUint16(raw, uint16(c.Total))
	exact := byte(0)
	if c.TotalIsExact {
		exact = 1
	}
	return base64.RawURLEncoding.EncodeToString(append(raw, exact))
}

// Make builds a page from rows that were asked for with r.Limit+1: one row
// too many tells that there is a next page. number gives a row's number.
// count is called for a first page that is not the last one: one that is has
// its own length, and the others were told.
func Make[T any](rows []T, r Request, number func(T) int64, count func() (Count, error)) (p Page[T], err error) {
	more := len(rows) > r.Limit
	p.Items, p.Count = append([]T{}, rows[:min(len(rows), r.Limit)]...), r.Count
	switch {
	case r.Before == 0 && more:
		if p.Count, err = count(); err != nil {
			return Page[T]{}, err
		}
	case r.Before == 0:
		p.Count = Count{Total: len(rows), TotalIsExact: true}
	}
	p.Total = max(p.Total, len(p.Items)) // where counting gave up earlier
	if more {
		next := Cursor(number(rows[r.Limit-1]), p.Count)
		p.NextCursor = &next
	}
	return p, nil
}

// Map turns a page of rows into a page of answers.
func Map[T, U any](p Page[T], f func(T) U) Page[U] {
	answers := make([]U, len(p.Items))
	for i, item := range p.Items {
		answers[i] = f(item)
	}
	return With(p, answers)
}

// With is a page of answers that were made of all its rows at once.
func With[T, U any](p Page[T], answers []U) Page[U] {
	return Page[U]{Items: answers, NextCursor: p.NextCursor, Count: p.Count}
}
