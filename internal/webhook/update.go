package webhook

import (
	"context"
	"slices"
	"strings"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/secret"
)

// Patch is a change of a webhook; nil is unchanged.
type Patch struct {
	URL          *string
	Description  *string
	Actions      *[]string
	IsActive     *bool
	RotateSecret bool
}

// Update changes a webhook. With RotateSecret it returns the new signing
// secret, this once; the old one signs nothing any more. NotFound outside
// scope.
func (s *Service) Update(ctx context.Context, a access.Actor, scope access.Scope, id int64, p Patch) (Webhook, secret.String, error) {
	before, err := s.Store.Webhook(ctx, scope, id)
	if err != nil {
		return Webhook{}, secret.String{}, err
	}
	change, changed, err := s.change(before, p)
	if err != nil {
		return Webhook{}, secret.String{}, err
	}
	if fields := change.leading(p.RotateSecret); len(fields) > 0 {
		if err := access.CheckEffects(ctx, s.Now(), fields...); err != nil {
			return Webhook{}, secret.String{}, err
		}
		ctx = access.DemandRecent(ctx) // a new secret is written to the vault first
	}
	var entries []audit.Entry
	entry := func(action audit.Action, details string) {
		entries = append(entries, audit.By(a, action, "webhook", audit.ID(id), details).In(before.OrganizationID))
	}
	if len(changed) > 0 {
		entry(audit.WebhookUpdated, strings.Join(changed, ", "))
	}
	var value secret.String
	if p.RotateSecret {
		var ref string
		if ref, value, err = s.Secrets.create(ctx); err != nil {
			return Webhook{}, secret.String{}, err
		}
		change.SecretRef, change.ExpectSecretRef = &ref, before.SecretRef
		entry(audit.WebhookSecretRotated, "")
	}
	if len(entries) == 0 {
		return before, value, nil
	}
	after, err := s.Store.UpdateWebhook(ctx, scope, id, change, entries...)
	if err != nil {
		if change.SecretRef != nil {
			s.forgetUnused(ctx, *change.SecretRef, err)
		}
		return Webhook{}, secret.String{}, err
	}
	if change.SecretRef != nil {
		s.forget(ctx, before.SecretRef)
	}
	if s.Wake != nil {
		s.Wake()
	}
	return after, value, nil
}

// leading returns the changed fields that decide who receives what, and with which secret.
func (c Change) leading(rotate bool) (fields []string) {
	if c.URL != nil {
		fields = append(fields, "url")
	}
	if c.Actions != nil {
		fields = append(fields, "actions")
	}
	if rotate {
		fields = append(fields, "rotate_secret")
	}
	return fields
}

// change leaves out unchanged fields, and describes the others.
func (s *Service) change(w Webhook, p Patch) (Change, []string, error) {
	c := Change{At: s.Now()}
	var given []string
	if p.Actions != nil {
		given = *p.Actions
	}
	actions, err := s.check(p.URL, p.Description, given)
	if err != nil {
		return c, nil, err
	}
	var words []string
	if p.URL != nil && *p.URL != w.URL {
		c.URL = p.URL
		words = append(words, "to "+hostOf(*p.URL))
	}
	if p.Description != nil && *p.Description != w.Description {
		c.Description = p.Description
		words = append(words, "description")
	}
	if p.Actions != nil && !slices.Equal(actions, w.Actions) {
		c.Actions = &actions
		words = append(words, listed(actions))
	}
	if p.IsActive != nil && *p.IsActive != w.IsActive {
		c.IsActive = p.IsActive
		words = append(words, map[bool]string{true: "switched on", false: "switched off"}[*p.IsActive])
	}
	return c, words, nil
}
