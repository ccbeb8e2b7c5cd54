package fault

import (
	"errors"
	"maps"
	"time"
)

// Params are a sentence's values by name, so that translations can fill the
// same places. Never a secret, never a submitted value.
type Params map[string]any

// Error is an error with a public face.
type Error struct {
	Code       Code
	Reason     string         // distinguishes the sentences of one code, in snake_case; empty if there is only one
	Params     Params         // the sentence's values
	Detail     string         // the sentence in English: what happened and what to do next
	Fields     []Field        // invalid inputs
	RetryAfter time.Duration  // for 429 and 503; zero: the edge decides
	Extra      map[string]any // RFC 9457 extension members, for example retries_left
	Cause      error          // for the log only
}

// New makes a fault. The reason identifies the sentence for translations.
// Reason and text must be literals: test/arch extracts them into
// api/errors.json.
func New(code Code, reason, text string) *Error {
	return &Error{Code: code, Reason: reason, Detail: text}
}

// Newf makes a fault whose text has {places}, each named after a param.
func Newf(code Code, reason, text string, params Params) *Error {
	return &Error{Code: code, Reason: reason, Params: params, Detail: fill(text, params)}
}

// Invalid is an InvalidRequest about one or more fields.
func Invalid(fields ...Field) *Error {
	e := New(InvalidRequest, "", "The request has invalid fields; see errors.").About(fields...)
	if len(fields) == 1 {
		e.Detail = "The request has an invalid field: " + fields[0].Field + " " + fields[0].Message + "."
	}
	return e
}

// About returns a copy that names the fields concerned.
func (e *Error) About(fields ...Field) *Error {
	c := *e
	c.Fields = fields
	return &c
}

// With returns a copy with a private cause.
func (e *Error) With(cause error) *Error {
	c := *e
	c.Cause = cause
	return &c
}

// WithExtra returns a copy with one more extension member.
func (e *Error) WithExtra(key string, value any) *Error {
	c := *e
	if c.Extra = maps.Clone(e.Extra); c.Extra == nil {
		c.Extra = map[string]any{}
	}
	c.Extra[key] = value
	return &c
}

// After returns a copy that tells the client how long to wait.
func (e *Error) After(d time.Duration) *Error {
	c := *e
	c.RetryAfter = d
	return &c
}

func (e *Error) Error() string {
	if e.Cause != nil {
		return string(e.Code) + ": " + e.Detail + ": " + e.Cause.Error()
	}
	return string(e.Code) + ": " + e.Detail
}

func (e *Error) Unwrap() error { return e.Cause }

// As returns the fault in an error's chain.
func As(err error) (*Error, bool) { return errors.AsType[*Error](err) }

// CodeOf returns the code of the fault in err's chain: Internal for any other
// error, and empty for nil.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	if f, ok := As(err); ok {
		return f.Code
	}
	return Internal
}

// Is reports whether the fault in err's chain has that code.
func Is(err error, code Code) bool { return err != nil && CodeOf(err) == code }
