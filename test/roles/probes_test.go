package roles

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/keyward/keyward/test/server"
)

// probe says how to try an operation.
type probe struct {
	// target: the path names a thing, tried with everybody's.
	target bool
	// params gives the values of the path's parameters: of the owner's thing,
	// or with fresh of a new one of the owner's, where the operation uses
	// things up.
	params func(t *testing.T, c *city, owner *person, fresh bool) map[string]string
	query  string
	body   func(t *testing.T, c *city, actor, owner *person) any
	// within narrows what the table says: one's own session only, say.
	within func(actor, owner *person) bool
	// names: a global admin who acted on a thing is named to whoever may see
	// the thing.
	names bool
	// forbids: the operation refuses this actor this owner's thing, with 403.
	forbids func(actor, owner *person) bool
	// answers is the status when allowed.
	answers int
}

type valueOf func(t *testing.T, c *city, owner *person, fresh bool) string

func param(name string, value valueOf) func(*testing.T, *city, *person, bool) map[string]string {
	return func(t *testing.T, c *city, owner *person, fresh bool) map[string]string {
		return map[string]string{name: value(t, c, owner, fresh)}
	}
}

func token(t *testing.T, c *city, owner *person, fresh bool) string {
	if fresh {
		return c.newToken(t, owner)
	}
	return owner.serial
}

func rotating(t *testing.T, c *city, owner *person, fresh bool) map[string]string {
	if !fresh {
		return map[string]string{"serial": owner.rotating, "id": "1"}
	}
	return c.newRotation(t, owner)
}

func certificate(t *testing.T, c *city, owner *person, fresh bool) string {
	if fresh {
		return c.newCertificate(t, c.newToken(t, owner), owner)
	}
	return owner.cert
}

func account(_ *testing.T, _ *city, owner *person, _ bool) string { return fmt.Sprint(owner.id) }
func session(_ *testing.T, _ *city, owner *person, _ bool) string { return fmt.Sprint(owner.session) }

// newSession ends nobody's session that is still needed.
func newSession(t *testing.T, c *city, owner *person, fresh bool) string {
	if !fresh {
		return session(t, c, owner, fresh)
	}
	out := c.Must(t, "POST", "/api/auth/login", "", fields{"username": owner.name, "password": password})
	return fmt.Sprint(number(out["session_id"]))
}

// newAccount is like the owner's: whoever may act on one may on the other.
func (c *city) newAccount(t *testing.T, owner *person) (id, name string) {
	t.Helper()
	name = fresh("account")
	body := fields{"username": name, "email": name + "@example.org", "password": password, "role": owner.role}
	if owner.org != "" {
		body["organization_id"] = c.orgs[owner.org]
	}
	return fmt.Sprint(number(c.Must(t, "POST", "/api/admin/users", c.root().token, body)["id"])), name
}

func likeOwner(t *testing.T, c *city, owner *person, again bool) map[string]string {
	if !again {
		return map[string]string{"id": fmt.Sprint(owner.id)}
	}
	id, name := c.newAccount(t, owner)
	return map[string]string{"id": id, "username": name}
}

// locked is an account that has guessed too often.
func locked(t *testing.T, c *city, owner *person, again bool) map[string]string {
	params := likeOwner(t, c, owner, again)
	if again {
		for range 5 { // contract §2: the fifth locks
			c.Call(t, "POST", "/api/auth/login", "", fields{"username": params["username"], "password": "a guess"})
		}
	}
	return params
}

// waiting is an account like the owner's that has no password yet.
func waiting(t *testing.T, c *city, owner *person, again bool) map[string]string {
	t.Helper()
	if !again {
		return likeOwner(t, c, owner, false)
	}
	name := fresh("waiting")
	body := fields{"username": name, "email": name + "@example.org", "role": owner.role}
	if owner.org != "" {
		body["organization_id"] = c.orgs[owner.org]
	}
	return map[string]string{"id": fmt.Sprint(number(c.Must(t, "POST", "/api/admin/users", c.root().token, body)["id"])), "username": name}
}

// invited is the token of an account's invitation.
func (c *city) invited(t *testing.T, id string) string {
	t.Helper()
	link := c.Must(t, "POST", "/api/admin/users/"+id+"/invite", c.root().token, nil)["url"].(string)
	_, token, _ := strings.Cut(link, "/invitation#token=")
	return token
}

// somebody is nobody of those who act.
var somebody = fields{"username": "visitor", "password": password}

func itself(actor, owner *person) bool { return actor == owner }

func always(body any) func(*testing.T, *city, *person, *person) any {
	return func(*testing.T, *city, *person, *person) any { return body }
}

// onToken is a probe of an operation below /api/hwkey/{serial}.
func onToken(answers int, query string, body any) probe {
	return probe{target: true, params: param("serial", token), query: query, body: always(body), answers: answers}
}

func onRotation(body any) probe {
	return probe{target: true, params: rotating, body: always(body), answers: 200}
}

func onCertificate(body any) probe {
	return probe{target: true, params: param("serial_number", certificate), body: always(body), answers: 200}
}

