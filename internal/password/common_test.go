package password

import (
	"slices"
	"strings"
	"testing"
)

// TestCommonList: the list has the form that the search relies on, and every
// word in it is found.
func TestCommonList(t *testing.T) {
	t.Parallel()
	words := strings.Split(strings.TrimSuffix(commonList, "\n"), "\n")
	if len(words) < 10_000 {
		t.Fatalf("only %d words", len(words))
	}
	if !slices.IsSorted(words) || len(slices.Compact(slices.Clone(words))) != len(words) {
		t.Fatal("the list is not sorted, or has a word twice")
	}
	for _, w := range words {
		if len(w) < leastCommon || strings.ToLower(w) != w || !isASCII(w) {
			t.Fatalf("%q cannot be found", w)
		}
		if !listed(w) {
			t.Fatalf("%q is on the list, but not found", w)
		}
		for _, near := range []string{w + "\x00", w[:len(w)-1] + string(w[len(w)-1]-1), w + "~"} {
			if _, there := slices.BinarySearch(words, near); listed(near) != there {
				t.Fatalf("listed(%q) = %v", near, !there)
			}
		}
	}
	for _, w := range []string{"", "\x00", "~~~~~~~~", "\n", "a\nb", "password\npassword1"} {
		if listed(w) {
			t.Errorf("%q is no word of the list", w)
		}
	}
}
