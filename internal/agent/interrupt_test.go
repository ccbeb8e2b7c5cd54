package agent

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/tryout/vtoken"
	"github.com/keyward/keyward/internal/tryout/vtoken/applet"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// An instruction of the card that the tests wait for.
const insChangeReference = 0x24

// gate stops a card before an instruction until it is opened.
type gate struct {
	reached chan struct{} // closed when the card is at the instruction
	open    func()
}

func stopBefore(c *applet.Card, ins byte) gate {
	reached, opened := make(chan struct{}), make(chan struct{})
	var once sync.Once
	c.SetFault(func(at applet.Moment, cmd applet.Command) bool {
		if at == applet.Before && cmd.INS == ins {
			once.Do(func() { close(reached) })
			<-opened
		}
		return false
	})
	return gate{reached, sync.OnceFunc(func() { close(opened) })}
}

// TestBusy holds the token with one operation while others wait: one whose client
// disconnects is dropped, one that waits too long gets busy, and the running one
// completes although its client has disconnected.
func TestBusy(t *testing.T) {
	t.Parallel()
	h := host(t, vtoken.Options{})
	a := startOn(t, h, Config{queueWait: 400 * time.Millisecond})
	g := stopBefore(h.Card(serialN), insChangeReference)
	t.Cleanup(g.open)
	setPIN := func(value string) m { return m{"encrypted": true, "serial": serial, "pin": pin(t, value)} }

	first, leave := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_, _ = a.send(first, http.MethodPost, "/piv/set-pin", setPIN(pin1)) // the client disconnects: an error is right
	}()
	await.From(t, "the first operation reaches the card", g.reached)
	a.refuses(t, "/piv/set-pin", setPIN(pin2), http.StatusConflict, "busy")
	a.refuses(t, "/piv/reset", m{"serial": serial, "confirm": serial}, http.StatusConflict, "busy")

	// A client that disconnects while queued drops its work; the log says so.
	queued, leaveQueue := context.WithCancel(t.Context())
	go func() {
		_, _ = a.send(queued, http.MethodPost, "/piv/reset", m{"serial": serial, "confirm": serial},
			func(r *http.Request) { r.Header.Set("X-Request-Id", "left-while-queued") })
	}()
	leaveQueue()
	leave()
	await.From(t, "the first client leaves", ended)
	g.open()
	a.log.Contains(t, "operation=piv-set-pin outcome=ok")
	h.Card(serialN).SetFault(nil)
	var next answerOf
	await.That(t, "the next one has its turn", func() bool {
		next = a.post(t, "/piv/set-pin", m{"encrypted": true, "serial": serial, "pin": pin(t, pin2), "current_pin": pin(t, pin1)})
		return next.code() != "busy"
	})
	if next.status != http.StatusOK {
		t.Errorf("the next one: %d %s", next.status, next.raw)
	}
	if strings.Contains(a.log.String(), "operation=piv-reset outcome=ok") {
		t.Fatal("a reset ran whose client had left")
	}
}

// TestSlowBody: the agent gives up on a body that does not arrive.
func TestSlowBody(t *testing.T) {
	t.Parallel()
	a := start(t, Config{bodyTimeout: 50 * time.Millisecond})
	conn := must.Get(net.Dial("tcp", strings.TrimPrefix(a.base, "http://")))(t)
	defer func() { _ = conn.Close() }()
	if _, err := fmt.Fprintf(conn,
		"POST /piv/reset HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
		strings.TrimPrefix(a.base, "http://")); err != nil {
		t.Fatal(err)
	}
	line, err := bufio.NewReader(conn).ReadString('\n')
	if err != nil || !strings.HasPrefix(line, "HTTP/1.1 400 ") {
		t.Fatalf("got %q (%v)", line, err)
	}
}

// TestEndWaits ends the agent during a key generation: the operation completes,
// and its client gets the response.
func TestEndWaits(t *testing.T) {
	t.Parallel()
	h := host(t, vtoken.Options{})
	a := startOn(t, h, Config{})
	g := stopBefore(h.Card(serialN), insChangeReference)
	t.Cleanup(g.open)
	got := make(chan answerOf, 1)
	go func() {
		out, err := a.send(context.Background(), http.MethodPost, "/piv/set-pin", m{"encrypted": true, "serial": serial, "pin": pin(t, pin1)})
		if err != nil {
			out.raw = err.Error()
		}
		got <- out
	}()
	await.From(t, "the operation reaches the card", g.reached)
	stopped := make(chan error, 1)
	go func() { stopped <- a.stop() }()
	a.log.Contains(t, "stopping; waiting for a running operation")
	g.open()
	if out := <-got; out.status != http.StatusOK {
		t.Fatalf("the running operation got %d %s", out.status, out.raw)
	}
	must.OK(t, <-stopped)
}

// TestPulled pulls the token during a change, before and after it took effect:
// both times the outcome is reported as unknown, and a probe then finds it.
func TestPulled(t *testing.T) {
	t.Parallel()
	h := host(t, vtoken.Options{})
	a := startOn(t, h, Config{})
	card := h.Card(serialN)
	for _, c := range []struct {
		name string
		at   applet.Moment
		want float64 // the candidate that the token holds: 0 the new one, 1 the factory's
	}{{"before", applet.Before, 1}, {"after", applet.After, 0}} {
		card.SetFault(func(at applet.Moment, cmd applet.Command) bool { return at == c.at && cmd.INS == insChangeReference })
		got := a.refuses(t, "/piv/set-pin", m{"encrypted": true, "serial": serial, "pin": pin(t, pin1)}, http.StatusBadGateway, "tool_failed")
		if got["outcome_known"] != false {
			t.Errorf("%s: the outcome is said to be known: %v", c.name, got)
		}
		card.SetFault(nil)
		must.OK(t, h.Unplug(t.Context(), serialN))
		a.refusesSoon(t, "/piv/set-pin", m{"encrypted": true, "serial": serial, "pin": pin(t, pin1)}, http.StatusNotFound, "no_token")
		must.OK(t, h.Plug(t.Context(), serialN))
		a.seesToken(t)
		probe := a.works(t, "/piv/probe",
			m{"encrypted": true, "serial": serial, "field": "pin", "candidates": []string{pin(t, pin1), pin(t, "123456")}})
		if probe["match"] != c.want {
			t.Errorf("%s: the probe says %v, want candidate %v", c.name, probe, c.want)
		}
	}
}

// seesToken waits until the token is listed.
func (a *testAgent) seesToken(t *testing.T) {
	t.Helper()
	await.That(t, "the token is listed", func() bool {
		tokens, _ := a.get(t, "/discover").body["tokens"].([]any)
		return len(tokens) == 1
	})
}

// refusesSoon waits for the wanted refusal: pcscd notices a removal a moment
// before the agent does.
func (a *testAgent) refusesSoon(t *testing.T, path string, body any, status int, code string) {
	t.Helper()
	var out answerOf
	defer func() {
		if t.Failed() {
			t.Logf("the last answer: %d %v", out.status, out.body)
		}
	}()
	await.That(t, code, func() bool {
		out = a.post(t, path, body)
		return out.status == status && out.code() == code
	})
}
