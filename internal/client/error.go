package client

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"mime"
	"net/http"
	"slices"
	"strconv"
	"syscall"
	"time"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/problem"
)

// Error is a refusal: a problem document (RFC 9457), or any other response whose status
// is not 2xx.
type Error struct {
	Status    int
	RequestID string
	Fault     *fault.Error
}

func (e *Error) Error() string {
	msg := e.Fault.Detail
	for _, f := range e.Fault.Fields {
		msg += fmt.Sprintf("\n  %s: %s", f.Field, f.Message)
	}
	msg += " (" + string(e.Fault.Code)
	if e.RequestID != "" {
		msg += ", request " + e.RequestID
	}
	return msg + ")"
}

// Unwrap returns the fault, so that fault.Is and fault.As work.
func (e *Error) Unwrap() error { return e.Fault }

// Unreachable is a request without a response. It may have happened, unless it was
// never sent.
type Unreachable struct {
	Peer string // "server" or "agent"
	Base string // its address
	Err  error
	// Unsent: no attempt established a connection.
	Unsent bool
}

func (e *Unreachable) Error() string {
	if refused, ok := errors.AsType[syscall.Errno](e.Err); ok && e.Unsent {
		return fmt.Sprintf("the %s at %s can't be reached (%v); check the address and that it is running", e.Peer, e.Base, refused)
	}
	return fmt.Sprintf("the %s at %s did not answer; check the address and that it is running: %v", e.Peer, e.Base, e.Err)
}

func (e *Unreachable) Unwrap() error { return e.Err }

// standard lists the members that are not extensions.
var standard = []string{"type", "title", "status", "detail", "code", "request_id", "params", "errors", "instance"}

// proxyPause is how long to wait for Keyward to come back, if a proxy's own page does not say.
const proxyPause = 2 * time.Second

// proxied are the statuses that proxies answer by themselves while Keyward is away, or when it
// goes away before it has answered (500: Apache).
var proxied = []int{http.StatusInternalServerError, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout}

// decodeError turns a response that is not 2xx into an error. It never fails: without a
// problem document, a proxy's status means that Keyward is away, and any other becomes an
// error that says so.
func decodeError(status int, header http.Header, body []byte) *Error {
	e := &Error{Status: status, RequestID: header.Get("X-Request-Id")}
	media, _, _ := mime.ParseMediaType(header.Get("Content-Type"))
	if media == problem.ContentType {
		e.Fault, e.RequestID = decodeProblem(body, e.RequestID)
	}
	if e.Fault == nil && slices.Contains(proxied, status) {
		e.Fault = fault.New(fault.BackendUnavailable, "",
			"Keyward can't be reached through the proxy in front of it right now. Try again in a moment.")
		e.Fault.RetryAfter = proxyPause
	}
	if e.Fault == nil {
		e.Fault = fault.Newf(fault.Internal, "no_problem_document",
			"The answer was HTTP {status} without a problem document. Check that the address is Keyward's, and what is in front of it.",
			fault.Params{"status": status})
	}
	if e.Fault.Code == fault.BackendUnavailable { // Apache can't say so with this status
		e.Status = http.StatusServiceUnavailable
	}
	e.Fault.RetryAfter = cmp.Or(retryAfter(header.Get("Retry-After")), e.Fault.RetryAfter)
	return e
}

func decodeProblem(body []byte, requestID string) (*fault.Error, string) {
	var doc problem.Document
	if json.Unmarshal(body, &doc) != nil || doc.Code == "" {
		return nil, requestID //nolint:nilerr // no document: the status speaks for itself
	}
	if doc.RequestID != "" {
		requestID = doc.RequestID
	}
	f := &fault.Error{Code: doc.Code, Params: doc.Params, Detail: doc.Detail, Fields: doc.Errors}
	f.Reason, _ = doc.Params["reason"].(string)
	delete(f.Params, "reason")
	if f.Detail == "" {
		f.Detail = doc.Title
	}
	members := map[string]any{}
	if decodeNumbers(body, &members) == nil {
		for _, name := range standard {
			delete(members, name)
		}
		if len(members) > 0 {
			f.Extra = members
		}
	}
	return f, requestID
}

// retryAfter parses delay-seconds (RFC 9110, section 10.2.3); Keyward sends no dates.
// Zero when there is none.
func retryAfter(value string) time.Duration {
	n, err := strconv.ParseUint(value, 10, 31)
	if err != nil {
		return 0
	}
	return time.Duration(n) * time.Second
}
