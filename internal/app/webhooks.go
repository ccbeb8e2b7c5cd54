package app

import (
	"log/slog"
	"time"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/httpapi/resource"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/webhook"
	"github.com/keyward/keyward/internal/webhook/outbound"
)

// webhooksEvery is how often the audit log is read for webhooks, and how soon a sender
// that lost the database tries again.
const webhooksEvery = time.Second

// webhooks are the webhook service and its loops.
type webhooks struct {
	service *webhook.Service
	fanOut  *webhook.FanOut
	sender  *webhook.Sender
}

// webhookClient fails when WEBHOOK_CA_FILE is unusable.
func webhookClient(cfg config.Config) (*outbound.Client, error) {
	return outbound.New(outbound.Options{Allowed: cfg.WebhookAllowedNetworks, CAFile: cfg.WebhookCAFile})
}

func newWebhooks(cfg config.Config, e *engines, kept vault.KV, log *slog.Logger, now func() time.Time) webhooks {
	secrets := &webhook.Secrets{Vault: kept, Now: now}
	sender := &webhook.Sender{
		Store: e.store, Secrets: secrets, Transport: e.webhooks, Render: resource.WebhookData, Log: log, Now: now,
	}
	return webhooks{
		service: &webhook.Service{
			Store: e.store, Organizations: e.store, Secrets: secrets, Allowed: cfg.WebhookAllowedNetworks,
			Wake: sender.Wake, Log: log, Now: now,
		},
		fanOut: &webhook.FanOut{Store: e.store, Tail: e.store, Wake: sender.Wake, Now: now},
		sender: sender,
	}
}

func (w webhooks) loops() []loop {
	return []loop{
		{"fan out to webhooks", webhooksEvery, w.fanOut.Run},
		{"clean up webhooks", cleanupEvery, w.service.CleanUp},
	}
}

// steady returns what runs until the server stops.
func (w webhooks) steady() []loop {
	return []loop{{"send to webhooks", webhooksEvery, w.sender.Run}}
}
