package store

import (
	"context"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

const mailColumns = `m.id, m.user_id, COALESCE(u.username, ''), m.organization_id, m.role, m.address, m.language, m.kind, m.params,
	m.message_id, m.status, m.attempts, m.next_attempt_at, m.created_at, m.expires_at, m.sent_at, m.error, m.reply`

const (
	mailTable = " FROM mail_outbox AS m"
	mailJoin  = " LEFT JOIN users AS u ON u.id = m.user_id"
)

func scanMail(row scanner) (m mail.Message, err error) {
	var created, expires int64
	var next, sent *int64
	var params string
	err = row.Scan(&m.ID, &m.UserID, &m.Username, &m.OrganizationID, &m.Role, &m.Address, &m.Language, &m.Kind, &params,
		&m.MessageID, &m.Status, &m.Attempts, &next, &created, &expires, &sent, &m.Error, &m.Reply)
	if err != nil {
		return m, err
	}
	m.NextAttemptAt, m.CreatedAt, m.ExpiresAt, m.SentAt = momentOf(next), moment(created), moment(expires), momentOf(sent)
	m.Params, err = paramsOf(params)
	return m, err
}

// ListMail implements mail.Store.
func (db *DB) ListMail(ctx context.Context, f mail.Filter, p page.Request) (page.Page[mail.Message], error) {
	w := &where{}
	if f.Status != "" {
		w.equal("m.status", string(f.Status))
	}
	if f.Q != "" {
		w.contains(f.Q, "lower(m.address)", "COALESCE(u.username_key, '')")
	}
	list := listed[mail.Message]{"SELECT " + mailColumns, mailTable, mailJoin, "m.id", scanMail, func(m mail.Message) int64 { return m.ID }}
	return list.page(ctx, db, "list mail", w, p)
}

// WaitingMail implements mail.Store.
func (db *DB) WaitingMail(ctx context.Context) (int, error) {
	n, err := db.q().WaitingMail(ctx)
	return int(n), asFault("waiting mail", err)
}

func (t *tx) mailByID(ctx context.Context, id int64) (mail.Message, error) {
	return queryOne(ctx, t.sql, scanMail, "SELECT "+mailColumns+mailTable+mailJoin+" WHERE m.id = $1", id)
}

// RetryMail implements mail.Store.
func (db *DB) RetryMail(ctx context.Context, id int64, at time.Time, entry audit.Entry) (m mail.Message, err error) {
	err = db.write(ctx, "retry mail", func(ctx context.Context, t *tx) error {
		n, err := t.q.RetryMail(ctx, sqlcgen.RetryMailParams{
			At: pointerTo(micros(at)), ExpiresAt: micros(at.Add(mail.TriedFor)), ID: id})
		if err != nil {
			return err
		}
		m, err = t.mailByID(ctx, id)
		switch {
		case none(err):
			return fault.New(fault.NotFound, "no_mail", "There is no such message.")
		case err != nil:
			return err
		case n == 0:
			return fault.New(fault.Conflict, "mail_not_failed", "Only a failed message can be sent again.")
		}
		return t.audit(ctx, about([]audit.Entry{entry}, "mail", audit.ID(id))...)
	})
	return m, err
}

// ClaimMail implements mail.Store. It reads first: mostly there is nothing to do, and then it
// writes nothing.
func (db *DB) ClaimMail(ctx context.Context, now, until time.Time, only notify.Kind, limit int) (claims []mail.Claim, err error) {
	due := sqlcgen.MailDueParams{At: pointerTo(micros(now)), Kind: string(only), MaxRows: int32(min(limit, 1<<30))}
	switch ids, err := db.q().MailDue(ctx, due); {
	case err != nil:
		return nil, asFault("claim mail", err)
	case len(ids) == 0:
		return nil, nil
	}
	err = db.write(ctx, "claim mail", func(ctx context.Context, t *tx) error {
		claims = nil
		ids, err := t.q.MailDue(ctx, due)
		if err != nil {
			return err
		}
		for _, id := range ids {
			lease, err := t.q.LeaseMail(ctx, sqlcgen.LeaseMailParams{LeaseUntil: micros(until), ID: id, At: micros(now)})
			if none(err) {
				continue // another server has it now
			}
			if err != nil {
				return err
			}
			m, err := t.mailByID(ctx, id)
			if err != nil {
				return err
			}
			claims = append(claims, mail.Claim{Message: m, Lease: lease})
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return claims, nil
}

// FinishMail implements mail.Store.
func (db *DB) FinishMail(ctx context.Context, c mail.Claim, r mail.Result) (done bool, err error) {
	err = db.write(ctx, "finish mail", func(ctx context.Context, t *tx) error {
		p := sqlcgen.FinishMailParams{
			Status: string(r.Status), Attempts: int64(r.Attempts), NextAttemptAt: microsOf(r.NextAttemptAt),
			Error: string(r.Error), Reply: r.Reply, ID: c.ID, Claims: c.Lease,
		}
		if r.Status == mail.Sent {
			p.SentAt = pointerTo(micros(r.At))
		}
		if r.Status != mail.Pending {
			p.EndedAt = pointerTo(micros(r.At))
		}
		n, err := t.q.FinishMail(ctx, p)
		done = n == 1
		if err != nil || !done {
			return err
		}
		switch {
		case r.Status == mail.Sent:
			return t.q.AddressWorks(ctx, sqlcgen.AddressWorksParams{ID: c.UserID, Address: c.Address})
		case r.Status == mail.Failed && (r.Error == mail.RecipientRefused || r.Error == mail.MailboxFull):
			return t.q.AddressFails(ctx, sqlcgen.AddressFailsParams{
				At: pointerTo(micros(r.At)), Class: string(r.Error), ID: c.UserID, Address: c.Address})
		}
		return nil
	})
	return done && err == nil, err
}

// ExpireMail implements mail.Store.
func (db *DB) ExpireMail(ctx context.Context, now time.Time, class mail.Class, limit int) (n int, err error) {
	waiting, err := db.q().WaitingMail(ctx)
	if err != nil || waiting == 0 {
		return 0, asFault("expire mail", err)
	}
	err = db.write(ctx, "expire mail", func(ctx context.Context, t *tx) error {
		gone, err := t.q.ExpireMail(ctx, sqlcgen.ExpireMailParams{
			At: pointerTo(micros(now)), Class: string(class), MaxRows: int32(min(limit, 1<<30))})
		n = int(gone)
		return err
	})
	return n, err
}

// PurgeMail implements mail.Store.
func (db *DB) PurgeMail(ctx context.Context, before time.Time, limit int) (n int, err error) {
	err = db.write(ctx, "purge mail", func(ctx context.Context, t *tx) error {
		gone, err := t.q.PurgeMail(ctx, sqlcgen.PurgeMailParams{Before: micros(before), MaxRows: int32(min(limit, 1<<30))})
		n = int(gone)
		return err
	})
	return n, err
}

// MailPerson implements mail.Store.
func (db *DB) MailPerson(ctx context.Context, userID int64) (mail.Person, error) {
	row, err := db.q().MailPerson(ctx, userID)
	if none(err) {
		return mail.Person{}, noUser
	}
	return mail.Person{
		Username: row.Username, Email: row.Email, Role: access.Role(row.Role), OrganizationID: row.OrganizationID, Active: row.IsActive,
	}, asFault("mail person", err)
}
