package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/smtp"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/mail"
	"github.com/keyward/keyward/internal/notice"
	"github.com/keyward/keyward/internal/piv"
	kept "github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/store/storebench"
	"github.com/keyward/keyward/test/smtpserver"
)

// mailing measures how fast messages are queued and sent, to a real SMTP server on the
// same cores, and what requests wait meanwhile.
func mailing(ctx context.Context, b *bench) (err error) {
	count := b.size(10_000, 100)
	post, err := b.mailServer(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, post.stop()) }()
	bare, err := post.bare(count)
	if err != nil {
		return err
	}
	rows := storebench.Size{Organizations: 10, Users: b.size(1000, 100), Devices: b.size(10_000, 100)}
	f := fill{name: "mail", rows: rows, caKey: piv.ECP256}
	return b.serving(ctx, f, nil, func(w *world) error { return b.queue(ctx, w, count) }, func(w *world, p *process) error {
		requests := []asked{
			{"a token", "GET", "/api/hwkey/bench-00000007", w.admin, ""},
			{"50 tokens", "GET", "/api/hwkey?limit=50", w.admin, ""},
			{"a change of a label", "PATCH", "/api/hwkey/bench-00000007", w.admin, `{"label":"bench"}`},
		}
		quiet, err := p.while(ctx, requests, func() error { return pause(ctx, b.shorter(20*time.Second)) })
		if err != nil {
			return err
		}
		var sent sample
		busy, err := p.while(ctx, requests, func() error {
			began, before, taken := time.Now(), p.cost(), post.taken.Load()
			if err := p.do(ctx, "PUT", "/api/admin/settings/mail", w.admin, post.settings(true), io.Discard); err != nil {
				return err
			}
			if err := p.noneWaits(ctx, w.admin); err != nil {
				return err
			}
			sent = sample{post.taken.Load() - taken, time.Since(began), p.cost().less(before)}
			return nil
		})
		if err != nil {
			return err
		}
		if sent.ops != int64(count) {
			return fmt.Errorf("the server took %d messages of %d", sent.ops, count)
		}
		b.out.rates(fmt.Sprintf("%d messages by mail sent, with requests", count), sent, "net/smtp to the same aiosmtpd", bare, none,
			fmt.Sprintf("%d connections", mail.Concurrency))
		b.out.beside("beside mail that is sent: ", requests, busy, quiet, "without")
		return nil
	})
}

// queue writes messages to the outbox, each in the transaction of an audit entry. Nobody
// is to send them before the server was measured without: mail is switched off then.
func (b *bench) queue(ctx context.Context, w *world, count int) error {
	set := func(on bool) error {
		s := mail.DefaultSettings()
		s.Enabled, s.From = on, "keyward@example.org"
		text, err := json.Marshal(s)
		if err != nil {
			return err
		}
		return w.store.PutSetting(ctx, mail.SettingName, kept.Value{Text: string(text), UpdatedAt: time.Now()})
	}
	if err := set(true); err != nil {
		return err
	}
	const writers = 16
	var next atomic.Int64
	failures := make([]error, writers)
	began := time.Now()
	var group sync.WaitGroup
	for i := range writers {
		group.Go(func() {
			for n := next.Add(1); n <= int64(count) && failures[i] == nil; n = next.Add(1) {
				entry := audit.By(access.Actor{}, audit.HWKeyAssigned, "hwkey", "bench-00000007", "load run")
				failures[i] = w.store.AppendAudit(ctx, entry.Telling(notice.Message{
					To: notice.Audience{UserID: n%int64(w.rows.Users) + 1}, Kind: notice.TokenAssigned, At: time.Now(),
					Params: notice.Params{"by": "bench-admin", "serial": fmt.Sprintf("bench-%08d", n), "label": "Label of a token"},
				}))
			}
		})
	}
	group.Wait()
	took := time.Since(began)
	b.out.durations(fmt.Sprintf("%d messages queued, each with its audit entry and notice", count), perSecond(count, took), "", "", none,
		fmt.Sprintf("in process, %d at once", writers))
	return errors.Join(append(failures, set(false))...)
}

