package agent

import (
	"github.com/keyward/keyward/internal/secret"
)

// Target is the part that all changing bodies share.
type Target struct {
	Encrypted bool   `json:"encrypted" doc:"Whether the secrets of this body are sealed: RSA-OAEP with SHA-256 for the agent's key, labelled keyward/1/{serial}/{pin, puk or management_key}, in base64. False only with --allow-plaintext."`
	Serial    string `json:"serial" pattern:"^[0-9A-Za-z][0-9A-Za-z-]{3,63}$" doc:"The token's serial number."`
}

// ProbeRequest asks which candidate a token holds.
type ProbeRequest struct {
	Target
	Field      string          `json:"field" enum:"pin,puk,management_key"`
	Candidates []secret.String `json:"candidates" minItems:"1" maxItems:"3" nullable:"false" doc:"What the token may hold, tried in this order."`
}

// ProbeResult says which.
type ProbeResult struct {
	Match       *int `json:"match" doc:"Index of the candidate that the token holds, or null."`
	Tried       int  `json:"tried" doc:"How many candidates were tried. Before firmware 5.3, only one is tried for PIN and PUK."`
	RetriesLeft *int `json:"retries_left" doc:"Tries left of PIN or PUK; null when the token does not tell, and for management keys."`
}

// SetPINRequest changes the PIN.
type SetPINRequest struct {
	Target
	PIN        secret.String  `json:"pin" doc:"The new PIN, 6 to 8 characters."`
	CurrentPIN *secret.String `json:"current_pin,omitempty" doc:"Without it the factory PIN is the current one, if the token says so; else 409 current_required. Firmware before 5.3 does not say: there the factory PIN is tried while three tries are left."`
}

// SetPUKRequest changes the PUK.
type SetPUKRequest struct {
	Target
	PUK        secret.String  `json:"puk" doc:"The new PUK, 6 to 8 characters."`
	CurrentPUK *secret.String `json:"current_puk,omitempty" doc:"Without it the factory PUK is the current one, if the token says so; else, and on firmware before 5.3, 409 current_required."`
}

// UnblockPINRequest sets a new PIN with the PUK.
type UnblockPINRequest struct {
	Target
	PUK secret.String `json:"puk"`
	PIN secret.String `json:"pin" doc:"The new PIN."`
}

// SetRetriesRequest sets both numbers of tries; PIN and PUK become the factory's.
type SetRetriesRequest struct {
	Target
	ManagementKey secret.String `json:"management_key"`
	PIN           secret.String `json:"pin"`
	PINRetries    int           `json:"pin_retries" minimum:"1" maximum:"255"`
	PUKRetries    int           `json:"puk_retries" minimum:"1" maximum:"255"`
}

// RotateManagementKeyRequest changes the management key.
type RotateManagementKeyRequest struct {
	Target
	ManagementKey        secret.String  `json:"management_key" doc:"The new key in hex."`
	CurrentManagementKey *secret.String `json:"current_management_key,omitempty" doc:"Without it the factory key is the current one."`
	PIN                  *secret.String `json:"pin,omitempty" doc:"The token's PIN, instead of the current key, if piv-info says management_key_under_pin. The token then no longer stores the key."`
	Algorithm            string         `json:"algorithm,omitempty" enum:"TDES,AES128,AES192,AES256" doc:"Without it, by the key's length; of 24 bytes AES192, or TDES on firmware before 5.4.2."`
}

// ResetRequest wipes the PIV application.
type ResetRequest struct {
	Serial  string `json:"serial" pattern:"^[0-9A-Za-z][0-9A-Za-z-]{3,63}$"`
	Confirm string `json:"confirm" doc:"The serial once more: keys and certificates are destroyed."`
}
