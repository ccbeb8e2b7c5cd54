package smtp_test

import (
	"context"
	"mime"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	domain "github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/notify/mail/smtp"
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

// nobody returns a port where nobody listens.
func nobody(t *testing.T) int {
	t.Helper()
	l := must.Get(net.Listen("tcp", smtpserver.Host+":0"))(t)
	defer func() { must.OK(t, l.Close()) }()
	return l.Addr().(*net.TCPAddr).Port
}

// TestOneConnection: several letters use one, also after a refused one.
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

// TestLeft: a server that closes a used connection has refused nothing.
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

// TestAnswerAwaited: once a message is complete and may have been taken, its answer is
// awaited, up to a limit.
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

// TestMessage: the message as a mail program reads it.
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

// TestGivenUp: a silent server does not hold up a caller whose context has ended.
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
