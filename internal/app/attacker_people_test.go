package app_test

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// onPeople returns attacks on the rows of sessions, agents, accounts, tokens and
// certificates.
func onPeople() []attack {
	return []attack{
		{
			what: "another agent's key in a session's row",
			do:   func(w *databaseAttacker) { w.swapKey(false) }, release: held, sign: held,
			start: unnoticed, log: "holds: nothing left",
		},
		{
			what:    "the same, with its fingerprint, and a fake registration entry",
			do:      func(w *databaseAttacker) { w.madeUp("session.agent_registered", "agent key "+w.swapKey(true)) },
			release: nothing, sign: nothing, refused: "409 agent_not_registered",
			start: unnoticed, after: (*databaseAttacker).refusedAgent, log: "on record: the refusals",
		},
		{
			what: "the registration of another session's agent",
			do: func(w *databaseAttacker) {
				w.registers("b-user", w.thief.code())
				w.madeUp("session.agent_registered", "agent key "+w.thiefsKey())
				w.execute(`UPDATE sessions SET agent_public_key = s.agent_public_key, agent_key_fingerprint = s.agent_key_fingerprint,
					agent_key_mac = s.agent_key_mac FROM sessions AS s WHERE s.id = ? AND sessions.id = ?`, w.sessions["b-user"], w.sessions["a-user"])
			},
			release: nothing, sign: nothing, refused: "409 agent_not_registered",
			start: unnoticed, after: (*databaseAttacker).refusedAgent, log: "on record: the refusals",
		},
		{
			what: "an agent added to those that a person has paired",
			do: func(w *databaseAttacker) {
				w.execute("INSERT INTO agents (user_id, fingerprint, hostname, created_at, last_used_at) VALUES (?, ?, '', 1, 1)",
					w.ids["a-user"], must.Get(agentkey.Fingerprint(w.thief.identity.Public()))(w.t))
				w.age(w.sessions["a-user"], time.Hour)
				w.registers("a-user", nil)
				w.tells("a-user", "session.agent_registered", w.thiefsKey())
				w.must(200, "POST", "/api/auth/reauthenticate", w.tokens["a-user"], map[string]any{"password": usual})
			},
			start: unnoticed, log: "on record: its registration, and the releases",
		},
		{
			what: "a fake session",
			do: func(w *databaseAttacker) {
				const columns = `user_id, family_id, token_hash, ip_address, user_agent, machine_id, hostname, created_at, expires_at,
					over_at, active, agent_key_fingerprint, agent_public_key, authenticated_at, auth_method`
				w.execute("INSERT INTO sessions ("+columns+") SELECT "+columns+" FROM sessions WHERE id = ?", w.sessions["a-user"])
				made := w.number("SELECT max(id) FROM sessions")
				var hash string
				w.scan(&hash, "SELECT token_hash FROM sessions WHERE id = ?", made)
				forged := hs256(map[string]any{"alg": "HS256", "typ": "JWT"}, w.claims("a-user", made), []byte(hash))
				w.refused(401, "token_invalid", "GET", "/api/auth/me", forged, nil)
			},
			start: unnoticed, log: "holds: access tokens are signed with the vault's secret",
		},
		{
			what: "a fake sign-in, by its refresh token",
			do: func(w *databaseAttacker) {
				token := strings.Repeat("A", 43)
				w.execute(`INSERT INTO refresh_tokens (family_id, hash, created_at, dead)
					SELECT family_id, ?, authenticated_at, FALSE FROM sessions WHERE id = ?`, hashOf(token), w.sessions["a-user"])
				out := w.must(200, "POST", "/api/auth/refresh", "", map[string]any{"refresh_token": token})
				w.tokens["a-user"] = out["access_token"].(string)
				w.registers("a-user", w.thief.code())
				w.tells("a-user", "auth.refresh", "")
				w.tells("a-user", "session.agent_paired", "")
			},
			start: unnoticed, log: "on record: the refresh, the agent, and the releases, all in that person's name",
		},
		{
			what: "a password's hash replaced",
			do: func(w *databaseAttacker) {
				w.execute("UPDATE users SET password_hash = (SELECT password_hash FROM users WHERE username = 'admin') WHERE id = ?", w.ids["a-user"])
				w.signIn("a-user", adminPassword)
				w.registers("a-user", w.thief.code())
				w.tells("a-user", "auth.login", "")
				w.tells("a-user", "session.agent_paired", "")
			},
			start: unnoticed, log: "on record: the sign-in, the agent, and the releases, all in that person's name",
		},
		{
			what: "an account promoted to administrator",
			do: func(w *databaseAttacker) {
				w.execute("UPDATE users SET role = 'global_admin', organization_id = NULL WHERE id = ?", w.ids["b-user"])
				w.gets("b-user")
			},
			start: unnoticed, log: "on record: the releases, in that account's name",
		},
		{
			what: "a dismissed administrator's account enabled again",
			do: func(w *databaseAttacker) {
				w.execute("UPDATE users SET is_active = TRUE WHERE id = ?", w.ids["boss"])
				w.signIn("boss", usual)
				w.tells("boss", "auth.login", "")
				w.registerAgent(w.tokens["boss"], w.sessions["boss"])
				w.gets("boss")
			},
			start: unnoticed, log: "on record: the sign-in, and the releases",
		},
		{
			what: "yesterday's rows of an account and a session put back",
			do: func(w *databaseAttacker) {
				w.sql("CREATE TABLE yesterday AS SELECT id, over_at, agent_key_fingerprint, agent_public_key, agent_key_mac FROM sessions")
				w.must(200, "PATCH", w.userPath("a-org_manager"), w.tokens["admin"], map[string]any{"is_active": false})
				w.must(401, "GET", "/api/auth/me", w.tokens["a-org_manager"], nil)
				w.execute("UPDATE users SET is_active = TRUE WHERE id = ?", w.ids["a-org_manager"])
				w.execute(`UPDATE sessions SET active = TRUE, over_at = y.over_at, agent_key_fingerprint = y.agent_key_fingerprint,
					agent_public_key = y.agent_public_key, agent_key_mac = y.agent_key_mac FROM yesterday AS y WHERE y.id = sessions.id AND sessions.id = ?`,
					w.sessions["a-org_manager"])
				w.sql("DROP TABLE yesterday")
				w.gets("a-org_manager")
			},
			start: unnoticed, log: "on record: the releases, in that account's name, after the entry that disabled it",
		},
		{
			what: "a token's owner changed",
			do: func(w *databaseAttacker) {
				before := w.pin("a-user")
				w.execute("UPDATE hwkeys SET owner_id = ?, organization_id = ? WHERE serial = '10000'", w.ids["b-user"], w.ids["b"])
				if w.pin("b-user") == before {
					w.t.Error("the new owner gets the PIN of the card")
				}
			},
			release: nothing, sign: nothing, refused: "404 not_found",
			start: unnoticed, log: "on record: the releases to the new owner, of fresh secrets that open no card",
		},
		{
			what: "an account renamed, for a certificate in that name",
			do: func(w *databaseAttacker) {
				w.execute("UPDATE users SET username = 'ceo', username_key = 'ceo' WHERE id = ?", w.ids["b-user"])
				if status, out := w.certify("b-user", "10001", "9a", "ceo", "ceo"); status != 200 {
					w.t.Errorf("a certificate: %d %v", status, out)
				}
			},
			start: unnoticed, log: "on record: the certificate",
		},
		{
			what: "an account's UPN changed, for a certificate to log on as somebody else",
			do: func(w *databaseAttacker) {
				w.execute("UPDATE users SET upn = 'administrator@corp.example' WHERE id = ?", w.ids["a-user"])
				w.must(200, "POST", "/api/hwkey/10000/sign-csr", w.tokens["a-user"],
					map[string]any{"csr": another(w.t, "a-user", "logon"), "profile": "logon"})
			},
			start: unnoticed, log: "on record: the certificate",
		},
		{
			what: "another profile in a certificate's row",
			do: func(w *databaseAttacker) {
				w.execute("UPDATE certificates SET profile = 'logon' WHERE serial_number = ?", w.serial)
			},
			start: unnoticed, log: "holds: profiles are in the vault, and what a certificate is for in itself",
		},
		{
			what: "a former CA's live certificates made another's in their rows, and its list in the database deleted",
			do: func(w *databaseAttacker) {
				first := w.fetch("/api/pki/ca")
				next := w.must(201, "POST", casPath, w.tokens["admin"], m{"parent": "self"})["id"].(string)
				w.execute("UPDATE certificates SET issuer = 'CN=nobody'")
				w.must(200, "POST", casPath+"/"+next+"/activate", w.tokens["admin"], nil)
				w.execute("DELETE FROM crl_copies")
				if all, active := w.cas(); active != next || len(all) != 2 || !bytes.Equal(w.fetch("/api/pki/ca"), first) {
					w.t.Errorf("the former CA's addresses are another's: %v", all)
				}
			},
			after: func(w *databaseAttacker) {
				all, active := w.cas()
				for id, ca := range all {
					if id != active && (ca["state"] != "retiring" || ca["crl_path"] != "/api/pki/crl") {
						w.t.Errorf("the former CA: %v, its list at %v", ca["state"], ca["crl_path"])
					}
				}
			},
			start: unnoticed, log: "holds: which CAs there are, and when one ends, is in the vault",
		},
		{
			what:  "a certificate's row deleted",
			do:    func(w *databaseAttacker) { w.execute("DELETE FROM certificates WHERE serial_number = ?", w.serial) },
			start: older, verify: []string{"certificate"}, log: "names the certificate",
		},
		{
			what: "a revocation undone in the certificate's row",
			do: func(w *databaseAttacker) {
				w.must(200, "POST", "/api/certificates/"+w.serial+"/revoke", w.tokens["admin"], map[string]any{"reason": "superseded"})
				w.execute(`UPDATE certificates SET status = 'issued', revoked_at = NULL, revocation_reason = '', published_at = NULL
					WHERE serial_number = ?`, w.serial)
				if !w.onCRL(w.serial) {
					w.t.Error("it is not on the CRL")
				}
			},
			after: func(w *databaseAttacker) {
				await.That(w.t, "it is revoked on record again", func() bool { status, _ := w.certificateStatus(); return status == "revoked" })
				if !w.onCRL(w.serial) {
					w.t.Error("it is not on the CRL after a start")
				}
			},
			start: restored, log: "on record: the revocation, which never left the CRL",
		},
	}
}

