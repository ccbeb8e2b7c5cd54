package page_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
)

func TestParse(t *testing.T) {
	t.Parallel()
	encode := func(b ...byte) string { return base64.RawURLEncoding.EncodeToString(b) }
	// Version 3, then the number 258 in 8 bytes, big-endian; version 4 has the sort value after
	// it.
	valid := encode(3, 0, 0, 0, 0, 0, 0, 1, 2)
	sorted := func(after string) string {
		return encode(append([]byte{4, 0, 0, 0, 0, 0, 0, 1, 2}, after...)...)
	}
	longest := strings.Repeat("x", 2048)
	for _, tc := range []struct {
		name   string
		limit  int
		cursor string
		want   page.Request
		field  string
	}{
		{"default", 0, "", page.Request{Limit: 50}, ""},
		{"least", 1, "", page.Request{Limit: 1}, ""},
		{"most", 500, "", page.Request{Limit: 500}, ""},
		{"cursor", 10, valid, page.Request{Limit: 10, Before: 258}, ""},
		{"sorted", 10, sorted("ä"), page.Request{Limit: 10, Before: 258, Sorted: true, After: "ä"}, ""},
		{"sorted by nothing", 10, sorted(""), page.Request{Limit: 10, Before: 258, Sorted: true}, ""},
		{"the longest", 10, sorted(longest), page.Request{Limit: 10, Before: 258, Sorted: true, After: longest}, ""},
		{"too many", 501, "", page.Request{}, "limit"},
		{"negative", -1, "", page.Request{}, "limit"},
		{"no base64", 10, "!!!", page.Request{}, "cursor"},
		{"padded", 10, valid + "=", page.Request{}, "cursor"},
		{"too short", 10, valid[:4], page.Request{}, "cursor"},
		{"too long", 10, valid + "AAAA", page.Request{}, "cursor"},
		{"longer", 10, sorted(longest + "x"), page.Request{}, "cursor"},
		{"no UTF-8", 10, sorted("\xff"), page.Request{}, "cursor"},
		{"NUL", 10, sorted("a\x00"), page.Request{}, "cursor"},
		{"another version", 10, "AQ" + valid[2:], page.Request{}, "cursor"},
		{"zero", 10, encode(3, 0, 0, 0, 0, 0, 0, 0, 0), page.Request{}, "cursor"},
		{"past int64", 10, encode(3, 255, 255, 255, 255, 255, 255, 255, 255), page.Request{}, "cursor"},
		{"SQL", 10, "1;DROP TABLE users", page.Request{}, "cursor"},
	} {
		got, err := page.Parse(tc.limit, tc.cursor)
		f, _ := fault.As(err)
		switch {
		case tc.field == "" && (err != nil || got != tc.want):
			t.Errorf("%s: %+v, %v", tc.name, got, err)
		case tc.field != "" && (f == nil || f.Code != fault.InvalidRequest || f.Fields[0].Field != tc.field):
			t.Errorf("%s: %v", tc.name, err)
		case tc.field == "cursor" && strings.Contains(err.Error(), tc.cursor):
			t.Errorf("%s: the cursor is echoed", tc.name)
		}
	}
}

func FuzzCursor(f *testing.F) {
	f.Add("")
	f.Add(page.Cursor(1))
	f.Add(page.Cursor(1<<62) + "\n")
	f.Add(page.SortedCursor(7, "a key"))
	f.Fuzz(func(t *testing.T, cursor string) {
		r, err := page.Parse(10, cursor)
		if err != nil || cursor == "" {
			return
		}
		again := page.Cursor(r.Before)
		if r.Sorted {
			again = page.SortedCursor(r.Before, r.After)
		}
		if r.Before < 1 || again != cursor || len(cursor) > page.MaxCursor {
			t.Errorf("%q means %+v, whose cursor is %q", cursor, r, again)
		}
	})
}

