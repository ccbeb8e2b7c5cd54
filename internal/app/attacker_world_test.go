package app_test

import (
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// databaseAttacker is a fixture with a short history, and b-user, who can write its database.
type databaseAttacker struct {
	*fixture
	db       *sql.DB
	thief    workstation       // b-user's other agent
	released map[[2]string]int // releases of secrets, by token and the key's fingerprint
	issued   []string          // serial numbers of issued certificates
}

// remembered is a fixture with that history. It is rebuilt when its sign-ins are about to
// be no longer recent.
var remembered struct {
	sync.Mutex
	atRest
	at time.Time
}

func history(t *testing.T) atRest {
	t.Helper()
	remembered.Lock()
	defer remembered.Unlock()
	if time.Since(remembered.at) > access.RecentFor/2 {
		remembered.at, remembered.atRest = time.Now(), remember(t)
	}
	return remembered.atRest
}

// remember builds the history: a release, a rotation, two certificates, and a dismissed
// administrator.
func remember(t *testing.T) atRest {
	t.Helper()
	w := newFixture(t)
	w.ids["boss"] = w.must(201, "POST", "/api/admin/users", w.tokens["admin"], map[string]any{
		"username": "boss", "email": "boss@example.org", "password": usual, "role": "global_admin",
	})["id"]
	for _, name := range []string{"admin", "boss", "a-org_manager", "a-user", "b-user"} {
		w.signIn(name, map[bool]string{true: adminPassword, false: usual}[name == "admin"])
		w.registerAgent(w.tokens[name], w.sessions[name])
	}
	w.must(200, "GET", "/api/hwkey/10000/secrets", w.tokens["a-user"], nil)
	w.must(201, "POST", "/api/hwkey/10000/rotations", w.tokens["a-user"], map[string]any{"fields": []string{"pin"}})
	w.must(200, "POST", "/api/hwkey/10000/rotations/1/commit", w.tokens["a-user"], nil)
	w.must(200, "POST", "/api/hwkey/10000/sign-csr", w.tokens["a-user"],
		map[string]any{"csr": another(t, "a-user", "history"), "slot": "9c"})
	w.must(200, "PATCH", w.userPath("boss"), w.tokens["admin"], map[string]any{"is_active": false})
	return w.rest(t)
}

// release reads a PIN.
func (w *databaseAttacker) release(who, serial string) (int, map[string]any) {
	w.t.Helper()
	status, out := w.call("GET", "/api/hwkey/"+serial+"/secrets?reason=because", w.tokens[who], nil)
	if status == 200 {
		me := w.must(200, "GET", "/api/auth/me", w.tokens[who], nil)
		var text string
		w.scan(&text, "SELECT agent_public_key FROM sessions WHERE id = ?", me["session_id"])
		key := must.Get(agentkey.ParsePublicKey(text))(w.t)
		w.released[[2]string{serial, must.Get(agentkey.Fingerprint(key))(w.t)}]++
	}
	return status, out
}

// certify gets a certificate.
func (w *databaseAttacker) certify(who, serial, slot, name, mark string) (int, map[string]any) {
	w.t.Helper()
	status, out := w.call("POST", "/api/hwkey/"+serial+"/sign-csr", w.tokens[who],
		map[string]any{"csr": another(w.t, name, mark), "slot": slot})
	if status == 200 {
		w.issued = append(w.issued, out["serial_number"].(string))
	}
	return status, out
}

// sealedOnce waits until the log is sealed after the start: the next time is in a
// minute.
func (w *databaseAttacker) sealedOnce() {
	w.t.Helper()
	await.That(w.t, "the log is sealed after the start", func() bool {
		for _, item := range w.system(w.tokens["admin"], "jobs")["items"].([]any) {
			if task := item.(map[string]any); task["name"] == "seal the audit log" {
				return task["last_finished_at"] != nil
			}
		}
		return false
	})
}

// unsealed does something that creates an entry, and changes the entry before it is
// sealed.
func (w *databaseAttacker) unsealed(do func(), statement string) {
	w.t.Helper()
	await.That(w.t, "it is not sealed yet", func() bool {
		do()
		return w.execute(statement+" AND id > (SELECT max(last_id) FROM audit_batches)") > 0
	})
}

// execute is the server's, on one connection; it returns the number of changed rows.
func (w *databaseAttacker) execute(statement string, args ...any) int64 {
	w.t.Helper()
	result := must.Get(w.db.ExecContext(w.t.Context(), engine.Numbered(statement), args...))(w.t)
	return must.Get(result.RowsAffected())(w.t)
}

// sql executes statements in order.
func (w *databaseAttacker) sql(statements ...string) {
	w.t.Helper()
	for _, s := range statements {
		w.execute(s)
	}
}

// verifies returns the result and the error of `keyward audit verify`.
func (w *databaseAttacker) verifies() (app.Verified, error) {
	w.t.Helper()
	v, err := app.VerifyAudit(w.t.Context(), w.cfg, nil)
	if err == nil && v.Absent > 0 && !engine.OnPostgres() {
		err = fmt.Errorf("first missing entry: %d", v.FirstAbsent)
	}
	return v, err
}

// allSeen requires that the audit log is sound and shows everything that left.
func (w *databaseAttacker) allSeen() {
	w.t.Helper()
	for to, times := range w.released {
		const tells = "action = 'hwkey.secrets_released' AND outcome = 'success' AND target_id = ? AND details LIKE ?"
		if n := w.entries(tells, to[0], "%agent key "+to[1]+"%"); n < times {
			w.t.Errorf("the PIN of %s left %d times for %s, and %d entries say so", to[0], times, to[1], n)
		}
	}
	for _, serial := range w.issued {
		if w.entries("action = 'certificate.issued' AND target_id = ?", serial) != 1 {
			w.t.Errorf("no entry tells of the certificate %s", serial)
		}
	}
}

// entries counts matching entries of the log.
func (w *databaseAttacker) entries(where string, args ...any) int {
	w.t.Helper()
	return w.number("SELECT count(*) FROM audit_entries WHERE "+where, args...)
}

func (w *databaseAttacker) number(query string, args ...any) (n int) {
	w.t.Helper()
	w.scan(&n, query, args...)
	return n
}

func (w *databaseAttacker) scan(into any, query string, args ...any) {
	w.t.Helper()
	must.OK(w.t, w.db.QueryRowContext(w.t.Context(), engine.Numbered(query), args...).Scan(into))
}

func hashOf(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}