// noneWaits waits until all is sent, and on record.
func (p *process) noneWaits(ctx context.Context, bearer string) error {
	for {
		var text bytes.Buffer
		if err := p.do(ctx, "GET", "/api/admin/settings/mail", bearer, "", &text); err != nil {
			return err
		}
		var is struct {
			Waiting  int
			Standing *struct{ Reason string }
		}
		if err := json.Unmarshal(text.Bytes(), &is); err != nil || is.Waiting == 0 {
			return err
		}
		if is.Standing != nil {
			return fmt.Errorf("mail waits: %s", text.String())
		}
		if err := pause(ctx, 50*time.Millisecond); err != nil {
			return err
		}
	}
}

// mailServer is an SMTP server, Debian's aiosmtpd.
type mailServer struct {
	*process

	input *io.PipeWriter
	taken atomic.Int64 // messages
	ports struct {
		Port int `json:"port"`
	}
	first []byte // its first line, as far as it is written
}

func (b *bench) mailServer(ctx context.Context) (*mailServer, error) {
	script := filepath.Join(b.temp, "server.py")
	if err := os.WriteFile(script, smtpserver.Program, 0o600); err != nil {
		return nil, err
	}
	input, ours := io.Pipe()
	m := &mailServer{input: ours}
	m.taken.Store(-2) // its first two lines are no messages
	var err error
	if m.process, err = b.spawnWith(ctx, input, m, nil, smtpserver.Python, "-B", script, smtpserver.Host); err != nil {
		return nil, err
	}
	if _, err := io.WriteString(ours, `{"n": 1, "heads": true}`+"\n"); err != nil {
		return nil, err
	}
	return m, m.await(ctx, func() bool { return m.taken.Load() == 0 })
}

// Write takes what the server writes: a line for each message.
func (m *mailServer) Write(p []byte) (int, error) {
	if m.ports.Port == 0 {
		m.first = append(m.first, p...)
		if line, _, whole := bytes.Cut(m.first, []byte{'\n'}); whole {
			if err := json.Unmarshal(line, &m.ports); err != nil {
				return 0, err
			}
		}
	}
	m.taken.Add(int64(bytes.Count(p, []byte{'\n'})))
	return len(p), nil
}

func (m *mailServer) settings(on bool) string {
	return fmt.Sprintf(`{"enabled":%t,"host":%q,"port":%d,"security":"none","from":"keyward@example.org"}`, on, smtpserver.Host, m.ports.Port)
}

// stop closes its input, with which it ends.
func (m *mailServer) stop() error {
	if err := m.input.Close(); err != nil {
		return err
	}
	if err := <-m.done; err != nil {
		return fmt.Errorf("the SMTP server: %w\n%s", err, m.tail())
	}
	return errors.Join(os.Remove(m.stderr), os.Remove(m.cmd.Args[2]))
}

// bare sends as many messages of about the same size over as many connections, with
// nothing to keep of them.
func (m *mailServer) bare(count int) (sample, error) {
	letter := []byte("From: <a@example.org>\r\nTo: <b@example.org>\r\nSubject: Hello\r\n\r\n" +
		strings.Repeat("A line of a message that says nothing at all to anybody.\r\n", 100))
	failures := make([]error, mail.Concurrency)
	var next atomic.Int64
	began, before := time.Now(), cpu(os.Getpid())
	var group sync.WaitGroup
	for i := range failures {
		group.Go(func() {
			failures[i] = m.send(letter, func() bool { return next.Add(1) <= int64(count) })
		})
	}
	group.Wait()
	s := sample{ops: int64(count), took: time.Since(began)}
	s.cost[inServer] = cpu(os.Getpid()) - before
	return s, errors.Join(failures...)
}

// send sends a message as long as there is to be another.
func (m *mailServer) send(letter []byte, another func() bool) error {
	c, err := smtp.Dial(net.JoinHostPort(smtpserver.Host, fmt.Sprint(m.ports.Port)))
	if err != nil {
		return err
	}
	defer c.Close()
	for another() {
		if err := errors.Join(c.Mail("a@example.org"), c.Rcpt("b@example.org")); err != nil {
			return err
		}
		w, err := c.Data()
		if err != nil {
			return err
		}
		if _, err := w.Write(letter); err != nil {
			return err
		}
		if err := w.Close(); err != nil {
			return err
		}
	}
	return c.Quit()
}
