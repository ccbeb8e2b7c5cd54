package flow_test

import (
	"context"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/client"
	"github.com/keyward/keyward/internal/client/flow"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
)

// TestOutcomes: where a flow cannot go on it stops with a name, spends no
// last try, and the way out that it names works.
func TestOutcomes(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 0)
	t.Run("cases", func(t *testing.T) {
		for name, test := range map[string]func(*testing.T, *world){
			"pulled":            testPulled,
			"foreign PIN":       testForeignPIN,
			"tries to type":     testTriesToType,
			"tries in a change": testTriesInAChange,
			"set-up keeps PIN":  testSetUpKeepsPIN,
			"doubted, blocked":  testDoubtedAndBlocked,
			"a reset half done": testResetHalfDone,
			"nobody is asked":   testOvertakenUnasked,
			"one try left":      testOneTryLeft,
			"no try left":       testNoTryLeft,
			"PUK blocked":       testPUKBlocked,
			"PIN refused":       testPINRefused,
			"same PIN again":    testSamePINAgain,
			"nobody confirms":   testNobodyConfirms,
			"slot occupied":     testSlotOccupied,
			"reset outside":     testResetOutside,
			"superseded":        testSuperseded,
			"not ready":         testNotReady,
			"renew with key":    testRenewWithKey,
			"nothing to do":     testNothingToDo,
			"not enrolled":      testNotEnrolled,
			"context cancelled": testCancelled,
			"overtaken":         testOvertaken,
		} {
			t.Run(name, func(t *testing.T) { t.Parallel(); test(t, w) })
		}
	})
}

// enrolled makes a token and enrols it.
func (w *world) enrolled(t *testing.T) (*applet.Card, string) {
	t.Helper()
	card, serial := w.token(t, current)
	if _, err := flow.Enroll(t.Context(), w.at(0, serial)); err != nil {
		t.Fatal(err)
	}
	return card, serial
}

// spend costs a PIN or PUK tries until so many are left.
func (w *world) spend(t *testing.T, serial string, f piv.Field, left int) {
	t.Helper()
	for {
		c, err := w.cards.Inspect(t.Context(), serial)
		if err != nil {
			t.Fatal(err)
		}
		if counter := map[piv.Field]driver.Counter{piv.PIN: c.PIN, piv.PUK: c.PUK}[f]; counter.Left == left {
			return
		}
		_ = w.try(t.Context(), serial, f, secret.New("00000000"))
	}
}

func want(t *testing.T, err error, code flow.Code) {
	t.Helper()
	o, ok := errors.AsType[*flow.Outcome](err)
	if !ok || o.Code != code || len(o.WaysOut) == 0 {
		t.Fatalf("%v, want the outcome %s", err, code)
	}
}

func must(t *testing.T, _ flow.Result, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) changePIN(t *testing.T, serial string) error {
	t.Helper()
	_, err := flow.ChangePIN(t.Context(), w.at(0, serial), secret.String{})
	return err
}

func (w *world) unblock(t *testing.T, serial string) {
	t.Helper()
	_, err := flow.Unblock(t.Context(), w.at(1, serial), secret.String{})
	must(t, flow.Result{}, err)
	w.checkSecrets(t, serial)
}

func testPulled(t *testing.T, w *world) {
	card, serial := w.enrolled(t)
	card.PowerOff()
	if err := w.changePIN(t, serial); !fault.Is(err, fault.TokenNotFound) {
		t.Fatal(err)
	}
	card.PowerOn()
	if err := w.changePIN(t, serial); err != nil {
		t.Fatal(err)
	}
	w.checkSecrets(t, serial)
}

func testPINRefused(t *testing.T, w *world) {
	card, err := applet.New(applet.Options{Serial: 6_000_000, Root: w.root, PINComplexity: true})
	if err != nil {
		t.Fatal(err)
	}
	serial := w.cards.Add(card)
	if _, err := w.admin.RegisterDevice(t.Context(), client.NewDevice{Serial: serial, OwnerID: &w.owner}); err != nil {
		t.Fatal(err)
	}
	r, err := flow.Enroll(t.Context(), w.at(0, serial))
	must(t, r, err)
	_, err = flow.ChangePIN(t.Context(), w.at(0, serial), secret.New("159753"))
	want(t, err, flow.PINRefused)
	w.checkSecrets(t, serial)
	if err := w.changePIN(t, serial); err != nil {
		t.Fatal(err)
	}
	w.checkSecrets(t, serial)
}

func testSamePINAgain(t *testing.T, w *world) {
	_, serial := w.enrolled(t)
	for i := range 5 { // more often than a PIN has tries
		r, err := flow.ChangePIN(t.Context(), w.at(0, serial), secret.New(chosenPIN))
		must(t, r, err)
		if r.Unchanged != (i > 0) {
			t.Errorf("time %d: %+v", i, r)
		}
		if _, err := flow.ChangePIN(t.Context(), w.at(0, serial), secret.New("12")); !fault.Is(err, fault.InvalidRequest) {
			t.Errorf("a PIN of two digits: %v", err)
		}
	}
	if h := w.checkSecrets(t, serial); h.current[piv.PIN].Reveal() != chosenPIN {
		t.Error("the PIN is not the chosen one")
	}
}

