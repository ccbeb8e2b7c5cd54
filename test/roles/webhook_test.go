package roles

import (
	"fmt"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
)

// hook is a webhook of a person's organization with a delivery.
type hook struct{ id, delivery int }

// newHook makes a webhook that waits for its receiver for good. Of somebody
// without an organization it is the global admins'.
func (c *city) newHook(t *testing.T, owner *person) (id int) {
	t.Helper()
	body := fields{"url": "https://receiver.invalid/", "description": owner.name, "actions": []string{"webhook.updated"}}
	if owner.org != "" {
		body["organization_id"] = c.orgs[owner.org]
	}
	return number(c.must(t, "POST", "/api/admin/webhooks", c.root().token, body)["id"])
}

// hookWithDelivery waits for what a change of the webhook gives it to tell.
func (c *city) hookWithDelivery(t *testing.T, owner *person) hook {
	t.Helper()
	h := hook{id: c.newHook(t, owner)}
	path := fmt.Sprint("/api/admin/webhooks/", h.id)
	c.must(t, "PATCH", path, c.root().token, fields{"description": owner.name + " " + owner.name})
	for deadline := time.Now().Add(20 * time.Second); ; {
		items := c.must(t, "GET", path+"/deliveries", c.root().token, nil)["items"].([]any)
		if len(items) > 0 {
			h.delivery = number(items[0].(map[string]any)["id"])
			return h
		}
		if time.Now().After(deadline) {
			t.Fatal("the webhook gets no delivery")
		}
		<-time.After(20 * time.Millisecond)
	}
}

func webhookID(t *testing.T, c *city, owner *person, fresh bool) string {
	if fresh {
		return fmt.Sprint(c.newHook(t, owner))
	}
	return fmt.Sprint(owner.hook.id)
}

func sameWebhook(_ *testing.T, _ *city, owner *person, _ bool) string {
	return fmt.Sprint(owner.hook.id)
}

func deliveryID(_ *testing.T, _ *city, owner *person, _ bool) string {
	return fmt.Sprint(owner.hook.delivery)
}

// webhookProbes are the operations on webhooks. An organization has room for
// few of them, so what is not used up is taken again.
func webhookProbes() map[access.Operation]probe {
	return map[access.Operation]probe{
		"list-webhooks": {answers: 200},
		"create-webhook": {answers: 201, body: func(_ *testing.T, c *city, actor, _ *person) any {
			return c.inOwn(actor, fields{"url": "https://receiver.invalid/"})
		}},
		"get-webhook":             {target: true, params: param("id", sameWebhook), answers: 200},
		"update-webhook":          {target: true, params: param("id", sameWebhook), answers: 200, body: always(fields{"rotate_secret": true})},
		"delete-webhook":          {target: true, params: param("id", webhookID), answers: 204},
		"list-webhook-deliveries": {target: true, params: param("id", sameWebhook), answers: 200},
		"replay-webhook-delivery": {target: true, params: param("id", deliveryID), answers: 200},
	}
}
