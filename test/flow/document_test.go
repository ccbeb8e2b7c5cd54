package flow_test

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/vault"
)

// document is what the vault holds of a token, in plain text.
type document struct {
	Fields map[piv.Field]record
	Open   bool // whether a rotation is open
}

// record is what the vault holds of one secret.
type record struct {
	Current, Pending string
	Former           []string // its superseded candidates
	Factory          bool     // whether the factory value is a candidate
	Fruitless        int      // how many consecutive probes found no value on the card
}

// tellDocument serves a token's document, in the service's process. The service itself
// releases secrets only to agents, sealed with 4096-bit RSA: a thousand reads would
// take longer than the flows.
func tellDocument(kv vault.KV) http.HandlerFunc {
	documents := &custody.Store{Vault: kv, Now: time.Now}
	return func(rw http.ResponseWriter, r *http.Request) {
		state, err := documents.Load(r.Context(), r.PathValue("serial"))
		if err != nil {
			http.Error(rw, err.Error(), http.StatusInternalServerError)
			return
		}
		told := document{Fields: map[piv.Field]record{}, Open: state.Document.Rotation != nil}
		for f, v := range state.Document.Fields {
			one := record{Current: v.Current.Reveal(), Pending: v.Pending.Reveal(), Fruitless: v.Fruitless}
			for _, c := range state.Document.Candidates(f) {
				switch c.Kind {
				case custody.Superseded:
					one.Former = append(one.Former, c.Value.Reveal())
				case custody.Factory:
					one.Factory = true
				}
			}
			told.Fields[f] = one
		}
		_ = json.NewEncoder(rw).Encode(told)
	}
}

// document reads what the vault holds of a token.
func (s *service) document(t *testing.T, serial string) document {
	t.Helper()
	var d document
	if err := json.Unmarshal(s.control(t, http.MethodGet, "document", serial, nil), &d); err != nil {
		t.Fatal(err)
	}
	return d
}

func (d document) current(f piv.Field) secret.String { return secret.New(d.Fields[f].Current) }
