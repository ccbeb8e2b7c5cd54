package webhook

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/textinput"
)

// Service is the domain's face to the edges.
type Service struct {
	Store         Store
	Organizations account.OrganizationDirectory
	Secrets       *Secrets
	Allowed       Networks
	Wake          func() // called when there is something to send
	Log           *slog.Logger
	Now           func() time.Time
}

// New is a webhook to create. Without an organization it belongs to the
// caller's: a manager's organization, or the global admins.
type New struct {
	OrganizationID *int64
	URL            string
	Description    string
	Actions        []string
	Off            bool
}

// Create creates a webhook and returns its signing secret, this once. The
// secret is in the vault before the row is committed.
func (s *Service) Create(ctx context.Context, a access.Actor, scope access.Scope, in New) (Webhook, secret.String, error) {
	organizationID, err := s.place(ctx, scope, in.OrganizationID)
	if err != nil {
		return Webhook{}, secret.String{}, err
	}
	actions, err := s.check(&in.URL, &in.Description, in.Actions)
	if err != nil {
		return Webhook{}, secret.String{}, err
	}
	ref, value, err := s.Secrets.create(ctx)
	if err != nil {
		return Webhook{}, secret.String{}, err
	}
	now := s.Now()
	w, err := s.Store.InsertWebhook(ctx, Webhook{
		OrganizationID: organizationID, URL: in.URL, Description: in.Description, Actions: actions, IsActive: !in.Off,
		SecretRef: ref, CreatedBy: a.UserID, CreatedAt: now, UpdatedAt: now,
	}, audit.By(a, audit.WebhookCreated, "webhook", "", "to "+hostOf(in.URL)+", "+listed(actions)).In(organizationID))
	if err != nil {
		s.forgetUnused(ctx, ref, err)
		return Webhook{}, secret.String{}, err
	}
	return w, value, nil
}

func (s *Service) place(ctx context.Context, scope access.Scope, id *int64) (*int64, error) {
	if id == nil {
		if scope.Reach == access.Organization {
			return &scope.OrganizationID, nil
		}
		return nil, nil
	}
	_, err := account.NamedOrganization(ctx, s.Organizations, scope, *id)
	return id, err
}

const maxDescription = 256

// check validates what is given; nil is ignored.
func (s *Service) check(url, description *string, actions []string) ([]string, error) {
	if url != nil {
		if err := CheckURL(*url, s.Allowed); err != nil {
			return nil, err
		}
	}
	if description != nil {
		*description = strings.TrimSpace(*description)
		if !textinput.ValidLine(*description, maxDescription) {
			return nil, fault.Invalid(fault.BadText("description", maxDescription))
		}
	}
	return checkActions(actions)
}

// listed describes a webhook's subscription for the audit log.
func listed(actions []string) string {
	if len(actions) == 0 {
		return "all actions"
	}
	return "actions " + strings.Join(actions, " ")
}

// Get returns a webhook; NotFound outside scope.
func (s *Service) Get(ctx context.Context, scope access.Scope, id int64) (Webhook, error) {
	return s.Store.Webhook(ctx, scope, id)
}

// List returns the webhooks in scope, newest first.
func (s *Service) List(ctx context.Context, scope access.Scope, p page.Request) (page.Page[Webhook], error) {
	return s.Store.ListWebhooks(ctx, scope, p)
}

// Deliveries returns a webhook's deliveries, newest first. NotFound outside scope.
func (s *Service) Deliveries(ctx context.Context, scope access.Scope, id int64, f Filter, p page.Request) (page.Page[Delivery], error) {
	if _, err := s.Store.Webhook(ctx, scope, id); err != nil {
		return page.Page[Delivery]{}, err
	}
	return s.Store.ListDeliveries(ctx, id, f, p)
}

// Replay sends a delivery again at once, with all its attempts; the receiver
// recognizes it by the same webhook-id. NotFound outside scope.
func (s *Service) Replay(ctx context.Context, a access.Actor, scope access.Scope, id int64) (Delivery, error) {
	_, w, err := s.Store.Delivery(ctx, scope, id)
	if err != nil {
		return Delivery{}, err
	}
	if !w.IsActive {
		return Delivery{}, fault.New(fault.Conflict, "webhook_off", "The webhook is paused. Resume it (is_active), then send again.")
	}
	entry := audit.By(a, audit.WebhookReplayed, "webhook", audit.ID(w.ID), "delivery "+audit.ID(id)).In(w.OrganizationID)
	d, err := s.Store.ReplayDelivery(ctx, scope, id, s.Now(), entry)
	if err == nil && s.Wake != nil {
		s.Wake()
	}
	return d, err
}

const purgeBatch = 1000

// Delete removes a webhook with its deliveries and its secret. NotFound
// outside scope.
func (s *Service) Delete(ctx context.Context, a access.Actor, scope access.Scope, id int64) error {
	w, err := s.Store.Webhook(ctx, scope, id)
	if err != nil {
		return err
	}
	entry := audit.By(a, audit.WebhookDeleted, "webhook", audit.ID(id), "to "+hostOf(w.URL)).In(w.OrganizationID)
	if err := s.Store.DeleteWebhook(ctx, scope, id, entry); err != nil {
		return err
	}
	s.forget(ctx, w.SecretRef)
	for {
		n, err := s.Store.PurgeDeliveries(ctx, id, purgeBatch)
		if err != nil {
			s.Log.Warn("deliveries of a deleted webhook are left for cleanup", "webhook", id, "error", err)
		}
		if err != nil || n < purgeBatch {
			return nil //nolint:nilerr // the webhook is gone, and nothing of it is shown or sent
		}
	}
}

// forget destroys a secret that nothing refers to. CleanUp handles failures.
func (s *Service) forget(ctx context.Context, ref string) {
	if err := s.Secrets.destroy(context.WithoutCancel(ctx), ref); err != nil {
		s.Log.Warn("a webhook's signing secret is left for cleanup", "error", err)
	}
}

// forgetUnused destroys a new secret whose row was refused. If the row may have
// been written, CleanUp decides later.
func (s *Service) forgetUnused(ctx context.Context, ref string, err error) {
	switch fault.CodeOf(err) {
	case fault.Conflict, fault.NotFound, fault.InvalidRequest:
		s.forget(ctx, ref)
	}
}

// keepDeliveries is how long deliveries can be looked up and replayed.
const keepDeliveries = 30 * 24 * time.Hour

// CleanUp removes old deliveries, and secrets that no webhook refers to.
func (s *Service) CleanUp(ctx context.Context) error {
	for {
		n, err := s.Store.DeleteDeliveries(ctx, s.Now().Add(-keepDeliveries), purgeBatch)
		if err != nil {
			return err
		}
		if n < purgeBatch {
			return s.Secrets.destroyOrphans(ctx, s.Store)
		}
	}
}
