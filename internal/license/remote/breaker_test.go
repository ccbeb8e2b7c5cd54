package remote

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/keyward/keyward/internal/license"
	"github.com/keyward/keyward/internal/secret"
)

// away is a service that answers as the test says, and counts calls.
type away struct {
	asked  int
	answer func(*http.Request) (*http.Response, error)
}

func (a *away) RoundTrip(r *http.Request) (*http.Response, error) {
	a.asked++
	return a.answer(r)
}

func says(status int, body string) func(*http.Request) (*http.Response, error) {
	return func(*http.Request) (*http.Response, error) {
		return &http.Response{StatusCode: status, Header: http.Header{}, Body: io.NopCloser(strings.NewReader(body))}, nil
	}
}

func dead(*http.Request) (*http.Response, error) { return nil, errors.New("connection refused") }

func slow(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// trickling answers at once, then sends its body forever.
func trickling(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{}, Body: io.NopCloser(trickle{r.Context()})}, nil
}

type trickle struct{ ctx context.Context }

func (t trickle) Read(p []byte) (int, error) {
	select {
	case <-t.ctx.Done():
		return 0, t.ctx.Err()
	case <-time.After(100 * time.Millisecond):
		p[0] = ' '
		return 1, nil
	}
}

const good = `{"status":"TRIAL","license":null,"days_remaining":30,"installation_id":"x","trial_started_at":null,"newest_issue":null,` +
	`"evaluated_at":"2026-03-01T12:00:00Z","clock_behind":false}`

// TestAway: a service that is dead, slow or broken delays two requests, and the following
// ones not at all; once it is back it is called again.
func TestAway(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(*http.Request) (*http.Response, error){
		"dead": dead, "slow": slow, "trickling": trickling,
		"empty":               says(200, ""),
		"another's answer":    says(200, `{"status":"ok"}`),
		"no moment":           says(200, strings.Replace(good, `"evaluated_at":"2026-03-01T12:00:00Z",`, "", 1)),
		"endless":             says(200, strings.Repeat(" ", maxAnswer)+good),
		"a redirect":          says(302, ""),
		"an error":            says(500, `{"code":"internal"}`),
		"not there":           says(404, "404 page not found"),
		"refused by a proxy":  says(422, `{"code":"license_rejected"}`),
		"refused for nothing": says(422, `{"code":"license_rejected","params":{"reason":"because"}}`),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				service := &away{answer: answer}
				c := open(t, Options{URL: "http://license.internal", Token: secret.Fixed("s3cret"), transport: service})
				begin := time.Now()
				for range 100 {
					if is, err := c.Status(t.Context()); !errors.Is(err, ErrUnreachable) || is.Status != "" || strings.Contains(err.Error(), "s3cret") {
						t.Errorf("%+v, %v", is, err)
					}
				}
				if took := time.Since(begin); took > failures*askTimeout || service.asked != failures {
					t.Errorf("a hundred calls took %s and asked %d times", took, service.asked)
				}
				<-time.After(openFor + 1) // of the bubble's clock
				service.answer = says(200, good)
				if is, err := c.Status(t.Context()); err != nil || is.Status != license.Trial {
					t.Errorf("once it is well: %+v, %v", is, err)
				}
			})
		})
	}
}

// TestStaysAway: while it is down, one call in five seconds probes it.
func TestStaysAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &away{answer: slow}
		c := open(t, Options{URL: "http://license.internal", transport: service})
		begin := time.Now()
		for time.Since(begin) < time.Minute {
			_, _ = c.Status(t.Context())
			<-time.After(10 * time.Millisecond) // of the bubble's clock
		}
		if service.asked > 12 {
			t.Errorf("asked %d times within a minute", service.asked)
		}
	})
}

// TestCallerGone: a caller that hangs up says nothing about the service.
func TestCallerGone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		service := &away{answer: slow}
		c := open(t, Options{URL: "http://license.internal", transport: service})
		for range 10 {
			ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
			if _, err := c.Status(ctx); !errors.Is(err, context.DeadlineExceeded) || errors.Is(err, ErrUnreachable) {
				t.Errorf("%v", err)
			}
			cancel()
		}
		service.answer = says(200, good)
		if _, err := c.Status(t.Context()); err != nil || service.asked != 11 {
			t.Errorf("%v after %d calls", err, service.asked)
		}

		// That also holds for the one call that probes the service.
		service.answer = slow
		for range failures {
			_, _ = c.Status(t.Context())
		}
		<-time.After(openFor + 1) // of the bubble's clock
		ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
		defer cancel()
		_, _ = c.Status(ctx)
		service.answer = says(200, good)
		if _, err := c.Status(t.Context()); err != nil {
			t.Error(err)
		}
	})
}

// TestRefusalsAreNoFailures: a service that refuses uploads is healthy.
func TestRefusalsAreNoFailures(t *testing.T) {
	t.Parallel()
	service := &away{answer: says(422, `{"code":"license_rejected","params":{"reason":"bad_signature"}}`)}
	c := open(t, Options{URL: "http://license.internal", transport: service})
	for range 10 {
		if _, err := c.Upload(t.Context(), []byte("{}"), false); err == nil || errors.Is(err, ErrUnreachable) {
			t.Errorf("%v", err)
		}
	}
	if service.asked != 10 {
		t.Errorf("asked %d times", service.asked)
	}
}

// TestUploadIsBounded: an upload fails within seconds if nobody answers.
func TestUploadIsBounded(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]func(*http.Request) (*http.Response, error){"slow": slow, "trickling": trickling} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c := open(t, Options{URL: "http://license.internal", transport: &away{answer: answer}})
				begin := time.Now()
				_, err := c.Upload(t.Context(), []byte("{}"), false)
				if took := time.Since(begin); !errors.Is(err, ErrUnreachable) || took > 5*time.Second {
					t.Errorf("%v after %s", err, took)
				}
			})
		})
	}
}
