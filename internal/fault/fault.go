package fault

import (
	"errors"
	"fmt"
	"time"
)

// Code is a stable, machine-readable error identifier in snake_case. It is
// part of the contract: clients branch on it.
type Code string

// The codes of the backend and the agent.
const (
	InvalidRequest Code = "invalid_request"

	TokenMissing       Code = "token_missing"
	TokenExpired       Code = "token_expired"
	TokenInvalid       Code = "token_invalid"
	SessionNotFound    Code = "session_not_found"
	InvalidCredentials Code = "invalid_credentials"

	PermissionDenied         Code = "permission_denied"
	AccountDisabled          Code = "account_disabled"
	PasswordExpired          Code = "password_expired"
	LicenseRestricted        Code = "license_restricted"
	ReauthenticationRequired Code = "reauthentication_required"

	NotFound         Code = "not_found"
	MethodNotAllowed Code = "method_not_allowed"

	Conflict           Code = "conflict"
	AgentNotRegistered Code = "agent_not_registered"
	RotationPending    Code = "rotation_pending"
	SecretsChanged     Code = "secrets_changed"

	BodyTooLarge         Code = "body_too_large"
	UnsupportedMediaType Code = "unsupported_media_type"

	CSRRejected       Code = "csr_rejected"
	AttestationFailed Code = "attestation_failed"
	PasswordPolicy    Code = "password_policy"

	RateLimited   Code = "rate_limited"
	AccountLocked Code = "account_locked"

	VaultUnavailable    Code = "vault_unavailable"
	StorageUnavailable  Code = "storage_unavailable"
	DatabaseUnavailable Code = "database_unavailable"
	BackendUnavailable  Code = "backend_unavailable"
	Overloaded          Code = "overloaded"

	Internal Code = "internal"

	// Codes that only the agent uses (contract, "Agent").
	NoToken            Code = "no_token"
	TokenNotFound      Code = "token_not_found"
	WrongPIN           Code = "wrong_pin"
	WrongPUK           Code = "wrong_puk"
	WrongManagementKey Code = "wrong_management_key"
	PINBlocked         Code = "pin_blocked"
	PUKBlocked         Code = "puk_blocked"
	PINRefused         Code = "pin_refused"
	RetriesLow         Code = "retries_low"
	SlotOccupied       Code = "slot_occupied"
	Busy               Code = "busy"
	DecryptFailed      Code = "decrypt_failed"
	ToolFailed         Code = "tool_failed"
	ToolMissing        Code = "tool_missing"
	OriginRefused      Code = "origin_refused"
)

// Field names one invalid input and says what is wrong with it. The message
// never repeats the submitted value.
type Field struct {
	Field   string `json:"field"`
	Message string `json:"message"`
}

// Error is an error with a public face.
type Error struct {
	Code       Code
	Detail     string         // for the person: what happened and what to do next
	Fields     []Field        // invalid inputs, for InvalidRequest
	RetryAfter time.Duration  // for 429 and 503; zero leaves the choice to the edge
	Extra      map[string]any // RFC 9457 extension members, for example retries_left
	Cause      error          // for the log only
}

// New makes a fault.
func New(code Code, detail string) *Error { return &Error{Code: code, Detail: detail} }

// Newf makes a fault with a formatted detail. Never format a submitted value
// or a secret into it.
func Newf(code Code, format string, args ...any) *Error {
	return New(code, fmt.Sprintf(format, args...))
}

// Invalid is an InvalidRequest about one field.
func Invalid(field, message string) *Error {
	return InvalidFields([]Field{{field, message}})
}

// InvalidFields is an InvalidRequest about several fields; it needs at least
// one.
func InvalidFields(fields []Field) *Error {
	detail := "The request has an invalid field: " + fields[0].Field + " " + fields[0].Message + "."
	if len(fields) > 1 {
		detail = "The request has invalid fields; see errors."
	}
	return &Error{Code: InvalidRequest, Detail: detail, Fields: fields}
}

// With returns a copy that carries a private cause.
func (e *Error) With(cause error) *Error {
	c := *e
	c.Cause = cause
	return &c
}

// WithExtra returns a copy with one more extension member.
func (e *Error) WithExtra(key string, value any) *Error {
	c := *e
	c.Extra = make(map[string]any, len(e.Extra)+1)
	for k, v := range e.Extra {
		c.Extra[k] = v
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

// As finds the fault in an error's chain.
func As(err error) (*Error, bool) { return errors.AsType[*Error](err) }

// CodeOf is the code of the fault in err's chain: Internal for any other
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

// Is tells whether err's chain holds a fault of that code.
func Is(err error, code Code) bool { return err != nil && CodeOf(err) == code }
