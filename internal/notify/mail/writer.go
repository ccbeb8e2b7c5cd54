package mail

import (
	"time"

	"github.com/keyward/keyward/internal/notify"
	"github.com/keyward/keyward/internal/notify/text"
)

// Writer renders messages.
type Writer struct {
	SiteURL string         // of the installation, for links
	Zone    *time.Location // of the times in messages
}

// write renders a message of the outbox as a letter; link, if not empty, replaces the
// link to the message's page.
func (w Writer) write(set Settings, m Message, name, link string, now time.Time) (Letter, error) {
	said, err := text.Render(m.Kind, m.Params, m.Language, w.Zone)
	if err != nil {
		return Letter{}, err
	}
	row, _ := notify.RowOf(m.Kind)
	return w.letter(set, text.Letter{
		Text: said, Name: name, Lang: m.Language, SiteURL: w.SiteURL, Foot: text.FootOf(row), Link: link,
	}, m.Address, m.MessageID, now)
}

// test returns a test message, in the language of the installation.
func (w Writer) test(set Settings, name, to, messageID string, now time.Time) (Letter, error) {
	said := text.Text{Subject: "Test message from Keyward", Lines: []string{"This is a test message: mail from Keyward arrives here."}}
	if set.Language == text.German {
		said = text.Text{Subject: "Testnachricht von Keyward", Lines: []string{"Das ist eine Testnachricht: Mails von Keyward kommen hier an."}}
	}
	return w.letter(set, text.Letter{Text: said, Name: name, Lang: set.Language, SiteURL: w.SiteURL}, to, messageID, now)
}

func (w Writer) letter(set Settings, l text.Letter, to, messageID string, now time.Time) (Letter, error) {
	plain, err := l.Plain()
	if err != nil {
		return Letter{}, err
	}
	html, err := l.HTML()
	return Letter{
		From: set.From, FromName: set.FromName, To: to, Subject: l.Subject, Plain: plain, HTML: html,
		MessageID: messageID, Language: l.Lang, Date: now,
	}, err
}
