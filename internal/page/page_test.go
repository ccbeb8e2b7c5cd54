package page_test

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
)

func TestParse(t *testing.T) {
	t.Parallel()
	// Version 1, then the number 258 in 8 bytes, big-endian.
	valid := base64.RawURLEncoding.EncodeToString([]byte{1, 0, 0, 0, 0, 0, 0, 1, 2})
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
		{"too many", 501, "", page.Request{}, "limit"},
		{"negative", -1, "", page.Request{}, "limit"},
		{"no base64", 10, "!!!", page.Request{}, "cursor"},
		{"padded", 10, valid + "=", page.Request{}, "cursor"},
		{"too short", 10, valid[:4], page.Request{}, "cursor"},
		{"too long", 10, valid + "AAAA", page.Request{}, "cursor"},
		{"another version", 10, "Ag" + valid[2:], page.Request{}, "cursor"},
		{"zero", 10, base64.RawURLEncoding.EncodeToString(append([]byte{1}, make([]byte, 8)...)), page.Request{}, "cursor"},
		{"past int64", 10, base64.RawURLEncoding.EncodeToString([]byte{1, 255, 255, 255, 255, 255, 255, 255, 255}), page.Request{}, "cursor"},
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
	f.Add(page.Cursor(1 << 62))
	f.Add("AQAAAAAAAAAB\n")
	f.Fuzz(func(t *testing.T, cursor string) {
		r, err := page.Parse(10, cursor)
		if err != nil || cursor == "" {
			return
		}
		if r.Before < 1 || page.Cursor(r.Before) != cursor {
			t.Errorf("%q means %d, whose cursor is %q", cursor, r.Before, page.Cursor(r.Before))
		}
	})
}

// TestWalk: following the cursors shows every row once, in order, whatever
// the size of the pages; the last page has no cursor.
func TestWalk(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		total, limit := rapid.IntRange(0, 40).Draw(t, "rows"), rapid.IntRange(1, 12).Draw(t, "limit")
		var want, got []int64
		for n := int64(total); n > 0; n-- {
			want = append(want, n)
		}
		// The store's part: rows below Before, one more than asked for.
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
			p := page.Make(fetch(r), r.Limit, func(n int64) int64 { return n })
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

func TestJSON(t *testing.T) {
	t.Parallel()
	empty := page.Map(page.Make(nil, 5, func(int) int64 { return 0 }), func(int) string { return "x" })
	raw, err := json.Marshal(empty)
	if err != nil || string(raw) != `{"items":[],"next_cursor":null}` {
		t.Errorf("an empty page: %s, %v", raw, err)
	}
	p := page.Map(page.Make([]int{9, 8, 7}, 2, func(n int) int64 { return int64(n) }), func(n int) int { return -n })
	raw, err = json.Marshal(p)
	if err != nil || string(raw) != `{"items":[-9,-8],"next_cursor":"AQAAAAAAAAAI"}` {
		t.Errorf("%s, %v", raw, err)
	}
}
