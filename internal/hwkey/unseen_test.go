package hwkey_test

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/test/engine"
)

// loggedReleases returns how many releases of a token the vault has logged, all of them recorded.
func (w *world) loggedReleases(t *testing.T, serial string) int64 {
	t.Helper()
	s, err := w.keys.ReleaseLog.Check(t.Context(), serial)
	must(t, err)
	if !s.Sound() {
		t.Errorf("not on record: %s", s)
	}
	return s.Count
}

// TestEveryReleaseIsLogged: in whichever way secrets leave; and no later change
// of the token removes its log.
func TestEveryReleaseIsLogged(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.register(t, "key-1", &w.alex)
	ctx, own := t.Context(), scope(t, w.alex)
	expect := func(what string, want int64) {
		t.Helper()
		if got := w.loggedReleases(t, "key-1"); got != want {
			t.Errorf("after %s: %d, want %d", what, got, want)
		}
	}
	expect("the registration", 0)
	must(t, w.release(t, w.alex, "key-1"))
	expect("a reading", 1)
	_, err := w.keys.Secrets(ctx, w.alex, own, "key-1", hwkey.ReleaseRequest{Fields: piv.Fields, Candidates: true})
	must(t, err)
	expect("a list of candidates", 2)
	r, err := w.keys.StartRotation(ctx, w.alex, own, "key-1", hwkey.RotationRequest{Fields: []piv.Field{piv.PUK, piv.PIN}})
	must(t, err)
	expect("a rotation's start", 3)
	_, err = w.keys.Rotation(ctx, w.alex, own, "key-1", r.ID, "")
	must(t, err)
	expect("its second reading", 4)
	for _, settle := range []func() error{
		func() error { return w.release(t, w.bea, "key-1") }, // refused
		func() error {
			_, err := w.keys.SettleRotation(ctx, w.alex, own, "key-1", r.ID, nil, custody.Pending)
			return err
		},
		func() error { _, err := w.keys.Reset(ctx, w.alex, own, "key-1", ""); return err },
	} {
		_ = settle()
	}
	expect("a refusal, a commit and a reset", 4)
	must(t, w.release(t, w.alex, "key-1"))
	expect("a reading of the fresh ones", 5)
	report, err := intentlog.VerifyReleases(ctx, w.kv, w.db)
	if err != nil || report.Releases != 5 || report.Unknown != 0 {
		t.Errorf("verified: %+v, %v", report, err)
	}
	list, err := w.db.ListAudit(ctx, access.All(), audit.Filter{Target: "key-1", Action: "hwkey.rotation_started"}, page.Request{Limit: 1})
	must(t, err)
	want := fmt.Sprintf("rotation %d, fields puk,pin; session %d; agent key ", r.ID, w.alex.SessionID)
	if len(list.Items) != 1 || !strings.HasPrefix(list.Items[0].Details, want) {
		t.Errorf("%+v, want %s…", list.Items, want)
	}
}

// TestAnotherAgentKey: a key written into a session's row gets nothing, even with a
// matching fingerprint.
func TestAnotherAgentKey(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.register(t, "key-1", &w.alex)
	must(t, w.release(t, w.alex, "key-1"))
	key, err := agentkey.ParsePublicKey(agentKey())
	must(t, err)
	key.N.Add(key.N, big.NewInt(2))
	text, err := agentkey.EncodePublicKey(key)
	must(t, err)
	fingerprint, err := agentkey.Fingerprint(key)
	must(t, err)

	engine.Execute(t, w.dir, "UPDATE sessions SET agent_public_key = ? WHERE id = ?", text, w.alex.SessionID)
	for what, err := range map[string]error{"a reading": w.release(t, w.alex, "key-1"), "a rotation": w.rotate(t, w.alex, "key-1")} {
		if f, ok := fault.As(err); !ok || f.Code != fault.RecoveryRequired || f.Reason != "agent_key_replaced" {
			t.Errorf("%s: %v", what, err)
		}
	}
	if got := w.loggedReleases(t, "key-1"); got != 1 {
		t.Errorf("%d releases", got)
	}

	engine.Execute(t, w.dir, "UPDATE sessions SET agent_key_fingerprint = ? WHERE id = ?", fingerprint, w.alex.SessionID)
	w.foreign(t, "with its fingerprint")
	// An agent that the thief registered with their own session.
	must(t, w.sessions.RegisterAgent(t.Context(), w.amy, w.amy.SessionID, session.Registration{
		PublicKey: text, Hostname: "desk-2", ConfirmedCode: agentkey.VerificationCode(fingerprint)}))
	engine.Execute(t, w.dir, "UPDATE sessions SET agent_key_mac = (SELECT s.agent_key_mac FROM sessions AS s WHERE s.id = ?) WHERE id = ?",
		w.amy.SessionID, w.alex.SessionID)
	w.foreign(t, "with the MAC of another session")
	engine.Execute(t, w.dir, "UPDATE sessions SET agent_key_mac = '' WHERE id = ?", w.alex.SessionID)
	w.foreign(t, "without a MAC")
	must(t, w.sessions.RegisterAgent(t.Context(), w.alex, w.alex.SessionID, session.Registration{PublicKey: agentKey(), Hostname: "desk-1"}))
	must(t, w.release(t, w.alex, "key-1"))
	if got := w.loggedReleases(t, "key-1"); got != 2 {
		t.Errorf("%d releases in the end", got)
	}
}

// foreign demands that nothing is released to the agent key of alex's session, and
// that no agent is shown there.
func (w *world) foreign(t *testing.T, what string) {
	t.Helper()
	for kind, err := range map[string]error{"a reading": w.release(t, w.alex, "key-1"), "a rotation": w.rotate(t, w.alex, "key-1")} {
		if f, ok := fault.As(err); !ok || f.Code != fault.AgentNotRegistered || f.Reason != "agent_key_foreign" {
			t.Errorf("%s: %s: %v", what, kind, err)
		}
	}
	sess, err := w.sessions.Get(t.Context(), access.All(), w.alex.SessionID)
	must(t, err)
	list, err := w.sessions.List(t.Context(), w.alex, access.All(), 0, page.Request{Limit: 1})
	must(t, err)
	if sess.AgentPublicKey+sess.AgentKeyFingerprint+list.Items[0].AgentPublicKey != "" {
		t.Errorf("%s: an agent is shown", what)
	}
}
