package backup

import (
	"fmt"
	"strings"
	"time"

	"github.com/adhocore/gronx"
)

// Moments are the times of a cron expression in a time zone. When clocks change, a
// skipped time of day counts at the change, and a repeated one the first time: each
// day has exactly one backup. With an expression for every hour, each real hour counts once.
type Moments struct {
	expression string
	zone       *time.Location
	everyHour  bool
}

// ParseSchedule parses five fields of cron and the name of a zone; empty is UTC.
func ParseSchedule(expression, zone string) (Moments, error) {
	at, err := time.LoadLocation(zone)
	if err != nil {
		return Moments{}, fmt.Errorf("time zone of the schedule: %w", err)
	}
	fields := strings.Fields(expression)
	if len(fields) != 5 || !gronx.IsValid(expression) {
		return Moments{}, fmt.Errorf("the schedule %q does not have five fields of cron", expression)
	}
	return Moments{strings.Join(fields, " "), at, fields[1] == "*"}, nil
}

// around bounds how far a change of the clocks may reorder moments relative to the clock's times.
const around = 3 * time.Hour

// Latest returns the last moment up to t; zero if there is none.
func (m Moments) Latest(t time.Time) (latest time.Time) {
	clock := m.clock(t)
	at, inclusive := clock, true
	if m.changes(t) {
		at = at.Add(around)
	}
	for {
		var err error
		if at, err = gronx.PrevTickBefore(m.expression, at, inclusive); err != nil {
			return latest
		}
		inclusive = false
		for _, moment := range m.at(at) {
			if !moment.After(t) && moment.After(latest) {
				latest = moment
			}
		}
		if !latest.IsZero() && (!m.everyHour || clock.Sub(at) > around || !m.changes(t)) {
			return latest
		}
	}
}

// Next returns the first moment after t; zero if there is none.
func (m Moments) Next(t time.Time) (next time.Time) {
	clock := m.clock(t)
	at, inclusive := clock, false
	if m.changes(t) {
		at = at.Add(-around)
	}
	for {
		var err error
		if at, err = gronx.NextTickAfter(m.expression, at, inclusive); err != nil {
			return next
		}
		for _, moment := range m.at(at) {
			if moment.After(t) && (next.IsZero() || moment.Before(next)) {
				next = moment
			}
		}
		if !next.IsZero() && (!m.everyHour || at.Sub(clock) > around || !m.changes(t)) {
			return next
		}
	}
}

// clock returns what the zone's clocks show, as if they were UTC.
func (m Moments) clock(t time.Time) time.Time {
	t = t.In(m.zone)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
}

// changes reports whether the clocks change near t.
func (m Moments) changes(t time.Time) bool {
	start, end := t.In(m.zone).ZoneBounds()
	return !start.IsZero() && t.Sub(start) <= 2*around || !end.IsZero() && end.Sub(t) <= 2*around
}

// at returns the moments that count at which the clocks show that time. If every hour
// counts, these are none for a skipped time and two for a repeated one.
func (m Moments) at(clock time.Time) (moments []time.Time) {
	const farthest = 26 * time.Hour // no zone is further from UTC
	for t := clock.Add(-farthest).In(m.zone); ; {
		_, offset := t.Zone()
		start, end := t.ZoneBounds()
		shown := clock.Add(-time.Duration(offset) * time.Second)
		switch {
		case !start.IsZero() && shown.Before(start):
			if len(moments) == 0 && !m.everyHour { // skipped by the change
				moments = append(moments, start.UTC())
			}
			return moments
		case end.IsZero() || shown.Before(end):
			if moments = append(moments, shown.UTC()); !m.everyHour {
				return moments
			}
		}
		if end.IsZero() || end.Sub(clock) > farthest {
			return moments
		}
		t = end
	}
}
