package client

import (
	"context"
	"net/url"
	"time"

	"github.com/keyward/keyward/internal/piv"
)

// SlotCertificate is a certificate as it lies on a card.
type SlotCertificate struct {
	Subject      string    `json:"subject"`
	Issuer       string    `json:"issuer"`
	SerialNumber string    `json:"serial_number"`
	NotBefore    time.Time `json:"not_before"`
	NotAfter     time.Time `json:"not_after"`
	// PublicKeySHA256 is of the key that the certificate is for.
	PublicKeySHA256 string `json:"public_key_sha256"`
}

// Slot is a key slot of a card.
type Slot struct {
	Slot         string `json:"slot"`
	KeyAlgorithm string `json:"key_algorithm"` // empty: no key, or unknown
	// PublicKeySHA256 is of the key that the slot really holds; empty: no key,
	// or the card does not tell.
	PublicKeySHA256 string           `json:"public_key_sha256"`
	PINPolicy       string           `json:"pin_policy"`
	TouchPolicy     string           `json:"touch_policy"`
	Certificate     *SlotCertificate `json:"certificate"`
}

// PIVInfo is what a card tells without a secret.
type PIVInfo struct {
	Serial                 string `json:"serial"`
	Version                string `json:"version"`
	PINRetries             *int   `json:"pin_retries"` // nil: unknown
	PUKRetries             *int   `json:"puk_retries"`
	ManagementKeyAlgorithm string `json:"management_key_algorithm"`
	Slots                  []Slot `json:"slots"`
}

// Info reads a card. A card whose metadata does not tell the key of the slot
// attest is asked to attest it; empty: it is not asked.
func (a *Agent) Info(ctx context.Context, serial, attest string) (PIVInfo, error) {
	query := url.Values{"serial": {serial}}
	if attest != "" {
		query.Set("attest", attest)
	}
	var i PIVInfo
	return i, a.get(ctx, "/piv/info", query, changeTimeout, &i)
}

// Defaults tells which secrets are the factory's; nil is unknown.
type Defaults struct {
	PIN           *bool `json:"pin_default"`
	PUK           *bool `json:"puk_default"`
	ManagementKey *bool `json:"management_key_default"`
}

// Of gives one field's.
func (d Defaults) Of(f piv.Field) *bool {
	switch f {
	case piv.PIN:
		return d.PIN
	case piv.PUK:
		return d.PUK
	default:
		return d.ManagementKey
	}
}

// CheckDefaults reads which factory values are in use.
func (a *Agent) CheckDefaults(ctx context.Context, serial string) (Defaults, error) {
	var d Defaults
	return d, a.get(ctx, "/piv/check-defaults", url.Values{"serial": {serial}}, changeTimeout, &d)
}

// ProbeResult says which candidate a card holds.
type ProbeResult struct {
	Match       *int `json:"match"` // index; nil: none of those tried
	Tried       int  `json:"tried"`
	RetriesLeft *int `json:"retries_left"`
}

// Probe tries candidates in order, at most three. It may cost tries.
func (a *Agent) Probe(ctx context.Context, serial string, f piv.Field, candidates []Sealed) (ProbeResult, error) {
	body := struct {
		Encrypted  bool      `json:"encrypted"`
		Serial     string    `json:"serial"`
		Field      piv.Field `json:"field"`
		Candidates []Sealed  `json:"candidates"`
	}{true, serial, f, candidates}
	var r ProbeResult
	return r, a.post(ctx, "/piv/probe", body, changeTimeout, &r)
}

// SetPIN changes the PIN. An empty current one means the factory's.
func (a *Agent) SetPIN(ctx context.Context, serial string, current, next Sealed) error {
	body := struct {
		Encrypted bool   `json:"encrypted"`
		Serial    string `json:"serial"`
		PIN       Sealed `json:"pin"`
		Current   Sealed `json:"current_pin,omitempty"`
	}{true, serial, next, current}
	return a.post(ctx, "/piv/set-pin", body, changeTimeout, nil)
}

// SetPUK changes the PUK. An empty current one means the factory's.
func (a *Agent) SetPUK(ctx context.Context, serial string, current, next Sealed) error {
	body := struct {
		Encrypted bool   `json:"encrypted"`
		Serial    string `json:"serial"`
		PUK       Sealed `json:"puk"`
		Current   Sealed `json:"current_puk,omitempty"`
	}{true, serial, next, current}
	return a.post(ctx, "/piv/set-puk", body, changeTimeout, nil)
}

