package mail

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/settings"
)

// How a Sender works.
const (
	Concurrency   = 8  // connections at once
	perConnection = 20 // messages over one, at most
	pollEvery     = 2 * time.Second
	lease         = 5 * time.Minute
	beginsWithin  = 3 * time.Minute // of the lease; no message is begun later
	messageTakes  = time.Minute     // at most
	grace         = 5 * time.Second // for the message under way, when the server stops
	recordTimeout = 5 * time.Second
	expireEvery   = time.Minute
	expireBatch   = 500
)

// Links makes the link of a message that has one of its own: an invitation's.
type Links interface {
	// Link is empty for messages without one; false when it is good no more.
	Link(ctx context.Context, m Message) (secret.String, bool, error)
}

// Sender sends what is due. It must not be copied.
type Sender struct {
	Service *Service // for settings, password, store and clock
	Links   Links
	Log     *slog.Logger

	once sync.Once
	wake chan struct{}

	sent, failed, again atomic.Int64
}

// Counts are how many messages this server has sent, given up, and put off.
func (s *Sender) Counts() (sent, failed, again int64) {
	return s.sent.Load(), s.failed.Load(), s.again.Load()
}

func (s *Sender) signal() chan struct{} {
	s.once.Do(func() { s.wake = make(chan struct{}, 1) })
	return s.wake
}

// Wake makes Run look at once. It never blocks.
func (s *Sender) Wake() {
	select {
	case s.signal() <- struct{}{}:
	default:
	}
}

// outcome is how a connection went.
type outcome struct {
	worked  bool     // the server took a message, or refused that one alone
	trouble *Refusal // it, or the settings, are in the way of all
	err     error    // the database or the vault is
}

// round is what Run knows between two looks.
type round struct {
	trouble *Trouble
	set     settings.Value // under which the last look was
	allowed int            // connections at once
	busy    int
	expire  time.Time // the next time
}

// Run sends until ctx ends, and then returns nil after the messages under way have ended,
// or were given up: they come again. An error is the database's or the vault's.
func (s *Sender) Run(ctx context.Context) error {
	var group sync.WaitGroup
	defer group.Wait()
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	ended := make(chan outcome, Concurrency)
	r := round{allowed: Concurrency}
	var err error
	if r.trouble, err = troubleOf(ctx, s.Service.Rows); err != nil {
		return unless(ctx, err)
	}
	for {
		if err := s.look(ctx, &r, &group, ended); err != nil {
			return unless(ctx, err)
		}
		select {
		case <-ctx.Done():
			return nil
		case o := <-ended:
			r.busy--
			if err := s.learn(ctx, &r, o); err != nil {
				return unless(ctx, err)
			}
		case <-s.signal():
		case <-ticker.C:
		}
	}
}

// unless leaves out what comes of the end of ctx.
func unless(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		return nil
	default:
		return err
	}
}

// look begins what is due.
func (s *Sender) look(ctx context.Context, r *round, group *sync.WaitGroup, ended chan<- outcome) error {
	now := s.Service.Now()
	if !now.Before(r.expire) {
		if err := s.expire(ctx, r.trouble, now); err != nil {
			return err
		}
		r.expire = now.Add(expireEvery)
	}
	row, set, err := s.Service.row(ctx)
	if err != nil || !set.Enabled {
		return err
	}
	if row != r.set { // what was wrong may be right now
		r.set, r.allowed = row, Concurrency
		if r.trouble != nil {
			r.trouble.NextAttemptAt = now
		}
	}
	for r.busy < r.allowed {
		limit := perConnection
		if r.trouble != nil {
			if limit = 1; r.busy > 0 || now.Before(r.trouble.NextAttemptAt) {
				return nil
			}
		}
		claims, err := s.Service.Store.ClaimMail(ctx, now, now.Add(lease), limit)
		if err != nil || len(claims) == 0 {
			return err
		}
		r.busy++
		group.Go(func() { ended <- s.carry(ctx, set, claims) })
	}
	return nil
}

// learn draws its conclusions from a connection that has ended. A server that takes fewer
// connections than were tried gets fewer; trouble it is when it takes none.
func (s *Sender) learn(ctx context.Context, r *round, o outcome) error {
	now := s.Service.Now()
	switch {
	case o.err != nil:
		return o.err
	case o.trouble != nil && r.trouble == nil && (r.busy > 0 || r.allowed > 1):
		r.allowed = max(1, r.allowed/2)
		if r.busy > 0 {
			return nil
		}
		fallthrough
	case o.trouble != nil:
		t := Trouble{Since: now}
		if r.trouble != nil {
			t = *r.trouble
		}
		if t.Class != o.trouble.Class || t.Reply != o.trouble.Reply {
			s.Log.Warn("mail waits: the SMTP server does not take it", "reason", string(o.trouble.Class), "reply", o.trouble.Reply)
		}
		t.Attempts++
		t.Class, t.Reply, t.NextAttemptAt = o.trouble.Class, o.trouble.Reply, now.Add(pause(probes, t.Attempts, jitter))
		r.trouble = &t
		return putTrouble(ctx, s.Service.Rows, r.trouble, now)
	case o.worked && r.trouble != nil:
		s.Log.Info("mail is sent again", "waited_since", r.trouble.Since)
		r.trouble, r.allowed = nil, Concurrency
		return putTrouble(ctx, s.Service.Rows, nil, now)
	}
	return nil
}

// expire gives up what was tried for long enough.
func (s *Sender) expire(ctx context.Context, t *Trouble, now time.Time) error {
	class := NotTried
	if t != nil {
		class = t.Class
	}
	for {
		n, err := s.Service.Store.ExpireMail(ctx, now, class, expireBatch)
		if n > 0 {
			s.failed.Add(int64(n))
			s.Log.Warn("messages were not sent within a day, and are given up", "messages", n, "reason", string(class))
		}
		if err != nil || n < expireBatch {
			return err
		}
	}
}
