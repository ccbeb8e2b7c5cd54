package middleware

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/validation"

	"github.com/keyward/keyward/internal/fault"
)

// finding is what is wrong with one input. The HTTP library passes on only an
// error's text, so the text is the finding itself as JSON, and nothing has to
// be guessed from sentences: our JSON reader returns one, and so do the
// library's message templates for schema violations (localizeErrors).
type finding struct {
	Code   string       `json:"code"`
	Field  string       `json:"field,omitempty"` // below the place named by the library
	Params fault.Params `json:"params,omitempty"`
}

func (f finding) Error() string {
	raw, _ := json.Marshal(f) // texts and numbers
	return string(raw)
}

// localizeErrors replaces the HTTP library's messages and errors by ours, and makes its
// matching of names exact. The library keeps all this in package variables, and
// composes the messages into a schema when an operation is registered, so this
// runs once, before the first API is made. %.0s drops an argument: a pattern,
// or a parser's error, which would quote the value.
var localizeErrors = sync.OnceFunc(func() {
	for text, sentence := range map[*string]string{
		&validation.MsgUnexpectedProperty:       `{"code":"unknown_field"}`,
		&validation.MsgExpectedRequiredProperty: `{"code":"required","field":%q}`,
		&validation.MsgExpectedString:           `{"code":"wrong_type","params":{"type":"string"}}`,
		&validation.MsgExpectedInteger:          `{"code":"wrong_type","params":{"type":"integer"}}`,
		&validation.MsgExpectedNumber:           `{"code":"wrong_type","params":{"type":"number"}}`,
		&validation.MsgExpectedBoolean:          `{"code":"wrong_type","params":{"type":"boolean"}}`,
		&validation.MsgExpectedArray:            `{"code":"wrong_type","params":{"type":"array"}}`,
		&validation.MsgExpectedObject:           `{"code":"wrong_type","params":{"type":"object"}}`,
		&validation.MsgExpectedOneOf:            `{"code":"not_one_of","params":{"values":%q}}`,
		&validation.MsgExpectedMinLength:        `{"code":"too_short","params":{"min":%d}}`,
		&validation.MsgExpectedMaxLength:        `{"code":"too_long","params":{"max":%d}}`,
		&validation.MsgExpectedMinItems:         `{"code":"too_few","params":{"min":%d}}`,
		&validation.MsgExpectedMaxItems:         `{"code":"too_many","params":{"max":%d}}`,
		&validation.MsgExpectedMinimumNumber:    `{"code":"too_small","params":{"min":%v}}`,
		&validation.MsgExpectedMaximumNumber:    `{"code":"too_large","params":{"max":%v}}`,
		&validation.MsgExpectedMatchPattern:     `{"code":"bad_form"}%.0s`,
		&validation.MsgExpectedRFC3339DateTime:  `{"code":"bad_format","params":{"format":"date-time"}}`,
		&validation.MsgExpectedRFC5322Email:     `{"code":"bad_format","params":{"format":"email"}}%.0s`,
		&validation.MsgExpectedDuration:         `{"code":"bad_format","params":{"format":"duration"}}%.0s`,
	} {
		*text = sentence
	}
	huma.ValidateStrictCasing = true
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		return huma.NewErrorWithContext(nil, status, msg, errs...)
	}
	huma.NewErrorWithContext = func(ctx huma.Context, status int, msg string, errs ...error) huma.StatusError {
		if ctx == nil {
			return &Problem{}
		}
		return NewProblem(ctx.Context(), refusal(ctx.Operation(), status, msg, errs))
	}
})

const (
	maxFields    = 20
	maxFieldName = 100
)

