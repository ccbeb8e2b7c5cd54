//go:build exhaustive

package year_test

import (
	"slices"
	"time"

	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/smtpserver"
)

// setUpMail has the admin turn mail on.
func (w *world) setUpMail() {
	w.t.Helper()
	w.post = smtpserver.Start(w.t)
	w.be(fine)
	service := &mail.Service{Rows: w.db, Store: w.db, Wake: func() {}, Now: w.now}
	set := mail.DefaultSettings()
	set.Enabled, set.Host, set.Port, set.Security, set.From = true, smtpserver.Host, w.post.Port, mail.NoTLS, "keyward@example.org"
	must.Get(service.Change(w.t.Context(), w.admin.Actor, set, nil))(w.t)
}

// look has the workers look now, and the model, too; killed is a worker that dies
// meanwhile.
func (w *world) look(workers []*worker, killed *worker, after time.Duration) {
	w.t.Helper()
	w.tells()
	for _, k := range workers {
		k.tick(w.now())
	}
	if killed != nil {
		killed.killAfter(after)
	}
	for _, k := range workers {
		k.await()
	}
}

// passes exceeds the pause between two attempts at an unreachable server; a killed
// worker's lease expires within two passes.
const passes = 7 * time.Minute

// settle waits until no message is due or leased, unless the server is out. A killed
// worker's messages are free when its lease expires: time advances until then.
func (w *world) settle(workers []*worker, killed bool) {
	w.t.Helper()
	from := w.now()
	if w.outages.out() {
		w.sent(killed)
		w.delivered(from, from)
		return
	}
	if w.cleared {
		w.cleared = false
		w.pass(passes)
		w.look(workers, nil, 0)
	}
	for held := w.sent(killed); held > 0; held = w.sent(killed) {
		w.pass(passes)
		w.look(workers, nil, 0)
	}
	w.delivered(from, w.now())
}

// sent waits until no message is due, unless the server is out, and until none is
// leased: or, if a worker was killed, until the number stays constant.
func (w *world) sent(killed bool) (held int) {
	w.t.Helper()
	const open = `SELECT count(*) FILTER (WHERE claimed_until > $1), count(*) FILTER (WHERE claimed_until <= $1 AND next_attempt_at <= $1)
		FROM mail_outbox WHERE status = 'pending'`
	last, same := -1, 0
	await.That(w.t, "mail is sent", func() bool {
		var due int
		must.OK(w.t, w.sql.QueryRowContext(w.t.Context(), open, w.now().UnixMicro()).Scan(&held, &due))
		if same++; held != last {
			last, same = held, 0
		}
		if w.outages.out() {
			return same > 5 && (held == 0 || killed && same > 10)
		}
		return due == 0 && (held == 0 || killed && same > 10)
	})
	return held
}

// inHand is how many messages can be sent twice for one killed worker: those on its
// connections, and on the other worker's, whose lease expires when time advances.
const inHand = 2 * mail.Concurrency

// compare compares what arrived with the model.
func (w *world) compare(kills int) {
	w.t.Helper()
	const notices = "SELECT u.username, n.kind, n.params, '', '', '', n.created_at FROM notices AS n JOIN users AS u ON u.id = n.user_id"
	const mails = `SELECT u.username, m.kind, m.params, m.address, m.message_id, m.status, m.created_at
		FROM mail_outbox AS m JOIN users AS u ON u.id = m.user_id`
	got, want, met := map[string]int{}, map[string]int{}, map[notify.Kind]bool{}
	for _, n := range w.rows(notices) {
		got[n.key()]++
		met[notify.Kind(n.kind)] = true
	}
	w.differ("notices", w.told, got)
	clear(got)
	took := map[string][]string{}          // by Message-ID, the accepted recipients
	w.post.Be(w.t, smtpserver.Behaviour{}) // its reply comes after all earlier output
	for _, m := range w.post.Received(w.t) {
		took[m.ID()] = append(took[m.ID()], m.To...)
	}
	for key, list := range w.mailed {
		want[key] = len(list)
	}
	twice, ends, free := 0, map[string]int{}, 0
	for _, m := range w.rows(mails) {
		key := m.key()
		got[key]++
		met[notify.Kind(m.kind)] = true
		ends[m.status]++
		if letters := w.mailed[key]; len(letters) > 0 {
			if !letters[0].allows(m.status) {
				w.t.Errorf("mail: %s is %s, want %s", key, m.status, letters[0].may)
			}
			if !letters[0].sure() {
				free++
			}
		}
		to := slices.Compact(took[m.messageID])
		if m.status == string(mail.Sent) && (len(to) != 1 || to[0] != m.person+"@example.org") || m.status != string(mail.Sent) && len(to) > 0 {
			w.t.Errorf("mail: %s is %s, the server took it for %q", key, m.status, to)
		}
		twice += max(0, len(took[m.messageID])-1)
		delete(took, m.messageID)
	}
	w.differ("mail", want, got)
	if len(took) > 0 {
		w.t.Errorf("the server took %d messages that are in no outbox", len(took))
	}
	for _, row := range notify.Table {
		if !met[row.Kind] && *daysFlag >= 365 {
			w.t.Errorf("nobody was told of %s", row.Kind)
		}
	}
	if most := kills * inHand; twice > most {
		w.t.Errorf("%d mails came again, and %d workers were killed: at most %d", twice, kills, most)
	}
	w.t.Logf("%d on the page; by mail %v, of which %d had more than one possible end; %d twice, where a worker was killed before "+
		"it noted that the first was taken", len(w.told), ends, free, twice)
}

func (r row) key() string { return keyOf(r.person, notify.Kind(r.kind), r.thing, r.at) }
