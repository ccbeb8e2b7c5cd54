package smtp_test

import (
	"context"
	"errors"
	"mime"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	domain "github.com/keyward/keyward/internal/mail"
	"github.com/keyward/keyward/internal/mail/smtp"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
	"github.com/keyward/keyward/test/smtpserver"
)

func letter(to string) domain.Letter {
	return domain.Letter{
		From: "keyward@example.org", FromName: "Keyward Ü", To: to, Subject: "Grüße", Plain: "Hallo,\n.\nWelt\n", HTML: "<p>Hallo</p>",
		MessageID: "id-of-" + to, Language: "de", Date: time.Date(2026, 5, 4, 12, 30, 0, 0, time.UTC),
	}
}

// send sends one letter as the settings say.
func send(ctx context.Context, s domain.Settings, password string) error {
	conn, err := smtp.Transport{}.Open(ctx, s, secret.New(password))
	if err != nil {
		return err
	}
	defer conn.Close()
	return conn.Send(ctx, ctx, letter("a@example.org"))
}

// nobody is a port at which nobody listens.
func nobody(t *testing.T) int {
	t.Helper()
	l := must.Get(net.Listen("tcp", smtpserver.Host+":0"))(t)
	defer func() { must.OK(t, l.Close()) }()
	return l.Addr().(*net.TCPAddr).Port
}

