package mail

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/tracing"
)

// carry sends messages over one connection, or another one when it breaks, and records each
// outcome, even after ctx has ended. Once an outcome cannot be recorded it sends nothing
// more: it would be sent again.
func (s *Sender) carry(ctx context.Context, set Settings, claims []Claim) (o attempt) {
	began := s.Service.Now()
	var conn Conn
	leave := func() {
		if conn != nil {
			conn.Close()
			conn = nil
		}
	}
	defer func() { leave() }()
	for _, c := range claims {
		s.pace(ctx)
		if o.trouble != nil || o.err != nil || ctx.Err() != nil || s.Service.Now().Sub(began) > beginsWithin {
			if err := s.finish(ctx, c, s.waits(c, o.trouble)); err != nil {
				o.err = err
				return o // they are claimed again when the lease expires
			}
			continue
		}
		letter, result, err := s.prepare(ctx, set, c)
		if result == nil && err == nil {
			err = s.send(ctx, set, &conn, letter)
		}
		refusal, known := errors.AsType[*Refusal](err)
		switch {
		case result != nil:
			o.err = s.finish(ctx, c, *result)
		case err == nil:
			o.worked = true
			s.rules.forget()
			o.err = s.keep(ctx, c, began.Add(lease))
		case !known: // an error of the database or the vault
			o.err = err
			_ = s.finish(ctx, c, s.waits(c, nil))
		case refusal.Server && ctx.Err() != nil: // this server is shutting down; the SMTP server is not at fault
			o.err = s.finish(ctx, c, s.waits(c, nil))
		case refusal.Server, s.rules.refused(c.Address, refusal.Rules):
			o.trouble = refusal
			o.err = s.finish(ctx, c, s.waits(c, refusal))
		default:
			o.worked = true
			o.err = s.finish(ctx, c, s.judge(c, refusal))
		}
		if known && (refusal.Server || refusal.Over) {
			leave()
		}
	}
	return o
}

// pace waits for the next message's turn, or until ctx ends.
func (s *Sender) pace(ctx context.Context) {
	if s.Pace != nil {
		_ = s.Pace.Wait(ctx)
	}
}

// send sends a letter, over a new connection if there is none or the server has closed it.
func (s *Sender) send(ctx context.Context, set Settings, conn *Conn, l Letter) (err error) {
	ctx, span := tracing.Root(ctx, "send mail", trace.SpanKindClient, attribute.String("server.address", set.Host))
	defer func() {
		if refusal, known := errors.AsType[*Refusal](err); known {
			span.Fail(string(refusal.Class))
		}
		span.End(nil)
	}()
	whole, over := outlive(ctx, messageTakes, grace)
	defer over()
	answer, over := outlive(ctx, messageTakes+answerTakes, answerGrace)
	defer over()
	for {
		fresh := *conn == nil
		if fresh {
			password, err := s.Service.password(whole, set)
			if err != nil {
				return err
			}
			if *conn, err = s.Service.Transport.Open(whole, set, password); err != nil {
				*conn = nil
				return err
			}
		}
		err := (*conn).Send(whole, answer, l)
		if refusal, _ := errors.AsType[*Refusal](err); fresh || refusal == nil || !refusal.Stale {
			return err
		}
		(*conn).Close()
		*conn = nil
	}
}

// outlive returns a context for that duration, shortened to a grace period when ctx ends.
func outlive(ctx context.Context, takes, grace time.Duration) (context.Context, context.CancelFunc) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), takes)
	stop := context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(grace, cancel)
		context.AfterFunc(limited, func() { timer.Stop() })
	})
	return limited, func() {
		stop()
		cancel()
	}
}