// TestWalk: following the cursors yields every row once, in order, for any size
// of pages; the last page has no cursor.
func TestWalk(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		total, limit := rapid.IntRange(0, 40).Draw(t, "rows"), rapid.IntRange(1, 12).Draw(t, "limit")
		var want, got []int64
		for n := int64(total); n > 0; n-- {
			want = append(want, n)
		}
		// Plays the store: rows below Before, one more than requested.
		fetch := func(r page.Request) (rows []int64) {
			for _, n := range want {
				if (r.Before == 0 || n < r.Before) && len(rows) <= r.Limit {
					rows = append(rows, n)
				}
			}
			return rows
		}
		for cursor := ""; ; {
			r, err := page.Parse(limit, cursor)
			if err != nil {
				t.Fatal(err)
			}
			p, err := page.Make(fetch(r), r, func(n int64) int64 { return n }, func() (page.Count, error) {
				return page.Count{Total: total, TotalIsExact: true}, nil
			})
			if err != nil || p.Count != (page.Count{Total: total, TotalIsExact: true}) {
				t.Fatalf("%+v, %v", p.Count, err)
			}
			if len(p.Items) > limit || len(p.Items) == 0 && total > 0 {
				t.Fatalf("a page of %d", len(p.Items))
			}
			got = append(got, p.Items...)
			if p.NextCursor == nil {
				break
			}
			cursor = *p.NextCursor
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatal(diff)
		}
	})
}

// TestUncounted: if counting stopped early, the total is at least the rows
// shown; a failed count fails the page.
func TestUncounted(t *testing.T) {
	t.Parallel()
	number := func(n int) int64 { return int64(n) }
	p, err := page.Make([]int{9, 8, 7}, page.Request{Limit: 2}, number, func() (page.Count, error) { return page.Count{Total: 1}, nil })
	if err != nil || p.Count != (page.Count{Total: 2}) {
		t.Errorf("%+v, %v", p.Count, err)
	}
	broken := errors.New("broken")
	if _, err := page.Make([]int{9, 8, 7}, page.Request{Limit: 2}, number,
		func() (page.Count, error) { return page.Count{}, broken }); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

// TestSorted: a sorted list's cursor has its last row's value at the time, and fits no other
// order.
func TestSorted(t *testing.T) {
	t.Parallel()
	number, after := func(n int) int64 { return int64(n) }, func(n int) string { return fmt.Sprint("row ", n) }
	count := func() (page.Count, error) { return page.Count{Total: 3, TotalIsExact: true}, nil }
	p, err := page.MakeSorted([]int{1, 2, 3}, page.Request{Limit: 2}, number, after, count)
	if err != nil {
		t.Fatal(err)
	}
	r, err := page.Parse(2, *p.NextCursor)
	if err != nil || r != (page.Request{Limit: 2, Before: 2, Sorted: true, After: "row 2"}) {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := page.Make([]int{3}, r, number, count); !fault.Is(err, fault.InvalidRequest) {
		t.Errorf("a list by number takes it: %v", err)
	}
}

func TestJSON(t *testing.T) {
	t.Parallel()
	number := func(n int) int64 { return int64(n) }
	count := func() (page.Count, error) { return page.Count{Total: 772, TotalIsExact: true}, nil }
	for _, c := range []struct {
		rows []int
		want string
	}{
		{nil, `{"items":[],"next_cursor":null,"total":0,"total_is_exact":true}`},
		{[]int{9, 8, 7}, `{"items":[-9,-8],"next_cursor":"AwAAAAAAAAAI","total":772,"total_is_exact":true}`},
	} {
		p, err := page.Make(c.rows, page.Request{Limit: 2}, number, count)
		if err != nil {
			t.Fatal(err)
		}
		if raw, err := json.Marshal(page.Map(p, func(n int) int { return -n })); err != nil || string(raw) != c.want {
			t.Errorf("%s, %v", raw, err)
		}
	}
}
