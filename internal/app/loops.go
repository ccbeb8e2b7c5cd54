package app

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"go.opentelemetry.io/otel/trace"

	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/licensepolicy"
	"github.com/keyward/keyward/internal/notify/reminder"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/system"
	"github.com/keyward/keyward/internal/tracing"
)

// Intervals and limits of the background tasks.
const (
	reconcileEvery = 30 * time.Second // revocations that the vault has not taken yet
	crlEvery       = 10 * time.Minute // the engine re-signs after an hour, so no list is much older
	casEvery       = 15 * time.Second // another server, or the vault's operator, may have changed them
	ocspEvery      = time.Minute      // whether the signer ends, or its CA was replaced
	rotationsEvery = 10 * time.Minute // the state of open rotations that lists show
	reachEvery     = 5 * time.Second  // whether the vault is reachable, which leading requires
	followAgain    = time.Second      // after database or vault have failed
	followSecrets  = 5 * time.Second  // the seal key, and the secret of access tokens
	keepEvery      = time.Second      // the CRL, for other servers
	settleEvery    = 2 * time.Second  // certificates that the vault logged and are recorded
	issuancesEvery = 5 * time.Minute  // certificates that the vault logged, but nobody recorded
	tidyEvery      = time.Hour        // entries settled on a past day
	expireEvery    = 24 * time.Hour   // backups past their retention
	cleanupEvery   = 10 * time.Minute // expired sessions, stale sign-in failures
	keepSessions   = 24 * time.Hour   // after their end, so that a list can still explain one
	cleanupBatch   = 500
	sealEvery      = time.Minute      // the audit log
	denialsEvery   = 10 * time.Second // refusals that are counted, not listed
	longestPause   = 5 * time.Second  // of a task that keeps failing, unless its interval is longer
	lastTakes      = 10 * time.Second // at most, each task at the end
	lastLead       = time.Second      // at most, the wait for the lead at the end
)

// loop is a task that runs at startup and then repeatedly.
type loop struct {
	name  string
	every time.Duration
	do    func(context.Context) error
}

// loops run beside the requests.
type loops struct {
	log   *slog.Logger
	tasks *system.Tasks // records the tasks' outcomes
	own   group         // on every replica
	lead  group         // on one of all replicas
	leads *system.Leadership
	begin []func() // whenever this replica becomes the leader
	end   []func() // whenever it has lost the lead to another
}

// group is a set of loops that run together.
type group struct {
	list []loop
	// steady tasks end only with the group, or by failing; every is the pause before
	// the next start.
	steady []loop
	last   []loop // once more at the end, after all requests and loops
}

