package app

import (
	"cmp"
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/time/rate"

	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/notify/mail"
	"github.com/keyward/keyward/internal/notify/mail/smtp"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/system"
	"github.com/keyward/keyward/internal/vault"
)

// sendsAgain is how soon a mail sender that lost the database tries again.
const sendsAgain = time.Second

// mails are the mail service and its sending loop.
type mails struct {
	service *mail.Service
	sender  *mail.Sender
}

func newMails(cfg config.Config, e *engines, kept vault.KV, links *account.Invitations, log *slog.Logger, now func() time.Time) mails {
	m := mails{service: &mail.Service{
		Rows: e.store, Store: e.store, Vault: kept, Transport: transport(cfg), TokenHost: cfg.SMTPOAuthHost, Admitted: e.store.Admitted,
		Writer: mail.Writer{SiteURL: cfg.SiteURL, Zone: time.Local}, Now: now,
	}}
	m.sender = &mail.Sender{
		Service: m.service, Links: invitationLinks{links, cfg.SiteURL}, Log: log, Pace: rate.NewLimiter(mail.PerSecond, 1),
	}
	m.service.Wake = m.sender.Wake
	return m
}

// transport returns how mail is sent according to the environment.
func transport(cfg config.Config) smtp.Transport {
	t := smtp.Transport{Name: cmp.Or(cfg.SMTPHeloName, smtp.NameOf(cfg.SiteURL))}
	if path := cfg.SMTPOAuthTokenFile; path != "" {
		t.Token = smtp.Token{Host: cfg.SMTPOAuthHost, Read: func() (secret.String, error) { return config.ReadSecret(path) }}
	}
	return t
}

// mailComponent is the health of mail.
func mailComponent(svc *mail.Service) system.Component {
	return system.Component{Name: "mail", Check: func(ctx context.Context) system.Finding {
		s, err := svc.Health(ctx)
		switch {
		case err != nil:
			return system.Finding{Status: system.Failed, Code: "mail_unknown",
				Detail: "The state of mail is unknown: the database is not responding."}
		case !s.Enabled:
			return system.Finding{Status: system.NotConfigured, Code: "mail_off",
				Detail: "Mail is turned off or not set up: people see notices only in Keyward."}
		case s.Trouble != nil:
			return system.Finding{Status: system.Degraded, Code: "mail_waiting", Detail: s.Trouble.Detail(s.Waiting)}
		}
		return system.Finding{Status: system.OK}
	}}
}

// mailMetrics report what this server sent.
func mailMetrics(sender *mail.Sender) []prometheus.Collector {
	counter := func(outcome string, of func() int64) prometheus.Collector {
		return prometheus.NewCounterFunc(prometheus.CounterOpts{
			Name: "keyward_mail_messages_total", Help: "Messages by mail that this server sent, gave up, or put off, by outcome.",
			ConstLabels: prometheus.Labels{"outcome": outcome},
		}, func() float64 { return float64(of()) })
	}
	return []prometheus.Collector{
		counter("sent", func() int64 { n, _, _ := sender.Counts(); return n }),
		counter("failed", func() int64 { _, n, _ := sender.Counts(); return n }),
		counter("again", func() int64 { _, _, n := sender.Counts(); return n }),
	}
}
