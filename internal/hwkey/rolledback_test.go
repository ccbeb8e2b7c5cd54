package hwkey_test

import (
	"testing"
	"time"

	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/test/engine"
)

// older deletes certificates from the database, as if restored to a state from
// before they were issued.
func (i *issuing) older(t *testing.T, lacks ...cert.Signed) {
	t.Helper()
	db := engine.SQL(t, i.dir)
	for _, s := range lacks {
		_, err := db.ExecContext(t.Context(), "DELETE FROM certificates WHERE serial_number = $1", s.Certificate.SerialNumber)
		must(t, err)
	}
}

// TestOlderDatabase: a recorded certificate missing from the database is noticed,
// and is never revoked for that reason, before or after the database is accepted.
func TestOlderDatabase(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		var signed []cert.Signed
		var batch vault.Version
		var path string
		for _, serial := range []string{"key-2", "key-3", "key-4"} {
			s, err := i.another(t, serial)
			must(t, err)
			signed = append(signed, s)
			open, err := i.engine.List(t.Context(), "_issuances/open")
			must(t, err)
			if serial == "key-4" {
				break // still in progress when the server stopped
			}
			path = "_issuances/open/" + open[0]
			batch, err = i.engine.Get(t.Context(), path)
			must(t, err)
			must(t, i.certs.Issuances.Flush(t.Context()))
		}
		// The second one's batch was not removed either.
		_, err := i.engine.Put(t.Context(), path, batch.Data, 0)
		must(t, err)
		i.restart()
		lacked := func(want ...string) {
			t.Helper()
			found, err := i.certs.MissingIssuances(t.Context())
			must(t, err)
			var serials []string
			for _, e := range found {
				serials = append(serials, e.SerialNumber)
			}
			if len(serials) != len(want) || len(want) > 0 && serials[0] != want[0] {
				t.Errorf("the database lacks %v, want %v", serials, want)
			}
		}
		lacked()
		i.older(t, signed[1:]...)
		lacked(signed[1].Certificate.SerialNumber)

		compared := false
		i.certs.Consistent = func() bool { return compared }
		i.reconcile(t, 11*time.Minute)
		if _, open := i.settled(t); open != 2 {
			t.Errorf("%d open: something was settled by a database that was not compared", open)
		}
		lost, err := i.certs.MarkIssuancesUnaccounted(t.Context())
		if err != nil || lost != 3 { // the second one was open, too
			t.Errorf("%d are lost, %v", lost, err)
		}
		compared = true
		lacked()
		i.reconcile(t, 11*time.Minute)
		found, open := i.outcomes(t)
		if revoked, _ := i.standing(t); revoked != 0 || open != 0 || found[intentlog.Lost] != 2 || found[intentlog.Recorded] != 1 {
			t.Errorf("%d are revoked; %v, %d open", revoked, found, open)
		}
	})
}

// TestMarkedIsNotRevoked: what was marked as recorded is not revoked for lack of a
// record, even if nothing was compared.
func TestMarkedIsNotRevoked(t *testing.T) {
	onEachCA(t, func(t *testing.T, i *issuing) {
		signed, err := i.sign(t)
		must(t, err)
		open, err := i.engine.List(t.Context(), "_issuances/open")
		must(t, err)
		path := "_issuances/open/" + open[0]
		batch, err := i.engine.Get(t.Context(), path)
		must(t, err)
		must(t, i.certs.Issuances.Flush(t.Context()))
		_, err = i.engine.Put(t.Context(), path, batch.Data, 0)
		must(t, err)
		i.older(t, signed)
		i.restart()
		i.reconcile(t, 11*time.Minute)
		found, still := i.outcomes(t)
		if revoked, _ := i.standing(t); revoked != 0 || still != 0 || found[intentlog.Recorded] != 1 || len(found) != 1 {
			t.Errorf("%d are revoked; %v, %d open", revoked, found, still)
		}
		must(t, intentlog.EachIssuance(t.Context(), i.engine, func(e intentlog.Entry) error {
			if e.SerialNumber != signed.Certificate.SerialNumber {
				t.Errorf("its mark has lost its serial number: %+v", e)
			}
			return nil
		}))
	})
}
