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

// Request asks for at most Limit rows that come after the row numbered
// Before; zero starts with the newest.
type Request struct {
	Limit  int
	Before int64
}

// Page is one page of a list. NextCursor is nil at the end.
type Page[T any] struct {
	Items      []T     `json:"items" nullable:"false"`
	NextCursor *string `json:"next_cursor" nullable:"true" doc:"Give it as cursor to get the next page; null at the end"`
}

const version = 1

// BadCursor is a cursor that no page of the list ended with.
var BadCursor = fault.Wrong("cursor", "bad_cursor", "is not a cursor of this list; start again without it")

// Parse checks the query parameters limit and cursor. A limit of zero means
// the default.
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
	if err != nil || len(cursor) != 12 || len(raw) != 9 || raw[0] != version {
		return Request{}, fault.Invalid(BadCursor)
	}
	n := binary.BigEndian.Uint64(raw[1:])
	if n == 0 || n > 1<<62 {
		return Request{}, fault.Invalid(BadCursor)
	}
	r.Before = int64(n)
	return r, nil
}

// Cursor encodes the number of the last row of a page.
func Cursor(number int64) string {
	return base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint64([]byte{version}, uint64(number)))
}

// Make builds a page from rows that were asked for with limit+1: one row too
// many tells that there is a next page. number gives a row's number.
func Make[T any](rows []T, limit int, number func(T) int64) Page[T] {
	if rows == nil {
		rows = []T{}
	}
	if len(rows) <= limit {
		return Page[T]{Items: rows}
	}
	rows = rows[:limit]
	next := Cursor(number(rows[limit-1]))
	return Page[T]{Items: rows, NextCursor: &next}
}

// Map turns a page of rows into a page of answers.
func Map[T, U any](p Page[T], f func(T) U) Page[U] {
	out := Page[U]{Items: make([]U, len(p.Items)), NextCursor: p.NextCursor}
	for i, item := range p.Items {
		out.Items[i] = f(item)
	}
	return out
}
