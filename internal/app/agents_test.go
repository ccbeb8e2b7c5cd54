package app_test

import (
	"crypto/ed25519"
	"crypto/rsa"
	"crypto/sha256"
	"crypto/x509"
	"encoding/base32"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"math/big"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

const site = "https://keyward.example.org"

// workstation is an agent as a page meets it, written from the contract alone (section
// 11, "Identity"): the program that answers on the agent's port.
type workstation struct {
	t        *testing.T
	identity ed25519.PrivateKey
	rsa      *rsa.PublicKey
}

// newWorkstation returns an agent with a new identity and the nth RSA key.
func newWorkstation(t *testing.T, n int64) workstation {
	t.Helper()
	_, key, err := ed25519.GenerateKey(nil)
	must.OK(t, err)
	return workstation{t, key, &rsa.PublicKey{N: new(big.Int).Add(agentKey().N, big.NewInt(2*n)), E: agentKey().E}}
}

// restarted returns the same agent with another RSA key.
func (a workstation) restarted(n int64) workstation {
	a.rsa = newWorkstation(a.t, n).rsa
	return a
}

func der(t *testing.T, key any) []byte {
	t.Helper()
	return must.Get(x509.MarshalPKIXPublicKey(key))(t)
}

func inPEM(der []byte) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "PUBLIC KEY", Bytes: der}))
}

func codeOf(der []byte) string {
	sum := sha256.Sum256(der)
	c := base32.StdEncoding.EncodeToString(sum[:])[:16]
	return c[:4] + "-" + c[4:8] + "-" + c[8:12] + "-" + c[12:]
}

func (a workstation) code() string { return codeOf(der(a.t, a.identity.Public())) }

// sign signs the RSA key with the identity, for a site.
func (a workstation) sign(origin string) string {
	sum := sha256.Sum256(der(a.t, a.rsa))
	message := "keyward-agent/1\n" + origin + "\n" + hex.EncodeToString(sum[:])
	return base64.StdEncoding.EncodeToString(ed25519.Sign(a.identity, []byte(message)))
}

// registration is the request of a page of the site.
func (a workstation) registration(more ...any) map[string]any {
	out := map[string]any{"public_key": inPEM(der(a.t, a.rsa)), "hostname": "desk",
		"identity": map[string]any{"public_key": inPEM(der(a.t, a.identity.Public())), "signature": a.sign(site)}}
	for i := 0; i < len(more); i += 2 {
		out[more[i].(string)] = more[i+1]
	}
	return out
}

// visitor is somebody's session in a fixture whose site is site.
type visitor struct {
	*fixture
	token   string
	session int
}

func newVisitor(t *testing.T, who string, change func(*config.Config)) visitor {
	t.Helper()
	w := newFixtureWith(t, func(c *config.Config) {
		c.SiteURL, c.AgentTrust = site, "first-use"
		if change != nil {
			change(c)
		}
	})
	return w.visit(who)
}

func (w *fixture) visit(who string) visitor {
	token, session := w.login(who, usual)
	return visitor{w, token, session}
}

func (v visitor) register(body map[string]any) (int, map[string]any) {
	return v.call("POST", fmt.Sprint("/api/session/", v.session, "/register-agent"), v.token, body)
}

func (v visitor) notices() (kinds []string) {
	for _, n := range v.must(200, "GET", "/api/notices?unread=true", v.token, nil)["items"].([]any) {
		kinds = append(kinds, n.(map[string]any)["kind"].(string))
	}
	return kinds
}

// hasNoAgent requires that this session has no agent, so that no secret leaves.
func (v visitor) hasNoAgent(why string) {
	v.t.Helper()
	if out := v.must(200, "GET", fmt.Sprint("/api/session/", v.session), v.token, nil); out["agent_registered"] != false {
		v.t.Errorf("%s: an agent is registered", why)
	}
	if out := v.must(409, "GET", "/api/hwkey/10000/secrets", v.token, nil); out["code"] != "agent_not_registered" {
		v.t.Errorf("%s: secrets: %v", why, out)
	}
}