// UnblockPIN sets a new PIN with the PUK.
func (a *Agent) UnblockPIN(ctx context.Context, serial string, puk, pin Sealed) error {
	body := struct {
		Encrypted bool   `json:"encrypted"`
		Serial    string `json:"serial"`
		PUK       Sealed `json:"puk"`
		PIN       Sealed `json:"pin"`
	}{true, serial, puk, pin}
	return a.post(ctx, "/piv/unblock-pin", body, changeTimeout, nil)
}

// SetRetries sets both totals; PIN and PUK become the factory's.
func (a *Agent) SetRetries(ctx context.Context, serial string, managementKey, pin Sealed, pinRetries, pukRetries int) error {
	body := struct {
		Encrypted     bool   `json:"encrypted"`
		Serial        string `json:"serial"`
		ManagementKey Sealed `json:"management_key"`
		PIN           Sealed `json:"pin"`
		PINRetries    int    `json:"pin_retries"`
		PUKRetries    int    `json:"puk_retries"`
	}{true, serial, managementKey, pin, pinRetries, pukRetries}
	return a.post(ctx, "/piv/set-retries", body, changeTimeout, nil)
}

// RotateManagementKey changes the management key. An empty current one means
// the factory's. The agent chooses the algorithm, by the card's firmware.
func (a *Agent) RotateManagementKey(ctx context.Context, serial string, current, next Sealed) error {
	body := struct {
		Encrypted bool   `json:"encrypted"`
		Serial    string `json:"serial"`
		Key       Sealed `json:"management_key"`
		Current   Sealed `json:"current_management_key,omitempty"`
	}{true, serial, next, current}
	return a.post(ctx, "/piv/rotate-management-key", body, changeTimeout, nil)
}

// NewCSR asks for a key and a request for it.
type NewCSR struct {
	Slot          string  `json:"slot,omitempty"`
	PIN           Sealed  `json:"pin"`
	ManagementKey Sealed  `json:"management_key"`
	Subject       Subject `json:"subject"`
	PINPolicy     string  `json:"pin_policy,omitempty"`
	TouchPolicy   string  `json:"touch_policy,omitempty"`
	Overwrite     bool    `json:"overwrite,omitempty"` // a new key takes the place of what is there
	ReuseKey      bool    `json:"reuse_key,omitempty"` // no new key
}

// GeneratedCSR is a request and the key that it is for.
type GeneratedCSR struct {
	CSR
	// PublicKeySHA256 names the key as certificate records do.
	PublicKeySHA256 string `json:"public_key_sha256"`
}

// GenerateCSR makes a key on the card, or reuses it, and a request.
func (a *Agent) GenerateCSR(ctx context.Context, serial string, n NewCSR) (GeneratedCSR, error) {
	body := struct {
		Encrypted bool   `json:"encrypted"`
		Serial    string `json:"serial"`
		NewCSR
	}{true, serial, n}
	var c GeneratedCSR
	return c, a.post(ctx, "/piv/generate-csr", body, keyTimeout, &c)
}

// Import is a certificate for a slot.
type Import struct {
	Slot          string `json:"slot,omitempty"`
	Certificate   string `json:"certificate"` // PEM
	ManagementKey Sealed `json:"management_key"`
	PIN           Sealed `json:"pin,omitempty"`
}

// ImportCertificate stores a certificate beside its key.
func (a *Agent) ImportCertificate(ctx context.Context, serial string, i Import) error {
	body := struct {
		Encrypted bool   `json:"encrypted"`
		Serial    string `json:"serial"`
		Import
	}{true, serial, i}
	return a.post(ctx, "/piv/import-certificate", body, changeTimeout, nil)
}

// ResetPIV destroys every key of the card and puts back the factory values.
func (a *Agent) ResetPIV(ctx context.Context, serial string) error {
	body := struct {
		Serial  string `json:"serial"`
		Confirm string `json:"confirm"`
	}{serial, serial}
	return a.post(ctx, "/piv/reset", body, changeTimeout, nil)
}
