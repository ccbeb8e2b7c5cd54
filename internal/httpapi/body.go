package httpapi

import (
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// prepareBody refuses a body by its headers (media type, length) and bounds
// the rest: at most MaxBody bytes, within BodyTimeout.
func (s *Server) prepareBody(x *exchange, r *http.Request) error {
	rt := x.route
	if len(rt.bodyTypes) > 0 {
		if err := checkMediaType(r.Header, rt.bodyTypes); err != nil {
			return err
		}
	}
	if r.ContentLength > rt.MaxBody {
		return tooLarge()
	}
	if rt.BodyTimeout != DefaultBodyTimeout {
		setReadDeadline(x, time.Now().Add(rt.BodyTimeout)) // the connection's clock is the real one
	}
	r.Body = &body{x: x, from: http.MaxBytesReader(x, r.Body, rt.MaxBody)}
	return nil
}

func tooLarge() *fault.Error {
	return fault.New(fault.BodyTooLarge, "The request body is larger than this operation takes.")
}

// checkMediaType wants exactly one Content-Type, one of the accepted, in
// UTF-8, and no Content-Encoding.
func checkMediaType(h http.Header, accepted []string) error {
	refused := fault.Newf(fault.UnsupportedMediaType, "send_as", "Send the body as {types}, in UTF-8, not compressed.", fault.Params{"types": accepted})
	v := h["Content-Type"]
	if len(v) != 1 || len(h["Content-Encoding"]) > 0 {
		return refused
	}
	if slices.Contains(accepted, v[0]) {
		return nil
	}
	mediaType, params, err := mime.ParseMediaType(v[0])
	if err != nil || !slices.Contains(accepted, mediaType) {
		return refused
	}
	if charset, ok := params["charset"]; ok && !strings.EqualFold(charset, "utf-8") {
		return refused
	}
	h["Content-Type"] = []string{mediaType} // the decoder looks it up byte for byte
	return nil
}

// body takes the read deadline back when the body has arrived. If it stood,
// the server would see it pass during a long operation and cancel that.
type body struct {
	x    *exchange
	from io.ReadCloser
	done bool
}

func (b *body) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	if err == io.EOF && !b.done {
		b.done = true
		setReadDeadline(b.x, time.Time{})
	}
	return n, err
}

func (b *body) Close() error { return b.from.Close() }

// setReadDeadline bounds reading from the connection. A writer that has no
// connection, as in a test, has no deadline either.
func setReadDeadline(w http.ResponseWriter, t time.Time) {
	_ = http.NewResponseController(w).SetReadDeadline(t)
}
