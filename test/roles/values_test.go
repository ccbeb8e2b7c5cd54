package roles

// Values in the paths and bodies of the probes.

import (
	"encoding/pem"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/vault/vaulttest"
)

type valueOf func(t *testing.T, c *fixture, owner *person, fresh bool) string

func param(name string, value valueOf) func(*testing.T, *fixture, *person, bool) map[string]string {
	return func(t *testing.T, c *fixture, owner *person, fresh bool) map[string]string {
		return map[string]string{name: value(t, c, owner, fresh)}
	}
}

func token(t *testing.T, c *fixture, owner *person, fresh bool) string {
	if fresh {
		return c.newToken(t, owner)
	}
	return owner.serial
}

func rotating(t *testing.T, c *fixture, owner *person, fresh bool) map[string]string {
	if !fresh {
		return map[string]string{"serial": owner.rotating, "id": "1"}
	}
	return c.newRotation(t, owner)
}

func certificate(t *testing.T, c *fixture, owner *person, fresh bool) string {
	if fresh {
		return c.newCertificate(t, c.newToken(t, owner), owner)
	}
	return owner.cert
}

// noJob returns an id that no backup job has.
func noJob(*testing.T, *fixture, *person, bool) string { return "1099511627776" }

func account(_ *testing.T, _ *fixture, owner *person, _ bool) string { return fmt.Sprint(owner.id) }
func session(_ *testing.T, _ *fixture, owner *person, _ bool) string {
	return fmt.Sprint(owner.session)
}

// newSession creates a session that nobody needs, so that it may end.
func newSession(t *testing.T, c *fixture, owner *person, fresh bool) string {
	if !fresh {
		return session(t, c, owner, fresh)
	}
	out := c.Must(t, "POST", "/api/auth/login", "", fields{"username": owner.name, "password": password})
	return fmt.Sprint(number(out["session_id"]))
}

// newAccount creates one like the owner's: actors who may act on one may act on the
// other.
func (c *fixture) newAccount(t *testing.T, owner *person) (id, name string) {
	t.Helper()
	name = fresh("account")
	body := fields{"username": name, "email": name + "@example.org", "password": password, "role": owner.role}
	if owner.org != "" {
		body["organization_id"] = c.orgs[owner.org]
	}
	return fmt.Sprint(number(c.Must(t, "POST", "/api/admin/users", c.root().token, body)["id"])), name
}

func likeOwner(t *testing.T, c *fixture, owner *person, again bool) map[string]string {
	if !again {
		return map[string]string{"id": fmt.Sprint(owner.id)}
	}
	id, name := c.newAccount(t, owner)
	return map[string]string{"id": id, "username": name}
}

// locked is an account locked by wrong guesses.
func locked(t *testing.T, c *fixture, owner *person, again bool) map[string]string {
	params := likeOwner(t, c, owner, again)
	if again {
		for range 5 { // contract §2: the fifth locks
			c.Call(t, "POST", "/api/auth/login", "", fields{"username": params["username"], "password": "a guess"})
		}
	}
	return params
}

// waiting is an account like the owner's without a password yet.
func waiting(t *testing.T, c *fixture, owner *person, again bool) map[string]string {
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

// invited returns the token of an account's invitation.
func (c *fixture) invited(t *testing.T, id string) string {
	t.Helper()
	link := c.Must(t, "POST", "/api/admin/users/"+id+"/invite", c.root().token, nil)["url"].(string)
	_, token, _ := strings.Cut(link, "/invitation#token=")
	return token
}

// somebody is an account that is not an actor.
var somebody = fields{"username": "visitor", "password": password}

func itself(actor, owner *person) bool { return actor == owner }

func always(body any) func(*testing.T, *fixture, *person, *person) any {
	return func(*testing.T, *fixture, *person, *person) any { return body }
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

// inOwn adds the actor's organization, which an API key does not have implicitly.
func (c *fixture) inOwn(actor *person, body fields) fields {
	if actor != nil && actor.org != "" {
		body["organization_id"] = c.orgs[actor.org]
	}
	return body
}

// organizationID returns the owner's; an owner without one stands for a nonexistent
// one.
func newProfile(name string) fields {
	return fields{
		"name": name, "slots": []string{"9a"}, "key_types": []string{"rsa-2048"}, "key_usage": []string{"digitalSignature"},
		"extended_key_usage": []string{"clientAuth"}, "subject": fields{"common_name": "{username}"},
	}
}

// ownProfile is a profile that an administrator has just made.
func ownProfile(t *testing.T, c *fixture, _ *person, _ bool) string {
	t.Helper()
	name := fresh("profile")
	c.Must(t, "POST", "/api/admin/profiles", c.root().token, newProfile(name))
	return name
}

func organizationID(_ *testing.T, c *fixture, owner *person, _ bool) string {
	if id, ok := c.orgs[owner.org]; ok {
		return fmt.Sprint(id)
	}
	return "999999"
}

// apiKey is a key with the owner's role and organization.
func apiKey(t *testing.T, c *fixture, owner *person, fresh bool) map[string]string {
	if !fresh {
		return map[string]string{"id": owner.apiKey}
	}
	id, key := c.newKey(t, owner)
	return map[string]string{"id": id, "key": key}
}

func inOrganization(_, owner *person) bool { return owner.org != "" }

// byKey: an API key never sends this.
func byKey(actor, _ *person) bool { return actor.key }

// keyOnPower: an API key cannot change administrators' accounts.
func keyOnPower(actor, owner *person) bool { return actor.key && owner.role != user }

// activeCA is the CA that signs.
func activeCA(t *testing.T, c *fixture, _ *person, _ bool) string {
	t.Helper()
	return c.Must(t, "GET", "/api/admin/cas", c.root().token, nil)["items"].([]any)[0].(map[string]any)["id"].(string)
}

// requestedCA is one that an administrator has just requested; c.signedCA is its certificate with the root.
func requestedCA(t *testing.T, c *fixture, owner *person, fresh bool) string {
	t.Helper()
	if !fresh {
		return activeCA(t, c, owner, fresh)
	}
	asked := c.Must(t, "POST", "/api/admin/cas", c.root().token, fields{"parent": "external", "key_type": "ec-p256"})
	block, _ := pem.Decode([]byte(asked["csr"].(string)))
	c.signedCA = string(pki.PEM(vaulttest.NewRoot(t).Sign(t, block.Bytes)...))
	return asked["id"].(string)
}

// readyCA is one that an administrator has just made.
func readyCA(t *testing.T, c *fixture, owner *person, fresh bool) string {
	t.Helper()
	if !fresh {
		return activeCA(t, c, owner, fresh)
	}
	return c.Must(t, "POST", "/api/admin/cas", c.root().token, fields{"parent": "self", "key_type": "ec-p256"})["id"].(string)
}