// TestOutcomes: what becomes of a message at a real server, class by class; of what it
// says, the codes alone.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	const right = "the password"
	server, free := smtpserver.Start(t), nobody(t)
	var plain smtpserver.Behaviour
	signs := smtpserver.Behaviour{User: "keyward", Password: right, RequireTLS: true}
	clear := smtpserver.Behaviour{User: "keyward", Password: right, NoSTARTTLS: true, AuthInTheClear: true}
	refusing := func(change func(*smtpserver.Behaviour, string)) func(string) smtpserver.Behaviour {
		return func(reply string) (b smtpserver.Behaviour) {
			change(&b, reply+" <script>")
			return b
		}
	}
	sender := refusing(func(b *smtpserver.Behaviour, reply string) { b.Mail = reply })
	recipient := refusing(func(b *smtpserver.Behaviour, reply string) { b.Rcpt = reply })
	message := refusing(func(b *smtpserver.Behaviour, reply string) { b.Data = reply })
	starttls := domain.Settings{
		Host: smtpserver.Host, Port: server.Port, Security: domain.STARTTLS, Username: "keyward", CAPEM: server.CAPEM,
	}
	with := func(change func(*domain.Settings)) domain.Settings {
		s := starttls
		change(&s)
		return s
	}
	overTLS := with(func(s *domain.Settings) { s.Port, s.Security = server.TLSPort, domain.TLS })
	inTheClear := with(func(s *domain.Settings) { s.Security = domain.NoTLS })
	anonymous := with(func(s *domain.Settings) { s.Security, s.Username = domain.NoTLS, "" })
	ofAll := func(class domain.Class, reply string) *domain.Refusal {
		return &domain.Refusal{Class: class, Reply: reply, Server: true, Over: true}
	}
	for _, c := range []struct {
		name     string
		behaves  smtpserver.Behaviour
		settings domain.Settings
		password string
		want     *domain.Refusal
	}{
		{"starttls", signs, starttls, right, nil},
		{"tls", signs, overTLS, right, nil},
		{"in the clear, as told", clear, with(func(s *domain.Settings) { s.Security, s.AllowInsecureAuth = domain.NoTLS, true }), right, nil},
		{"nobody signs in", plain, anonymous, "", nil},
		{"never in the clear unless told", clear, inTheClear, right, ofAll(domain.AuthNeedsTLS, "")},
		{"no STARTTLS", clear, starttls, right, ofAll(domain.TLSRefused, "")},
		{"STARTTLS refused", smtpserver.Behaviour{STARTTLS: "454 4.7.0 <script>"}, starttls, right, ofAll(domain.TLSRefused, "454 4.7.0")},
		{"not trusted", signs, with(func(s *domain.Settings) { s.CAPEM = "" }), right, ofAll(domain.TLSFailed, "")},
		{"TLS where there is none", plain, with(func(s *domain.Settings) { s.Security = domain.TLS }), right, ofAll(domain.TLSFailed, "")},
		{"wrong password", signs, starttls, "wrong", ofAll(domain.AuthFailed, "535 5.7.8")},
		{"a sign-in is wanted", clear, anonymous, "", ofAll(domain.AuthFailed, "530 5.7.0")},
		{"nobody there", plain, with(func(s *domain.Settings) { s.Port = free }), right, ofAll(domain.ConnectFailed, "")},
		{"no such name", plain, with(func(s *domain.Settings) { s.Host = "mail.invalid" }), right, ofAll(domain.NameNotResolved, "")},
		{"sender refused", sender("550 5.7.1"), anonymous, "",
			&domain.Refusal{Class: domain.SenderRefused, Reply: "550 5.7.1", Server: true}},
		{"it goes away", sender("421 4.3.2"), anonymous, "", ofAll(domain.ConnectFailed, "421 4.3.2")},
		{"greylisted", recipient("451 4.7.1"), anonymous, "", &domain.Refusal{Class: domain.Greylisted, Reply: "451 4.7.1"}},
		{"full", recipient("552 5.2.2"), anonymous, "", &domain.Refusal{Class: domain.MailboxFull, Reply: "552 5.2.2", Final: true}},
		{"full without a second code", recipient("552"), anonymous, "", &domain.Refusal{Class: domain.MailboxFull, Reply: "552", Final: true}},
		{"full for now", recipient("452 4.2.2"), anonymous, "", &domain.Refusal{Class: domain.MailboxFull, Reply: "452 4.2.2"}},
		{"unknown", recipient("550 5.1.1"), anonymous, "", &domain.Refusal{Class: domain.RecipientRefused, Reply: "550 5.1.1", Final: true}},
		{"unknown without a second code", recipient("550"), anonymous, "",
			&domain.Refusal{Class: domain.RecipientRefused, Reply: "550", Final: true}},
		{"no relay", recipient("554 5.7.1"), anonymous, "", &domain.Refusal{Class: domain.SenderRefused, Reply: "554 5.7.1", Rules: true}},
		{"sender refused late", recipient("553 5.1.8"), anonymous, "",
			&domain.Refusal{Class: domain.SenderRefused, Reply: "553 5.1.8", Rules: true}},
		{"barred", recipient("554"), anonymous, "", &domain.Refusal{Class: domain.SenderRefused, Reply: "554", Rules: true}},
		{"spam", message("554 5.7.1"), anonymous, "", &domain.Refusal{Class: domain.MessageRefused, Reply: "554 5.7.1", Final: true}},
		{"not now", message("451 4.3.0"), anonymous, "", &domain.Refusal{Class: domain.MessageRefused, Reply: "451 4.3.0"}},
		{"full, said late", message("552 5.2.2"), anonymous, "", &domain.Refusal{Class: domain.MailboxFull, Reply: "552 5.2.2", Final: true}},
		{"it dies", smtpserver.Behaviour{DieAfterData: true}, anonymous, "", &domain.Refusal{Class: domain.ConnectionLost, Over: true}},
	} {
		t.Run(c.name, func(t *testing.T) { //nolint:paralleltest // the server behaves in one way at a time
			server.Be(t, c.behaves)
			before := len(server.Received(t))
			err := send(t.Context(), c.settings, c.password)
			got, known := errors.AsType[*domain.Refusal](err)
			if err != nil && !known {
				t.Fatalf("%T: %v", err, err)
			}
			if d := cmp.Diff(c.want, got); d != "" {
				t.Fatal(d)
			}
			if err != nil && strings.Contains(err.Error(), "script") {
				t.Errorf("the server's words: %v", err)
			}
			if err == nil || c.want.Class == domain.ConnectionLost {
				before++
			}
			await.That(t, "that it tells what it took", func() bool { return len(server.Received(t)) == before })
		})
	}
}

// TestOneConnection: several letters go over one, also after one that was refused.
func TestOneConnection(t *testing.T) {
	t.Parallel()
	server := smtpserver.Start(t)
	server.Be(t, smtpserver.Behaviour{RcptOf: map[string]string{"unknown@example.org": "550 5.1.1 Unknown"}})
	conn := must.Get(smtp.Transport{}.Open(t.Context(), domain.Settings{
		Host: smtpserver.Host, Port: server.Port, Security: domain.NoTLS,
	}, secret.String{}))(t)
	defer conn.Close()
	must.OK(t, conn.Send(t.Context(), t.Context(), letter("a@example.org")))
	if err := conn.Send(t.Context(), t.Context(), letter("unknown@example.org")); err == nil {
		t.Error("it was taken")
	}
	must.OK(t, conn.Send(t.Context(), t.Context(), letter("b@example.org")))
	await.That(t, "two messages", func() bool { return len(server.Received(t)) == 2 })
	got := server.Received(t)
	if got[0].ID() != "id-of-a@example.org" || got[1].ID() != "id-of-b@example.org" {
		t.Errorf("%+v", got)
	}
}

