package backup

import (
	"fmt"
	"strings"
	"time"

	"github.com/adhocore/gronx"
)

// Moments are those of a cron expression in a time zone. Where clocks are changed, a
// time of day that is left out counts at the change, and one that comes twice counts
// the first time: each day has its backup, and one. Of an expression for every hour
// each real hour counts, once.
type Moments struct {
	expression string
	zone       *time.Location
	everyHour  bool
}

// ParseSchedule takes five fields of cron and the name of a zone; empty is UTC.
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

// around is how far from each other a change of the clocks may put the order of
// moments and that of what the clocks show then.
const around = 3 * time.Hour

// Latest is the last moment up to t; the zero time when there is none.
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

// Next is the first moment after t; the zero time when there is none.
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

// clock is what the clocks of the zone show, as if they were UTC.
func (m Moments) clock(t time.Time) time.Time {
	t = t.In(m.zone)
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), 0, 0, time.UTC)
}

// changes tells whether the clocks are changed near t.
func (m Moments) changes(t time.Time) bool {
	start, end := t.In(m.zone).ZoneBounds()
	return !start.IsZero() && t.Sub(start) <= 2*around || !end.IsZero() && end.Sub(t) <= 2*around
}

// at are the moments that count of those at which the clocks show that: none where an
// hour is left out of every hour, two where it comes twice.
func (m Moments) at(clock time.Time) (moments []time.Time) {
	const farthest = 26 * time.Hour // no zone is farther from UTC
	for t := clock.Add(-farthest).In(m.zone); ; {
		_, offset := t.Zone()
		start, end := t.ZoneBounds()
		shown := clock.Add(-time.Duration(offset) * time.Second)
		switch {
		case !start.IsZero() && shown.Before(start):
			if len(moments) == 0 && !m.everyHour { // left out by the change
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
