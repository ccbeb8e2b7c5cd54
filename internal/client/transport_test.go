package client

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// peer answers requests from a list, repeating the last response, and records them.
type peer struct {
	mu    sync.Mutex
	asked []string // method and path
	heads []http.Header
	plan  []http.HandlerFunc
}

func (p *peer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.mu.Lock()
	p.asked = append(p.asked, strings.TrimSpace(r.Method+" "+r.URL.RequestURI()+" "+string(body)))
	p.heads = append(p.heads, r.Header)
	answer := p.plan[min(len(p.asked), len(p.plan))-1]
	p.mu.Unlock()
	answer(w, r)
}

// requests returns the requests so far.
func (p *peer) requests() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.asked)
}

func reply(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		if status >= 400 {
			w.Header().Set("Content-Type", "application/problem+json")
		}
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// hangUp drops the connection before a response.
func hangUp(w http.ResponseWriter, _ *http.Request) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err == nil {
		_ = conn.Close()
	}
}

const signedIn = `{"access_token":"access-1","refresh_token":"refresh-1","expires_in":1800,"session_id":7,"user":{"id":3}}`

// setup returns a backend that records its pauses instead of waiting.
func setup(t *testing.T, plan ...http.HandlerFunc) (*Backend, *peer, *[]time.Duration) {
	t.Helper()
	p := &peer{plan: plan}
	server := httptest.NewServer(p)
	t.Cleanup(server.Close)
	b, err := NewBackend(server.URL, BackendOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// One connection per request: net/http itself repeats a request on a kept
	// connection that turns out to be closed.
	b.SetTransport(&http.Transport{DisableKeepAlives: true})
	pauses := &[]time.Duration{}
	b.caller.pause = func(ctx context.Context, d time.Duration) error {
		*pauses = append(*pauses, d)
		return ctx.Err()
	}
	return b, p, pauses
}

func login(t *testing.T, b *Backend) {
	t.Helper()
	if _, err := b.Login(t.Context(), "alice", secret.New("pw")); err != nil {
		t.Fatal(err)
	}
}

func TestProblemDecoding(t *testing.T) {
	t.Parallel()
	b, _, _ := setup(t, reply(200, signedIn), reply(409,
		`{"type":"about:blank","title":"Conflict","status":409,"detail":"Open already.","code":"rotation_pending","request_id":"r-1","rotation_id":9007199254740993,"holder":"bob"}`))
	login(t, b)
	_, err := b.StartRotation(t.Context(), "1234", NewRotation{Fields: []piv.Field{piv.PIN}})
	e, ok := errors.AsType[*Error](err)
	if !ok || e.Status != 409 || e.RequestID != "r-1" || !fault.Is(err, fault.RotationPending) {
		t.Fatalf("%#v", err)
	}
	want := map[string]any{"rotation_id": json.Number("9007199254740993"), "holder": "bob"}
	if diff := cmp.Diff(want, e.Fault.Extra); diff != "" {
		t.Errorf("the members are not the extensions alone (-want +got): %s", diff)
	}
}

func TestInvalidFieldsAreShown(t *testing.T) {
	t.Parallel()
	e := decodeError(400, http.Header{"Content-Type": {"application/problem+json; charset=utf-8"}},
		[]byte(`{"status":400,"detail":"Invalid.","code":"invalid_request","params":{"reason":"r","a":"b"},"errors":[{"field":"pin","code":"digits","params":{"c":"d"},"message":"must have digits"}]}`))
	want := []fault.Field{{Field: "pin", Code: "digits", Params: fault.Params{"c": "d"}, Message: "must have digits"}}
	if diff := cmp.Diff(want, e.Fault.Fields); diff != "" {
		t.Error(diff)
	}
	if e.Fault.Reason != "r" || cmp.Diff(fault.Params{"a": "b"}, e.Fault.Params) != "" {
		t.Errorf("reason %q, params %v", e.Fault.Reason, e.Fault.Params)
	}
	if !strings.Contains(e.Error(), "pin: must have digits") {
		t.Error(e.Error())
	}
}

func TestAnswersThatAreNotKeywards(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"a page":    func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"a proxy's": func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "Forbidden", http.StatusForbidden) },
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/", http.StatusFound)
		},
		"broken JSON":   reply(200, `{"serial":`),
		"no code in it": reply(400, `{"detail":"x"}`),
	} {
		b, p, _ := setup(t, reply(200, signedIn), answer)
		login(t, b)
		if _, err := b.Device(t.Context(), "1234"); err == nil || strings.Contains(err.Error(), "<html>") {
			t.Errorf("%s: %v", name, err)
		}
		if len(p.requests()) != 2 {
			t.Errorf("%s: asked %q", name, p.requests())
		}
	}
}

