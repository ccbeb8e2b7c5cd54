// Package problem is the only place where faults become HTTP answers: RFC 9457
// application/problem+json with the stable code, the request id and the invalid
// fields. Backend and agent share it.
package problem

import (
	"encoding/json"
	"math"
	"net/http"
	"strconv"
	"time"

	"github.com/keyward/keyward/internal/fault"
)

// ContentType is the media type of RFC 9457, section 3.
const ContentType = "application/problem+json"

// Document is the answer's body. Params has the sentence's name, as reason, and its values.
// Extension members of a fault are at the top level (RFC 9457, section 3.2).
type Document struct {
	Type      string         `json:"type"`
	Title     string         `json:"title"`
	Status    int            `json:"status"`
	Detail    string         `json:"detail"`
	Code      fault.Code     `json:"code"`
	RequestID string         `json:"request_id"`
	Params    fault.Params   `json:"params,omitempty"`
	Errors    []fault.Field  `json:"errors,omitempty"`
	Extra     map[string]any `json:"-"`

	retryAfter time.Duration
}

var statuses = map[fault.Code]int{
	fault.InvalidRequest: http.StatusBadRequest,

	fault.TokenMissing:       http.StatusUnauthorized,
	fault.TokenExpired:       http.StatusUnauthorized,
	fault.TokenInvalid:       http.StatusUnauthorized,
	fault.SessionNotFound:    http.StatusUnauthorized,
	fault.InvalidCredentials: http.StatusUnauthorized,

	fault.PermissionDenied:         http.StatusForbidden,
	fault.AccountDisabled:          http.StatusForbidden,
	fault.PasswordExpired:          http.StatusForbidden,
	fault.LicenseRestricted:        http.StatusForbidden,
	fault.ReauthenticationRequired: http.StatusForbidden,
	fault.OriginRefused:            http.StatusForbidden,

	fault.NotFound:         http.StatusNotFound,
	fault.NoToken:          http.StatusNotFound,
	fault.TokenNotFound:    http.StatusNotFound,
	fault.MethodNotAllowed: http.StatusMethodNotAllowed,

	fault.Conflict:                  http.StatusConflict,
	fault.AgentNotRegistered:        http.StatusConflict,
	fault.AgentConfirmationRequired: http.StatusConflict,
	fault.CANotActive:               http.StatusConflict,
	fault.CAEnded:                   http.StatusConflict,
	fault.RotationPending:           http.StatusConflict,
	fault.SecretsChanged:            http.StatusConflict,
	fault.CertificatesLive:          http.StatusConflict,
	fault.ProfileInUse:              http.StatusConflict,
	fault.JobRunning:                http.StatusConflict,
	fault.BackupNotConfigured:       http.StatusConflict,
	fault.SlotOccupied:              http.StatusConflict,
	fault.CurrentRequired:           http.StatusConflict,
	fault.Busy:                      http.StatusConflict,
	fault.TokenInUse:                http.StatusConflict,

	fault.BodyTooLarge:         http.StatusRequestEntityTooLarge,
	fault.UnsupportedMediaType: http.StatusUnsupportedMediaType,

	fault.CSRRejected:         http.StatusUnprocessableEntity,
	fault.ProfileMismatch:     http.StatusUnprocessableEntity,
	fault.ProfileUnsupported:  http.StatusUnprocessableEntity,
	fault.MailFailed:          http.StatusUnprocessableEntity,
	fault.CARejected:          http.StatusUnprocessableEntity,
	fault.CertificateRejected: http.StatusUnprocessableEntity,
	fault.LicenseRejected:     http.StatusUnprocessableEntity,
	fault.AttestationFailed:   http.StatusUnprocessableEntity,
	fault.PasswordPolicy:      http.StatusUnprocessableEntity,
	fault.WrongPIN:            http.StatusUnprocessableEntity,
	fault.WrongPUK:            http.StatusUnprocessableEntity,
	fault.WrongManagementKey:  http.StatusUnprocessableEntity,
	fault.PINRefused:          http.StatusUnprocessableEntity,
	fault.RetriesLow:          http.StatusUnprocessableEntity,
	fault.NotABackup:          http.StatusUnprocessableEntity,
	fault.BackupNewer:         http.StatusUnprocessableEntity,
	fault.BackupTruncated:     http.StatusUnprocessableEntity,
	fault.BackupCorrupt:       http.StatusUnprocessableEntity,
	fault.BackupPasswordWrong: http.StatusUnprocessableEntity,
	fault.BackupTooLarge:      http.StatusUnprocessableEntity,

	fault.PINBlocked: http.StatusLocked,
	fault.PUKBlocked: http.StatusLocked,

	fault.DecryptFailed: http.StatusBadRequest,
	fault.ToolFailed:    http.StatusBadGateway,
	fault.ToolMissing:   http.StatusServiceUnavailable,

	fault.RateLimited:   http.StatusTooManyRequests,
	fault.AccountLocked: http.StatusTooManyRequests,

	fault.VaultUnavailable:    http.StatusServiceUnavailable,
	fault.StorageUnavailable:  http.StatusServiceUnavailable,
	fault.DatabaseUnavailable: http.StatusServiceUnavailable,
	fault.BackendUnavailable:  http.StatusServiceUnavailable,
	fault.LicenseUnavailable:  http.StatusServiceUnavailable,
	fault.Overloaded:          http.StatusServiceUnavailable,
	fault.RecoveryRequired:    http.StatusServiceUnavailable,
	fault.RestoreRunning:      http.StatusServiceUnavailable,

	fault.Internal: http.StatusInternalServerError,
}

