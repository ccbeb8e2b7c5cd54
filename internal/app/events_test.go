package app_test

import (
	"bufio"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
)

// eventStream reads the events of one person.
type eventStream struct {
	*bufio.Scanner
	t      *testing.T
	last   string // the id that came last
	missed bool   // it began with that
}

// follow opens a stream; last is where an earlier one ended, or empty.
func (s *server) follow(t *testing.T, token, last string) *eventStream {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.base+"/api/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := http.DefaultClient.Do(req) // the tests' own reads to the end
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = res.Body.Close() })
	if res.StatusCode != http.StatusOK || res.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatalf("%d, %s", res.StatusCode, res.Header.Get("Content-Type"))
	}
	e := &eventStream{Scanner: bufio.NewScanner(res.Body), t: t}
	for e.last == "" { // it begins with its position
		switch got := e.block(); got {
		case "missed{}":
			e.missed = true
		case "":
		default:
			t.Fatalf("it begins with %q", got)
		}
	}
	return e
}

// block reads up to an empty line, and returns the event; "end" after the last.
func (e *eventStream) block() string {
	event := ""
	for e.Scan() {
		switch name, value, _ := strings.Cut(e.Text(), ": "); name {
		case "":
			if event == "position{}" {
				return ""
			}
			return event
		case "id":
			e.last = value
		case "data", "event":
			event += value
		}
	}
	return "end"
}

// until reads events until all of those came, and returns what it read.
func (e *eventStream) until(want ...string) (read string) {
	e.t.Helper()
	for len(want) > 0 {
		got := e.block()
		if got == "end" {
			e.t.Fatalf("the stream ended after %s, without %q", read, want)
		}
		read += got + "\n"
		want = slices.DeleteFunc(want, func(one string) bool { return one == got })
	}
	return read
}

func changed(kind string, id any) string { return fmt.Sprintf(`{"id":"%v","kind":"%s"}`, id, kind) }

// TestEvents: everybody follows what they may see, and nothing else.
func TestEvents(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	streams := map[string]*eventStream{}
	for _, name := range []string{"admin", "a-org_manager", "a-user", "b-org_manager", "b-user"} {
		streams[name] = w.follow(t, w.tokens[name], "")
	}
	w.must(200, "PATCH", "/api/hwkey/10000", w.tokens["a-org_manager"], fields{"label": "blue"})
	w.must(200, "POST", "/api/certificates/"+w.serial+"/revoke", w.tokens["admin"], fields{"reason": "superseded"})
	w.must(200, "PATCH", "/api/admin/users/"+fmt.Sprint(w.ids["a-user"]), w.tokens["admin"], fields{"name": "Alice"})
	blue, gone, alice := changed("tokens", 10000), changed("certificates", w.serial), changed("accounts", w.ids["a-user"])
	seen := map[string]string{"admin": streams["admin"].until(blue, gone, alice)}
	w.must(200, "PATCH", "/api/hwkey/10001", w.tokens["b-org_manager"], fields{"label": "red"})
	w.must(200, "PATCH", "/api/hwkey/10000", w.tokens["a-org_manager"], fields{"label": "pale"})
	red := changed("tokens", 10001)
	for name, last := range map[string]string{"a-org_manager": blue, "a-user": blue, "b-org_manager": red, "b-user": red} {
		seen[name] = streams[name].until(last)
		if last == blue { // the second one of it
			seen[name] += streams[name].until(blue)
		}
	}
	for name, list := range seen {
		mine := strings.HasPrefix(name, "b-")
		for _, one := range []string{blue, gone, alice} {
			if strings.Contains(list, one) == mine {
				t.Errorf("%s saw %s", name, list)
			}
		}
		if strings.Contains(list, red) != mine {
			t.Errorf("%s saw %s", name, list)
		}
	}
}

// TestEventsEnd: a stream ends with the session, another role, or the server; and who
// comes back learns whether they missed something.
func TestEventsEnd(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	admin := w.follow(t, w.tokens["admin"], "")
	session, role := w.follow(t, w.tokens["a-user"], ""), w.follow(t, w.tokens["b-user"], "")
	w.must(204, "DELETE", "/api/auth/sessions/"+fmt.Sprint(w.sessions["a-user"]), w.tokens["admin"], nil)
	w.must(200, "PATCH", "/api/admin/users/"+fmt.Sprint(w.ids["b-user"]), w.tokens["admin"], fields{"role": "org_manager"})
	for _, e := range []*eventStream{session, role} {
		for {
			got := e.block()
			if got == "end" {
				break
			}
			if got != "" {
				t.Errorf("before the end: %s", got)
			}
		}
	}
	admin.until(changed("accounts", w.ids["b-user"]))
	now := w.follow(t, w.tokens["admin"], "")
	for range 5 { // notices of the above may still be on their way
		again := w.follow(t, w.tokens["admin"], now.last)
		if again.missed == (again.last == now.last) {
			t.Fatalf("missed %v at %s, from %s", again.missed, again.last, now.last)
		}
		if now = again; !again.missed {
			break
		}
		w.must(200, "PATCH", "/api/hwkey/10009", w.tokens["admin"], fields{"label": "green"})
		now.until(changed("tokens", 10009))
		now.block() // the position after it
	}
	if now.missed {
		t.Error("who missed nothing is told otherwise")
	}
	before := now.last
	w.must(200, "PATCH", "/api/hwkey/10009", w.tokens["admin"], fields{"label": "blue"})
	now.until(changed("tokens", 10009))
	if !w.follow(t, w.tokens["admin"], before).missed {
		t.Error("who missed something isn't told")
	}
	if err := w.stop(); err != nil {
		t.Errorf("the streams hold up the server's end: %v", err)
	}
}
