//go:build exhaustive

package year_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/mail"
	"github.com/keyward/keyward/internal/notice"
	"github.com/keyward/keyward/test/smtpserver"
)

// weather is how the SMTP server is.
type weather int

const (
	fine    weather = iota
	away            // nobody listens
	closing         // it takes no message of anybody
	later           // it takes none of these messages yet
)

// behaves is what each is to the real server.
var behaves = map[weather]smtpserver.Behaviour{
	fine:    {Heads: true},
	away:    {Away: true},
	closing: {Mail: "421 4.3.2 Shutting down"},
	later:   {Rcpt: "451 4.7.1 Try again later"},
}

// out tells whether it is out for all messages, which then wait untried.
func (x weather) out() bool { return x == away || x == closing }

// turn lets the weather change: a spell of each in turn begins every few days, and lasts
// up to three, which is longer than a message is tried.
func (w *world) turn(r *rand.Rand) {
	switch {
	case w.now().Before(w.turns):
	case w.weather == fine:
		w.be([]weather{away, closing, later}[(w.spells[fine]-1)%3])
		w.turns = w.now().Add(time.Duration(1+r.IntN(72*60)) * time.Minute)
	default:
		w.be(fine)
		w.turns = w.now().Add(time.Duration(1+r.IntN(96*60)) * time.Minute)
	}
}

func (w *world) be(x weather) {
	w.cleared = w.weather.out() && !x.out()
	w.weather = x
	w.spells[x]++
	w.post.Be(w.t, behaves[x])
}

// day24 is how long a message is tried.
const day24 = 24 * time.Hour

// longest is the longest pause before a message is tried again that was refused for now:
// four hours, and a fifth.
const longest = 4*time.Hour + 48*time.Minute

// letter is a message by mail as the model knows it.
type letter struct {
	to   *person
	at   time.Time
	off  time.Time // until then it may be put off
	may  string    // how it may have ended: the statuses
	over bool
}

func (l *letter) or(s mail.Status) { l.may += string(s) + " " }

func (l *letter) end(s mail.Status) {
	l.or(s)
	l.over = true
}

// delivered is the model of what becomes of the messages while the clock goes from one
// moment to another, and nothing is due any more unless the server is out: those whose
// day is over have failed; those to somebody who is disabled are dropped; the others are
// sent, if the server takes them. Where it is left to chance, which message was tried
// and when it is again, the model takes either.
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
		case w.weather.out() && l.to.disabled: // the one that is tried is looked at first
			l.or(mail.Dropped)
		case w.weather == later && !l.to.disabled:
			l.off = to.Add(longest)
			if !l.off.Before(over) { // it would not be tried again
				l.or(mail.Failed)
			}
		case !w.weather.out() && from.Before(l.off): // it may be put off
			l.or(ends)
		case !w.weather.out() && to.Before(over):
			l.end(ends)
		case !w.weather.out():
			l.or(ends)
		}
		if !to.Before(over) {
			l.or(mail.Failed)
		}
	}
	w.open = slices.DeleteFunc(w.open, func(l *letter) bool { return l.over })
}

// allows tells whether the model lets a message end so.
func (l *letter) allows(status string) bool { return slices.Contains(strings.Fields(l.may), status) }

// sure tells whether it lets it end in one way alone.
func (l *letter) sure() bool {
	list := strings.Fields(l.may)
	slices.Sort(list)
	return len(slices.Compact(list)) == 1
}

// choices are the kinds whose mail a person may switch off or on, and how it is before:
// the others are about the security of the account, the tokens or the installation.
var choices = map[notice.Kind]bool{
	notice.TokenAssigned: true, notice.CertificateEnding: true, notice.CertificateEnded: true, notice.CertificatesEnding: true,
	notice.LicenseEnding: true, notice.BackupFailed: true, notice.DrillFailed: true, notice.BackupOverdue: true, notice.Digest: true,
}

// expect notes that the model says: this person is told of this thing, now.
func (w *world) expect(p *person, kind notice.Kind, thing string) {
	if p.disabled {
		return
	}
	key := keyOf(p.Username, kind, thing, w.now())
	if kind != notice.Digest && kind != notice.Invitation {
		w.told[key]++
	}
	chosen, chose := p.choices[kind]
	if standard, free := choices[kind]; free && (!chose && !standard || chose && !chosen) || w.post == nil {
		return
	}
	l := &letter{to: p, at: w.now()}
	w.mailed[key] = append(w.mailed[key], l)
	w.open = append(w.open, l)
}

func keyOf(person string, kind notice.Kind, thing string, at time.Time) string {
	return strings.Join([]string{person, string(kind), thing, at.UTC().Format("2006-01-02 15:04")}, " ")
}
