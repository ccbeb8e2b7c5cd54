//go:build exhaustive

package year_test

import (
	"fmt"
	"time"

	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/notify"
)

// doing counts what needs doing: in an organization, or everywhere (-1).
type doing struct{ ending, ended, unset, lost int }

func (w *world) doing(of int) (d doing) {
	now := w.now()
	for _, k := range w.tokens {
		if of >= 0 && k.of != of {
			continue
		}
		switch k.status {
		case hwkey.Assigned: // nobody sets one up
			d.unset++
		case hwkey.Lost:
			d.lost++
		}
		ended := false
		for slot := range k.slots {
			c := k.newest(slot)
			switch {
			case c == nil || k.owner == nil || k.status.RevokesCertificates():
			case !c.end.After(now):
				ended = ended || now.Sub(c.end) < 7*day
			case c.end.Sub(now) <= 30*day:
				d.ending++
			}
		}
		if ended {
			d.ended++
		}
	}
	return d
}

func (d doing) thing(organization, trouble string) string {
	return fmt.Sprintf("%s %+v %q", organization, d, trouble)
}

// digest models the digest, sent at the first look after seven on Monday morning to
// those who did not turn it off; an empty one is not sent, and the first Monday is the
// next one.
func (w *world) digest() {
	monday := w.now().Truncate(day).Add(7 * time.Hour)
	for monday.After(w.now()) || monday.Weekday() != time.Monday {
		monday = monday.Add(-day)
	}
	if !w.digested.Before(monday) {
		return
	}
	first := w.digested.IsZero()
	w.digested = w.now()
	if first {
		return
	}
	for i, o := range w.organizations {
		d := w.doing(i)
		if d == (doing{}) {
			continue
		}
		for _, p := range w.managers {
			if *p.OrganizationID == o.ID {
				w.expect(p, notify.Digest, d.thing(o.Name, ""))
			}
		}
	}
	if d, trouble := w.doing(-1), w.trouble(); d != (doing{}) || trouble != "" {
		w.expect(w.admin, notify.Digest, d.thing("", trouble))
	}
}
