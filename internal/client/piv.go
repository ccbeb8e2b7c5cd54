package client

import (
	"context"
	"net/url"

	"github.com/keyward/keyward/api/agent"
	"github.com/keyward/keyward/internal/piv"
)

// sealedFor returns the target of a request whose secrets are sealed.
func sealedFor(serial string) agent.Target { return agent.Target{Encrypted: true, Serial: serial} }

// Info reads a card. It has the card attest the slot attest, unless that is empty or
// the metadata reports the slot's key.
func (a *Agent) Info(ctx context.Context, serial, attest string) (PIVInfo, error) {
	query := url.Values{"serial": {serial}}
	if attest != "" {
		query.Set("attest", attest)
	}
	var i PIVInfo
	return i, a.get(ctx, "/piv/info", query, changeTimeout, &i)
}

// CheckDefaults reads which factory values are in use.
func (a *Agent) CheckDefaults(ctx context.Context, serial string) (Defaults, error) {
	var d Defaults
	return d, a.get(ctx, "/piv/check-defaults", url.Values{"serial": {serial}}, changeTimeout, &d)
}

// Probe tries candidates in order, at most three. It may cost tries.
func (a *Agent) Probe(ctx context.Context, serial string, f piv.Field, candidates []Sealed) (ProbeResult, error) {
	body := agent.ProbeRequest{Target: sealedFor(serial), Field: string(f)}
	for _, c := range candidates {
		body.Candidates = append(body.Candidates, c.Secret())
	}
	var r ProbeResult
	return r, a.post(ctx, "/piv/probe", body, changeTimeout, &r)
}

// SetPIN changes the PIN. An empty current one means the factory's.
func (a *Agent) SetPIN(ctx context.Context, serial string, current, next Sealed) error {
	body := agent.SetPINRequest{Target: sealedFor(serial), PIN: next.Secret(), CurrentPIN: current.Optional()}
	return a.post(ctx, "/piv/set-pin", body, changeTimeout, nil)
}

// SetPUK changes the PUK. An empty current one means the factory's.
func (a *Agent) SetPUK(ctx context.Context, serial string, current, next Sealed) error {
	body := agent.SetPUKRequest{Target: sealedFor(serial), PUK: next.Secret(), CurrentPUK: current.Optional()}
	return a.post(ctx, "/piv/set-puk", body, changeTimeout, nil)
}

// UnblockPIN sets a new PIN with the PUK.
func (a *Agent) UnblockPIN(ctx context.Context, serial string, puk, pin Sealed) error {
	body := agent.UnblockPINRequest{Target: sealedFor(serial), PUK: puk.Secret(), PIN: pin.Secret()}
	return a.post(ctx, "/piv/unblock-pin", body, changeTimeout, nil)
}

// SetRetries sets both totals and resets PIN and PUK to factory values.
func (a *Agent) SetRetries(ctx context.Context, serial string, managementKey, pin Sealed, pinRetries, pukRetries int) error {
	body := agent.SetRetriesRequest{
		Target: sealedFor(serial), ManagementKey: managementKey.Secret(), PIN: pin.Secret(), PINRetries: pinRetries, PUKRetries: pukRetries,
	}
	return a.post(ctx, "/piv/set-retries", body, changeTimeout, nil)
}

// RotateManagementKey changes the management key. An empty current one means the
// factory's. The agent chooses the algorithm by the card's firmware.
func (a *Agent) RotateManagementKey(ctx context.Context, serial string, current, next Sealed) error {
	body := agent.RotateManagementKeyRequest{
		Target: sealedFor(serial), ManagementKey: next.Secret(), CurrentManagementKey: current.Optional(),
	}
	return a.post(ctx, "/piv/rotate-management-key", body, changeTimeout, nil)
}

// TakeManagementKey replaces a key that another program keeps on the card under
// the PIN.
func (a *Agent) TakeManagementKey(ctx context.Context, serial string, pin, next Sealed) error {
	body := agent.RotateManagementKeyRequest{Target: sealedFor(serial), ManagementKey: next.Secret(), PIN: pin.Optional()}
	return a.post(ctx, "/piv/rotate-management-key", body, changeTimeout, nil)
}

// GenerateCSR creates a request, for a new key or the slot's current one.
func (a *Agent) GenerateCSR(ctx context.Context, serial string, n NewCSR) (GeneratedCSR, error) {
	n.Target = sealedFor(serial)
	var c GeneratedCSR
	return c, a.post(ctx, "/piv/generate-csr", n, keyTimeout, &c)
}

// ImportCertificate stores a certificate next to its key.
func (a *Agent) ImportCertificate(ctx context.Context, serial string, i Import) error {
	i.Target = sealedFor(serial)
	return a.post(ctx, "/piv/import-certificate", i, changeTimeout, nil)
}

// ResetPIV destroys every key of the card and restores the factory values.
func (a *Agent) ResetPIV(ctx context.Context, serial string) error {
	return a.post(ctx, "/piv/reset", agent.ResetRequest{Serial: serial, Confirm: serial}, changeTimeout, nil)
}
