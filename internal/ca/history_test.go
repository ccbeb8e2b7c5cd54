package ca_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/ca"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/vault"
	"github.com/keyward/keyward/internal/vault/embedded"
	"github.com/keyward/keyward/test/must"
)

// world is a service on an engine, with a clock and a log of its own.
type world struct {
	*ca.Service

	engine  *embedded.Engine
	now     time.Time
	entries []audit.Entry
	refuses error                // what the log answers
	live    map[string]ca.Issued // what the database says
}

func (w *world) AppendAudit(_ context.Context, entries ...audit.Entry) error {
	if w.refuses == nil {
		w.entries = append(w.entries, entries...)
	}
	return w.refuses
}

func (w *world) LiveByIssuer(context.Context, time.Time) (map[string]ca.Issued, error) {
	return w.live, nil
}

// actions are those logged since the last call, failures with an exclamation mark.
func (w *world) actions() (list []string) {
	for _, e := range w.entries {
		action := string(e.Action)
		if e.Outcome == audit.Failure {
			action += "!"
		}
		list = append(list, action)
	}
	w.entries = nil
	return list
}

const year = 365 * 24 * time.Hour

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{now: time.Now(), live: map[string]ca.Issued{}}
	clock := func() time.Time { return w.now }
	w.engine = must.Get(embedded.Open(t.Context(), embedded.Options{
		Path: t.TempDir(), PublicBase: "http://localhost", CAKeyType: piv.ECP256, Logger: slog.New(slog.DiscardHandler), Now: clock,
	}))(t)
	t.Cleanup(func() { must.OK(t, w.engine.Close()) })
	w.Service = &ca.Service{
		PKI: w.engine, Vault: w.engine, Log: w, Certificates: w, MaxTTL: year, Now: clock,
		Profiles: &profile.Service{Vault: w.engine, KeyTypes: []piv.KeyType{piv.RSA2048}, MaxTTL: year, Now: clock},
	}
	return w
}

// states are those of all CAs, the active one's first.
func (w *world) states(t *testing.T) (list []ca.State) {
	t.Helper()
	for _, c := range must.Get(w.List(t.Context()))(t) {
		list = append(list, c.State)
	}
	return list
}

func (w *world) want(t *testing.T, when string, states []ca.State, actions ...string) {
	t.Helper()
	if got := w.states(t); !slices.Equal(got, states) {
		t.Errorf("%s: %v, want %v", when, got, states)
	}
	if got := w.actions(); !slices.Equal(got, actions) {
		t.Errorf("%s: logged %v, want %v", when, got, actions)
	}
}

var admin = access.Actor{UserID: 7, Username: "admin", Role: access.GlobalAdmin}

// TestLife walks from CA to CA, and back. A CA ends once the last certificate has that it may have signed.
func TestLife(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	ctx := t.Context()
	must.OK(t, w.Look(ctx))
	w.want(t, "alone", []ca.State{ca.Active})
	first := must.Get(w.List(ctx))(t)[0]
	next := must.Get(w.Request(ctx, admin, ca.Request{SelfSigned: true}))(t)
	if next.Subject() != "CN=Keyward Root CA 2" || next.KeyType != piv.ECP256 {
		t.Errorf("%s, %s", next.Subject(), next.KeyType)
	}
	w.want(t, "requested", []ca.State{ca.Active, ca.Ready}, "ca.requested")
	must.OK(t, w.Look(ctx))
	w.want(t, "looked at", []ca.State{ca.Active, ca.Ready})
	must.Get(w.Activate(ctx, admin, next.ID))(t)
	w.want(t, "activated", []ca.State{ca.Active, ca.Retiring}, "ca.activated", "ca.retired")
	must.Get(w.Activate(ctx, admin, first.ID))(t)
	w.want(t, "activated back", []ca.State{ca.Active, ca.Retiring}, "ca.activated", "ca.retired")
	must.Get(w.Activate(ctx, admin, next.ID))(t)
	w.actions()

	w.now = w.now.Add(year)
	if w.Ended(first.ID) {
		t.Error("ended while a certificate may be alive that was just being signed")
	}
	w.now = w.now.Add(2 * time.Hour)
	if !w.Ended(first.ID) || w.Ended(next.ID) {
		t.Error("not ended a year after it has retired, or the active one is")
	}
	w.want(t, "ended", []ca.State{ca.Active, ca.Ended})
	if _, err := w.Activate(ctx, admin, first.ID); !fault.Is(err, fault.CANotActive) {
		t.Errorf("an ended CA: %v", err)
	}
}

