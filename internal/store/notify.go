package store

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/notify/text"
	"github.com/keyward/keyward/internal/store/sqlcgen"
)

// recipient is a person whom a message goes to.
type recipient = sqlcgen.RecipientRow

// notify writes a message to everyone in its audience, in the transaction that it is about: as a
// notice, and as mail if the kind and the person's choice allow it.
func (t *tx) notify(ctx context.Context, m notify.Message) error {
	people, err := t.recipients(ctx, m.To)
	if err != nil || len(people) == 0 {
		return err
	}
	params, err := paramsText(m.Params)
	if err != nil {
		return err
	}
	if m.At.IsZero() {
		m.At = t.now()
	}
	if m.Message == "" {
		m.Message = text.Plain(m.Kind, m.Params)
	}
	set, err := t.mailSettings(ctx)
	if err != nil {
		return err
	}
	for _, p := range people {
		if p.ID == m.To.Except {
			continue
		}
		if m.Address != "" {
			p.Email = m.Address
		}
		p.Email = account.MailAddress(p.Email)
		if told, err := t.notifiedBefore(ctx, m, p.ID); err != nil {
			return err
		} else if told {
			continue
		}
		if notify.OnPage(m.Kind) {
			err = t.q.InsertNotice(ctx, sqlcgen.InsertNoticeParams{
				UserID: p.ID, Kind: string(m.Kind), Message: m.Message, CreatedAt: micros(m.At), Params: params})
			if err != nil {
				return err
			}
		}
		if set.Enabled && p.Email != "" && notify.ByMail(m.Kind, choicesOf(p.MailChoices)) {
			if err := t.post(ctx, m, p, set); err != nil {
				return err
			}
		}
	}
	return nil
}

// notifiedBefore reports whether a person was told all of it within the message's quiet time.
func (t *tx) notifiedBefore(ctx context.Context, m notify.Message, userID int64) (bool, error) {
	if m.Quiet == 0 {
		return false, nil
	}
	rows, err := t.q.ToldSince(ctx, sqlcgen.ToldSinceParams{UserID: userID, Kind: string(m.Kind), Since: micros(m.At.Add(-m.Quiet))})
	if err != nil {
		return false, err
	}
	var told []string
	for _, row := range rows {
		was, err := paramsOf(row)
		if err == nil && was["by"] == m.Params["by"] && was["serial"] == m.Params["serial"] {
			told = append(told, strings.Split(was["fields"], ",")...)
		}
	}
	news := func(field string) bool { return !slices.Contains(told, field) }
	return !slices.ContainsFunc(strings.Split(m.Params["fields"], ","), news), nil
}

// recipients returns the active members of an audience.
func (t *tx) recipients(ctx context.Context, to notify.Audience) (list []recipient, err error) {
	if to.UserID != 0 {
		return t.q.Recipient(ctx, to.UserID)
	}
	if to.Managers {
		if to.OrganizationID != nil {
			rows, err := t.q.RecipientManagers(ctx, to.OrganizationID)
			for _, r := range rows {
				list = append(list, recipient(r))
			}
			if err != nil || len(list) > 0 {
				return list, err
			}
		}
		to.OrganizationID = nil
	}
	rows, err := t.q.RecipientAdmins(ctx, to.OrganizationID)
	for _, r := range rows {
		list = append(list, recipient(r))
	}
	return list, err
}

// post writes a mail to a person. A manager's or admin's mail is sent only while the person is one.
func (t *tx) post(ctx context.Context, m notify.Message, p recipient, set mail.Settings) error {
	says, due, told, err := t.fold(ctx, m, p.ID)
	if err != nil || told {
		return err
	}
	params, err := paramsText(says)
	if err != nil {
		return err
	}
	row := sqlcgen.InsertMailParams{
		UserID: &p.ID, Address: p.Email, Language: p.Language, Kind: string(m.Kind), Params: params,
		Due: pointerTo(micros(due)), CreatedAt: micros(m.At), ExpiresAt: micros(m.At.Add(mail.TriedFor)),
	}
	if row.Language == "" {
		row.Language = set.Language
	}
	if m.To.UserID == 0 {
		row.Role = p.Role
		if p.Role == string(access.OrgManager) {
			row.OrganizationID = m.To.OrganizationID
		}
	}
	random := m.MailID
	if random == "" {
		random = rand.Text()
	}
	row.MessageID = set.MessageID(random)
	return t.q.InsertMail(ctx, row)
}

// mailSettings are zero, so that mail is off, if nobody set any.
func (t *tx) mailSettings(ctx context.Context) (mail.Settings, error) {
	v, err := t.setting(ctx, mail.SettingName)
	if none(err) {
		return mail.Settings{}, nil
	}
	if err != nil {
		return mail.Settings{}, err
	}
	return mail.DecodeSettings(v.Text)
}

// choicesOf returns a person's choices by kind; none if they cannot be read.
func choicesOf(text string) map[notify.Kind]bool {
	var list map[notify.Kind]bool
	if json.Unmarshal([]byte(text), &list) != nil {
		return nil
	}
	return list
}

// notifyAll writes several messages.
func (t *tx) notifyAll(ctx context.Context, list []notify.Message) error {
	for _, m := range list {
		if err := t.notify(ctx, m); err != nil {
			return fmt.Errorf("tell %s: %w", m.Kind, err)
		}
	}
	return nil
}