// refusal turns the library's error about an input into a fault.
func refusal(op *huma.Operation, status int, msg string, errs []error) error {
	for _, err := range errs {
		if _, ok := fault.As(err); ok {
			return err
		}
	}
	if status != http.StatusBadRequest && status != http.StatusUnprocessableEntity {
		return errors.Join(append([]error{errors.New(msg)}, errs...)...)
	}
	fields := make([]fault.Field, 0, len(errs))
	for _, err := range errs {
		if d, ok := err.(huma.ErrorDetailer); ok {
			fields = append(fields, field(op, d.ErrorDetail()))
		}
	}
	if len(fields) == 0 {
		return fault.Invalid(fault.Required("body"))
	}
	slices.SortStableFunc(fields, func(a, b fault.Field) int { return cmp.Compare(a.Field, b.Field) })
	fields = slices.CompactFunc(fields, func(a, b fault.Field) bool { return a.Field == b.Field && a.Code == b.Code })
	return fault.Invalid(fields[:min(len(fields), maxFields)]...)
}

// field converts the library's finding to our form: the name without "body."
// and the like, and a message without any submitted value.
func field(op *huma.Operation, d *huma.ErrorDetail) fault.Field {
	place, name, _ := strings.Cut(d.Location, ".")
	if place == "body" && name == "" {
		name = "body"
	}
	var f finding
	if json.Unmarshal([]byte(d.Message), &f) != nil {
		f = parameter(op, place, name, d.Value)
	}
	switch {
	case f.Field == "":
	case name == "body" && place == "body":
		name = f.Field
	default:
		name += "." + f.Field
	}
	return f.at(printable(name))
}

// parameter determines by itself what is wrong with a parameter, because the
// library uses fixed sentences for parameters.
func parameter(op *huma.Operation, place, name string, value any) finding {
	i := slices.IndexFunc(op.Parameters, func(p *huma.Param) bool { return p.In == place && p.Name == name })
	switch {
	case i < 0:
		return finding{Code: "unknown_field"}
	case value == "" || value == nil:
		return finding{Code: "required"}
	case op.Parameters[i].Schema.Format == "date-time":
		return finding{Code: "bad_format", Params: fault.Params{"format": "date-time"}}
	default:
		return finding{Code: "wrong_type", Params: fault.Params{"type": op.Parameters[i].Schema.Type}}
	}
}

// at returns the finding as an error about a field.
func (f finding) at(name string) fault.Field {
	switch f.Code {
	case "required":
		return fault.Required(name)
	case "unknown_field":
		return fault.Unknown(name)
	case "duplicate_field":
		return fault.Wrong(name, "duplicate_field", "appears more than once")
	case "wrong_type":
		return fault.Wrongf(name, "wrong_type", "must be of type {type}", f.Params)
	case "bad_value":
		return fault.Wrong(name, "bad_value", "is out of range or of the wrong type")
	case "not_one_of":
		values, _ := f.Params["values"].(string)
		return fault.NotOneOf(name, strings.Split(values, ", ")...)
	case "too_short":
		return fault.Wrongf(name, "too_short", "must have at least {min} characters", f.Params)
	case "too_long":
		return fault.TooLong(name, f.number("max"))
	case "too_few":
		return fault.Wrongf(name, "too_few", "must have at least {min} entries", f.Params)
	case "too_many":
		return fault.TooMany(name, f.number("max"))
	case "too_small":
		return fault.Wrongf(name, "too_small", "must be at least {min}", f.Params)
	case "too_large":
		return fault.Wrongf(name, "too_large", "must be at most {max}", f.Params)
	case "bad_format":
		return fault.Wrongf(name, "bad_format", "must be a valid {format}", f.Params)
	case "nul_character":
		return fault.Wrong(name, "nul_character", "has a character U+0000")
	case "not_json":
		return fault.Wrong(name, "not_json", "is not valid JSON")
	case "not_utf8":
		return fault.Wrong(name, "not_utf8", "is not valid UTF-8")
	case "too_deep":
		return fault.Wrongf(name, "too_deep", "is nested more than {max} deep", f.Params)
	default:
		return fault.Wrong(name, "bad_form", "has the wrong format")
	}
}

func (f finding) number(param string) int {
	n, _ := f.Params[param].(float64) // JSON numbers decode to float64
	return int(n)
}

// printable makes a name chosen by the client fit for an answer and a log.
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