// TestRecordsProlong: a certificate that lasts longer than new ones would keeps its CA's end away; a record that
// was changed can't bring it nearer.
func TestRecordsProlong(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	first := must.Get(w.List(t.Context()))(t)[0]
	next := must.Get(w.Request(t.Context(), admin, ca.Request{SelfSigned: true}))(t)
	late := w.now.Add(2 * year)
	w.live[first.Subject()] = ca.Issued{Live: 3, Last: late}
	must.Get(w.Activate(t.Context(), admin, next.ID))(t)
	w.live[first.Subject()] = ca.Issued{}
	must.OK(t, w.Look(t.Context()))
	list := must.Get(w.List(t.Context()))(t)
	if !list[1].Ends.Equal(late) {
		t.Errorf("it ends %s, want %s", list[1].Ends, late)
	}
}

// TestByHand: an operator who makes another CA the vault's active one is followed, and the log says so.
func TestByHand(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	made := must.Get(w.engine.NewCA(t.Context(), vault.NewCA{KeyType: piv.ECP256, CommonName: "By hand", SelfSigned: true}))(t)
	must.OK(t, w.engine.ActivateCA(t.Context(), made.ID))
	must.OK(t, w.Look(t.Context()))
	w.want(t, "found", []ca.State{ca.Active, ca.Retiring}, "ca.activated", "ca.retired")
	if active := must.Get(w.List(t.Context()))(t)[0]; active.ID != made.ID || active.ActivatedAt.IsZero() {
		t.Errorf("%+v", active)
	}
	must.OK(t, w.Look(t.Context()))
	w.want(t, "found again", []ca.State{ca.Active, ca.Retiring})
}

// lost is an engine whose answers are lost: it does what is asked, or not.
type lost struct {
	vault.PKI
	does bool
}

func (l lost) ActivateCA(ctx context.Context, id string) error {
	if l.does {
		_ = l.PKI.ActivateCA(ctx, id)
	}
	return vault.ErrUnavailable
}

// TestAnswerLost: whether or not the engine did it, the log says what is known, and the history follows.
func TestAnswerLost(t *testing.T) {
	t.Parallel()
	for _, does := range []bool{false, true} {
		w := newWorld(t)
		next := must.Get(w.Request(t.Context(), admin, ca.Request{SelfSigned: true}))(t)
		w.actions()
		w.PKI = lost{w.engine, does}
		if _, err := w.Activate(t.Context(), admin, next.ID); !fault.Is(err, fault.VaultUnavailable) {
			t.Errorf("%v: %v", does, err)
		}
		w.PKI = w.engine
		must.OK(t, w.Look(t.Context()))
		want := []string{"ca.activated", "ca.activated!"}
		states := []ca.State{ca.Active, ca.Ready}
		if does {
			want, states[1] = append(want, "ca.activated", "ca.retired"), ca.Retiring
		}
		w.want(t, "afterwards", states, want...)
	}
}

// TestNothingUnlogged: without its entry nothing is changed.
func TestNothingUnlogged(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	asked := must.Get(w.Request(t.Context(), admin, ca.Request{}))(t)
	next := must.Get(w.Request(t.Context(), admin, ca.Request{SelfSigned: true}))(t)
	w.refuses = errors.New("the disk is full")
	_, requested := w.Request(t.Context(), admin, ca.Request{SelfSigned: true})
	_, activated := w.Activate(t.Context(), admin, next.ID)
	withdrawn := w.Withdraw(t.Context(), admin, asked.ID)
	for name, err := range map[string]error{"requested": requested, "activated": activated, "withdrawn": withdrawn} {
		if !errors.Is(err, w.refuses) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if all := must.Get(w.engine.CAs(t.Context()))(t); len(all) != 3 || all[0].ID == next.ID {
		t.Errorf("%d CAs", len(all))
	}
}

// TestDue: a successor is due 90 days before the CA's end begins to shorten certificates.
func TestDue(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	c := must.Get(w.List(t.Context()))(t)[0]
	from := c.Certificate.NotAfter.Add(-year - 90*24*time.Hour)
	for at, want := range map[time.Time]string{from.Add(-time.Second): "", from: c.ID} {
		w.now = at
		if due := must.Get(w.Due(t.Context()))(t); due.ID != want {
			t.Errorf("at %s: %+v", at, due)
		}
	}
}
