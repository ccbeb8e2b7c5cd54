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
	cleanupEvery   = 10 * time.Minute // expired sessions, stale failures to sign in
	keepSessions   = 24 * time.Hour   // after their end, so that a list can still explain one
	cleanupBatch   = 500
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
}

func (s *services) loops(log *slog.Logger) loops {
	reconciled := false
	return loops{log: log, tasks: s.tasks, list: append(s.webhooks.loops(), []loop{
		{"reconcile revocations", reconcileEvery, func(ctx context.Context) error {
			if reconciled {
				return s.certificates.PublishRevocations(ctx)
			}
			err := s.certificates.Reconcile(ctx)
			reconciled = err == nil
			return err
		}},
		{"reconcile rotations", rotationsEvery, s.hwkeys.Reconcile},
		{"renew the CRL", crlEvery, s.pki.Renew},
		{"clean up sessions", cleanupEvery, s.cleanUp},
		{"note uses of API keys", apikey.FlushEvery, s.apikeys.FlushUses},
		{"clean up releases", cleanupEvery, s.hwkeys.CleanUp},
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
	wg.Wait()
}

func (l loops) repeat(ctx context.Context, task loop, record *system.Task) {
	ticker := time.NewTicker(task.every)
	defer ticker.Stop()
	for {
		if err := record.Run(ctx, task.do); err != nil && ctx.Err() == nil {
			level := slog.LevelError
			if fault.Is(err, fault.VaultUnavailable) || fault.Is(err, fault.DatabaseUnavailable) {
				level = slog.LevelWarn
			}
			l.log.Log(ctx, level, "a background task failed and will be tried again", "task", task.name, "error", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}
