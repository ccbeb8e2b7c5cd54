package hwkey_test

import (
	"testing"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/piv"
)

// setBack is a world whose database was restored to before token key-1 was
// registered, while the vault holds its document. It returns its values, which were
// released to the desk while in stock.
func setBack(t *testing.T) (*world, map[piv.Field]custody.Values) {
	t.Helper()
	before, w := setup(t), setup(t)
	before.register(t, "key-1", nil)
	must(t, before.release(t, before.desk, "key-1"))
	state, err := before.keys.Custody.Load(t.Context(), "key-1")
	must(t, err)
	w.kv.KV = before.kv.KV
	return w, state.Document.Fields
}

// apiKey is an API key with a manager's scope.
func (w *world) apiKey() access.Actor {
	return access.Actor{APIKeyID: 1, Username: "api-key:ci", Role: access.OrgManager, OrganizationID: &w.a.ID,
		KeyScopes: []access.KeyScope{access.KeyAll}}
}

// candidates returns the kinds that an owner is told to try, by field, and whether a
// former value is among them.
func (w *world) candidates(
	t *testing.T, owner access.Actor, former map[piv.Field]custody.Values,
) (kinds map[custody.Kind]int, leaked bool) {
	t.Helper()
	out, err := w.keys.Secrets(t.Context(), owner, scope(t, owner), "key-1", hwkey.ReleaseRequest{Fields: piv.Fields, Candidates: true})
	must(t, err)
	state, err := w.keys.Custody.Load(t.Context(), "key-1")
	must(t, err)
	kinds = map[custody.Kind]int{}
	for _, f := range piv.Fields {
		for _, c := range out.Candidates[f] {
			kinds[custody.Kind(c.Kind)]++
		}
		for _, c := range state.Document.Candidates(f) {
			leaked = leaked || c.Value.Equal(former[f].Current)
		}
	}
	return kinds, leaked
}

// TestTakenOverSecretsAreNoOwners: an API key registers a token, with an owner,
// whose secrets are still in the vault and were given to others. The owner gets none of them.
func TestTakenOverSecretsAreNoOwners(t *testing.T) {
	t.Parallel()
	ways := map[string]func(*testing.T, *world){
		"registered": func(t *testing.T, w *world) {
			in := hwkey.Registration{Serial: "key-1", OwnerID: &w.alex.UserID}
			_, err := w.keys.Register(t.Context(), w.apiKey(), scope(t, w.apiKey()), in)
			must(t, err)
		},
		"imported": func(t *testing.T, w *world) {
			expect(t, "import", w.load(t, w.apiKey(), false, "serial,owner", "key-1,alex"), "2 key-1 created")
		},
		"imported after a registration that stopped half-way": func(t *testing.T, w *world) {
			_, err := w.keys.Custody.Create(t.Context(), "key-1", nil)
			must(t, err)
			_, err = w.keys.Custody.Create(t.Context(), "key-1", &w.alex.UserID)
			must(t, err)
			expect(t, "import", w.load(t, w.apiKey(), false, "serial,owner", "key-1,alex"), "2 key-1 created")
		},
	}
	for name, put := range ways {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w, former := setBack(t)
			put(t, w)
			kinds, leaked := w.candidates(t, w.alex, former)
			if leaked || kinds[custody.Superseded] > 0 || kinds[custody.Current] != 3 || kinds[custody.Factory] != 3 {
				t.Errorf("the owner is told to try %v; the desk's values among them: %v", kinds, leaked)
			}
			_, err := w.keys.Observe(t.Context(), w.alex, scope(t, w.alex), "key-1",
				hwkey.Observation{Field: piv.PIN, Matched: custody.Superseded})
			code(t, "an observation of a former value", err, fault.InvalidRequest)
			if _, leaked := w.candidates(t, w.alex, former); leaked {
				t.Error("an observation opened the desk's values")
			}
		})
	}
}

// TestTakenOverStock: without an owner the former values remain candidates, for a
// card they may unlock; assigning the token then takes more than an API key.
func TestTakenOverStock(t *testing.T) {
	t.Parallel()
	w, former := setBack(t)
	key := w.apiKey()
	_, err := w.keys.Register(t.Context(), key, scope(t, key), hwkey.Registration{Serial: "key-1"})
	must(t, err)
	give := hwkey.Patch{OwnerID: new(&w.alex.UserID)}
	_, err = w.keys.Update(t.Context(), key, scope(t, key), "key-1", give)
	code(t, "the API key gives it", err, fault.PermissionDenied)
	_, err = w.keys.Update(t.Context(), w.manager, scope(t, w.manager), "key-1", give)
	must(t, err)
	if kinds, leaked := w.candidates(t, w.alex, former); !leaked || kinds[custody.Superseded] != 3 {
		t.Errorf("whom a person gave the token is told to try %v, the card's values among them: %v", kinds, leaked)
	}
}
