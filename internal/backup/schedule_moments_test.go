package backup

import (
	"testing"
	"time"
	_ "time/tzdata" // the zones, wherever the tests run

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/test/must"
)

// TestMoments: on the days on which clocks are changed, and those around.
func TestMoments(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		expression, zone, from string
		want                   []string // in UTC
	}{
		{"0 2 * * *", "", "2026-05-04T01:00:00Z", []string{"04 02:00", "05 02:00", "06 02:00"}},
		{"0 2 * * *", "Europe/Berlin", "2026-05-04T01:00:00Z", []string{"05 00:00", "06 00:00"}},
		{"30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", []string{"28 01:30", "29 01:00", "30 00:30"}}, // 02:30 is skipped
		{"30 2 * * *", "Europe/Berlin", "2026-10-24T00:00:00Z", []string{"24 00:30", "25 00:30", "26 01:30"}}, // 02:30 is repeated
		{"0 2,3 * * *", "Europe/Berlin", "2026-03-28T22:00:00Z", []string{"29 01:00", "30 00:00", "30 01:00"}},
		{"0 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z", []string{"25 00:00", "25 01:00", "25 02:00", "25 03:00"}},
		{"0 * * * *", "Europe/Berlin", "2026-03-28T23:30:00Z", []string{"29 00:00", "29 01:00", "29 02:00"}},
		{"45 1 * * *", "Australia/Lord_Howe", "2026-04-03T00:00:00Z", []string{"03 14:45", "04 14:45", "05 15:15"}},
		{"0 12 29 2 *", "America/New_York", "2026-01-01T00:00:00Z", []string{"29 17:00"}},
	} {
		m := must.Get(ParseSchedule(c.expression, c.zone))(t)
		at := must.Get(time.Parse(time.RFC3339, c.from))(t)
		var got []string
		for range c.want {
			next := m.Next(at)
			got = append(got, next.UTC().Format("02 15:04"))
			if latest := m.Latest(next); !latest.Equal(next) {
				t.Errorf("%s %s: the latest up to %s is %s", c.expression, c.zone, next, latest)
			}
			at = next
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s %s (-want +got): %s", c.expression, c.zone, diff)
		}
	}
	for _, c := range [][2]string{{"0 2 * *", ""}, {"0 25 * * *", ""}, {"@daily", ""}, {"0 2 * * *", "Mars/Olympus"}} {
		if _, err := ParseSchedule(c[0], c[1]); err == nil {
			t.Errorf("%q is taken", c)
		}
	}
}