// testNobodyConfirms: firmware that does not tell gets no factory value tried
// without a person's word.
func testNobodyConfirms(t *testing.T, w *world) {
	_, serial := w.token(t, old)
	o := w.at(0, serial)
	asked := map[flow.Question]int{}
	o.Confirm = func(_ context.Context, q flow.Question, _ string) (bool, error) { asked[q]++; return false, nil }
	_, err := flow.Enroll(t.Context(), o)
	want(t, err, flow.Unknown)
	if asked[flow.AskFactory] != 1 {
		t.Errorf("asked %v", asked)
	}
	r, err := flow.Enroll(t.Context(), w.at(0, serial))
	must(t, r, err)
	w.checkSecrets(t, serial)
	w.checkSlot(t, serial)
}

func testSlotOccupied(t *testing.T, w *world) {
	_, serial := w.token(t, current)
	factory := secret.New(piv.FactoryManagementKey)
	key, err := w.cards.GenerateKey(t.Context(), serial, piv.Authentication, factory, driver.Policies{})
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(7), Subject: pkix.Name{CommonName: "somebody else's"}, NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key, w.key)
	if err != nil {
		t.Fatal(err)
	}
	cert, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	if err := w.cards.ImportCertificate(t.Context(), serial, piv.Authentication, factory, secret.String{}, cert); err != nil {
		t.Fatal(err)
	}
	o := w.at(0, serial)
	o.Confirm = nil
	_, err = flow.Enroll(t.Context(), o)
	want(t, err, flow.Occupied)
	c, err := w.cards.Inspect(t.Context(), serial)
	if err != nil || fingerprint(t, c.Slots[piv.Authentication].Key) != fingerprint(t, key) {
		t.Fatal("the key is not what it was", err)
	}
	r, err := flow.Enroll(t.Context(), w.at(0, serial))
	must(t, r, err)
	w.checkSecrets(t, serial)
	w.checkSlot(t, serial)
}

func testResetOutside(t *testing.T, w *world) {
	card, serial := w.enrolled(t)
	if err := card.FactoryReset(); err != nil {
		t.Fatal(err)
	}
	_, err := flow.Renew(t.Context(), w.at(0, serial), false)
	want(t, err, flow.NotEnrolled)
	r, err := flow.Enroll(t.Context(), w.at(1, serial))
	must(t, r, err)
	w.checkSecrets(t, serial)
	w.checkSlot(t, serial)
}

// testSuperseded: the vault is ahead of the card, as after a restored backup
// of the card's desk.
func testSuperseded(t *testing.T, w *world) {
	_, serial := w.enrolled(t)
	former := w.release(t, serial).current[piv.PIN]
	if err := w.changePIN(t, serial); err != nil {
		t.Fatal(err)
	}
	now := w.release(t, serial).current[piv.PIN]
	if err := w.cards.ChangePIN(t.Context(), serial, now, former); err != nil {
		t.Fatal(err)
	}
	r, err := flow.Renew(t.Context(), w.at(1, serial), false)
	must(t, r, err)
	if h := w.checkSecrets(t, serial); !h.current[piv.PIN].Equal(former) {
		t.Error("the vault did not follow the card")
	}
}

func testNotReady(t *testing.T, w *world) {
	card, err := applet.New(applet.Options{Serial: 6_000_001, Root: w.root})
	if err != nil {
		t.Fatal(err)
	}
	serial := w.cards.Add(card)
	if _, err := w.admin.RegisterDevice(t.Context(), client.NewDevice{Serial: serial}); err != nil {
		t.Fatal(err)
	}
	o := w.at(0, serial)
	o.Backend, o.Reason = w.admin, "a token without an owner"
	_, err = flow.Enroll(t.Context(), o)
	want(t, err, flow.NotReady)
	c, err := w.cards.Inspect(t.Context(), serial)
	if err != nil || c.Slots[piv.Authentication].Occupied() {
		t.Error("a key was made", err)
	}
}

func testRenewWithKey(t *testing.T, w *world) {
	_, serial := w.enrolled(t)
	first := w.checkSlot(t, serial)
	_, err := flow.Renew(t.Context(), w.at(0, serial), true)
	want(t, err, flow.SameAgain)
	if _, err := w.admin.Revoke(t.Context(), first, "superseded"); err != nil {
		t.Fatal(err)
	}
	r, err := flow.Renew(t.Context(), w.at(0, serial), true)
	must(t, r, err)
	if got := w.checkSlot(t, serial); got == first || got != r.CertificateSerialNumber {
		t.Errorf("slot holds %s, told %s, formerly %s", got, r.CertificateSerialNumber, first)
	}
}

func testNothingToDo(t *testing.T, w *world) {
	_, serial := w.enrolled(t)
	r, err := flow.Enroll(t.Context(), w.at(1, serial))
	must(t, r, err)
	if !r.Unchanged || r.CertificateSerialNumber != w.checkSlot(t, serial) {
		t.Errorf("%+v", r)
	}
}

func testNotEnrolled(t *testing.T, w *world) {
	_, serial := w.token(t, current)
	_, err := flow.Renew(t.Context(), w.at(0, serial), false)
	want(t, err, flow.NotEnrolled)
}

// testCancelled: Ctrl-C between two steps; the next run goes on.
func testCancelled(t *testing.T, w *world) {
	_, serial := w.token(t, current)
	ctx, cancel := context.WithCancel(t.Context())
	o := w.at(0, serial)
	o.Progress = func(e flow.Event) {
		if e.Step == flow.StepPUK {
			cancel()
		}
	}
	if _, err := flow.Enroll(ctx, o); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	r, err := flow.Enroll(t.Context(), w.at(1, serial))
	must(t, r, err)
	w.checkSecrets(t, serial)
}