// thiefsKey is the fingerprint of the thief's RSA key.
func (w *databaseAttacker) thiefsKey() string {
	w.t.Helper()
	return must.Get(agentkey.Fingerprint(w.thief.rsa))(w.t)
}

// claims returns the claims of somebody's access token, for another of their sessions.
func (w *databaseAttacker) claims(who string, session int) map[string]any {
	w.t.Helper()
	raw := must.Get(base64.RawURLEncoding.DecodeString(strings.Split(w.tokens[who], ".")[1]))(w.t)
	var claims map[string]any
	must.OK(w.t, json.Unmarshal(raw, &claims))
	if claims["session_id"] != float64(w.sessions[who]) {
		w.t.Fatalf("the claims are %v", claims)
	}
	claims["session_id"] = session
	return claims
}

// refusedAgent requires an entry for each refusal, and that the agent gets secrets
// again once registered.
func (w *databaseAttacker) refusedAgent() {
	w.t.Helper()
	for _, asked := range []string{"get-secrets", "sign-csr"} {
		if w.entries("actor = 'a-user' AND action = 'permission.denied' AND ? IN (details, target_id)", asked) == 0 {
			w.t.Errorf("no entry tells that %s was refused", asked)
		}
	}
	w.registerAgent(w.tokens["a-user"], w.sessions["a-user"])
	w.gets("a-user")
}

