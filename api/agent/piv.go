package agent

import (
	"time"

	"github.com/keyward/keyward/internal/piv"
)

// PIVInfo is what a token tells without a secret.
type PIVInfo struct {
	Serial                 string `json:"serial"`
	Version                string `json:"version" doc:"Firmware version."`
	PINRetries             *int   `json:"pin_retries" doc:"Tries left; null when the token does not tell."`
	PUKRetries             *int   `json:"puk_retries" doc:"Tries left; null when the token does not tell (firmware before 5.3)."`
	PINRetriesTotal        *int   `json:"pin_retries_total" doc:"Tries that the right PIN gives back; null when the token does not tell (firmware before 5.3)."`
	PUKRetriesTotal        *int   `json:"puk_retries_total"`
	ManagementKeyAlgorithm string `json:"management_key_algorithm" enum:"TDES,AES128,AES192,AES256"`
	ManagementKeyUnderPIN  bool   `json:"management_key_under_pin" doc:"Another program stored the management key on the token, protected by the PIN, such as ykman's --protect. To take it over, give rotate-management-key the PIN."`
	Slots                  []Slot `json:"slots" nullable:"false" doc:"9a, 9c, 9d and 9e, including empty ones."`
}

// Full tells whether the token says that all tries of PIN or PUK are left: no
// wrong value was given since the last right one.
func (i PIVInfo) Full(f piv.Field) bool {
	left, total := i.PINRetries, i.PINRetriesTotal
	if f == piv.PUK {
		left, total = i.PUKRetries, i.PUKRetriesTotal
	}
	return left != nil && total != nil && *left == *total
}

// Slot is a key slot of a token.
type Slot struct {
	Slot            string       `json:"slot" enum:"9a,9c,9d,9e"`
	KeyAlgorithm    *string      `json:"key_algorithm" doc:"For example RSA2048; null for no key, or an unknown one."`
	PublicKeySHA256 *string      `json:"public_key_sha256" doc:"Of the key that the slot really holds: hex SHA-256 of its SubjectPublicKeyInfo. Null for no key, and when the token does not tell (firmware before 5.3; see attest)."`
	PINPolicy       *string      `json:"pin_policy" doc:"default, never, once or always; null when the token does not tell."`
	TouchPolicy     *string      `json:"touch_policy" doc:"default, never, always or cached; null when the token does not tell."`
	Certificate     *Certificate `json:"certificate"`
	Unreadable      bool         `json:"unreadable" doc:"Where a certificate would be, the slot holds something that is none. Then certificate is null."`
}

// Certificate is a certificate as it lies in a slot, or null.
type Certificate struct {
	_               struct{}  `nullable:"true"`
	Subject         string    `json:"subject" doc:"RFC 4514."`
	Issuer          string    `json:"issuer" doc:"RFC 4514."`
	SerialNumber    string    `json:"serial_number" doc:"Lower-case hex of even length."`
	NotBefore       time.Time `json:"not_before"`
	NotAfter        time.Time `json:"not_after"`
	PublicKeySHA256 string    `json:"public_key_sha256" doc:"Of the key that the certificate is for: hex SHA-256 of its SubjectPublicKeyInfo. If it isn't the slot's key, a renewal stopped after it created a new key."`
}

// Defaults tells which secrets are the factory's.
type Defaults struct {
	PINDefault           *bool `json:"pin_default" doc:"Whether the factory PIN is in use; null when the token does not tell (firmware before 5.3)."`
	PUKDefault           *bool `json:"puk_default"`
	ManagementKeyDefault *bool `json:"management_key_default"`
}

// Of gives one field's.
func (d Defaults) Of(f piv.Field) *bool {
	switch f {
	case piv.PIN:
		return d.PINDefault
	case piv.PUK:
		return d.PUKDefault
	default:
		return d.ManagementKeyDefault
	}
}
