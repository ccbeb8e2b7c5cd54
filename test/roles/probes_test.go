package roles

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/keyward/keyward/test/server"
)

// probe describes how to try an operation.
type probe struct {
	// target: the path names a thing; tried with everybody's.
	target bool
	// params returns the path's parameters: of the owner's thing, or with fresh of a
	// new one of the owner's, if the operation uses things up.
	params func(t *testing.T, c *fixture, owner *person, fresh bool) map[string]string
	query  string
	body   func(t *testing.T, c *fixture, actor, owner *person) any
	// within narrows the table's reach: for example, to one's own session.
	within func(actor, owner *person) bool
	// names: a global admin who acted on a thing is named to those who may see the
	// thing.
	names bool
	// acted: the owner of a thing learns which manager acted on it.
	acted bool
	// forbids: the operation refuses this owner's thing to this actor, with 403.
	forbids func(actor, owner *person) bool
	// answers is the status when allowed.
	answers int
}

var probes = map[string]probe{
	"login": {answers: 200, body: always(somebody)},
	"refresh": {answers: 200, body: func(t *testing.T, c *fixture, _, _ *person) any {
		return fields{"refresh_token": c.Must(t, "POST", "/api/auth/login", "", somebody)["refresh_token"]}
	}},
	"change-password": {answers: 200, body: func(t *testing.T, c *fixture, _, _ *person) any {
		_, name := c.newAccount(t, &person{role: user})
		return fields{"username": name, "current_password": password, "new_password": "changed pass phrase"}
	}},
	"invitation": {answers: 200, body: func(t *testing.T, c *fixture, _, _ *person) any {
		return fields{"token": c.invited(t, waiting(t, c, &person{role: user}, true)["id"]), "password": password}
	}},
	"invited": {answers: 200, body: func(t *testing.T, c *fixture, _, _ *person) any {
		return fields{"token": c.invited(t, waiting(t, c, &person{role: user}, true)["id"])}
	}},
	"health":         {answers: 200},
	"live":           {answers: 200},
	"ready":          {answers: 200},
	"get-crl":        {answers: 200},
	"get-crl-status": {answers: 200},
	"get-crl-of":     {params: param("id", activeCA), answers: 200},
	"get-parent-crl": {answers: 200},
	"get-ca":         {answers: 200},
	"get-ca-of":      {params: param("file", activeCA), answers: 200},
	"get-ca-der":     {answers: 200},
	"get-ca-chain":   {answers: 200},
	"get-ocsp": {answers: 200, params: func(*testing.T, *fixture, *person, bool) map[string]string {
		return map[string]string{"request": "x"}
	}},
	"post-ocsp":     {answers: 200, body: always(fields{})},
	"openapi":       {answers: 200},
	"auth-config":   {answers: 200},
	"oidc-start":    {answers: 302},
	"oidc-callback": {answers: 303},
	"oidc-exchange": {body: always(fields{"code": "x"}), answers: 401},

	"me":             {answers: 200},
	"logout":         {answers: 200},
	"reauthenticate": {body: always(fields{"password": password}), answers: 200},
	"list-notices":   {answers: 200, query: "?limit=500", names: true, acted: true},

	"events":            {answers: 200},
	"get-notifications": {answers: 200},
	"put-notifications": {answers: 200, body: always(fields{"language": "de", "mail": fields{"certificate_ending": false}})},

	"read-notice": {target: true, answers: 200, params: param("id", func(_ *testing.T, _ *fixture, owner *person, _ bool) string {
		return fmt.Sprint(owner.notice)
	})},
	"list-views":  {answers: 200},
	"create-view": {answers: 201, body: always(fields{"list": "certificates", "name": "Ending", "query": "show=30"})},
	"delete-view": {target: true, answers: 204, params: param("id", func(t *testing.T, c *fixture, owner *person, anew bool) string {
		if anew {
			return c.newView(t, owner)
		}
		return owner.view
	})},
	"get-session": {target: true, params: param("id", session), answers: 200},
	"register-agent": {target: true, params: param("id", session), within: itself, answers: 200,
		body: func(_ *testing.T, c *fixture, _, _ *person) any {
			return fields{"public_key": c.otherAgent, "confirmed_code": codeOf(c.otherAgent)}
		}},
	"list-agents": {answers: 200, query: "?limit=500"},
	"remove-agent": {target: true, answers: 204, params: param("id", func(t *testing.T, c *fixture, owner *person, fresh bool) string {
		if fresh {
			return c.newAgent(t, owner)
		}
		return owner.paired
	})},

	"list-sessions": {answers: 200, query: "?limit=500"},
	"end-session":   {target: true, params: param("id", newSession), answers: 204},

	"list-hwkeys": {answers: 200, query: "?limit=500"},
	"register-hwkey": {answers: 201, body: func(_ *testing.T, c *fixture, actor, _ *person) any {
		return c.inOwn(actor, fields{"serial": fresh("token")})
	}},
	"import-hwkeys": {answers: 200, body: func(*testing.T, *fixture, *person, *person) any {
		return server.CSV("serial,label\n" + fresh("token") + ",imported\n")
	}},
	"bulk-hwkeys": {answers: 200, body: func(t *testing.T, c *fixture, actor, _ *person) any {
		owner := c.person("qz-a-user")
		return fields{"serials": []string{token(t, c, owner, actor != nil && actor.role != user)}, "status": "lost"}
	}},
	"compliance-report": {answers: 200},
	"get-hwkey":         onToken(200, "", nil),
	"hwkey-releases":    onToken(200, "", nil),
	"hwkey-history":     {target: true, names: true, acted: true, params: param("serial", token), query: "?limit=500", answers: 200},
	"update-hwkey": {target: true, params: param("serial", token), answers: 200, body: func(_ *testing.T, _ *fixture, actor, _ *person) any {
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
	"revoke-unrecorded-certificate": {answers: 200, body: func(t *testing.T, c *fixture, actor, _ *person) any {
		if actor == nil || actor.role != globalAdmin {
			return fields{"serial_number": "4711"}
		}
		owner := c.people[1]
		return fields{"serial_number": c.newCertificate(t, c.newToken(t, owner), owner)}
	}},
	"list-unrecorded-certificates": {answers: 200, query: "?limit=500"},
	"certificates-by-week":         {answers: 200},
	"sign-csr": {target: true, params: param("serial", token), answers: 200, body: func(t *testing.T, c *fixture, _, owner *person) any {
		return c.signing(t, fmt.Sprint(c.serials), owner) // for the newest token; others are refused before it matters
	}},

	"list-users": {answers: 200, query: "?limit=500"},
	"get-user":   {target: true, params: param("id", account), answers: 200},
	"create-user": {answers: 201, body: func(_ *testing.T, c *fixture, actor, _ *person) any {
		name := fresh("user")
		body := fields{"username": name, "email": name + "@example.org", "password": password}
		if actor != nil && actor.key {
			delete(body, "password")
		}
		return c.inOwn(actor, body)
	}},
	"import-users": {answers: 200, body: func(*testing.T, *fixture, *person, *person) any {
		name := fresh("imported")
		return server.CSV("email;username\n" + name + "@example.org;" + name + "\n")
	}},
	"update-user": {target: true, params: param("id", account), forbids: keyOnPower, answers: 200,
		body: func(_ *testing.T, _ *fixture, actor, _ *person) any {
			if actor != nil && actor.key { // another email is another name in certificates
				return fields{"name": fresh("name")}
			}
			return fields{"email": fresh("mail") + "@example.org", "revoke_certificates": false}
		}},
	"enable-users": {answers: 200, body: func(t *testing.T, c *fixture, actor, _ *person) any {
		owner := c.person("qz-a-user")
		if actor == nil || actor.role == user || actor.key {
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
	"create-organization": {answers: 201, body: func(*testing.T, *fixture, *person, *person) any {
		return fields{"name": fresh("organization")}
	}},
	"usable-profiles": {answers: 200},
	"list-profiles":   {answers: 200},
	"get-profile": {target: true, answers: 200, params: param("name",
		func(*testing.T, *fixture, *person, bool) string { return "logon" })},
	"preview-profile": {answers: 200, body: always(fields{"profile": "logon"})},
	"create-profile": {answers: 201, body: func(*testing.T, *fixture, *person, *person) any {
		return newProfile(fresh("profile"))
	}},
	"update-profile":    {target: true, params: param("name", ownProfile), answers: 200, body: always(fields{"description": "another"})},
	"delete-profile":    {target: true, params: param("name", ownProfile), answers: 204},
	"get-slot-profiles": {answers: 200},
	"list-cas":          {answers: 200},
	"request-ca":        {answers: 201, body: always(fields{"parent": "self"})},
	"install-ca": {target: true, params: param("id", requestedCA), answers: 200, body: func(_ *testing.T, c *fixture, _, _ *person) any {
		return fields{"certificate": c.signedCA}
	}},
	"activate-ca": {target: true, params: param("id", readyCA), answers: 200},
	"withdraw-ca": {target: true, params: param("id", requestedCA), answers: 204},
	"put-slot-profiles": {answers: 200, body: always(fields{
		"slots": fields{"9a": "default", "9c": "default", "9d": "default", "9e": "card-authentication"}, "plan": []string{"9a"},
	})},
	"get-organization-slot-profiles": {target: true, params: param("id", organizationID), within: inOrganization, answers: 200},
	"put-organization-slot-profiles": {target: true, params: param("id", organizationID), within: inOrganization, forbids: byKey, answers: 200,
		body: always(fields{"slots": fields{"9a": nil, "9c": "default", "9d": nil, "9e": nil}, "plan": []string{"9a"}})},

	"list-audit":   {answers: 200, query: "?limit=500&action=auth.login", names: true},
	"export-audit": {query: "?format=ndjson", answers: 200, names: true},
	"audit-seal":   {answers: 200},
	"audit-verify": {answers: 200},

	"list-backup-jobs":         {answers: 200},
	"running-backup-jobs":      {answers: 200},
	"get-backup-job":           {target: true, params: param("id", noJob), answers: 404},
	"cancel-backup-job":        {target: true, params: param("id", noJob), answers: 404},
	"get-backup-settings":      {answers: 200},
	"put-backup-settings":      {answers: 200, body: always(fields{"store": "directory", "retention_days": 31})},
	"test-backup-connection":   {answers: 200},
	"trigger-backup":           {answers: 409, body: always(fields{"type": "full"})}, // without a password
	"list-backups":             {answers: 200, query: "?limit=1000"},
	"download-backup":          {target: true, params: param("key", backupFile), answers: 200},
	"delete-backup":            {target: true, params: param("key", backupFile), answers: 204},
	"backup-blob":              {answers: 403}, // without a link
	"restore-backup":           {answers: 404, body: always(fields{"key": "backup-of-nobody", "password": "a password"})},
	"validate-backup-password": {answers: 404, body: always(fields{"key": "backup-of-nobody", "password": "a password"})},
	"retry-backup-job":         {target: true, params: param("id", noJob), answers: 404, body: always(fields{"password": "a password"})},
	"restore-status":           {answers: 200},
	"drill-backup":             {answers: 409, body: always(fields{})}, // without a password

	"get-license":     {answers: 200},
	"license-history": {answers: 200},
	"installation-id": {answers: 200},
	"upload-license":  {answers: 422, body: always(fields{"license": fields{}, "signature": ""})},
	"remove-license":  {answers: 404},

	"system-health":   {answers: 200},
	"system-info":     {answers: 200},
	"system-database": {answers: 200},
	"system-vault":    {answers: 200},
	"system-storage":  {answers: 200},
	"system-license":  {answers: 200},
	"system-jobs":     {answers: 200},

	"system-first-steps": {answers: 200},

	"system-recovery": {answers: 200},
	"system-recover":  {body: always(fields{"accept_older": "vault"}), answers: 409},

	"get-password-policy": {answers: 200},
	"put-password-policy": {answers: 200, body: always(fields{"min_length": 9, "max_length": 127})},
	"get-oidc-settings":   {answers: 200},
	"put-oidc-settings":   {answers: 200, body: always(fields{"enabled": false, "name": "Off"})},
	"get-mail-settings":   {answers: 200},
	"put-mail-settings":   {answers: 200, body: always(fields{"enabled": false, "from_name": "Off"})},
	"test-mail":           {answers: 409, body: always(fields{"to": "somebody@example.org"})},
	"list-mail":           {answers: 200},
	"retry-mail":          {target: true, params: param("id", noJob), answers: 409},
	"list-api-keys":       {answers: 200, query: "?limit=500"},
	"create-api-key": {answers: 201, body: func(_ *testing.T, c *fixture, actor, _ *person) any {
		return c.inOwn(actor, fields{"name": fresh("key"), "role": "user"})
	}},
	"revoke-api-key": {target: true, params: apiKey, answers: 204},
	"update-organization": {target: true, params: param("id", organizationID), within: inOrganization, forbids: byKey, answers: 200,
		body: func(*testing.T, *fixture, *person, *person) any {
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
