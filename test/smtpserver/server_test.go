package smtpserver_test

import (
	"net/smtp"
	"strings"
	"testing"

	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/smtpserver"
)

const text = "Message-ID: <a@b.example>\r\nSubject: Hello\r\n\r\nGood day.\r\n"

func send(s *smtpserver.Server, to string) error {
	return smtp.SendMail(s.Address(), nil, "from@example.org", []string{to}, []byte(text))
}

func TestServer(t *testing.T) {
	t.Parallel()
	s := smtpserver.Start(t)
	s.Be(t, smtpserver.Behaviour{NoSTARTTLS: true, RcptOf: map[string]string{"full@example.org": "452 4.2.2 Mailbox full"}})
	must.OK(t, send(s, "alex@example.org"))
	if err := send(s, "full@example.org"); err == nil || !strings.Contains(err.Error(), "4.2.2") {
		t.Errorf("a full mailbox: %v", err)
	}
	s.Be(t, smtpserver.Behaviour{NoSTARTTLS: true, DieAfterData: true})
	if err := send(s, "alex@example.org"); err == nil {
		t.Error("a server that hangs up took a message")
	}
	s.Be(t, smtpserver.Behaviour{})
	if err := send(s, "alex@example.org"); err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("a certificate that nobody trusts: %v", err)
	}
	s.Be(t, smtpserver.Behaviour{Away: true})
	if err := send(s, "alex@example.org"); err == nil || !strings.Contains(err.Error(), "refused") {
		t.Errorf("a server that is away: %v", err)
	}
	s.Be(t, smtpserver.Behaviour{NoSTARTTLS: true, Heads: true})
	must.OK(t, send(s, "alex@example.org"))
	s.Be(t, smtpserver.Behaviour{}) // its reply comes after all earlier output
	got := s.Received(t)
	if len(got) != 3 || strings.Contains(got[2].Raw, "Good day") || !strings.Contains(got[1].Raw, "Good day") ||
		got[0].ID() != "a@b.example" || got[1].Header("Subject") != "Hello" || got[0].To[0] != "alex@example.org" {
		t.Errorf("received %+v", got)
	}
}
