package mail

import (
	"context"
	"errors"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notice"
)

// carry sends messages over one connection, or over another when that one breaks, and
// records what became of each, also when ctx has ended.
func (s *Sender) carry(ctx context.Context, set Settings, claims []Claim) (o outcome) {
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
		switch {
		case o.trouble != nil:
			s.finish(ctx, c, s.waits(c, o.trouble))
			continue
		case o.err != nil, ctx.Err() != nil, s.Service.Now().Sub(began) > beginsWithin:
			s.finish(ctx, c, s.untried(c))
			continue
		}
		letter, result, err := s.prepare(ctx, set, c)
		if result != nil {
			s.finish(ctx, c, *result)
			continue
		}
		if err == nil {
			err = s.send(ctx, set, &conn, letter)
		}
		refusal, known := errors.AsType[*Refusal](err)
		switch {
		case err == nil:
			o.worked = true
			s.finish(ctx, c, Result{Status: Sent, Attempts: c.Attempts, At: s.Service.Now()})
		case !known: // the database's or the vault's
			o.err = err
			s.finish(ctx, c, s.untried(c))
		case refusal.Server && ctx.Err() != nil: // the end of this server, not of that one
			s.finish(ctx, c, s.untried(c))
		case refusal.Server:
			o.trouble = refusal
			s.finish(ctx, c, s.waits(c, refusal))
		default:
			o.worked = true
			s.finish(ctx, c, s.judge(c, refusal))
		}
		if known && (refusal.Server || refusal.Over) {
			leave()
		}
	}
	return o
}

// send sends a letter, over a new connection where there is none.
func (s *Sender) send(ctx context.Context, set Settings, conn *Conn, l Letter) error {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), messageTakes)
	defer cancel()
	defer context.AfterFunc(ctx, func() {
		timer := time.AfterFunc(grace, cancel)
		context.AfterFunc(limited, func() { timer.Stop() })
	})()
	if *conn == nil {
		password, err := s.Service.password(limited, set)
		if err != nil {
			return err
		}
		opened, err := s.Service.Transport.Open(limited, set, password)
		if err != nil {
			return err
		}
		*conn = opened
	}
	return (*conn).Send(limited, l)
}

// prepare looks once more whether a message is to be sent, and writes it: its letter, or
// what becomes of it at once.
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
	name := ""
	if c.UserID != nil {
		p, err := s.Service.Store.MailPerson(ctx, *c.UserID)
		switch {
		case fault.Is(err, fault.NotFound):
			return ends(Dropped, UnknownPerson)
		case err != nil:
			return Letter{}, nil, err
		case !c.stillFor(p):
			return ends(Dropped, UnknownPerson)
		}
		name = p.Username
	}
	link, good, err := s.Links.Link(ctx, c.Message)
	switch {
	case err != nil:
		return Letter{}, nil, err
	case !good:
		return ends(Dropped, LinkExpired)
	}
	letter, err := s.Service.Writer.write(set, c.Message, name, link.Reveal(), now)
	if err != nil {
		s.Log.Error("a message has no words, and is not sent", "message", c.ID, "kind", string(c.Kind), "error", err)
		return ends(Failed, MessageRefused)
	}
	return letter, nil, nil
}

// stillFor tells whether a person is to get the message: whoever was told as a manager or
// an administrator still is one, and the address is the person's. What concerns the
// security of an account goes to the address that it was written for, also when that was
// changed since: a change of it may be what the message tells of.
func (m Message) stillFor(p Person) bool {
	row, _ := notice.RowOf(m.Kind)
	switch {
	case !p.Active, p.Email != m.Address && row.Choice != notice.Always:
		return false
	case m.Role == "", p.Role == access.GlobalAdmin:
		return true
	default:
		return p.Role == m.Role && access.SameID(p.OrganizationID, m.OrganizationID)
	}
}

// finish records what became of a message. One that cannot be recorded stays pending, and
// comes again when the lease has run out.
func (s *Sender) finish(ctx context.Context, c Claim, r Result) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordTimeout)
	defer cancel()
	done, err := s.Service.Store.FinishMail(ctx, c, r)
	switch {
	case err != nil:
		s.Log.Warn("the outcome of a message could not be recorded", "message", c.ID, "outcome", string(r.Status), "error", err)
	case !done:
	case r.Status == Sent:
		s.sent.Add(1)
	case r.Status == Failed:
		s.failed.Add(1)
		s.Log.Warn("a message failed for good", "message", c.ID, "kind", string(c.Kind), "reason", string(r.Error), "reply", r.Reply)
	case r.Status == Pending && r.Attempts == c.Attempts:
		s.again.Add(1)
	}
}

// judge turns a refusal of a message into an outcome.
func (s *Sender) judge(c Claim, refusal *Refusal) Result {
	now := s.Service.Now()
	r := Result{Status: Failed, Attempts: c.Attempts, Error: refusal.Class, Reply: refusal.Reply, At: now}
	next := now.Add(pause(retries, c.Attempts, jitter))
	if !refusal.Final && next.Before(c.ExpiresAt) {
		r.Status, r.NextAttemptAt = Pending, &next
	}
	return r
}

// waits gives a message back that waits for the server.
func (s *Sender) waits(c Claim, refusal *Refusal) Result {
	r := s.untried(c)
	r.Error, r.Reply = refusal.Class, refusal.Reply
	return r
}

// untried gives a message back as it was.
func (s *Sender) untried(c Claim) Result {
	now := s.Service.Now()
	return Result{Status: Pending, Attempts: c.Attempts - 1, NextAttemptAt: &now, Error: c.Error, Reply: c.Reply, At: now}
}
