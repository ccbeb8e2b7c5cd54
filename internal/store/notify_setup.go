package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// fold has a set-up by someone else told of in one mail. It returns what a mail to a person says
// and when it is due; told: a mail that waits says it, too.
func (t *tx) fold(ctx context.Context, m notify.Message, userID int64) (params notify.Params, due time.Time, told bool, err error) {
	params, due = m.Params, m.At
	switch {
	case m.To.UserID == 0:
	case m.Kind == notify.TokenSetUp:
		due = m.At.Add(notify.SetUpOpen)
		params, err = t.gather(ctx, m, userID)
	case notify.OfSetUp(m.Kind):
		if told, err = t.join(ctx, m, userID); err != nil || told {
			break
		}
		var n int64
		if n, err = t.q.NotSetUp(ctx, piv.SerialKey(m.Params["serial"])); n > 0 {
			due = m.At.Add(notify.SetUpWaits)
		}
	}
	return params, due, told, err
}

// gather takes the mails about the steps out of the outbox, into the one about the end. What others
// did meanwhile is sent by itself, now.
func (t *tx) gather(ctx context.Context, m notify.Message, userID int64) (notify.Params, error) {
	params := m.Params
	err := t.eachUntried(ctx, userID, notify.OfSetUp, func(row sqlcgen.UntriedMailRow, step notify.Params) error {
		switch {
		case step["serial"] != m.Params["serial"]:
			return nil
		case !step.SameSetUp(m.Params):
			return t.q.RewriteMail(ctx, sqlcgen.RewriteMailParams{Params: row.Params, Due: pointerTo(micros(m.At)), ID: row.ID})
		}
		params = params.WithStep(notify.Kind(row.Kind), step)
		return t.q.RemoveMail(ctx, row.ID)
	})
	return params, err
}

// join adds a message about a step to the mail about the end, if that still waits; the PIN is the
// last one.
func (t *tx) join(ctx context.Context, m notify.Message, userID int64) (joined bool, err error) {
	is := func(k notify.Kind) bool { return k == notify.TokenSetUp }
	err = t.eachUntried(ctx, userID, is, func(row sqlcgen.UntriedMailRow, end notify.Params) error {
		if joined || !end.SameSetUp(m.Params) {
			return nil
		}
		text, err := paramsText(end.WithStep(m.Kind, m.Params))
		if err != nil {
			return err
		}
		joined = true
		due := row.NextAttemptAt
		if m.Kind == notify.TokenUnblocked {
			due = pointerTo(micros(m.At))
		}
		return t.q.RewriteMail(ctx, sqlcgen.RewriteMailParams{Params: text, Due: due, ID: row.ID})
	})
	return joined, err
}

// eachUntried calls do for each of a person's mails of some kinds that nobody has tried to send.
func (t *tx) eachUntried(
	ctx context.Context, userID int64, of func(notify.Kind) bool, do func(sqlcgen.UntriedMailRow, notify.Params) error,
) error {
	rows, err := t.q.UntriedMail(ctx, &userID)
	if err != nil {
		return err
	}
	for _, row := range rows {
		if !of(notify.Kind(row.Kind)) {
			continue
		}
		params, err := paramsOf(row.Params)
		if err != nil {
			return err
		}
		if err := do(row, params); err != nil {
			return err
		}
	}
	return nil
}