// TestRepetition: only repeatable requests are repeated, up to four attempts.
func TestRepetition(t *testing.T) {
	t.Parallel()
	down := reply(503, `{"code":"vault_unavailable","detail":"Down."}`, "Retry-After", "3")
	long := reply(503, `{"code":"vault_unavailable","detail":"Down."}`, "Retry-After", "60")
	ok := reply(200, `{}`)
	read := func(b *Backend) error { _, err := b.Device(t.Context(), "1234"); return err }
	commit := func(b *Backend) error {
		_, err := b.CommitRotation(t.Context(), "1234", 5, []piv.Field{piv.PIN})
		return err
	}
	start := func(b *Backend) error { _, err := b.StartRotation(t.Context(), "1234", NewRotation{}); return err }
	observe := func(k Kind) func(*Backend) error {
		return func(b *Backend) error {
			_, err := b.Observe(t.Context(), "1234", Observation{Field: piv.PIN, Matched: k})
			return err
		}
	}
	for name, tc := range map[string]struct {
		call  func(*Backend) error
		plan  []http.HandlerFunc
		sent  int
		fails bool
	}{
		"read, lost twice":             {read, []http.HandlerFunc{hangUp, hangUp, ok}, 3, false},
		"read, lost for good":          {read, []http.HandlerFunc{hangUp}, 4, true},
		"commit, lost once":            {commit, []http.HandlerFunc{hangUp, ok}, 2, false},
		"commit, down once":            {commit, []http.HandlerFunc{down, ok}, 2, false},
		"commit, down for long":        {commit, []http.HandlerFunc{long, ok}, 1, true},
		"start, lost":                  {start, []http.HandlerFunc{hangUp, ok}, 1, true},
		"start, down":                  {start, []http.HandlerFunc{down, ok}, 1, true},
		"observe current, lost":        {observe(Current), []http.HandlerFunc{hangUp, ok}, 2, false},
		"observe none, lost":           {observe(None), []http.HandlerFunc{hangUp, ok}, 1, true},
		"observe superseded, lost":     {observe(Superseded), []http.HandlerFunc{hangUp, ok}, 1, true},
		"read, refused":                {read, []http.HandlerFunc{reply(404, `{"code":"not_found","detail":"No."}`), ok}, 1, true},
		"read, down without an advice": {read, []http.HandlerFunc{reply(503, `{"code":"overloaded","detail":"No."}`), ok}, 1, true},
	} {
		b, p, pauses := setup(t, append([]http.HandlerFunc{reply(200, signedIn)}, tc.plan...)...)
		login(t, b)
		err := tc.call(b)
		if (err != nil) != tc.fails || len(p.requests())-1 != tc.sent || len(*pauses) != tc.sent-1 {
			t.Errorf("%s: %v, sent %d, pauses %v", name, err, len(p.requests())-1, *pauses)
		}
		if strings.Contains(name, "down once") && (*pauses)[0] != 3*time.Second {
			t.Errorf("%s: paused %v instead of what the server asked for", name, *pauses)
		}
	}
}

func TestLoginIsNotRepeated(t *testing.T) {
	t.Parallel()
	b, p, _ := setup(t, hangUp)
	_, err := b.Login(t.Context(), "alice", secret.New("hunter22"))
	if _, ok := errors.AsType[*Unreachable](err); !ok || len(p.requests()) != 1 {
		t.Errorf("%v, asked %d times", err, len(p.requests()))
	}
	if strings.Contains(err.Error(), "hunter22") {
		t.Error("the error shows the password")
	}
}

