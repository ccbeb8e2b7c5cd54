package hwkey_test

import (
	"context"
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/vault"
)

// interruptedPKI lets something happen while the CA signs.
type interruptedPKI struct {
	vault.PKI
	meanwhile func()
}

func (p interruptedPKI) Sign(ctx context.Context, r vault.SignRequest) (vault.Issued, error) {
	p.meanwhile()
	return p.PKI.Sign(ctx, r)
}

// TestSigningRacesReset: what ends the token's certificates while the CA
// signs ends this one, too, though the token stands as before afterwards.
func TestSigningRacesReset(t *testing.T) {
	t.Parallel()
	for name, meanwhile := range map[string]func(w *world) error{
		"reset": func(w *world) error {
			_, err := w.keys.Reset(t.Context(), w.manager, scope(t, w.manager), "key-1", "")
			return err
		},
		"lost and found": func(w *world) error {
			for _, s := range []hwkey.Status{hwkey.Lost, hwkey.Suspended, hwkey.Assigned} {
				if _, err := w.keys.Update(t.Context(), w.manager, scope(t, w.manager), "key-1", hwkey.Patch{Status: &s}); err != nil {
					return err
				}
			}
			return nil
		},
		"another owner and back": func(w *world) error {
			for _, owner := range []*int64{&w.amy.UserID, &w.alex.UserID} {
				if _, err := w.keys.Update(t.Context(), w.manager, scope(t, w.manager), "key-1", hwkey.Patch{OwnerID: &owner}); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := setup(t)
			before := w.register(t, "key-1", &w.alex)
			engine := w.certs.PKI
			w.certs.PKI = interruptedPKI{engine, func() { must(t, meanwhile(w)) }}
			_, err := w.certs.Sign(t.Context(), w.alex, scope(t, w.alex), "key-1", cert.SignRequest{CSR: csr(t, "alex")})
			code(t, "signing", err, fault.Conflict)
			live, err := w.certs.LiveOf(t.Context(), []string{"key-1"})
			must(t, err)
			if len(live["key-1"]) != 0 {
				t.Error("a key of the time before has a certificate")
			}
			after, err := w.keys.Get(t.Context(), access.All(), "key-1")
			must(t, err)
			if after.Status != before.Status || *after.OwnerID != *before.OwnerID {
				t.Errorf("the token is %s: the test tests nothing", after.Status)
			}
			w.certs.PKI = engine
			_, err = w.certs.Sign(t.Context(), w.alex, scope(t, w.alex), "key-1", cert.SignRequest{CSR: csr(t, "alex")})
			must(t, err)
		})
	}
}
