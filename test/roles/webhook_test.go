package roles

import (
	"fmt"
	"testing"
	"time"
)

// hook is a webhook of a person's organization with a delivery.
type hook struct{ id, delivery int }

// newHook creates a webhook that waits for its receiver forever. For an owner without
// an organization it is the global admins'.
func (c *fixture) newHook(t *testing.T, owner *person) (id int) {
	t.Helper()
	body := fields{"url": "https://receiver.invalid/", "description": owner.name, "actions": []string{"webhook.updated"}}
	if owner.org != "" {
		body["organization_id"] = c.orgs[owner.org]
	}
	return number(c.Must(t, "POST", "/api/admin/webhooks", c.root().token, body)["id"])
}

// newHooks gives everybody a webhook with something to deliver: a change of the webhook
// itself.
func (c *fixture) newHooks(t *testing.T) {
	t.Helper()
	for _, p := range c.people[1:] {
		p.hook.id = c.newHook(t, p)
		c.Must(t, "PATCH", fmt.Sprint("/api/admin/webhooks/", p.hook.id), c.root().token, fields{"url": "https://other.receiver.invalid/"})
	}
	deadline := time.Now().Add(30 * time.Second)
	for _, p := range c.people[1:] {
		for p.hook.delivery == 0 {
			path := fmt.Sprint("/api/admin/webhooks/", p.hook.id, "/deliveries")
			if items := c.Must(t, "GET", path, c.root().token, nil)["items"].([]any); len(items) > 0 {
				p.hook.delivery = number(items[0].(map[string]any)["id"])
			} else if time.Now().After(deadline) {
				t.Fatal("a webhook gets no delivery")
			}
			<-time.After(20 * time.Millisecond)
		}
	}
}

func createWebhook(_ *testing.T, c *fixture, actor, _ *person) any {
	return c.inOwn(actor, fields{"url": "https://receiver.invalid/"})
}

// freshWebhook is for operations that use webhooks up; an organization has room for
// only a few, so everything else reuses the same one.
func freshWebhook(t *testing.T, c *fixture, owner *person, fresh bool) string {
	if fresh {
		return fmt.Sprint(c.newHook(t, owner))
	}
	return fmt.Sprint(owner.hook.id)
}

func webhook(_ *testing.T, _ *fixture, owner *person, _ bool) string {
	return fmt.Sprint(owner.hook.id)
}

func deliveryID(_ *testing.T, _ *fixture, owner *person, _ bool) string {
	return fmt.Sprint(owner.hook.delivery)
}
