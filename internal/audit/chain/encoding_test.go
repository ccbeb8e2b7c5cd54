package chain

import (
	"bytes"
	"encoding/base64"
	"math"
	"strings"
	"testing"
)

func TestLeavesRefused(t *testing.T) {
	t.Parallel()
	encode := func(b ...byte) string { return base64.StdEncoding.EncodeToString(b) }
	sum := make([]byte, markSize)
	for name, c := range map[string]struct {
		text         string
		after, count int64
	}{
		"too many":           {"", 0, MaxBatch + 1},
		"fewer than nothing": {"", 0, -1},
		"no base64":          {"%%", 0, 1},
		"a line break":       {encode(append([]byte{1}, sum...)...) + "\n", 0, 1},
		"nothing":            {"", 0, 1},
		"one more":           {encode(append([]byte{1}, sum...)...), 0, 0},
		"a short sum":        {encode(append([]byte{1}, sum[1:]...)...), 0, 1},
		"no distance":        {encode(append([]byte{0}, sum...)...), 0, 1},
		"a padded distance":  {encode(append([]byte{0x81, 0}, sum...)...), 0, 1},
		"an endless one":     {encode(bytes.Repeat([]byte{0xff}, 30)...), 0, 1},
		"past the last id":   {encode(append([]byte{2}, sum...)...), math.MaxInt64 - 1, 1},
		"very long":          {strings.Repeat("A", 1<<20), 0, 1},
	} {
		if marks, err := decodeLeaves(c.text, c.after, c.count); err == nil {
			t.Errorf("%s: taken as %v", name, marks)
		}
	}
}

// FuzzLeaves: whatever is accepted encodes to the same text.
func FuzzLeaves(f *testing.F) {
	f.Add(encodeLeaves([]Mark{{5, [16]byte{1}}, {900, [16]byte{2}}}, 4), int64(4), int64(2))
	f.Add("", int64(0), int64(0))
	f.Fuzz(func(t *testing.T, text string, after, count int64) {
		after &= math.MaxInt64
		marks, err := decodeLeaves(text, after, count)
		if err != nil {
			return
		}
		if got := encodeLeaves(marks, after); got != text || int64(len(marks)) != count {
			t.Errorf("%q became %q", text, got)
		}
		for i, m := range marks {
			if m.ID <= after || i > 0 && m.ID <= marks[i-1].ID {
				t.Errorf("ids do not grow: %v", marks)
			}
		}
	})
}
