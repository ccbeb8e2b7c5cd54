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

// released is a recorded release of a token's PIN, with the log and the key of its agent.
type released struct {
	log     *intentlog.Releases
	agent   *rsa.PrivateKey
	release intentlog.Release
	written audit.Entry
	sealer  *custody.Sealer
}

func release(t *testing.T) released {
	t.Helper()
	dir := t.TempDir()
	db, kv := engine.Store(t, dir, store.Options{}), engine.Vault(t, dir, nil)
	agent := must.Get(rsa.GenerateKey(rand.Reader, 2048))(t)
	r := released{log: intentlog.NewReleases(kv, db, time.Now, slog.New(slog.DiscardHandler)), agent: agent, release: intentlog.Release{
		Serial: "key-1", Fields: []piv.Field{piv.PIN}, Session: 7, Key: &agent.PublicKey,
		Entry: audit.By(access.Actor{Username: "alex"}, audit.SecretsReleased, "hwkey", "key-1", ""),
	}}
	r.written = must.Get(db.RecordRelease(t.Context(), "key-1", must.Get(r.release.AuditEntry())(t), nil))(t)
	r.sealer = must.Get(custody.NewSealer(t.Context(), r.log, r.release, r.written))(t)
	return r
}

// TestSeal: only the fields of a recorded release are sealed, for its agent; and without
// a record, none.
func TestSeal(t *testing.T) {
	t.Parallel()
	r := release(t)
	d := custody.NewDocument(must.Get(custody.GenerateAll())(t), custody.Nobody, time.Now())
	answer := must.Get(r.sealer.Secrets(custody.State{Document: d, Version: 1}, true))(t)
	pin := must.Get(agentkey.Open(r.agent, "key-1", piv.PIN, string(answer.PIN)))(t)
	if !pin.Equal(d.Fields[piv.PIN].Current) || answer.PUK != "" || answer.ManagementKey != "" || len(answer.Candidates) != 1 {
		t.Error("sealed for the agent: another PIN, or more than the PIN")
	}
	d = must.Get(d.Start([]piv.Field{piv.PUK}, must.Get(custody.GenerateAll())(t), 1, "a", time.Now()))(t)
	if answer, err := r.sealer.Rotation(custody.State{Document: d, Version: 2}); err == nil || answer.Current.PUK != "" {
		t.Error("a PUK was sealed that was not recorded")
	}
	other := r.release
	other.Fields = piv.Fields
	for name, e := range map[string]audit.Entry{"none": {}, "another release's": r.written} {
		if sealer, err := custody.NewSealer(t.Context(), r.log, other, e); sealer != nil || !fault.Is(err, fault.RecoveryRequired) {
			t.Errorf("with the entry of %s: %v", name, err)
		}
	}
}