// TestSecondIdentityGetsNothing: another user of a terminal server occupies the agent's
// port before the person's own agent does. The page used to register anything that
// answered there, and sent it the PIN.
func TestSecondIdentityGetsNothing(t *testing.T) {
	t.Parallel()
	v := newVisitor(t, "a-user", nil) // who has paired an agent
	rogue := newWorkstation(t, 1)
	for _, confirmed := range []string{"", "AAAA-AAAA-AAAA-AAAA", codeOf(der(t, &agentKey().PublicKey)), codeOf(der(t, rogue.rsa))} {
		status, out := v.register(rogue.registration("confirmed_code", confirmed))
		if status != http.StatusConflict || out["code"] != "agent_confirmation_required" {
			t.Fatalf("confirmed %q: %d %v", confirmed, status, out)
		}
		if params := out["params"].(map[string]any); params["code"] != rogue.code() {
			t.Errorf("the code to compare is %v, want %s", params["code"], rogue.code())
		}
	}
	v.hasNoAgent("before anybody compared a code")
	if told := v.notices(); !slices.Equal(told, []string{"agent_paired", "token_assigned"}) {
		t.Errorf("told of %v, want their own agent alone", told)
	}
	v.registerAgent(v.token, v.session) // their own is known
	v.must(200, "GET", "/api/hwkey/10000/secrets", v.token, nil)
	// A person who has compared the code enters it the way people write it.
	code := strings.ToLower(strings.ReplaceAll(rogue.code(), "-", " "))
	if status, out := v.register(rogue.registration("confirmed_code", code)); status != 200 {
		t.Errorf("confirmed: %d %v", status, out)
	}
	if told := v.notices(); !slices.Equal(told, []string{"agent_paired", "agent_paired", "token_assigned"}) {
		t.Errorf("told of %v, want both", told)
	}
}

// alone is the registration by a client written from the specification alone.
func (a workstation) alone() map[string]any {
	return map[string]any{"public_key": inPEM(der(a.t, a.rsa))}
}

// TestKeyAlone: a client that knows no identities registers the new key at every agent
// start, after the person proves their identity; one notice a day reports it.
func TestKeyAlone(t *testing.T) {
	t.Parallel()
	v := newVisitor(t, "a-user", nil) // whose own agent is of that kind
	for n := range int64(3) {
		if status, out := v.register(newWorkstation(t, n+1).alone()); status != 200 {
			t.Fatalf("key %d: %d %v", n, status, out)
		}
	}
	v.must(200, "GET", "/api/hwkey/10000/secrets", v.token, nil)
	if told := v.notices(); !slices.Equal(told, []string{"agent_paired", "token_assigned"}) {
		t.Errorf("told of %v, want one, of the first key", told)
	}
	engine.Execute(t, v.cfg.Data, "UPDATE agents SET created_at = created_at - 86400000000")
	v.age(v.session, 11*time.Minute)
	if status, out := v.register(newWorkstation(t, 4).alone()); status != 403 || out["code"] != "reauthentication_required" {
		t.Errorf("a new key in a stale session: %d %v", status, out)
	}
	if status, out := v.register(newWorkstation(t, 3).alone()); status != 200 {
		t.Errorf("a known key in a stale session: %d %v", status, out)
	}
	v.must(200, "POST", "/api/auth/reauthenticate", v.token, map[string]any{"password": usual})
	if status, out := v.register(newWorkstation(t, 4).alone()); status != 200 {
		t.Errorf("the next morning: %d %v", status, out)
	}
	if told := v.notices(); strings.Count(strings.Join(told, " "), "agent_paired") != 2 {
		t.Errorf("the next morning told of %v", told)
	}
	confirmed := newWorkstation(t, 5).alone()
	confirmed["confirmed_code"] = "AAAA-AAAA-AAAA-AAAA"
	if status, out := v.register(confirmed); status != 409 {
		t.Errorf("with the code of another: %d %v", status, out)
	}
}

// TestConfirmAsksForTheFirstAgent, too, if AGENT_TRUST says so.
func TestConfirmAsksForTheFirstAgent(t *testing.T) {
	t.Parallel()
	v := newVisitor(t, "b-user", func(c *config.Config) { c.AgentTrust = "confirm" })
	first := newWorkstation(t, 1)
	if status, out := v.register(first.registration()); status != 409 || out["params"].(map[string]any)["code"] != first.code() {
		t.Fatalf("at first use: %d %v", status, out)
	}
	if status, out := v.register(first.alone()); status != 409 || out["params"].(map[string]any)["code"] != codeOf(der(t, first.rsa)) {
		t.Errorf("its key alone: %d %v", status, out)
	}
	if status, out := v.register(first.registration("confirmed_code", first.code())); status != 200 {
		t.Fatalf("confirmed: %d %v", status, out)
	}
	if status, out := v.register(first.restarted(2).registration()); status != 200 {
		t.Errorf("known: %d %v", status, out)
	}
}

