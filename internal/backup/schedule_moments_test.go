package backup

import (
	"fmt"
	"slices"
	"testing"
	"time"
	_ "time/tzdata" // the zones, wherever the tests run

	"github.com/adhocore/gronx"
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
		{"30 2 * * *", "Europe/Berlin", "2026-03-28T00:00:00Z", []string{"28 01:30", "29 01:00", "30 00:30"}}, // 02:30 is left out
		{"30 2 * * *", "Europe/Berlin", "2026-10-24T00:00:00Z", []string{"24 00:30", "25 00:30", "26 01:30"}}, // 02:30 comes twice
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

// TestMomentsMinuteByMinute holds both ways of asking to what clocks show in each
// minute of the days around a change.
func TestMomentsMinuteByMinute(t *testing.T) {
	t.Parallel()
	for zone, changes := range map[string][]time.Time{
		"Europe/Berlin":       {time.Date(2026, 3, 29, 1, 0, 0, 0, time.UTC), time.Date(2026, 10, 25, 1, 0, 0, 0, time.UTC)},
		"America/New_York":    {time.Date(2026, 3, 8, 7, 0, 0, 0, time.UTC), time.Date(2026, 11, 1, 6, 0, 0, 0, time.UTC)},
		"Australia/Lord_Howe": {time.Date(2026, 4, 4, 15, 0, 0, 0, time.UTC), time.Date(2026, 10, 3, 15, 30, 0, 0, time.UTC)},
	} {
		for _, change := range changes {
			for _, expression := range []string{"15,45 1,2 * * *", "*/20 * * * *", "0 3 * * 0", "30 */2 * * *"} {
				m := must.Get(ParseSchedule(expression, zone))(t)
				from, to := change.Add(-4*time.Hour), change.Add(4*time.Hour)
				want := minutes(t, m, from, to)
				var got []string
				for at := m.Next(from.Add(-time.Minute)); at.Before(to); at = m.Next(at) {
					got = append(got, fmt.Sprint(at))
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s %s around %s (-want +got): %s", expression, zone, change, diff)
				}
				for at := from; at.Before(to); at = at.Add(23 * time.Minute) {
					if i := last(want, fmt.Sprint(at)); i >= 0 && fmt.Sprint(m.Latest(at)) != want[i] {
						t.Errorf("%s %s: the latest up to %s is %s, not %s", expression, zone, at, m.Latest(at), want[i])
					}
				}
			}
		}
	}
}

// last is the place of the last text that is not above one; -1 when there is none.
func last(list []string, up string) int {
	i, found := slices.BinarySearch(list, up)
	if found {
		return i
	}
	return i - 1
}

// minutes are the moments that a person finds who looks at the clock every minute.
func minutes(t *testing.T, m Moments, from, to time.Time) (found []string) {
	due := func(clock time.Time) bool { return must.Get(gronx.New().IsDue(m.expression, clock))(t) }
	shown := map[time.Time]bool{}
	for at := from.Add(-time.Hour); at.Before(to); at = at.Add(time.Minute) {
		clock, before := m.clock(at), m.clock(at.Add(-time.Minute))
		hit := due(clock) && (m.everyHour || !shown[clock])
		for left := before.Add(time.Minute); left.Before(clock) && !m.everyHour; left = left.Add(time.Minute) {
			hit = hit || due(left)
		}
		shown[clock] = true
		if hit && !at.Before(from) {
			found = append(found, fmt.Sprint(at))
		}
	}
	return found
}
