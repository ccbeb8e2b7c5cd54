package agent

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// maxBody is the largest body that is read, in bytes (contract, section 1).
const maxBody = 1 << 20

// defaultBodyTimeout bounds the reading of a body.
const defaultBodyTimeout = 15 * time.Second

// readBody reads the whole body before the handlers, within a time limit that
// is then taken off the connection. If it stayed there, the server would take
// its passing for the client's leaving, and a request that waits for its turn
// would be dropped.
func readBody(limit time.Duration, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			next.ServeHTTP(w, r)
			return
		}
		control := http.NewResponseController(w)
		_ = control.SetReadDeadline(time.Now().Add(limit)) // not of a recorder in tests
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err != nil { // and the limit stays, for what the server reads of the rest
			w.Header().Set("Connection", "close")
		}
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			writeFault(w, fault.New(fault.BodyTooLarge, "The body is larger than 1 MiB."))
			return
		}
		if err != nil {
			writeFault(w, fault.Invalid("body", "did not arrive in full"))
			return
		}
		_ = control.SetReadDeadline(time.Time{})
		r.Body = io.NopCloser(bytes.NewReader(body))
		next.ServeHTTP(w, r)
	})
}