// prepare checks again whether to send a message, and returns either its letter or its
// immediate outcome.
func (s *Sender) prepare(ctx context.Context, set Settings, c Claim) (Letter, *Result, error) {
	now := s.Service.Now()
	ends := func(status Status, class Class) (Letter, *Result, error) {
		return Letter{}, &Result{Status: status, Attempts: c.Attempts - 1, Error: class, Reply: c.Reply, At: now}, nil
	}
	if !now.Before(c.ExpiresAt) {
		if c.Error == "" {
			return ends(Failed, NotTried)
		}
		return ends(Failed, c.Error)
	}
	if _, known := notify.RowOf(c.Kind); !known {
		next := now.Add(leaveFor)
		return Letter{}, &Result{Status: Pending, Attempts: c.Attempts - 1, NextAttemptAt: &next, Error: c.Error, Reply: c.Reply, At: now}, nil
	}
	p, err := s.Service.Store.MailPerson(ctx, c.UserID)
	switch {
	case fault.Is(err, fault.NotFound):
		return ends(Dropped, UnknownPerson)
	case err != nil:
		return Letter{}, nil, err
	case !c.stillFor(p):
		return ends(Dropped, UnknownPerson)
	}
	link, good, err := s.Links.Link(ctx, c.Message)
	switch {
	case err != nil:
		return Letter{}, nil, err
	case !good:
		return ends(Dropped, LinkExpired)
	}
	letter, err := s.Service.Writer.write(set, c.Message, p.Username, link.Reveal(), now)
	if err != nil {
		s.Log.Error("a message has no text, and is not sent", "message", c.ID, "kind", string(c.Kind), "error", err)
		return ends(Failed, MessageRefused)
	}
	return letter, nil, nil
}

// stillFor reports whether the person should still get the message: a manager or
// administrator must still be one, and the address must be the person's. Messages about
// account security go to their original address even after a change of address, which may
// be what they report.
func (m Message) stillFor(p Person) bool {
	row, _ := notify.RowOf(m.Kind)
	switch {
	case !p.Active, p.Email != m.Address && row.Choice != notify.Always:
		return false
	case m.Role == "", p.Role == access.GlobalAdmin:
		return true
	default:
		return p.Role == m.Role && access.SameID(p.OrganizationID, m.OrganizationID)
	}
}

// keep records that the server took a message, retrying until the deadline: without a
// record, it would be sent once more.
func (s *Sender) keep(ctx context.Context, c Claim, until time.Time) error {
	r := Result{Status: Sent, Attempts: c.Attempts, At: s.Service.Now()}
	for said := false; ; said = true {
		err := s.finish(ctx, c, r)
		if err == nil || ctx.Err() != nil || !s.Service.Now().Before(until) {
			return err
		}
		if !said {
			s.Log.Warn("could not record that a message was sent: nothing more is sent until that is done", "message", c.ID, "error", err)
		}
		timer := time.NewTimer(recordAgain)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
	}
}

// finish records a message's outcome. If that fails, the message stays pending, and is
// claimed again when the lease expires.
func (s *Sender) finish(ctx context.Context, c Claim, r Result) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	done, err := s.Service.Store.FinishMail(ctx, c, r)
	switch {
	case err != nil:
		return fmt.Errorf("mail: message %d is %s, which cannot be recorded: %w", c.ID, r.Status, err)
	case !done:
	case r.Status == Sent:
		s.sent.Add(1)
	case r.Status == Failed:
		s.failed.Add(1)
		s.Log.Warn("gave up on a message", "message", c.ID, "kind", string(c.Kind), "reason", string(r.Error), "reply", r.Reply)
	case r.Status == Pending && r.Attempts == c.Attempts:
		s.again.Add(1)
	}
	return nil
}

// judge turns a refusal of a message into a result.
func (s *Sender) judge(c Claim, refusal *Refusal) Result {
	now := s.Service.Now()
	r := Result{Status: Failed, Attempts: c.Attempts, Error: refusal.Class, Reply: refusal.Reply, At: now}
	next := now.Add(pause(retries, c.Attempts, jitter))
	if !refusal.Final && next.Before(c.ExpiresAt) {
		r.Status, r.NextAttemptAt = Pending, &next
	}
	return r
}

// waits returns a message to the queue unchanged, or with the server's refusal that it waits
// for.
func (s *Sender) waits(c Claim, refusal *Refusal) Result {
	now := s.Service.Now()
	r := Result{Status: Pending, Attempts: c.Attempts - 1, NextAttemptAt: &now, Error: c.Error, Reply: c.Reply, At: now}
	if refusal != nil {
		r.Error, r.Reply = refusal.Class, refusal.Reply
	}
	return r
}
