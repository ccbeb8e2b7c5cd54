package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/piv"
)

func hwkeyPath(serial string, rest ...string) string {
	return "/api/hwkey/" + url.PathEscape(serial) + strings.Join(append([]string{""}, rest...), "/")
}

// DeviceFilter narrows a list; zero fields do not.
type DeviceFilter struct {
	Q, Status string
	Limit     int
	Cursor    string
}

// Devices lists tokens, newest first.
func (b *Backend) Devices(ctx context.Context, f DeviceFilter) (Page[Device], error) {
	q := url.Values{}
	set(q, "q", f.Q)
	set(q, "status", f.Status)
	set(q, "cursor", f.Cursor)
	setNumber(q, "limit", int64(f.Limit))
	var p Page[Device]
	return p, b.get(ctx, "/api/hwkey", q, &p)
}

// Device reads one token.
func (b *Backend) Device(ctx context.Context, serial string) (Device, error) {
	var d Device
	return d, b.get(ctx, hwkeyPath(serial), nil, &d)
}

// RegisterDevice records a token. It is never repeated automatically.
func (b *Backend) RegisterDevice(ctx context.Context, n NewDevice) (Device, error) {
	var d Device
	return d, b.post(ctx, "/api/hwkey", n, &d)
}

// ChangeDevice changes the named members of a token; a nil value clears one.
func (b *Backend) ChangeDevice(ctx context.Context, serial string, change map[string]any) (Device, error) {
	var d Device
	r := request{method: http.MethodPatch, path: hwkeyPath(serial), body: change, repeatable: true}
	return d, b.call(ctx, r, &d)
}

// Release says which secrets to ask for.
type Release struct {
	Fields     []piv.Field
	Candidates bool
	Reason     string // required for somebody else's token
}

// Secrets releases a token's secrets, sealed for the session's agent.
func (b *Backend) Secrets(ctx context.Context, serial string, r Release) (Secrets, error) {
	q := url.Values{}
	set(q, "fields", joinFields(r.Fields))
	set(q, "reason", r.Reason)
	if r.Candidates {
		q.Set("candidates", "true")
	}
	var s Secrets
	return s, b.get(ctx, hwkeyPath(serial, "secrets"), q, &s)
}

// Releases reports how often a token's secrets were released, and whether the audit log
// shows it.
func (b *Backend) Releases(ctx context.Context, serial string) (OnRecord, error) {
	var r OnRecord
	return r, b.get(ctx, hwkeyPath(serial, "releases"), nil, &r)
}

// StartRotation makes new values pending. While a rotation is open, it returns
// rotation_pending with the member rotation_id.
func (b *Backend) StartRotation(ctx context.Context, serial string, n NewRotation) (Rotation, error) {
	var r Rotation
	return r, b.post(ctx, hwkeyPath(serial, "rotations"), n, &r)
}

// Rotation reads an open rotation again.
func (b *Backend) Rotation(ctx context.Context, serial string, id int64) (Rotation, error) {
	var r Rotation
	return r, b.get(ctx, hwkeyPath(serial, "rotations", strconv.FormatInt(id, 10)), nil, &r)
}

// CommitRotation reports that the card holds the pending values of these fields; none
// means all.
func (b *Backend) CommitRotation(ctx context.Context, serial string, id int64, fields []piv.Field) (Device, error) {
	return b.settle(ctx, serial, id, "commit", fields)
}

// AbortRotation reports that the card still holds the current values.
func (b *Backend) AbortRotation(ctx context.Context, serial string, id int64, fields []piv.Field) (Device, error) {
	return b.settle(ctx, serial, id, "abort", fields)
}

func (b *Backend) settle(ctx context.Context, serial string, id int64, how string, fields []piv.Field) (Device, error) {
	body := backend.SettleRotationRequest{Fields: fields}
	var d Device
	return d, b.postAgain(ctx, hwkeyPath(serial, "rotations", strconv.FormatInt(id, 10), how), body, &d)
}

// Observe reports what a probe found. A report of superseded or none is never repeated
// automatically: each moves on to the next value.
func (b *Backend) Observe(ctx context.Context, serial string, o Observation) (Device, error) {
	r := request{method: http.MethodPost, path: hwkeyPath(serial, "secrets", "observations"), body: o}
	r.repeatable = o.Matched == Current || o.Matched == Factory
	var d Device
	return d, b.call(ctx, r, &d)
}

// Enrolled reports that the card took all three current values, and its firmware.
func (b *Backend) Enrolled(ctx context.Context, serial, firmware string) error {
	body := backend.EnrolledHWKeyRequest{FirmwareVersion: firmware}
	return b.postAgain(ctx, hwkeyPath(serial, "enrolled"), body, nil)
}

// Reset announces the card's own reset, which comes after it.
func (b *Backend) Reset(ctx context.Context, serial, reason string) error {
	body := backend.ResetHWKeyRequest{Reason: reason}
	return b.postAgain(ctx, hwkeyPath(serial, "reset"), body, nil)
}

func joinFields(fields []piv.Field) string {
	names := make([]string, len(fields))
	for i, f := range fields {
		names[i] = string(f)
	}
	return strings.Join(names, ",")
}

func set(q url.Values, name, value string) {
	if value != "" {
		q.Set(name, value)
	}
}

func setNumber(q url.Values, name string, value int64) {
	if value != 0 {
		q.Set(name, strconv.FormatInt(value, 10))
	}
}
