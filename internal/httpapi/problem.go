package httpapi

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/problem"
)

// Problem is a problem document as the HTTP library wants its errors.
type Problem struct{ problem.Document }

// newProblem converts an error, once, and keeps the cause of a 5xx for the
// log.
func newProblem(x *exchange, err error) *Problem {
	p := &Problem{}
	if x == nil {
		p.Document = problem.From(err, "")
		return p
	}
	p.Document = problem.From(err, x.requestID)
	if p.Status >= http.StatusInternalServerError {
		x.cause = err
	}
	return p
}

// Error is the public detail.
func (p *Problem) Error() string { return p.Detail }

// GetStatus is the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType is that of RFC 9457.
func (p *Problem) ContentType(string) string { return problem.ContentType }

// GetHeaders gives Retry-After where the status asks for it.
func (p *Problem) GetHeaders() http.Header {
	if s := p.RetryAfterSeconds(); s > 0 {
		return http.Header{"Retry-After": {strconv.Itoa(s)}}
	}
	return nil
}

// hook makes the HTTP library's own errors ours, and its matching of field
// names exact. The library keeps both in package variables.
var hook = sync.OnceFunc(func() {
	huma.ValidateStrictCasing = true
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		return newProblem(nil, fromHuma(status, msg, errs))
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		return newProblem(exchangeFrom(contextOf(ctx)), fromHuma(status, msg, errs))
	}
})

func contextOf(ctx huma.Context) context.Context {
	if ctx == nil {
		return context.Background()
	}
	return ctx.Context()
}

// fromHuma turns what the library says about an input into a fault. Values
// that it would echo are left behind.
func fromHuma(status int, msg string, errs []error) error {
	for _, err := range errs {
		if _, ok := errors.AsType[*http.MaxBytesError](err); ok {
			return tooLarge()
		}
		if _, ok := fault.As(err); ok {
			return err
		}
	}
	if msg == "cannot read request body" { // malformed chunks, a reset: the client's matter
		return fault.Invalid("body", "did not arrive whole")
	}
	switch status {
	case http.StatusRequestTimeout:
		return fault.Invalid("body", "did not arrive in time")
	case http.StatusRequestEntityTooLarge:
		return tooLarge()
	case http.StatusUnsupportedMediaType:
		return fault.New(fault.UnsupportedMediaType, "Send the body as application/json.")
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
	default:
		return errors.Join(append([]error{errors.New(msg)}, errs...)...)
	}
	fields := make([]fault.Field, 0, len(errs))
	for _, err := range errs {
		if d, ok := err.(huma.ErrorDetailer); ok {
			fields = append(fields, field(d.ErrorDetail()))
		}
	}
	if len(fields) == 0 {
		return fault.Invalid("body", "is required")
	}
	slices.SortStableFunc(fields, func(a, b fault.Field) int { return cmp.Compare(a.Field, b.Field) })
	fields = slices.CompactFunc(fields, func(a, b fault.Field) bool { return a.Field == b.Field && a.Message == b.Message })
	if len(fields) > maxFields {
		fields = fields[:maxFields]
	}
	return fault.InvalidFields(fields...)
}

const (
	maxFields    = 20
	maxFieldName = 100
)

// field gives the library's finding our form: the name without "body." and
// the like, and a message without any submitted value.
func field(d *huma.ErrorDetail) fault.Field {
	if name, message, ok := strings.Cut(d.Message, bodyFaultMark); ok {
		return fault.Field{Field: printable(name), Code: "invalid", Message: message}
	}
	name := d.Location
	for _, in := range []string{"body.", "query.", "path.", "header.", "cookie."} {
		if rest, ok := strings.CutPrefix(name, in); ok {
			name = rest
			break
		}
	}
	if rest, ok := strings.CutPrefix(d.Message, "expected required property "); ok {
		property := strings.TrimSuffix(rest, " to be present")
		if name == "body" {
			name = property
		} else {
			name += "." + property
		}
		return fault.Required(printable(name))
	}
	return fault.Field{Field: printable(name), Code: "invalid", Message: message(d.Message)}
}

// printable makes a name that the client chose fit for an answer and a log.
func printable(name string) string {
	if len(name) > maxFieldName {
		name = strings.ToValidUTF8(name[:maxFieldName], "") + "…"
	}
	return strings.Map(func(r rune) rune {
		if !strconv.IsPrint(r) {
			return '?'
		}
		return r
	}, name)
}

// message puts the library's message after "field …". What is not known to be
// free of submitted values becomes "is not valid".
func message(m string) string {
	switch m {
	case "unexpected property":
		return "is not a field of this request"
	case "unknown query parameter":
		return "is not a parameter of this operation"
	case "invalid integer":
		return "must be an integer"
	case "invalid boolean":
		return "must be true or false"
	}
	if strings.HasPrefix(m, "required ") {
		return "is required"
	}
	if rest, ok := strings.CutPrefix(m, "invalid date/time for format "); ok && rest != "" {
		return "must be an RFC 3339 date-time"
	}
	rest, ok := strings.CutPrefix(m, "expected ")
	if !ok {
		return "is not valid"
	}
	rest = strings.TrimPrefix(rest, "value to be ")
	rest = strings.TrimPrefix(rest, "string to be ")
	// Some messages end in the parser's error, which quotes the value.
	for _, quoting := range []string{"duration: ", "RFC 5322 email: ", "RFC 3986 uri: ", "RFC 4122 uuid: ", "regex: "} {
		if strings.HasPrefix(rest, quoting) {
			rest = strings.TrimSuffix(quoting, ": ")
		}
	}
	for _, has := range []string{"length ", "array length ", "object with "} {
		if strings.HasPrefix(rest, has) {
			return "must have " + rest
		}
	}
	return "must be " + rest
}
