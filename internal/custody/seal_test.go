package custody_test

import (
	"crypto/rand"
	"crypto/rsa"
	"log/slog"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/test/engine"
	"github.com/keyward/keyward/test/must"
)

// TestSeal: only the fields of a recorded release are sealed, for its agent; and without
// a record, none.
func TestSeal(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	db, kv := engine.Store(t, dir, store.Options{}), engine.Vault(t, dir, nil)
	log := intentlog.NewReleases(kv, db, time.Now, slog.New(slog.DiscardHandler))
	agent := must.Get(rsa.GenerateKey(rand.Reader, 2048))(t)
	r := intentlog.Release{
		Serial: "key-1", Fields: []piv.Field{piv.PIN}, Session: 7, Key: &agent.PublicKey,
		Entry: audit.By(access.Actor{Username: "alex"}, audit.SecretsReleased, "hwkey", "key-1", ""),
	}
	state := custody.State{Document: custody.NewDocument(must.Get(custody.GenerateAll())(t), custody.Nobody, time.Now()), Version: 1}

	written := must.Get(db.RecordRelease(ctx, "key-1", must.Get(r.AuditEntry())(t), nil))(t)
	sealer := must.Get(custody.Open(ctx, log, r, written))(t)
	answer := must.Get(sealer.Secrets(state, true))(t)
	pin := must.Get(agentkey.Open(agent, "key-1", piv.PIN, string(answer.PIN)))(t)
	if !pin.Equal(state.Document.Fields[piv.PIN].Current) || answer.PUK != "" || answer.ManagementKey != "" || len(answer.Candidates) != 1 {
		t.Error("sealed for the agent: another PIN, or more than the PIN")
	}
	for name, e := range map[string]audit.Entry{"none": {}, "another release's": written} {
		other := r
		other.Fields = piv.Fields
		if sealer, err := custody.Open(ctx, log, other, e); sealer != nil || !fault.Is(err, fault.RecoveryRequired) {
			t.Errorf("with the entry of %s: %v", name, err)
		}
	}
}

// TestSealUnrecorded: a rotation of a field that the release doesn't have is not sealed.
func TestSealUnrecorded(t *testing.T) {
	t.Parallel()
	ctx, dir := t.Context(), t.TempDir()
	db, kv := engine.Store(t, dir, store.Options{}), engine.Vault(t, dir, nil)
	log := intentlog.NewReleases(kv, db, time.Now, slog.New(slog.DiscardHandler))
	agent := must.Get(rsa.GenerateKey(rand.Reader, 2048))(t)
	r := intentlog.Release{
		Serial: "key-1", Fields: []piv.Field{piv.PIN}, Session: 7, Key: &agent.PublicKey,
		Entry: audit.By(access.Actor{Username: "alex"}, audit.RotationStarted, "hwkey", "key-1", ""),
	}
	written := must.Get(db.RecordRelease(ctx, "key-1", must.Get(r.AuditEntry())(t), nil))(t)
	sealer := must.Get(custody.Open(ctx, log, r, written))(t)
	d := custody.NewDocument(must.Get(custody.GenerateAll())(t), custody.Nobody, time.Now())
	d = must.Get(d.Start([]piv.Field{piv.PUK}, must.Get(custody.GenerateAll())(t), 1, "a", time.Now()))(t)
	if answer, err := sealer.Rotation(custody.State{Document: d, Version: 2}); err == nil || answer.Current.PUK != "" {
		t.Error("a PUK was sealed that was not recorded")
	}
}
