package app

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/keyward/keyward/internal/apikey"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/system"
)

// How often the server looks after things by itself.
const (
	reconcileEvery = 30 * time.Second // revocations that the vault did not take
	crlEvery       = 10 * time.Minute // the engine signs anew after an hour, so no list is much older
	rotationsEvery = 10 * time.Minute // what lists show of open rotations
	followAgain    = time.Second      // after database or vault have failed
	settleEvery    = 2 * time.Second  // what the vault took down of certificates, and is on record
	issuancesEvery = 5 * time.Minute  // what it took down, and nobody recorded
	cleanupEvery   = 10 * time.Minute // expired sessions, stale failures to sign in
	keepSessions   = 24 * time.Hour   // after their end, so that a list can still explain one
	cleanupBatch   = 500
	sealEvery      = time.Minute      // the audit log
	denialsEvery   = 10 * time.Second // refusals that are counted, not listed
	lastTakes      = 10 * time.Second // at most, each task at the end
)

// loop is a task that is done at start and then again and again.
type loop struct {
	name  string
	every time.Duration
	do    func(context.Context) error
}

type loops struct {
	log   *slog.Logger
	tasks *system.Tasks // the record of how they went
	list  []loop
	last  []loop // are done once more at the end, after every request and every loop
	// steady are those that end only with the server, or by failing; every is
	// how soon they begin again.
	steady []loop
}

func (s *services) loops(log *slog.Logger) loops {
	reconciled := false
	seal := loop{"seal the audit log", sealEvery, s.sealer.Run}
	uses := loop{"note uses of API keys", apikey.FlushEvery, s.apikeys.FlushUses}
	denials := loop{"count refusals", denialsEvery, s.denials.Close}
	last := []loop{uses, denials, seal}
	var issuances []loop
	if log := s.certificates.Issuances; log != nil {
		settle := loop{"settle the issuance log", settleEvery, log.Flush}
		last = append(last, settle)
		issuances = []loop{settle, {"reconcile issuances", issuancesEvery, s.certificates.ReconcileIssuances}}
	}
	steady := s.webhooks.steady()
	if s.crl.Shared != nil {
		steady = append(steady, loop{"follow revocations of other servers", followAgain, s.crl.Follow})
	}
	return loops{log: log, tasks: s.tasks, last: last, steady: steady, list: append(append(s.webhooks.loops(), issuances...), []loop{
		seal,
		uses,
		{denials.name, denials.every, s.denials.Flush},
		{"reconcile revocations", reconcileEvery, func(ctx context.Context) error {
			if reconciled {
				return s.certificates.PublishRevocations(ctx)
			}
			err := s.certificates.Reconcile(ctx)
			reconciled = err == nil
			return err
		}},
		{"reconcile rotations", rotationsEvery, s.hwkeys.Reconcile},
		{"renew the CRL", crlEvery, s.crl.Renew},
		{"clean up sessions", cleanupEvery, s.cleanUp},
		{"clean up single sign-on", cleanupEvery, s.signon.CleanUp},
	}...)}
}

// cleanUp removes what is over: sessions, and failed sign-ins that nobody
// repeated.
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

// run returns when ctx has ended and every task has stopped.
func (l loops) run(ctx context.Context) {
	var wg sync.WaitGroup
	for _, task := range l.list {
		record := l.tasks.Track(task.name, task.every)
		wg.Go(func() { l.repeat(ctx, task, record) })
	}
	for _, task := range l.steady {
		record := l.tasks.TrackContinuous(task.name, task.every)
		wg.Go(func() { l.repeat(ctx, task, record) })
	}
	wg.Wait()
	for _, task := range l.last {
		l.once(context.WithoutCancel(ctx), task)
	}
}

func (l loops) once(ctx context.Context, task loop) {
	ctx, cancel := context.WithTimeout(ctx, lastTakes)
	defer cancel()
	l.do(ctx, task, func(ctx context.Context, do func(context.Context) error) error { return do(ctx) })
}

func (l loops) repeat(ctx context.Context, task loop, record *system.Task) {
	ticker := time.NewTicker(task.every)
	defer ticker.Stop()
	for {
		l.do(ctx, task, record.Run)
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// do runs a task by run and logs its failure.
func (l loops) do(ctx context.Context, task loop, run func(context.Context, func(context.Context) error) error) {
	if err := run(ctx, task.do); err != nil && ctx.Err() == nil {
		level := slog.LevelError
		if fault.Is(err, fault.VaultUnavailable) || fault.Is(err, fault.DatabaseUnavailable) {
			level = slog.LevelWarn
		}
		l.log.Log(ctx, level, "a background task failed and will be tried again", "task", task.name, "error", err)
	}
}
