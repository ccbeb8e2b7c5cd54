package httpapi

import (
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"github.com/keyward/keyward/internal/edge"
)

// sentBody is a body on its way from the client to the backend, as far as it
// matters for whose fault a failure is. A nil one is none.
type sentBody struct {
	io.ReadCloser
	deadline time.Time
	whole    atomic.Bool // it has arrived
	failed   atomic.Bool // reading it has failed
}

// sendBody gives the client so long to send the body of r.
func sendBody(x *exchange, r *http.Request, patience time.Duration) *sentBody {
	b := &sentBody{ReadCloser: edge.Arriving(x, r.Body), deadline: time.Now().Add(patience)}
	edge.ArriveWithin(x, patience) // not before the deadline that late asks
	r.Body = b
	return b
}

// Read runs beside the handler, in the transport.
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

// late tells whether the client was too slow. net/http takes a client whose
// deadline has passed for one that is gone, and says so before Read returns:
// then the clock alone tells the two apart.
func (b *sentBody) late(gone bool) bool {
	return b != nil && gone && !b.whole.Load() && !time.Now().Before(b.deadline)
}

// broken tells whether what the client sent could not be read.
func (b *sentBody) broken() bool { return b != nil && b.failed.Load() }
