package client

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"testing"
	"time"

	"github.com/keyward/keyward/test/must"
)

type lost []error

func (l *lost) RoundTrip(*http.Request) (*http.Response, error) {
	err := (*l)[0]
	*l = (*l)[1:]
	return nil, err
}

// TestUnsent: only if no attempt got a connection is it certain that nothing was sent.
func TestUnsent(t *testing.T) {
	t.Parallel()
	refused := &net.OpError{Op: "dial", Err: errors.New("connection refused")}
	for name, c := range map[string]struct {
		attempts lost
		unsent   bool
	}{
		"refused each time":      {lost{refused, refused, refused, refused}, true},
		"lost, then refused":     {lost{io.ErrUnexpectedEOF, refused, refused, refused}, false},
		"refused, lost, refused": {lost{refused, io.ErrUnexpectedEOF, refused, refused}, false},
		"lost at the end":        {lost{refused, refused, refused, io.ErrUnexpectedEOF}, false},
	} {
		a := must.Get(NewAgent("http://127.0.0.1:1", ""))(t)
		a.SetTransport(&c.attempts)
		a.caller.pause = func(context.Context, time.Duration) error { return nil }
		_, err := a.WellKnown(t.Context())
		if u, ok := errors.AsType[*Unreachable](err); !ok || u.Unsent != c.unsent {
			t.Errorf("%s: %v, unsent %v", name, err, ok && u.Unsent)
		}
	}
	l := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	address := "http://" + l.Addr().String()
	must.OK(t, l.Close())
	err := must.Get(NewAgent(address, ""))(t).ResetPIV(t.Context(), "1000001")
	if u, ok := errors.AsType[*Unreachable](err); !ok || !u.Unsent {
		t.Errorf("of a closed port: %v", err)
	}
}