func (s *services) loops(log *slog.Logger) loops {
	reconciled := false
	seal := loop{"seal the audit log", sealEvery, s.sealer.Run}
	uses := loop{"note uses of API keys", session.FlushAPIKeyUsesEvery, s.apikeys.FlushUses}
	denials := loop{"count refusals", denialsEvery, s.denials.Close}
	settle := loop{"settle the issuance log", settleEvery, s.certificates.Issuances.Flush}
	own := group{
		list: []loop{
			uses,
			settle,
			{denials.name, denials.every, s.denials.Flush},
			{"renew the CRL", crlEvery, s.crl.Renew},
			{"look for CAs", casEvery, s.lookForCAs},
			{"renew the OCSP signer", ocspEvery, s.renewOCSP},
			{"look after database and vault", rollback.PollEvery, s.guard.Poll},
			{"load the secret of access tokens", beginAgain, s.begin},
			{"look for new secrets", followSecrets, s.followSecrets},
			{"look after backup jobs", backup.SweepEvery, s.jobs.Sweep},
			{"look how backups stand", backup.WatchEvery, s.watch.Run},
			{"look how all parts stand", lookEvery, s.lookout.look},
			{"look for a restore", backup.BarrierEvery, s.barrier.Look},
			{"ask the license service", licensepolicy.PollEvery, s.lookAtLicense},
		},
		last: []loop{
			{name: "end backup jobs", do: s.jobs.Stop}, uses, denials, settle,
			{name: "note how far the vault has come", do: s.guard.Stop},
		},
	}
	lead := group{
		list: append(s.webhooks.loops(), []loop{
			seal,
			{"reconcile revocations", reconcileEvery, func(ctx context.Context) error {
				if !s.guard.Publishes() {
					return nil
				}
				err := s.certificates.PublishRevocations(ctx)
				if !reconciled && s.guard.Consistent() { // even if the vault refuses a revocation
					learned := s.certificates.LearnRevoked(ctx)
					reconciled, err = learned == nil, errors.Join(err, learned)
				}
				return err
			}},
			{"reconcile issuances", issuancesEvery, s.certificates.ReconcileIssuances},
			{"tidy the issuance log", tidyEvery, s.certificates.Issuances.Tidy},
			{"note which CA signs", casEvery, s.settled(s.cas.Look)},
			{"reconcile rotations", rotationsEvery, s.settled(s.hwkeys.Reconcile)},
			{"compare database and vault", rollback.CompareEvery, s.guard.Again},
			{"raise the vault's epoch", rollback.RoundEvery, s.guard.Round},
			{"keep the backup schedule", backup.ScheduleEvery, s.settled(s.schedule.Run)},
			{"keep the drill schedule", backup.ScheduleEvery, s.settled(s.drills.Run)},
			{"remove what killed backups have left", backup.TidyEvery, s.settled(s.backups.Tidy)},
			{"delete old backups", expireEvery, s.settled(s.backups.Expire)}, // none while one may be needed
			{"tell of the license's end", licensepolicy.NotifyEvery, s.license.Notify},
			{"tell of what is wrong", reminder.TroubleEvery, s.reminders.Trouble},
			{"tell of certificates that end", reminder.EndingEvery, s.settled(s.reminders.Owners)},
			{"tell managers what to do", reminder.MorningEvery, s.settled(s.reminders.Morning)},
			{"clean up sessions", cleanupEvery, s.cleanUp},
			{"clean up mail", cleanupEvery, s.mails.service.CleanUp},
			{"clean up single sign-on", cleanupEvery, s.signon.CleanUp},
		}...),
		steady: append(s.webhooks.steady(), loop{"send mail", sendsAgain, s.mails.sender.Run}),
		last:   []loop{seal},
	}
	own.steady = append(own.steady, loop{"follow revocations for OCSP", followAgain, s.ocsp.Follow})
	if s.crl.Shared != nil {
		own.steady = append(own.steady, loop{"follow revocations of other servers", followAgain, s.crl.Follow})
		keep := func(atOnce bool) loop {
			return loop{"keep the CRL", keepEvery, func(ctx context.Context) error { return s.crl.Keep(ctx, atOnce) }}
		}
		own.list, own.last = append(own.list, keep(false)), append(own.last, keep(true))
	}
	if s.reach != nil {
		own.list = append(own.list, loop{"look for the vault", reachEvery, s.reach.Poll})
	}
	return loops{
		log: log, tasks: s.tasks, leads: s.leads, own: own, lead: lead,
		begin: []func(){func() { reconciled = false }}, end: []func(){s.sealer.Yield},
	}
}

// followSecrets uses a new seal key, and a new secret of access tokens.
func (s *services) followSecrets(ctx context.Context) error {
	return errors.Join(s.seals.look(ctx), s.sessions.Signer.Follow(ctx, s.store))
}

// cleanUp removes expired sessions and stale sign-in failures.
func (s *services) cleanUp(ctx context.Context) error {
	for _, remove := range []func(context.Context, time.Time, int) (int64, error){
		s.store.DeleteExpiredSessions, s.store.DeleteStaleAttempts,
	} {
		for {
			n, err := remove(ctx, time.Now().Add(-keepSessions), cleanupBatch)
			if err != nil {
				return err
			}
			if n < cleanupBatch {
				break
			}
		}
	}
	return nil
}

