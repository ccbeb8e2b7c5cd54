package web

import (
	"slices"
	"strings"
	"testing"
)

func TestChoose(t *testing.T) {
	t.Parallel()
	both := []coding{brotli, gzip}
	for _, tc := range []struct {
		accept string
		have   []coding
		want   coding
	}{
		{"", both, identity},
		{"gzip, deflate, br", both, brotli},
		{"gzip, deflate, br", []coding{gzip}, gzip},
		{"gzip, deflate", both, gzip},
		{"GZip", both, gzip},
		{"deflate, zstd", both, identity},
		{"br;q=0.5, gzip;q=0.8", both, brotli},
		{"br;q=0, gzip", both, gzip},
		{"br;q=0, gzip;q=0.000", both, identity},
		{"br; q=0.001 ,gzip ;q=1", both, brotli},
		{"*", both, identity},
		{",,;,br", both, brotli},
	} {
		if got := choose([]string{tc.accept}, tc.have); got != tc.want {
			t.Errorf("%q of %v: %s, want %s", tc.accept, tc.have, got, tc.want)
		}
	}
	if got := choose([]string{"gzip;q=0.5", "br"}, both); got != brotli {
		t.Errorf("two lines: %s", got)
	}
	if got := choose(nil, both); got != identity {
		t.Errorf("no header: %s", got)
	}
}

// FuzzChoose: whatever a client sends, it gets a coding that is offered and that it named.
func FuzzChoose(f *testing.F) {
	for _, seed := range []string{"", "br", "gzip;q=0.5, *;q=0", "identity;q=0", "br;q=1.000,", "\x00;q=0"} {
		f.Add(seed)
	}
	both := []coding{brotli, gzip}
	f.Fuzz(func(t *testing.T, accept string) {
		got := choose([]string{accept}, both)
		if got != identity && !slices.Contains(both, got) {
			t.Fatalf("%q: %s", accept, got)
		}
		if got != identity && !strings.Contains(strings.ToLower(accept), string(got)) {
			t.Errorf("%q: %s was not asked for", accept, got)
		}
	})
}
