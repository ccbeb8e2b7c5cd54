package backup

import (
	"strings"
	"time"

	"github.com/adhocore/gronx"

	"github.com/keyward/keyward/internal/fault"
)

// CheckSchedule tells what is wrong with a schedule, which may be empty, and its zone.
func CheckSchedule(schedule, zone string) (bad []fault.Field) {
	if _, err := time.LoadLocation(zone); err != nil || zone == "Local" {
		bad = append(bad, fault.Wrong("time_zone", "bad_time_zone", "must be the name of a time zone such as Europe/Berlin, or empty for UTC"))
	}
	if schedule == "" {
		return bad
	}
	_, err := gronx.NextTickAfter(schedule, time.Now().UTC(), false)
	if err != nil || len(strings.Fields(schedule)) != 5 {
		bad = append(bad, fault.Wrong("schedule", "bad_schedule", "must be five fields of cron (minute, hour, day of the month, month, day of "+
			"the week), such as 0 2 * * *, of which there is such a moment; or empty for none"))
	}
	return bad
}
