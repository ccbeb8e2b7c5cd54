package year_test

import (
	"maps"
	"slices"
	"time"

	"github.com/keyward/keyward/internal/mail"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/smtpserver"
)

// setUpMail has the admin switch mail on.
func (w *world) setUpMail() *smtpserver.Server {
	w.t.Helper()
	post := smtpserver.Start(w.t)
	service := &mail.Service{Rows: w.db, Store: w.db, Wake: func() {}, Now: w.now}
	set := mail.DefaultSettings()
	set.Enabled, set.Host, set.Port, set.Security, set.From = true, smtpserver.Host, post.Port, mail.NoTLS, "keyward@example.org"
	must.Get(service.Change(w.t.Context(), w.admin.Actor, set, nil))(w.t)
	return post
}

// settle waits until nothing is due and nothing is in anybody's hands. What a killed
// worker had in hand is free when its lease is over: time goes on until then.
func (w *world) settle(workers []*worker) {
	w.t.Helper()
	const open = `SELECT count(*) FILTER (WHERE claimed_until > $1), count(*) FILTER (WHERE claimed_until <= $1 AND next_attempt_at <= $1)
		FROM mail_outbox WHERE status = 'pending'`
	for range 3 {
		var held, due int
		looks := 0
		await.That(w.t, "mail is sent", func() bool {
			must.OK(w.t, w.sql.QueryRowContext(w.t.Context(), open, w.clock.UnixMicro()).Scan(&held, &due))
			looks++
			return due == 0 && (held == 0 || looks > 100)
		})
		if held == 0 {
			return
		}
		w.clock = w.clock.Add(6 * time.Minute)
		for _, k := range workers {
			k.tick(w.clock)
			k.await()
		}
	}
}

// compare holds what came to what the model says.
func (w *world) compare(post *smtpserver.Server) {
	w.t.Helper()
	const notices = "SELECT u.username, n.kind, n.params, '', '', '' FROM notices AS n JOIN users AS u ON u.id = n.user_id"
	const mails = `SELECT u.username, m.kind, m.params, m.address, m.message_id, m.status FROM mail_outbox AS m JOIN users AS u ON u.id = m.user_id`
	got := map[string]int{}
	for _, n := range w.rows(notices) {
		got[n.person+" "+n.kind+" "+n.thing]++
	}
	all := maps.Clone(w.told)
	maps.Copy(all, w.early)
	w.differ("notices", all, got)
	clear(got)
	took := map[string][]string{} // by Message-ID, whom the server took it for
	for _, m := range post.Received(w.t) {
		took[m.ID()] = append(took[m.ID()], m.To...)
	}
	twice := 0
	for _, m := range w.rows(mails) {
		got[m.person+" "+m.kind+" "+m.thing]++
		to := slices.Compact(took[m.messageID])
		if m.status != string(mail.Sent) || len(to) != 1 || to[0] != m.person+"@example.org" {
			w.t.Errorf("mail of %s to %s is %s, the server took it for %q", m.kind, m.person, m.status, to)
		}
		if len(took[m.messageID]) > 1 {
			twice++
		}
		delete(took, m.messageID)
	}
	w.differ("mail", w.told, got)
	if len(took) > 0 {
		w.t.Errorf("the server took %d messages that are in no outbox", len(took))
	}
	w.t.Logf("%d messages by mail, %d of them twice, where a worker was killed before it noted that the first was taken", len(got), twice)
}
