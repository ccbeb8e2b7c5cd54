package smtp

import (
	"bytes"
	"context"

	gomail "github.com/wneessen/go-mail"

	"github.com/keyward/keyward/internal/notify/mail"
)

// Send implements mail.Conn. Until the message's final dot, the server has taken
// nothing: an earlier failure cannot cause a duplicate.
func (c *conn) Send(ctx, answer context.Context, l mail.Letter) error {
	body, err := compose(l)
	if err != nil {
		return &mail.Refusal{Class: mail.MessageRefused, Final: true}
	}
	over := c.during(ctx)
	defer func() { over() }()
	again := c.used
	if again {
		c.wait(ctx)
		if err := c.client.Reset(); err != nil {
			r := lost(err)
			r.Stale = true
			return r
		}
	}
	c.used = true
	c.client.SkipSMTPUTF8(ascii(l.From) && ascii(l.To))
	c.wait(ctx)
	if err := c.client.Mail("<" + l.From + ">"); err != nil {
		r := onSender(err)
		r.Stale = again && r.Over
		return r
	}
	c.wait(ctx)
	if err := c.client.Rcpt("<" + l.To + ">"); err != nil {
		return onRecipient(err)
	}
	c.wait(ctx)
	w, err := c.client.Data()
	if err != nil {
		return onMessage(err, true)
	}
	c.wait(ctx)
	if _, err := w.Write(body); err != nil {
		return lost(err)
	}
	if !over() { // ctx has ended, and the message is incomplete
		return lost(context.Canceled)
	}
	over = c.during(answer)
	c.waitFor(answer, takingTakes)
	if err := w.Close(); err != nil {
		return onMessage(err, false)
	}
	return nil
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// compose builds the message as plain text and HTML.
func compose(l mail.Letter) ([]byte, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := m.FromFormat(l.FromName, l.From); err != nil {
		return nil, err
	}
	if err := m.To(l.To); err != nil {
		return nil, err
	}
	m.Subject(l.Subject)
	m.SetMessageIDWithValue(l.MessageID)
	m.SetDateWithValue(l.Date)
	// No program should answer (RFC 3834). There is no list to unsubscribe from.
	m.SetGenHeader("Auto-Submitted", "auto-generated")
	m.SetGenHeader("Content-Language", l.Language)
	m.SetBodyString(gomail.TypeTextPlain, l.Plain)
	m.AddAlternativeString(gomail.TypeTextHTML, l.HTML)
	var b bytes.Buffer
	_, err := m.WriteTo(&b)
	return b.Bytes(), err
}