// TestFirstUse is open to a person who has just proved their identity, and notifies
// them. After a restart the agent is known by its identity: nobody is asked or
// notified, however old the session.
func TestFirstUse(t *testing.T) {
	t.Parallel()
	v := newVisitor(t, "b-user", nil)
	ours := newWorkstation(t, 1)
	v.age(v.session, 11*time.Minute)
	if status, out := v.register(ours.registration()); status != 403 || out["code"] != "reauthentication_required" {
		t.Fatalf("in a stale session: %d %v", status, out)
	}
	v.must(200, "POST", "/api/auth/reauthenticate", v.token, map[string]any{"password": usual})
	if status, out := v.register(ours.registration("confirmed_code", "AAAA-AAAA-AAAA-AAAA")); status != 409 {
		t.Fatalf("with the code of another: %d %v", status, out)
	}
	if status, out := v.register(ours.registration()); status != 200 {
		t.Fatalf("at first use: %d %v", status, out)
	}
	v.age(v.session, 11*time.Minute)
	for n := range int64(3) {
		if status, out := v.register(ours.restarted(n + 2).registration()); status != 200 {
			t.Fatalf("restarted: %d %v", status, out)
		}
	}
	if told := v.notices(); !slices.Equal(told, []string{"agent_paired", "token_assigned"}) {
		t.Errorf("told of %v, want agent_paired once", told)
	}
	log := v.must(200, "GET", "/api/admin/audit?action=session.agent", v.token, nil)["items"].([]any)
	var actions []string
	for _, e := range log {
		actions = append(actions, e.(map[string]any)["action"].(string))
	}
	const registered, paired = "session.agent_registered", "session.agent_paired"
	slices.Sort(actions)
	if !slices.Equal(actions, []string{paired, registered, registered, registered, registered}) {
		t.Errorf("on record: %v", actions)
	}
	list := v.must(200, "GET", "/api/auth/agents", v.token, nil)["items"].([]any)
	if len(list) != 1 || list[0].(map[string]any)["code"] != ours.code() || list[0].(map[string]any)["hostname"] != "desk" {
		t.Errorf("paired: %v", list)
	}
}

// TestForeignSignatures: an identity's signature is valid for one RSA key, at one site.
func TestForeignSignatures(t *testing.T) {
	t.Parallel()
	v := newVisitor(t, "b-user", func(c *config.Config) { c.AllowedOrigins = []string{"https://intranet.example.org"} })
	ours := newWorkstation(t, 1)
	signed := func(by workstation, origin string) map[string]any {
		return map[string]any{"public_key": inPEM(der(t, ours.identity.Public())), "signature": by.sign(origin)}
	}
	other := newWorkstation(t, 1)
	for name, identity := range map[string]map[string]any{
		"for another site":             signed(ours, "https://evil.example"),
		"for a page of this machine":   signed(ours, "http://localhost:8080"),
		"for a page asked for here":    signed(ours, v.base),
		"for no page that sends null":  signed(ours, "null"),
		"for nothing":                  signed(ours, ""),
		"replayed for another RSA key": signed(ours.restarted(2), site),
		"of another identity":          signed(other, site),
		"none":                         {"public_key": inPEM(der(t, ours.identity.Public())), "signature": "AAAA"},
	} {
		status, out := v.register(ours.registration("identity", identity))
		if status != 400 || !strings.Contains(fmt.Sprint(out["errors"]), "identity.signature") {
			t.Errorf("%s: %d %v", name, status, out)
		}
	}
	if status, out := v.register(ours.registration("identity",
		map[string]any{"public_key": inPEM(der(t, ours.rsa)), "signature": "AAAA"})); status != 400 ||
		!strings.Contains(fmt.Sprint(out["errors"]), "identity.public_key") {
		t.Errorf("an RSA key as identity: %d %v", status, out)
	}
	for _, origin := range []string{site, "https://intranet.example.org", "-"} {
		if status, out := v.register(ours.registration("identity", signed(ours, origin))); status != 200 {
			t.Errorf("for %s: %d %v", origin, status, out)
		}
	}
}

// TestPagesOfThisMachine: signatures for them are valid while the site is on loopback.
func TestPagesOfThisMachine(t *testing.T) {
	t.Parallel()
	v := newVisitor(t, "b-user", func(c *config.Config) { c.SiteURL = "http://localhost:8080" })
	ours := newWorkstation(t, 1)
	port := v.base[strings.LastIndexByte(v.base, ':'):]
	for origin, want := range map[string]int{
		"http://localhost:8080": 200, "http://127.0.0.1:8080": 200, "http://localhost" + port: 200, v.base: 200, "-": 200,
		"https://evil.example": 400, "http://localhost.example.org:8080": 400, "http://192.0.2.1:8080": 400,
	} {
		identity := map[string]any{"public_key": inPEM(der(t, ours.identity.Public())), "signature": ours.sign(origin)}
		if status, out := v.register(ours.registration("identity", identity)); status != want {
			t.Errorf("for %s: %d %v, want %d", origin, status, out, want)
		}
	}
}

// TestAnotherUsersIdentity: what one person has paired does not count for another,
// though both may use one workstation.
func TestAnotherUsersIdentity(t *testing.T) {
	t.Parallel()
	v := newVisitor(t, "b-user", nil)
	theirs := newWorkstation(t, 1)
	if status, out := v.register(theirs.registration()); status != 200 {
		t.Fatalf("its own user: %d %v", status, out)
	}
	victim := v.visit("a-user") // has paired another
	if status, out := victim.register(theirs.registration()); status != 409 {
		t.Errorf("another person: %d %v", status, out)
	}
	victim.hasNoAgent("with another user's identity")
	if status, out := victim.register(theirs.registration("confirmed_code", theirs.code())); status != 200 {
		t.Errorf("shared: %d %v", status, out)
	}
}
