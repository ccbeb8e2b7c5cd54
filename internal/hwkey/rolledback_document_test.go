package hwkey_test

import (
	"context"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/vault"
)

// TestOlderDocument: a token's outdated secrets, from a vault restored to an older
// state, are noticed where they would be used, and neither released nor changed.
func TestOlderDocument(t *testing.T) {
	t.Parallel()
	w := setup(t)
	w.register(t, "key-1", &w.alex)
	const path = "key-1/secrets"
	document := func() vault.Version {
		t.Helper()
		v, err := w.kv.Get(t.Context(), path)
		must(t, err)
		return v
	}
	write := func(data vault.Data) {
		t.Helper()
		_, err := w.kv.Put(t.Context(), path, data, document().Number)
		must(t, err)
	}
	former := document()
	must(t, w.rotate(t, w.alex, "key-1"))
	present := document()

	var told []string
	w.keys.RolledBack = func(ctx context.Context, serial string, still func(context.Context) (bool, error)) error {
		if is, err := still(ctx); err != nil || !is {
			t.Errorf("looked at again it is older: %v, %v", is, err)
		}
		told = append(told, serial)
		return fault.New(fault.RecoveryRequired, "", "older")
	}
	write(former.Data)
	if err := w.release(t, w.alex, "key-1"); !fault.Is(err, fault.RecoveryRequired) {
		t.Errorf("former secrets are released: %v", err)
	}
	_, err := w.keys.SettleRotation(t.Context(), w.alex, scope(t, w.alex), "key-1", 1, nil, custody.Pending)
	if !fault.Is(err, fault.RecoveryRequired) || len(told) != 2 || told[0] != "key-1" {
		t.Errorf("a rotation that it does not know is settled: %v, %v", err, told)
	}

	write(present.Data)
	must(t, w.release(t, w.alex, "key-1"))
	_, err = w.keys.SettleRotation(t.Context(), w.alex, scope(t, w.alex), "key-1", 1, []piv.Field{piv.PIN}, custody.Pending)
	must(t, err)
	if d, err := w.db.Device(t.Context(), access.All(), "key-1"); err != nil || d.SecretsCounter != 3 {
		t.Errorf("it counts on from %d, %v", d.SecretsCounter, err)
	}

	// The counter does not restart after the path was destroyed.
	must(t, w.kv.DestroyPath(t.Context(), path))
	_, err = w.keys.Reset(t.Context(), w.alex, scope(t, w.alex), "key-1", "")
	must(t, err)
	if d, err := w.db.Device(t.Context(), access.All(), "key-1"); err != nil || d.SecretsCounter != 4 || d.SecretsVersion != 1 {
		t.Errorf("after a reset it is %d of version %d, %v", d.SecretsCounter, d.SecretsVersion, err)
	}
	must(t, w.release(t, w.alex, "key-1"))
	if len(told) != 2 {
		t.Errorf("told of %v", told)
	}
}
