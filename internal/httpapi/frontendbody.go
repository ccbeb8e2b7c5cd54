package httpapi

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/middleware"
)

// sentBody is a body on its way from the client to the backend, with what decides who
// is to blame for a failure. nil means no body.
type sentBody struct {
	io.ReadCloser
	deadline time.Time
	whole    atomic.Bool // it has arrived
	failed   atomic.Bool // reading it has failed
}

// sendBody gives the client at most patience to send the body of r.
func sendBody(x *requestContext, r *http.Request, patience time.Duration) *sentBody {
	b := &sentBody{ReadCloser: middleware.Arriving(x, r.Body), deadline: time.Now().Add(patience)}
	middleware.ArriveWithin(x, patience) // not before the deadline that late checks
	r.Body = b
	return b
}

// Read runs in the transport, concurrently with the handler.
func (b *sentBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	switch {
	case err == nil, errors.Is(err, http.ErrBodyReadAfterClose): // the second is ours, not the client's
	case errors.Is(err, io.EOF):
		b.whole.Store(true)
	default:
		b.failed.Store(true)
	}
	return n, err
}

// late reports whether the client was too slow. When the deadline has passed, net/http
// treats the client as gone, and reports that before Read returns: only the clock tells
// the two apart.
func (b *sentBody) late(gone bool) bool {
	return b != nil && gone && !b.whole.Load() && !time.Now().Before(b.deadline)
}

// broken reports whether the client's body could not be read.
func (b *sentBody) broken() bool { return b != nil && b.failed.Load() }
