package backup

import (
	"strings"
	"time"

	"github.com/adhocore/gronx"

	"github.com/keyward/keyward/internal/fault"
)

// CheckZone returns what is wrong with a time zone's name; empty is UTC.
func CheckZone(field, zone string) []fault.Field {
	if _, err := time.LoadLocation(zone); err != nil || zone == "Local" {
		return []fault.Field{fault.Wrong(field, "bad_time_zone", "must be the name of a time zone such as Europe/Berlin, or empty for UTC")}
	}
	return nil
}

// CheckSchedule returns what is wrong with a schedule, which may be empty.
func CheckSchedule(field, schedule string) []fault.Field {
	if schedule == "" {
		return nil
	}
	_, err := gronx.NextTickAfter(schedule, time.Now().UTC(), false)
	if err == nil && len(strings.Fields(schedule)) == 5 {
		return nil
	}
	return []fault.Field{fault.Wrong(field, "bad_schedule", "must be five fields of cron (minute, hour, day of the month, month, day of "+
		"the week), such as 0 2 * * *, of which there is such a moment; or empty for none")}
}