func TestRefresh(t *testing.T) {
	t.Parallel()
	second := `{"access_token":"access-2","refresh_token":"refresh-2","expires_in":1800,"session_id":8,"user":{"id":3}}`
	var now atomic.Int64
	for name, tc := range map[string]struct {
		later time.Duration
		plan  []http.HandlerFunc
		want  []string // requests after the login
	}{
		"young":                      {28 * time.Minute, []http.HandlerFunc{reply(200, `{}`)}, []string{"GET /api/hwkey/1234"}},
		"a minute before":            {29*time.Minute + time.Second, []http.HandlerFunc{reply(200, second), reply(200, `{}`)}, []string{`POST /api/auth/refresh {"refresh_token":"refresh-1"}`, "GET /api/hwkey/1234"}},
		"the clock was wrong":        {0, []http.HandlerFunc{reply(401, `{"code":"token_expired","detail":"Old."}`), reply(200, second), reply(200, `{}`)}, []string{"GET /api/hwkey/1234", `POST /api/auth/refresh {"refresh_token":"refresh-1"}`, "GET /api/hwkey/1234"}},
		"the session's hour is over": {0, []http.HandlerFunc{reply(401, `{"code":"session_not_found","detail":"Gone."}`), reply(200, second), reply(200, `{}`)}, []string{"GET /api/hwkey/1234", `POST /api/auth/refresh {"refresh_token":"refresh-1"}`, "GET /api/hwkey/1234"}},
		"another 401 is final":       {0, []http.HandlerFunc{reply(401, `{"code":"token_invalid","detail":"Wrong."}`)}, []string{"GET /api/hwkey/1234"}},
	} {
		b, p, _ := setup(t, append([]http.HandlerFunc{reply(200, signedIn)}, tc.plan...)...)
		now.Store(0)
		b.now = func() time.Time { return time.Unix(1_800_000_000, now.Load()) }
		login(t, b)
		now.Store(int64(tc.later))
		_, err := b.Device(t.Context(), "1234")
		if (err != nil) != strings.Contains(name, "final") {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tc.want, p.requests()[1:]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if n := len(tc.want); n > 1 && (b.SessionID() != 8 || p.heads[n].Get("Authorization") != "Bearer access-2") {
			t.Errorf("%s: the new session is not used: %v", name, p.heads[n])
		}
	}
}

func TestSignedOut(t *testing.T) {
	t.Parallel()
	b, p, _ := setup(t, reply(200, signedIn), reply(500, `{"code":"internal","detail":"Oh."}`))
	if _, err := b.Me(t.Context()); !errors.Is(err, ErrSignedOut) {
		t.Error(err)
	}
	login(t, b)
	if err := b.Logout(t.Context()); err == nil {
		t.Error("the failed logout is not told")
	}
	if _, err := b.Me(t.Context()); !errors.Is(err, ErrSignedOut) || len(p.requests()) != 2 {
		t.Error("still signed in after a logout:", err)
	}
}

// TestChangesAreAwaited: the outcome of a change is not lost when its context ends
// meanwhile; the next request is not sent.
func TestChangesAreAwaited(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	b, p, _ := setup(t, reply(200, signedIn), func(w http.ResponseWriter, r *http.Request) {
		cancel()
		reply(201, `{"id":5}`)(w, r)
	})
	login(t, b)
	if r, err := b.StartRotation(ctx, "1234", NewRotation{}); err != nil || r.ID != 5 {
		t.Errorf("%v %v", r, err)
	}
	if _, err := b.CommitRotation(ctx, "1234", 5, nil); !errors.Is(err, context.Canceled) || len(p.requests()) != 2 {
		t.Errorf("%v, asked %d times", err, len(p.requests()))
	}
}

func TestAddresses(t *testing.T) {
	t.Parallel()
	for address, ok := range map[string]bool{
		"https://keyward.example.org": true, "http://localhost:8080": true, "http://127.0.0.1:1/": true, "http://[::1]:1": true,
		"http://keyward.example.org": false, "keyward.example.org": false, "ftp://x": false, "https://u:p@x": false,
		"https://x?y": false, "": false,
	} {
		if _, err := NewBackend(address, BackendOptions{}); (err == nil) != ok {
			t.Errorf("%q: %v", address, err)
		}
	}
	if _, err := NewBackend("http://keyward.example.org", BackendOptions{AllowHTTP: true}); err != nil {
		t.Error(err)
	}
	for address, ok := range map[string]bool{"http://127.0.0.1:56123": true, "https://keyward.example.org": false, "http://10.0.0.1": false} {
		if _, err := NewAgent(address, ""); (err == nil) != ok {
			t.Errorf("agent %q: %v", address, err)
		}
	}
}

// FuzzDecodeError: any response gives an error with a code and a text, whose extensions
// exclude the standard members.
func FuzzDecodeError(f *testing.F) {
	f.Add(409, "application/problem+json", "3", []byte(`{"code":"conflict","detail":"d","retries_left":1}`))
	f.Add(500, "text/html", "", []byte("<html>"))
	f.Add(422, "application/problem+json", "x", []byte(`{"code":"wrong_pin","status":"no number"}`))
	f.Add(400, "application/problem+json", "", []byte(`{"code":"c","errors":[{"field":"f","message":"m"}],"x":{"y":[1e400]}}`))
	f.Fuzz(func(t *testing.T, status int, media, wait string, body []byte) {
		e := decodeError(status, http.Header{"Content-Type": {media}, "Retry-After": {wait}}, body)
		if e.Fault == nil || e.Fault.Code == "" || e.Error() == "" || e.Fault.RetryAfter < 0 {
			t.Fatalf("%+v", e)
		}
		for _, name := range standard {
			if _, ok := e.Fault.Extra[name]; ok {
				t.Errorf("%s is no extension", name)
			}
		}
		if _, err := json.Marshal(e.Fault.Extra); err != nil {
			t.Error(err)
		}
	})
}
