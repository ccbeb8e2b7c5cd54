package mail

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/settings"
)

// How a Sender works.
const (
	Concurrency   = 4   // connections at once
	PerSecond     = 200 // messages, at most, for Pace
	perConnection = 20  // messages, at most
	pollEvery     = 2 * time.Second
	lease         = 10 * time.Minute
	beginsWithin  = 3 * time.Minute  // of the lease; no message is started later
	messageTakes  = time.Minute      // limit until the message is complete
	answerTakes   = 5 * time.Minute  // then the limit for the server's answer, without which the message is sent again
	grace         = 5 * time.Second  // for the current message, at shutdown
	answerGrace   = 30 * time.Second // for the answer to a complete one, at shutdown
	recordTimeout = 5 * time.Second
	recordAgain   = 200 * time.Millisecond
	expireEvery   = time.Minute
	expireBatch   = 500
	leaveFor      = time.Minute // for kinds that only a newer version knows, which runs beside this one
)

// Links makes the link of messages that have their own: invitations.
type Links interface {
	// Link is empty for messages without one; false when it is no longer valid.
	Link(ctx context.Context, m Message) (secret.String, bool, error)
}

// Sender sends due messages. It must not be copied.
type Sender struct {
	Service *Service // for settings, password, store and clock
	Links   Links
	Log     *slog.Logger
	// Consistent, when not nil, reports that the database is not an older copy. Until
	// it does, only the message about that is sent: others may have been sent before.
	Consistent func() bool
	// Pace, when not nil, limits the rate: mail is less urgent than the requests that this
	// server handles at the same time.
	Pace *rate.Limiter

	once  sync.Once
	wake  chan struct{}
	rules rules

	sent, failed, again atomic.Int64
}

// Counts returns how many messages this server has sent, given up on, and postponed.
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

// attempt is how a connection went.
type attempt struct {
	probe   bool     // the only connection, to test the server
	worked  bool     // the server took a message, or refused only that one
	trouble *Refusal // the server's or the settings' fault, which blocks all messages
	err     error    // of the database or the vault
}

// round is Run's state between two looks.
type round struct {
	trouble *Trouble
	set     settings.Value // at the last look
	proven  bool           // a connection has worked with these settings
	allowed int            // connections at once
	busy    int
	expire  time.Time // the next time
}

// Run sends until ctx ends. It then waits for the current messages to be sent or returned
// to the queue, and returns nil. An error is the database's or the vault's.
func (s *Sender) Run(ctx context.Context) error {
	var group sync.WaitGroup
	defer group.Wait()
	ticker := time.NewTicker(pollEvery)
	defer ticker.Stop()
	ended := make(chan attempt, Concurrency)
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

// unless suppresses errors caused by the end of ctx.
func unless(ctx context.Context, err error) error {
	select {
	case <-ctx.Done():
		return nil
	default:
		return err
	}
}

// look starts sending what is due; until a connection has worked, only one with one message.
func (s *Sender) look(ctx context.Context, r *round, group *sync.WaitGroup, ended chan<- attempt) error {
	now := s.Service.Now()
	row, set, err := s.Service.row(ctx)
	if err != nil {
		return err
	}
	if err := s.lookAgain(ctx, r, row, now); err != nil || !set.Enabled {
		return err
	}
	only := notify.Kind("")
	if s.Consistent != nil && !s.Consistent() {
		only = notify.StoresDisagree
	}
	for r.busy < r.allowed {
		limit, probe := perConnection, r.trouble != nil || !r.proven
		if probe {
			if limit = 1; r.busy > 0 || r.trouble != nil && now.Before(r.trouble.NextAttemptAt) {
				return nil
			}
		}
		claims, err := s.Service.Store.ClaimMail(ctx, now, now.Add(lease), only, limit)
		if err != nil || len(claims) == 0 {
			return err
		}
		r.busy++
		group.Go(func() {
			o := s.carry(ctx, set, claims)
			o.probe = probe
			ended <- o
		})
	}
	return nil
}

// lookAgain expires messages, and clears trouble that no longer applies: the settings
// have changed, or nothing waits.
func (s *Sender) lookAgain(ctx context.Context, r *round, row settings.Value, now time.Time) error {
	over := false
	if !now.Before(r.expire) {
		if err := s.expire(ctx, r.trouble, now); err != nil {
			return err
		}
		r.expire = now.Add(expireEvery)
		if r.trouble != nil {
			waiting, err := s.Service.Store.WaitingMail(ctx)
			if err != nil {
				return err
			}
			over = waiting == 0
		}
	}
	if row != r.set { // which may fix the problem
		r.set, r.allowed, r.proven = row, Concurrency, false
		s.rules.forget()
		over = over || r.trouble != nil && !r.trouble.Settings.Equal(row.UpdatedAt)
	}
	if !over {
		return nil
	}
	r.trouble = nil
	return putTrouble(ctx, s.Service.Rows, nil, now)
}

// learn adapts to the outcome of a connection. A server that takes fewer connections than tried
// gets fewer, and one more after each success; it is trouble if it takes none, or refuses the
// password. Connections begun before the trouble was known do not count.
func (s *Sender) learn(ctx context.Context, r *round, o attempt) error {
	now := s.Service.Now()
	switch {
	case o.err != nil:
		return o.err
	case r.trouble != nil && !o.probe:
	case o.trouble != nil && r.busy > 0 && !o.trouble.ofSettings():
		r.allowed = max(1, r.allowed/2)
	case o.trouble != nil:
		return s.stopAll(ctx, r, o.trouble, now)
	case o.worked && r.trouble != nil:
		s.Log.Info("mail is being sent again", "waited_since", r.trouble.Since)
		r.trouble, r.allowed, r.proven = nil, Concurrency, true
		return putTrouble(ctx, s.Service.Rows, nil, now)
	case o.worked:
		r.allowed, r.proven = min(Concurrency, r.allowed+1), true
	}
	return nil
}

// stopAll makes all messages wait because of a refusal.
func (s *Sender) stopAll(ctx context.Context, r *round, what *Refusal, now time.Time) error {
	t := Trouble{Since: now, Settings: r.set.UpdatedAt}
	if r.trouble != nil {
		t = *r.trouble
	}
	if t.Class != what.Class || t.Reply != what.Reply {
		s.Log.Warn("mail is waiting: the SMTP server does not accept it", "reason", string(what.Class), "reply", what.Reply)
	}
	pauses := probes
	if what.ofSettings() {
		pauses = signIns
	}
	t.Attempts++
	t.Class, t.Reply, t.NextAttemptAt = what.Class, what.Reply, now.Add(pause(pauses, t.Attempts, jitter))
	r.trouble = &t
	return putTrouble(ctx, s.Service.Rows, r.trouble, now)
}

// expire gives up on messages that were tried for long enough.
func (s *Sender) expire(ctx context.Context, t *Trouble, now time.Time) error {
	class := NotTried
	if t != nil {
		class = t.Class
	}
	for {
		n, err := s.Service.Store.ExpireMail(ctx, now, class, expireBatch)
		if n > 0 {
			s.failed.Add(int64(n))
			s.Log.Warn("gave up on messages that could not be sent within a day", "messages", n, "reason", string(class))
		}
		if err != nil || n < expireBatch {
			return err
		}
	}
}
