package agent

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/problem"
)

// requestIDHeader names a request in answers and log lines.
const requestIDHeader = "X-Request-Id"

// writeFault answers from outside of huma.
func writeFault(w http.ResponseWriter, err error) {
	problem.From(err, w.Header().Get(requestIDHeader)).Write(w)
}

// answer is a problem document as huma sends it.
type answer struct{ problem.Document }

// Error is for the StatusError interface only.
func (a answer) Error() string { return a.Detail }

// GetStatus gives the HTTP status.
func (a answer) GetStatus() int { return a.Status }

// ContentType makes it a problem document whatever was negotiated.
func (a answer) ContentType(string) string { return problem.ContentType }

// GetHeaders gives Retry-After where it belongs.
func (a answer) GetHeaders() http.Header {
	h := http.Header{}
	if s := a.RetryAfterSeconds(); s > 0 {
		h.Set("Retry-After", strconv.Itoa(s))
	}
	return h
}

// fail turns a handler's error into an answer; what is no fault is logged
// and told to nobody.
func fail(ctx context.Context, log *slog.Logger, err error) answer {
	id := requestID(ctx)
	if fault.CodeOf(err) == fault.Internal {
		log.Error("internal error", "request_id", id, "cause", err.Error())
	}
	return answer{problem.From(err, id)}
}

// replacing is the huma context of one request. It lets the transformer
// choose another status than huma, which answers 422 to invalid input.
type replacing struct {
	humaContext
	status int
}

// humaContext lets the interface be embedded: its method is named Context,
// as an embedded huma.Context's field would be.
type humaContext huma.Context

// SetStatus prefers the replaced status.
func (r *replacing) SetStatus(status int) {
	if r.status != 0 {
		status = r.status
	}
	r.humaContext.SetStatus(status)
}

// Unwrap lets adapters find their own context.
func (r *replacing) Unwrap() huma.Context { return r.humaContext }

// replace is huma middleware.
func replace(ctx huma.Context, next func(huma.Context)) { next(&replacing{humaContext: ctx}) }

// ownErrors is huma's transformer: huma's error documents, which repeat what
// was submitted, become problem documents, which do not.
func ownErrors(ctx huma.Context, _ string, v any) (any, error) {
	model, ok := v.(*huma.ErrorModel)
	if !ok {
		return v, nil
	}
	doc := problem.From(faultOf(model), requestID(ctx.Context()))
	if r, ok := ctx.(*replacing); ok {
		r.status = doc.Status
	}
	return answer{doc}, nil
}

// faultOf reads huma's complaint. Only its wording about the schema is kept.
func faultOf(m *huma.ErrorModel) *fault.Error {
	switch m.Status {
	case http.StatusRequestEntityTooLarge:
		return fault.New(fault.BodyTooLarge, "The body is larger than 1 MiB.")
	case http.StatusUnsupportedMediaType:
		return fault.New(fault.UnsupportedMediaType, "Send the body as Content-Type: application/json.")
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusRequestTimeout:
	default:
		return fault.New(fault.Internal, m.Detail)
	}
	var fields []fault.Field
	for _, d := range m.Errors {
		f := describeField(d)
		if !slices.ContainsFunc(fields, func(g fault.Field) bool { return g.Field == f.Field && g.Message == f.Message }) {
			fields = append(fields, f)
		}
	}
	if len(fields) == 0 {
		return fault.Invalid("body", "must be a JSON object")
	}
	return fault.InvalidFields(fields...)
}

// describeField names the field and says what is wrong, without its value.
func describeField(d *huma.ErrorDetail) fault.Field {
	if rest, ok := strings.CutPrefix(d.Message, "expected required property "); ok {
		name, _, _ := strings.Cut(rest, " ")
		return fault.Required(fieldName(d.Location + "." + name))
	}
	if name, ok := strings.CutPrefix(d.Message, unexpected); ok && d.Location == "body" {
		return fault.Field{Field: fieldName(name), Code: "invalid", Message: "is not known here, or stands there twice"}
	}
	return fault.Field{Field: fieldName(d.Location), Code: "invalid", Message: wording(d)}
}

// fieldName drops where the field stood: body.pin is pin. The name of an
// unknown field is the client's own word, so it is kept short.
func fieldName(location string) string {
	for _, prefix := range []string{"body.", "query."} {
		location = strings.TrimPrefix(location, prefix)
	}
	return strings.ToValidUTF8(clip(location), "")
}

// wording keeps huma's messages that speak of the schema alone. Others may
// quote the input.
func wording(d *huma.ErrorDetail) string {
	switch m := d.Message; {
	case strings.HasPrefix(m, strings.TrimSpace(unexpected)), strings.HasPrefix(m, "unknown query"):
		return "is not known here"
	case strings.HasPrefix(m, "required"):
		return "is missing"
	case strings.Contains(m, "match pattern"):
		return "has not the right form"
	case strings.HasPrefix(m, "expected"):
		return "is not as " + m
	case d.Location == "body":
		return "is not valid JSON"
	}
	return "is not valid"
}