// swapKey writes the thief's key into the session of a-user.
func (w *databaseAttacker) swapKey(fingerprint bool) string {
	w.t.Helper()
	w.execute("UPDATE sessions SET agent_public_key = ? WHERE id = ?", inPEM(der(w.t, w.thief.rsa)), w.sessions["a-user"])
	if fingerprint {
		w.execute("UPDATE sessions SET agent_key_fingerprint = ? WHERE id = ?", w.thiefsKey(), w.sessions["a-user"])
	}
	return w.thiefsKey()
}

// registers the thief's agent with somebody's session.
func (w *databaseAttacker) registers(who string, code any) {
	w.t.Helper()
	agent := w.thief
	body := map[string]any{"public_key": inPEM(der(w.t, agent.rsa)),
		"identity": map[string]any{"public_key": inPEM(der(w.t, agent.identity.Public())), "signature": agent.sign("-")}}
	if code != nil {
		body["confirmed_code"] = code
	}
	me := w.must(200, "GET", "/api/auth/me", w.tokens[who], nil)
	w.must(200, "POST", fmt.Sprint("/api/session/", me["session_id"], "/register-agent"), w.tokens[who], body)
}

// gets has somebody read the PIN of somebody else's token.
func (w *databaseAttacker) gets(who string) {
	w.t.Helper()
	if status, out := w.release(who, "10000"); status != 200 {
		w.t.Errorf("%s is answered %d %v", who, status, out)
	}
}

func (w *databaseAttacker) pin(who string) string {
	w.t.Helper()
	_, out := w.release(who, "10000")
	sealed, _ := out["pin"].(string)
	return open(w.t, "10000", "pin", sealed)
}

// tells requires an entry by somebody.
func (w *databaseAttacker) tells(who, action, details string) {
	w.t.Helper()
	if w.entries("actor = ? AND action = ? AND details LIKE ?", who, action, "%"+details+"%") == 0 {
		w.t.Errorf("no entry tells of %s by %s", action, who)
	}
}