// run returns when ctx has ended and every task has stopped. The leader's last tasks
// run after all own ones, so that what these write is sealed, too.
func (l loops) run(ctx context.Context) {
	own, lead := l.own.track(l.tasks), l.lead.track(l.tasks)
	finish := make(chan struct{})
	finished := false
	allElsewhere(lead) // until this one leads
	var leader sync.WaitGroup
	leader.Go(func() {
		l.leads.Run(ctx, func(held context.Context) { finished = l.carry(ctx, held, lead, finish) })
	})
	l.repeatAll(ctx, own)
	for _, task := range l.own.last {
		l.once(context.WithoutCancel(ctx), task)
	}
	close(finish)
	leader.Wait()
	if finished {
		return
	}
	// The leader does the rest. There may be none: the other servers are gone, or the
	// previous leader was just stopped.
	brief, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastLead)
	defer cancel()
	_ = l.leads.Lead(brief, func(held context.Context) {
		l.beginLead()
		l.finish(held)
	})
}

// carry does the leader's work until ctx or held ends, and reports whether it finished
// the last tasks while still leading.
func (l loops) carry(ctx, held context.Context, lead []tracked, finish <-chan struct{}) (finished bool) {
	l.beginLead()
	work, stop := context.WithCancel(held)
	defer stop()
	defer context.AfterFunc(ctx, stop)()
	l.repeatAll(work, lead)
	if held.Err() != nil {
		allElsewhere(lead)
		for _, end := range l.end {
			end()
		}
		return false
	}
	<-finish
	l.finish(held)
	return held.Err() == nil
}

// allElsewhere marks the leader's tasks as another's.
func allElsewhere(lead []tracked) {
	for _, t := range lead {
		t.record.Elsewhere()
	}
}

func (l loops) beginLead() {
	for _, begin := range l.begin {
		begin()
	}
}

// finish runs the leader's last tasks.
func (l loops) finish(held context.Context) {
	for _, task := range l.lead.last {
		l.once(held, task)
	}
}

// tracked is a loop with the record of its outcomes.
type tracked struct {
	loop

	record *system.Task
}

func (g group) track(tasks *system.Tasks) []tracked {
	var list []tracked
	for _, task := range g.list {
		list = append(list, tracked{task, tasks.Track(task.name, task.every)})
	}
	for _, task := range g.steady {
		list = append(list, tracked{task, tasks.TrackContinuous(task.name, task.every)})
	}
	return list
}

// repeatAll returns when ctx has ended and all tasks have stopped.
func (l loops) repeatAll(ctx context.Context, list []tracked) {
	var wg sync.WaitGroup
	for _, t := range list {
		wg.Go(func() { l.repeat(ctx, t) })
	}
	wg.Wait()
}

func (l loops) once(ctx context.Context, task loop) {
	limited, cancel := context.WithTimeout(ctx, lastTakes)
	defer cancel()
	if err := task.do(limited); err != nil && limited.Err() == nil {
		l.complain(ctx, task, err)
	}
}

// repeat runs a task repeatedly. A failing task waits ever longer, up to longestPause
// or its interval.
func (l loops) repeat(ctx context.Context, t tracked) {
	var said logLimiter
	pause := t.every
	for {
		began := time.Now()
		err := t.record.Run(ctx, t.traced())
		if err == nil || time.Since(began) > longestPause {
			pause = t.every
		}
		switch {
		case ctx.Err() != nil:
			return
		case err != nil && said.news(err):
			l.complain(ctx, t.loop, err)
		case err == nil && said.over():
			l.log.InfoContext(ctx, "a background task works again", "task", t.name)
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-timer.C:
		}
		if err != nil {
			pause = min(2*pause, max(t.every, longestPause))
		}
	}
}

// traced is the task with a span for each run, unless it only looks around every few seconds.
func (t tracked) traced() func(context.Context) error {
	if t.every < time.Minute {
		return t.do
	}
	return func(ctx context.Context) error {
		ctx, span := tracing.Root(ctx, "task: "+t.name, trace.SpanKindInternal)
		err := t.do(ctx)
		span.End(err)
		return err
	}
}

func (l loops) complain(ctx context.Context, task loop, err error) {
	level := slog.LevelError
	if fault.Is(err, fault.VaultUnavailable) || fault.Is(err, fault.DatabaseUnavailable) {
		level = slog.LevelWarn
	}
	l.log.Log(ctx, level, "a background task failed; it will run again", "task", task.name, "error", err)
}