// Status returns the HTTP status of a code; 500 for an unknown one.
func Status(code fault.Code) int {
	if s, ok := statuses[code]; ok {
		return s
	}
	return http.StatusInternalServerError
}

// From turns an error into a document. An internal fault, or an error that is
// no fault, becomes a 500 that reveals only the request id.
func From(err error, requestID string) Document {
	f, ok := fault.As(err)
	if !ok || f.Code == fault.Internal || statuses[f.Code] == 0 {
		f = fault.New(fault.Internal, "",
			"Something went wrong on the server. Try again. If it happens again, give your administrator the request ID.")
	}
	status := Status(f.Code)
	d := Document{
		Type: "about:blank", Title: http.StatusText(status), Status: status,
		Detail: f.Detail, Code: f.Code, RequestID: requestID, Params: f.Sentence().Params, Errors: f.Fields, Extra: f.Extra,
	}
	if status == http.StatusTooManyRequests || status == http.StatusServiceUnavailable {
		d.retryAfter = f.RetryAfter
		if d.retryAfter <= 0 {
			d.retryAfter = 5 * time.Second
		}
	}
	return d
}

// MarshalJSON adds the extension members to the standard ones; none can replace a standard one.
func (d Document) MarshalJSON() ([]byte, error) {
	type plain Document
	if len(d.Extra) == 0 {
		return json.Marshal(plain(d))
	}
	raw, err := json.Marshal(plain(d))
	if err != nil {
		return nil, err
	}
	members := map[string]json.RawMessage{}
	for k, v := range d.Extra {
		if members[k], err = json.Marshal(v); err != nil {
			return nil, err
		}
	}
	if err := json.Unmarshal(raw, &members); err != nil {
		return nil, err
	}
	return json.Marshal(members)
}

// Write sends the document, with Retry-After (RFC 9110, section 10.2.3) in
// whole seconds if the status calls for it.
func (d Document) Write(w http.ResponseWriter) {
	body, err := json.Marshal(d)
	if err != nil { // a member that cannot be encoded: still a truthful answer
		d.Extra, d.Params = nil, nil
		body, _ = json.Marshal(d)
	}
	h := w.Header()
	h.Set("Content-Type", ContentType)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Del("Content-Length")
	if s := d.RetryAfterSeconds(); s > 0 {
		h.Set("Retry-After", strconv.Itoa(s))
	}
	w.WriteHeader(d.Status)
	_, _ = w.Write(append(body, '\n'))
}

// RetryAfterSeconds returns the requested wait, rounded up; zero if there is none.
func (d Document) RetryAfterSeconds() int {
	return int(math.Ceil(d.retryAfter.Seconds()))
}
