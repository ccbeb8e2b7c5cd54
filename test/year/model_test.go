//go:build exhaustive

package year_test

import (
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/notify"
)

const day = 24 * time.Hour

var milestones = []int{0, 1, 3, 7, 14, 30}

const none = 1 << 20 // days: no milestone yet

// tells models what the leader sends at a look now.
func (w *world) tells() {
	w.remind()
	w.brief()
	w.digest()
	w.license()
	w.miss()
}

// remind models the reminders to owners about expiring certificates: at the latest
// milestone reached, once each; none that lies before the end of the certificate's
// first day; nothing about one that expired over a week ago.
func (w *world) remind() {
	for _, k := range w.tokens {
		for slot := range k.slots {
			c := k.newest(slot)
			if c == nil || k.owner == nil || k.status.RevokesCertificates() {
				continue
			}
			days := c.milestone(w.now())
			if days >= c.told || !c.counts(days, w.now()) {
				continue
			}
			c.told = days
			if days > 0 {
				left := int((c.end.Sub(w.now()) + day - 1) / day)
				w.expect(k.owner, notify.CertificateExpires, fmt.Sprint(k.serial, " ", left))
			} else {
				w.expect(k.owner, notify.CertificateEnded, k.serial)
			}
		}
	}
}

// milestone returns the latest one reached.
func (c *certificate) milestone(at time.Time) int {
	for _, days := range milestones {
		if !at.Before(c.end.Add(-time.Duration(days) * day)) {
			return days
		}
	}
	return none
}

// counts reports whether a milestone causes a reminder.
func (c *certificate) counts(days int, now time.Time) bool {
	return days == 0 && now.Sub(c.end) < 7*day || 0 < days && days < none && c.end.Sub(c.began) > time.Duration(days+1)*day
}

// brief models the message to managers at the first look after seven in the morning:
// how many certificates reached a milestone since the last one.
func (w *world) brief() {
	morning := w.now().Truncate(day).Add(7 * time.Hour)
	if morning.After(w.now()) {
		morning = morning.Add(-day)
	}
	since := w.briefed
	if since.IsZero() {
		since = w.now().Add(-day)
	} else if !since.Before(morning) {
		return
	}
	w.briefed = w.now()
	counts := make([]map[int]int, len(w.organizations))
	for i := range counts {
		counts[i] = map[int]int{}
	}
	for _, k := range w.tokens {
		for slot := range k.slots {
			c := k.newest(slot)
			if c == nil || k.owner == nil || k.status.RevokesCertificates() {
				continue
			}
			if days := c.milestone(w.now()); days < c.milestone(since) && c.counts(days, w.now()) {
				counts[k.of][days]++
			}
		}
	}
	for i, c := range counts {
		if len(c) == 0 {
			continue
		}
		for _, p := range w.managersOf(i) {
			w.expect(p, notify.CertificatesExpireSummary, fmt.Sprint(w.organizations[i].Name, " ", c))
		}
	}
}

// managersOf returns an organization's managers who can sign in; without any, the
// admin.
func (w *world) managersOf(i int) []*person {
	var list []*person
	for _, p := range w.managers {
		if !p.disabled && *p.OrganizationID == w.organizations[i].ID {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return []*person{w.admin}
	}
	return list
}