// fresh names of things that the tries create.
var created atomic.Int64

func fresh(name string) string {
	return fmt.Sprintf("new-%s-%d", name, created.Add(1))
}

// inOwn adds the actor's organization, which an API key has not by itself.
func (c *city) inOwn(actor *person, body fields) fields {
	if actor != nil && actor.org != "" {
		body["organization_id"] = c.orgs[actor.org]
	}
	return body
}

var probes = map[string]probe{
	"login": {answers: 200, body: always(somebody)},
	"refresh": {answers: 200, body: func(t *testing.T, c *city, _, _ *person) any {
		return fields{"refresh_token": c.Must(t, "POST", "/api/auth/login", "", somebody)["refresh_token"]}
	}},
	"change-password": {answers: 200, body: func(t *testing.T, c *city, _, _ *person) any {
		_, name := c.newAccount(t, &person{role: user})
		return fields{"username": name, "current_password": password, "new_password": "changed pass phrase"}
	}},
	"invitation": {answers: 200, body: func(t *testing.T, c *city, _, _ *person) any {
		return fields{"token": c.invited(t, waiting(t, c, &person{role: user}, true)["id"]), "password": password}
	}},
	"health":         {answers: 200},
	"live":           {answers: 200},
	"ready":          {answers: 200},
	"get-crl":        {answers: 200},
	"get-crl-status": {answers: 200},
	"get-ca":         {answers: 200},
	"get-ca-chain":   {answers: 200},
	"openapi":        {answers: 200},
	"auth-config":    {answers: 200},
	"oidc-start":     {answers: 302},
	"oidc-callback":  {answers: 303},
	"oidc-exchange":  {body: always(fields{"code": "x"}), answers: 401},

	"me":             {answers: 200},
	"logout":         {answers: 200},
	"reauthenticate": {body: always(fields{"password": password}), answers: 200},
	"list-notices":   {answers: 200, query: "?limit=500"},
	"read-notice": {target: true, answers: 200, params: param("id", func(_ *testing.T, _ *city, owner *person, _ bool) string {
		return fmt.Sprint(owner.notice)
	})},
	"get-session": {target: true, params: param("id", session), answers: 200},
	"register-agent": {target: true, params: param("id", session), within: itself, answers: 200,
		body: func(_ *testing.T, c *city, _, _ *person) any {
			return fields{"public_key": c.otherAgent, "confirmed_code": codeOf(c.otherAgent)}
		}},
	"list-agents": {answers: 200, query: "?limit=500"},
	"remove-agent": {target: true, answers: 204, params: param("id", func(t *testing.T, c *city, owner *person, fresh bool) string {
		if fresh {
			return c.newAgent(t, owner)
		}
		return owner.paired
	})},

	"list-sessions": {answers: 200, query: "?limit=500"},
	"end-session":   {target: true, params: param("id", newSession), answers: 204},

	"list-hwkeys": {answers: 200, query: "?limit=500"},
	"register-hwkey": {answers: 201, body: func(_ *testing.T, c *city, actor, _ *person) any {
		return c.inOwn(actor, fields{"serial": fresh("token")})
	}},
	"import-hwkeys": {answers: 200, body: func(*testing.T, *city, *person, *person) any {
		return server.CSV("serial,label\n" + fresh("token") + ",imported\n")
	}},
	"bulk-hwkeys": {answers: 200, body: func(t *testing.T, c *city, actor, _ *person) any {
		owner := c.person("qz-a-user")
		return fields{"serials": []string{token(t, c, owner, actor != nil && actor.role != user)}, "status": "lost"}
	}},
	"compliance-report": {answers: 200},
	"get-hwkey":         onToken(200, "", nil),
	"hwkey-releases":    onToken(200, "", nil),
	"update-hwkey": {target: true, params: param("serial", token), answers: 200, body: func(_ *testing.T, _ *city, actor, _ *person) any {
		if actor != nil && actor.role == user {
			return fields{"status": "lost"}
		}
		return fields{"label": "another"}
	}},
	"get-secrets":         onToken(200, "?reason=test", nil),
	"start-rotation":      onToken(201, "", fields{"fields": []string{"pin"}, "reason": "test"}),
	"get-rotation":        {target: true, params: rotating, query: "?reason=test", answers: 200},
	"commit-rotation":     onRotation(fields{}),
	"abort-rotation":      onRotation(fields{}),
	"observe-secret":      onToken(200, "", fields{"field": "pin", "matched": "none"}),
	"hwkey-enrolled":      onToken(200, "", fields{}),
	"reset-hwkey":         onToken(200, "", fields{}),
	"signing-readiness":   onToken(200, "", nil),
	"hwkey-certificates":  onToken(200, "", nil),
	"get-certificate":     onCertificate(nil),
	"revoke-certificate":  onCertificate(fields{}),
	"certificate-written": onCertificate(nil),
	"list-certificates":   {answers: 200, query: "?limit=500"},
	"revoke-unrecorded-certificate": {answers: 200, body: func(t *testing.T, c *city, actor, _ *person) any {
		if actor == nil || actor.role != globalAdmin {
			return fields{"serial_number": "4711"}
		}
		owner := c.people[1]
		return fields{"serial_number": c.newCertificate(t, c.newToken(t, owner), owner)}
	}},
	"list-unrecorded-certificates": {answers: 200, query: "?limit=500"},
	"sign-csr": {target: true, params: param("serial", token), answers: 200, body: func(t *testing.T, c *city, _, owner *person) any {
		return c.signing(t, fmt.Sprint(c.serials), owner) // for the token just made; who may not is refused before that matters
	}},

	"list-users": {answers: 200, query: "?limit=500"},
	"get-user":   {target: true, params: param("id", account), answers: 200},
	"create-user": {answers: 201, body: func(_ *testing.T, c *city, actor, _ *person) any {
		name := fresh("user")
		body := fields{"username": name, "email": name + "@example.org", "password": password}
		if actor != nil && actor.key {
			delete(body, "password")
		}
		return c.inOwn(actor, body)
	}},
	"update-user": {target: true, params: param("id", account), forbids: keyOnPower, answers: 200,
		body: func(*testing.T, *city, *person, *person) any {
			return fields{"email": fresh("mail") + "@example.org", "revoke_certificates": false}
		}},
	"enable-users": {answers: 200, body: func(t *testing.T, c *city, actor, _ *person) any {
		owner := c.person("qz-a-user")
		if actor == nil || actor.role == user {
			return fields{"ids": []int{owner.id}}
		}
		id, _ := c.newAccount(t, owner)
		c.Must(t, "PATCH", "/api/admin/users/"+id, c.root().token, fields{"is_active": false})
		return fields{"ids": []json.Number{json.Number(id)}}
	}},
	"unlock-user":    {target: true, params: locked, forbids: keyOnPower, answers: 200},
	"reset-password": {target: true, params: likeOwner, answers: 200},
	"invite-user":    {target: true, params: waiting, answers: 200},

	"list-organizations": {answers: 200, query: "?limit=500"},
	"get-organization":   {target: true, params: param("id", organizationID), within: inOrganization, answers: 200},
	"create-organization": {answers: 201, body: func(*testing.T, *city, *person, *person) any {
		return fields{"name": fresh("organization")}
	}},
	"list-audit":   {answers: 200, query: "?limit=500&action=auth.login", names: true},
	"export-audit": {query: "?format=ndjson", answers: 200, names: true},
	"audit-seal":   {answers: 200},

	"system-health":   {answers: 200},
	"system-info":     {answers: 200},
	"system-database": {answers: 200},
	"system-vault":    {answers: 200},
	"system-storage":  {answers: 200},
	"system-license":  {answers: 200},
	"system-jobs":     {answers: 200},
	"system-recovery": {answers: 200},
	"system-recover":  {body: always(fields{"accept_older": "vault"}), answers: 409},

	"get-password-policy": {answers: 200},
	"put-password-policy": {answers: 200, body: always(fields{"min_length": 9, "max_length": 127})},
	"get-oidc-settings":   {answers: 200},
	"put-oidc-settings":   {answers: 200, body: always(fields{"enabled": false, "name": "Off"})},
	"list-api-keys":       {answers: 200, query: "?limit=500"},
	"create-api-key": {answers: 201, body: func(_ *testing.T, c *city, actor, _ *person) any {
		return c.inOwn(actor, fields{"name": fresh("key"), "role": "user"})
	}},
	"revoke-api-key": {target: true, params: apiKey, answers: 204},
	"update-organization": {target: true, params: param("id", organizationID), within: inOrganization, answers: 200,
		body: func(*testing.T, *city, *person, *person) any {
			return fields{"email_domains": []string{"example.org", fresh("domain") + ".example"}}
		}},

	"list-webhooks":           {answers: 200, query: "?limit=500"},
	"create-webhook":          {answers: 201, body: createWebhook},
	"get-webhook":             {target: true, params: param("id", webhook), answers: 200},
	"update-webhook":          {target: true, params: param("id", webhook), answers: 200, body: always(fields{"rotate_secret": true})},
	"delete-webhook":          {target: true, params: param("id", freshWebhook), answers: 204},
	"list-webhook-deliveries": {target: true, params: param("id", webhook), answers: 200},
	"replay-webhook-delivery": {target: true, params: param("id", deliveryID), answers: 200},
}

// organizationID is that of the owner; whoever has none stands for one that
// does not exist.
func organizationID(_ *testing.T, c *city, owner *person, _ bool) string {
	if id, ok := c.orgs[owner.org]; ok {
		return fmt.Sprint(id)
	}
	return "999999"
}

// apiKey is one of the owner's role and organization.
func apiKey(t *testing.T, c *city, owner *person, fresh bool) map[string]string {
	if !fresh {
		return map[string]string{"id": owner.apiKey}
	}
	id, key := c.newKey(t, owner)
	return map[string]string{"id": id, "key": key}
}

func inOrganization(_, owner *person) bool { return owner.org != "" }

// keyOnPower: an API key leaves the accounts of administrators alone.
func keyOnPower(actor, owner *person) bool { return actor.key && owner.role != user }
