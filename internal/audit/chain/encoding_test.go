package chain

import (
	"bytes"
	"encoding/base64"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/keyward/keyward/internal/audit"
)

func optional() *rapid.Generator[*int64] { return rapid.Ptr(rapid.Int64(), true) }

func entries() *rapid.Generator[audit.Entry] {
	// Short texts of few letters: so that two fields may run into each other.
	text := rapid.StringOfN(rapid.RuneFrom([]rune("\x00\x01ab")), 0, 4, -1)
	return rapid.Custom(func(t *rapid.T) audit.Entry {
		return audit.Entry{
			ID: rapid.Int64().Draw(t, "id"), At: time.UnixMicro(rapid.Int64Range(-1<<50, 1<<50).Draw(t, "at")).UTC(),
			Action: audit.Action(text.Draw(t, "action")), Outcome: audit.Outcome(text.Draw(t, "outcome")),
			ActorID: optional().Draw(t, "actor_id"), Actor: text.Draw(t, "actor"), OrganizationID: optional().Draw(t, "organization_id"),
			TargetType: text.Draw(t, "target_type"), TargetID: text.Draw(t, "target_id"), Hostname: text.Draw(t, "hostname"),
			IPAddress: text.Draw(t, "ip"), RequestID: text.Draw(t, "request_id"), Reason: text.Draw(t, "reason"), Details: text.Draw(t, "details"),
			FileName: text.Draw(t, "file_name"), BackupType: text.Draw(t, "backup_type"),
			DurationMS: optional().Draw(t, "duration"), SizeBytes: optional().Draw(t, "size"),
		}
	})
}

// decode reads an encoded entry back. That it can, for every entry, is what
// makes the encoding injective.
func decode(t *rapid.T, b []byte) (e audit.Entry) {
	take := func(n int) []byte {
		if len(b) < n {
			t.Fatalf("%d bytes are missing", n-len(b))
		}
		var head []byte
		head, b = b[:n], b[n:]
		return head
	}
	integer := func() (n int64) {
		for _, c := range take(8) {
			n = n<<8 | int64(c)
		}
		return n
	}
	maybe := func() *int64 {
		if take(1)[0] == 0 {
			return nil
		}
		n := integer()
		return &n
	}
	text := func() string {
		n := 0
		for _, c := range take(4) {
			n = n<<8 | int(c)
		}
		return string(take(n))
	}
	if take(1)[0] != 1 {
		t.Fatal("another version")
	}
	e.ID, e.At = integer(), time.UnixMicro(integer()).UTC()
	e.Action, e.Outcome, e.ActorID, e.Actor = audit.Action(text()), audit.Outcome(text()), maybe(), text()
	e.OrganizationID, e.TargetType, e.TargetID, e.Hostname = maybe(), text(), text(), text()
	e.IPAddress, e.RequestID, e.Reason, e.Details, e.FileName, e.BackupType = text(), text(), text(), text(), text(), text()
	e.DurationMS, e.SizeBytes = maybe(), maybe()
	if len(b) > 0 {
		t.Fatal("bytes are left")
	}
	return e
}

func TestEncodingIsInjective(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a, b := entries().Draw(t, "a"), entries().Draw(t, "b")
		x, y := AppendEntry(nil, &a), AppendEntry(nil, &b)
		if d := cmp.Diff(a, decode(t, x)); d != "" {
			t.Fatal(d)
		}
		if bytes.Equal(x, y) != cmp.Equal(a, b) {
			t.Fatalf("%+v and %+v", a, b)
		}
	})
}

func TestLeavesComeBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		after := rapid.Int64Range(0, math.MaxInt64/2).Draw(t, "after")
		id, marks := after, []Mark{}
		for range rapid.IntRange(0, 20).Draw(t, "count") {
			id += rapid.Int64Range(1, 1<<40).Draw(t, "delta")
			m := Mark{ID: id}
			copy(m.Sum[:], rapid.SliceOfN(rapid.Byte(), markSize, markSize).Draw(t, "sum"))
			marks = append(marks, m)
		}
		got, err := decodeLeaves(encodeLeaves(marks, after), after, int64(len(marks)))
		if err != nil || !cmp.Equal(got, marks) {
			t.Fatalf("%v, %v, want %v", got, err, marks)
		}
	})
}

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

// FuzzLeaves: whatever is taken is written back to the same text.
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
