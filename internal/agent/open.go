package agent

import (
	"context"
	"encoding/hex"
	"strings"

	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// opener opens the secrets of one request and validates them before anything
// reaches the token: the tool would count some malformed values as a try, and
// take an empty management key for the factory's. It keeps the first error.
type opener struct {
	ctx       context.Context
	key       *agentKey
	serial    string
	encrypted bool
	err       error
}

// opener starts on a request; plaintext secrets need AllowPlaintext.
func (s *server) opener(ctx context.Context, encrypted bool, serial string) *opener {
	o := &opener{ctx: ctx, key: s.key, serial: serial, encrypted: encrypted}
	if !encrypted && !s.allowPlaintext {
		o.err = fault.Invalid(fault.Wrong("encrypted", "sealed_only",
			"must be true: this agent only accepts sealed secrets (it was started without --allow-plaintext)"))
	}
	return o
}

// pin opens a required PIN.
func (o *opener) pin(name string, v secret.String) secret.String {
	return o.code(name, piv.PIN, v)
}

// puk opens a required PUK.
func (o *opener) puk(name string, v secret.String) secret.String {
	return o.code(name, piv.PUK, v)
}

// optional opens a value with open, or returns the fallback if there is none.
func (o *opener) optional(open func(string, secret.String) secret.String, name string, v *secret.String, fallback string) secret.String {
	if v == nil {
		return secret.New(fallback)
	}
	return open(name, *v)
}

// code opens a PIN or PUK. A YubiKey takes 6 to 8 bytes; all keyboards and tools
// agree on printable ASCII without spaces.
func (o *opener) code(name string, f piv.Field, v secret.String) secret.String {
	plain := o.open(name, f, v)
	if o.err != nil {
		return secret.String{}
	}
	text := plain.Reveal()
	if len(text) < 6 || len(text) > 8 {
		o.err = fault.Invalid(fault.BadLength(name, 6, 8))
	}
	for i := range len(text) {
		if text[i] <= ' ' || text[i] > '~' {
			o.err = fault.Invalid(fault.Wrong(name, "not_printable_ascii", "must be printable ASCII without spaces"))
		}
	}
	return plain
}

// managementKey opens a management key and lower-cases it.
func (o *opener) managementKey(name string, v secret.String) secret.String {
	plain := o.open(name, piv.ManagementKey, v)
	if o.err != nil {
		return secret.String{}
	}
	text := strings.ToLower(plain.Reveal())
	key, err := hex.DecodeString(text)
	if err != nil {
		o.err = fault.Invalid(fault.Wrong(name, "not_hex", "must be hexadecimal"))
		return secret.String{}
	}
	switch len(key) {
	case piv.AES128.KeyBytes(), piv.AES192.KeyBytes(), piv.AES256.KeyBytes():
		return secret.New(text)
	}
	o.err = fault.Invalid(fault.Wrong(name, "bad_key_length", "must have 16, 24 or 32 bytes (32, 48 or 64 hexadecimal digits)"))
	return secret.String{}
}

// open unseals one value.
func (o *opener) open(name string, f piv.Field, v secret.String) secret.String {
	if o.err != nil {
		return secret.String{}
	}
	if v.Empty() {
		o.err = fault.Invalid(fault.Required(name))
		return secret.String{}
	}
	if !o.encrypted {
		return v
	}
	if err := o.key.wait(o.ctx); err != nil {
		o.err = err
		return secret.String{}
	}
	plain, err := agentkey.Open(o.key.private, o.serial, f, v.Reveal())
	if err != nil {
		o.err = fault.Newf(fault.DecryptFailed, "",
			"The secret in {field} is not sealed for this agent, this token and this field. If the agent was restarted, register it with "+
				"your session again.",
			fault.Params{"field": name}).About(fault.Wrong(name, "not_sealed_for_this", "does not open"))
		return secret.String{}
	}
	return plain
}
