//go:build exhaustive

package year_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/test/smtpserver"
)

// outages is the state of the SMTP server.
type outages int

const (
	fine    outages = iota
	away            // nobody listens
	closing         // it accepts no message from anybody
	later           // it accepts none of these messages yet
)

// behaves maps each to the real server's behaviour.
var behaves = map[outages]smtpserver.Behaviour{
	fine:    {Heads: true},
	away:    {Away: true},
	closing: {Mail: "421 4.3.2 Shutting down"},
	later:   {Rcpt: "451 4.7.1 Try again later"},
}

// out reports whether it is out for all messages, which then wait untried.
func (x outages) out() bool { return x == away || x == closing }

// turn begins and ends outages: a spell of each kind in turn begins every few days, and
// lasts up to three, longer than a message is retried.
func (w *world) turn(r *rand.Rand) {
	switch {
	case w.now().Before(w.turns):
	case w.outages == fine:
		w.be([]outages{away, closing, later}[(w.spells[fine]-1)%3])
		w.turns = w.now().Add(time.Duration(1+r.IntN(72*60)) * time.Minute)
	default:
		w.be(fine)
		w.turns = w.now().Add(time.Duration(1+r.IntN(96*60)) * time.Minute)
	}
}

func (w *world) be(x outages) {
	w.cleared = w.outages.out() && !x.out()
	w.outages = x
	w.spells[x]++
	w.post.Be(w.t, behaves[x])
}

// day24 is how long a message is retried.
const day24 = 24 * time.Hour

// longest is the longest pause before retrying a temporarily refused message: four
// hours and a fifth.
const longest = 4*time.Hour + 48*time.Minute

// letter is a mail as the model knows it.
type letter struct {
	to   *person
	kind notify.Kind
	on   string // what it is about
	at   time.Time
	due  time.Time // it waits until then for the end of a set-up
	off  time.Time // it may be deferred until then
	may  string    // how it may have ended: the statuses
	over bool
}

func (l *letter) or(s mail.Status) { l.may += string(s) + " " }

func (l *letter) end(s mail.Status) {
	l.or(s)
	l.over = true
}

// delivered models what happens to the messages while the clock advances from one
// moment to another, and nothing is due any more unless the server is out: those whose
// day is over have failed; those to somebody disabled are dropped; the others are sent,
// if the server accepts them. Where chance decides which message was tried and when it
// is retried, the model accepts both results.
func (w *world) delivered(from, to time.Time) {
	for _, l := range w.open {
		over := l.at.Add(day24)
		ends := mail.Sent
		if l.to.disabled {
			ends = mail.Dropped
		}
		switch {
		case !from.Before(over):
			l.end(mail.Failed)
			continue
		case to.Before(l.due):
			continue
		case w.outages.out() && l.to.disabled: // the tried one is checked first
			l.or(mail.Dropped)
		case w.outages == later && !l.to.disabled:
			l.off = to.Add(longest)
			if !l.off.Before(over) { // it would not be retried
				l.or(mail.Failed)
			}
		case !w.outages.out() && from.Before(l.off): // it may be deferred
			l.or(ends)
		case !w.outages.out() && to.Before(over):
			l.end(ends)
		case !w.outages.out():
			l.or(ends)
		}
		if !to.Before(over) {
			l.or(mail.Failed)
		}
	}
	w.open = slices.DeleteFunc(w.open, func(l *letter) bool { return l.over })
}

// allows reports whether the model lets a message end with a status.
func (l *letter) allows(status string) bool { return slices.Contains(strings.Fields(l.may), status) }

// sure reports whether the model allows only one status.
func (l *letter) sure() bool {
	list := strings.Fields(l.may)
	slices.Sort(list)
	return len(slices.Compact(list)) == 1
}

// choices are the kinds whose mail a person may turn off or on, with the defaults: the
// others concern the security of the account, the tokens or the installation.
var choices = map[notify.Kind]bool{
	notify.TokenAssigned: true, notify.CertificateExpires: true, notify.CertificateEnded: true, notify.CertificatesExpireSummary: true,
	notify.LicenseEnding: true, notify.BackupFailed: true, notify.DrillFailed: true, notify.BackupOverdue: true, notify.Digest: true,
}

// expect records that the model notifies this person of this thing now.
func (w *world) expect(p *person, kind notify.Kind, thing string) {
	if p.disabled {
		return
	}
	key := keyOf(p.Username, kind, thing, w.now())
	if notify.OnPage(kind) {
		w.told[key]++
	}
	chosen, chose := p.choices[kind]
	if standard, free := choices[kind]; free && (!chose && !standard || chose && !chosen) || w.post == nil {
		return
	}
	l := &letter{to: p, kind: kind, on: thing, at: w.now(), due: w.now()}
	switch {
	case kind == notify.TokenSetUp:
		l.due = l.due.Add(notify.SetUpOpen)
		for _, step := range w.open { // by others: see hear
			if step.to == p && step.on == thing && notify.OfSetUp(step.kind) {
				step.due = w.now()
			}
		}
	case notify.OfSetUp(kind): // no token is ever set up here
		l.due = l.due.Add(notify.SetUpWaits)
	}
	w.mailed[key] = append(w.mailed[key], l)
	w.open = append(w.open, l)
}

func keyOf(person string, kind notify.Kind, thing string, at time.Time) string {
	return strings.Join([]string{person, string(kind), thing, at.UTC().Format("2006-01-02 15:04")}, " ")
}
