package middleware

import (
	"errors"
	"io"
	"mime"
	"net/http"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/textinput"
)

// Bounds of a request's body (contract, "Bodies").
const (
	MaxBody     = 1 << 20
	BodyTimeout = 30 * time.Second
)

// Body says what an operation accepts as a request's body.
type Body struct {
	Types   []string      // media types; empty: not checked
	Max     int64         // bytes; zero: MaxBody
	Timeout time.Duration // for the whole body; zero: no new deadline
}

// Prepare refuses a body by its headers (media type, length) and bounds the
// rest. Later problems are faults of Read.
func (b Body) Prepare(w http.ResponseWriter, r *http.Request) error {
	if len(b.Types) > 0 {
		if err := checkMediaType(r.Header, b.Types); err != nil {
			return err
		}
	}
	most := b.Max
	if most == 0 {
		most = MaxBody
	}
	if r.ContentLength > most {
		return tooLarge()
	}
	if b.Timeout != 0 {
		ArriveWithin(w, b.Timeout)
	}
	r.Body = textinput.UnmarkedBody(Arriving(w, http.MaxBytesReader(w, r.Body, most)))
	return nil
}

func tooLarge() *fault.Error {
	return fault.New(fault.BodyTooLarge, "", "The request body is too large for this operation.")
}

// Late is for a body that took too long to arrive.
func Late() error {
	return fault.Invalid(fault.Wrong("body", "late", "did not arrive in time; send it again"))
}

// Broken is for a body that was truncated or corrupted in transit.
func Broken() error {
	return fault.Invalid(fault.Wrong("body", "broken", "arrived incomplete; send it again"))
}

// checkMediaType demands exactly one Content-Type, an accepted one, in UTF-8,
// and no Content-Encoding.
func checkMediaType(h http.Header, accepted []string) error {
	refused := fault.Newf(fault.UnsupportedMediaType, "send_as", "Send the body as {types}, in UTF-8, not compressed.",
		fault.Params{"types": accepted})
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
	h["Content-Type"] = []string{mediaType} // the decoder compares it byte for byte
	return nil
}

// ArriveWithin bounds reading from the connection, by the real clock. A writer
// without a connection, as in a test, has no deadline.
func ArriveWithin(w http.ResponseWriter, d time.Duration) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(d))
}

// Arriving removes the read deadline once the body has arrived. Otherwise,
// during a long operation, the server would take its passing for the client's
// leaving, and cancel the operation.
func Arriving(w http.ResponseWriter, from io.ReadCloser) io.ReadCloser {
	return &arriving{w: w, from: from}
}

type arriving struct {
	w    http.ResponseWriter
	from io.ReadCloser
	done bool
}

func (b *arriving) Read(p []byte) (int, error) {
	n, err := b.from.Read(p)
	switch _, large := errors.AsType[*http.MaxBytesError](err); {
	case err == nil, errors.Is(err, http.ErrBodyReadAfterClose): // we closed it ourselves
		return n, err
	case err == io.EOF:
		if !b.done {
			b.done = true
			_ = http.NewResponseController(b.w).SetReadDeadline(time.Time{})
		}
		return n, err
	case large:
		return n, tooLarge()
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, Late()
	default: // malformed chunks, a reset: the client's fault
		return n, Broken()
	}
}

func (b *arriving) Close() error { return b.from.Close() }