// TestLeft: a server that wants no more over a connection has refused nothing.
func TestLeft(t *testing.T) {
	t.Parallel()
	server := smtpserver.Start(t)
	server.Be(t, smtpserver.Behaviour{PerConnection: 1})
	conn := must.Get(smtp.Transport{}.Open(t.Context(), domain.Settings{
		Host: smtpserver.Host, Port: server.Port, Security: domain.NoTLS,
	}, secret.String{}))(t)
	defer conn.Close()
	must.OK(t, conn.Send(t.Context(), t.Context(), letter("a@example.org")))
	want := &domain.Refusal{Class: domain.ConnectionLost, Reply: "421 4.7.0", Server: true, Over: true, Stale: true}
	if d := cmp.Diff(error(want), conn.Send(t.Context(), t.Context(), letter("b@example.org"))); d != "" {
		t.Error(d)
	}
}

// TestAnswerAwaited: once a message is whole, the word of whoever may have taken it is
// awaited, for as long as that is worth it.
func TestAnswerAwaited(t *testing.T) {
	t.Parallel()
	server := smtpserver.Start(t)
	for n, patient := range []bool{true, false} {
		server.Be(t, smtpserver.Behaviour{Hold: true})
		ctx, end := context.WithCancel(t.Context())
		answer, giveUp := context.WithCancel(t.Context())
		sent := make(chan error, 1)
		go func() {
			conn, err := smtp.Transport{}.Open(t.Context(), domain.Settings{
				Host: smtpserver.Host, Port: server.Port, Security: domain.NoTLS,
			}, secret.String{})
			if err == nil {
				err = conn.Send(ctx, answer, letter("a@example.org"))
				conn.Close()
			}
			sent <- err
		}()
		await.That(t, "that it has the message", func() bool { return len(server.Received(t)) == n+1 })
		end()
		var want error
		if !patient {
			giveUp()
			want = &domain.Refusal{Class: domain.TimedOut, Over: true}
		} else {
			server.Be(t, smtpserver.Behaviour{})
		}
		if d := cmp.Diff(want, <-sent); d != "" {
			t.Errorf("patient %t: %s", patient, d)
		}
		giveUp()
	}
	server.Be(t, smtpserver.Behaviour{})
}

// TestMessage: what a mail program reads.
func TestMessage(t *testing.T) {
	t.Parallel()
	server := smtpserver.Start(t)
	must.OK(t, send(t.Context(), domain.Settings{Host: smtpserver.Host, Port: server.Port, Security: domain.NoTLS}, ""))
	await.That(t, "a message", func() bool { return len(server.Received(t)) == 1 })
	m := server.Received(t)[0]
	for name, want := range map[string]string{
		"Message-Id": "<id-of-a@example.org>", "Subject": "Grüße", "To": "<a@example.org>", "Auto-Submitted": "auto-generated",
		"Content-Language": "de", "From": `Keyward Ü <keyward@example.org>`, "Date": "Mon, 04 May 2026 12:30:00 +0000",
	} {
		read := must.Get(new(mime.WordDecoder).DecodeHeader(m.Header(name)))(t)
		if got := strings.ReplaceAll(read, `"`, ""); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	kind, _, err := mime.ParseMediaType(m.Header("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		t.Errorf("%s, %v", kind, err)
	}
	if plain := strings.Index(m.Raw, "text/plain"); plain < 0 || plain > strings.Index(m.Raw, "text/html") {
		t.Errorf("the plain text comes first:\n%s", m.Raw)
	}
}

// TestGivenUp: a server that says nothing holds nobody who does not wait any longer.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	silent := must.Get(net.Listen("tcp", smtpserver.Host+":0"))(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	taken := make(chan net.Conn, 1)
	go func() {
		held, err := silent.Accept()
		cancel()
		if err == nil {
			taken <- held
		}
	}()
	port := silent.Addr().(*net.TCPAddr).Port
	err := send(ctx, domain.Settings{Host: smtpserver.Host, Port: port, Security: domain.NoTLS}, "")
	want := &domain.Refusal{Class: domain.TimedOut, Server: true, Over: true}
	if d := cmp.Diff(error(want), err); d != "" {
		t.Error(d)
	}
	held := <-taken
	must.OK(t, held.Close())
	must.OK(t, silent.Close())
}
