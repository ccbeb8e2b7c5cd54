package agent

import (
	"time"

	"github.com/keyward/keyward/internal/edge"
	"github.com/keyward/keyward/internal/secret"
)

// The bodies of the contract, section 11. Secrets are base64 ciphertexts when
// encrypted is true, else the plain texts.

type bySerial struct {
	Serial string `query:"serial" required:"true" pattern:"^[0-9A-Za-z][0-9A-Za-z-]{3,63}$" doc:"The token's serial number."`
}

// looking is what piv-info asks.
type looking struct {
	Serial string `query:"serial" required:"true" pattern:"^[0-9A-Za-z][0-9A-Za-z-]{3,63}$" doc:"The token's serial number."`
	Attest string `query:"attest" enum:"9a,9c,9d,9e" doc:"Where the token does not tell this slot's key (firmware before 5.3), find it by attestation. That takes the token a signature, so it is not for asking often."`
}

// Target is the part that all changing bodies share.
type Target struct {
	Encrypted bool   `json:"encrypted" doc:"Whether the secrets of this body are sealed: RSA-OAEP with SHA-256 for the agent's key, labelled keyward/1/{serial}/{pin, puk or management_key}, in base64. False only with --allow-plaintext."`
	Serial    string `json:"serial" pattern:"^[0-9A-Za-z][0-9A-Za-z-]{3,63}$" doc:"The token's serial number."`
}

type statusBody struct {
	Status  string `json:"status" enum:"ok"`
	Version string `json:"version"`
}

type pubkeyBody struct {
	PublicKey string `json:"public_key" doc:"PEM SubjectPublicKeyInfo, RSA 4096 bits; new at every start of the agent."`
}

type successBody struct {
	Success bool `json:"success" enum:"true"`
}

type tokenBody struct {
	Serial          string `json:"serial"`
	Model           string `json:"model"`
	FirmwareVersion string `json:"firmware_version"`
	FormFactor      string `json:"form_factor"`
	Reader          string `json:"reader"`
}

type discoverBody struct {
	Tokens []tokenBody `json:"tokens" nullable:"false" doc:"The tokens that could be read. One that another program uses may be missing: absence is no proof of removal."`
}

type systemBody struct {
	Hostname     string  `json:"hostname"`
	OS           string  `json:"os"`
	Arch         string  `json:"arch"`
	AgentVersion string  `json:"agent_version"`
	Tool         string  `json:"tool"`
	ToolVersion  *string `json:"tool_version" doc:"Null when the tool is missing or does not work."`
}

type infoBody struct {
	Serial                 string     `json:"serial"`
	Version                string     `json:"version" doc:"Firmware version."`
	PINRetries             *int       `json:"pin_retries" doc:"Tries left; null when the token does not tell."`
	PUKRetries             *int       `json:"puk_retries" doc:"Tries left; null when the token does not tell (firmware before 5.3)."`
	ManagementKeyAlgorithm string     `json:"management_key_algorithm" enum:"TDES,AES128,AES192,AES256"`
	Slots                  []slotBody `json:"slots" nullable:"false" doc:"9a, 9c, 9d and 9e, empty ones too."`
}

type slotBody struct {
	Slot            string           `json:"slot" enum:"9a,9c,9d,9e"`
	KeyAlgorithm    *string          `json:"key_algorithm" doc:"For example RSA2048; null for no key, or an unknown one."`
	PublicKeySHA256 *string          `json:"public_key_sha256" doc:"Of the key that the slot really holds: hex SHA-256 of its SubjectPublicKeyInfo. Null for no key, and when the token does not tell (firmware before 5.3; see attest)."`
	PINPolicy       *string          `json:"pin_policy" doc:"default, never, once or always; null when the token does not tell."`
	TouchPolicy     *string          `json:"touch_policy" doc:"default, never, always or cached; null when the token does not tell."`
	Certificate     *certificateBody `json:"certificate"`
}

type certificateBody struct {
	_               struct{}  `nullable:"true"`
	Subject         string    `json:"subject" doc:"RFC 4514."`
	Issuer          string    `json:"issuer" doc:"RFC 4514."`
	SerialNumber    string    `json:"serial_number" doc:"Lower-case hex of even length."`
	NotBefore       time.Time `json:"not_before"`
	NotAfter        time.Time `json:"not_after"`
	PublicKeySHA256 string    `json:"public_key_sha256" doc:"Of the key that the certificate is for: hex SHA-256 of its SubjectPublicKeyInfo. Where it is not the slot's, a renewal stopped after it made a new key."`
}

type defaultsBody struct {
	PINDefault           *bool `json:"pin_default" doc:"Whether the factory PIN is in use; null when the token does not tell (firmware before 5.3)."`
	PUKDefault           *bool `json:"puk_default"`
	ManagementKeyDefault *bool `json:"management_key_default"`
}

type probeRequest struct {
	Target
	Field      string          `json:"field" enum:"pin,puk,management_key"`
	Candidates []secret.String `json:"candidates" minItems:"1" maxItems:"3" nullable:"false" doc:"What the token may hold, tried in this order."`
}

type probeBody struct {
	Match       *int `json:"match" doc:"Index of the candidate that the token holds, or null."`
	Tried       int  `json:"tried" doc:"How many candidates were tried. Before firmware 5.3 only one is, of PIN and PUK."`
	RetriesLeft *int `json:"retries_left" doc:"Tries left of PIN or PUK; null when the token does not tell, and for management keys."`
}

type setPINRequest struct {
	Target
	PIN        secret.String  `json:"pin" doc:"The new PIN, 6 to 8 characters."`
	CurrentPIN *secret.String `json:"current_pin,omitempty" doc:"Without it the factory PIN is the current one."`
}

type setPUKRequest struct {
	Target
	PUK        secret.String  `json:"puk" doc:"The new PUK, 6 to 8 characters."`
	CurrentPUK *secret.String `json:"current_puk,omitempty" doc:"Without it the factory PUK is the current one."`
}

type unblockRequest struct {
	Target
	PUK secret.String `json:"puk"`
	PIN secret.String `json:"pin" doc:"The new PIN."`
}

type setRetriesRequest struct {
	Target
	ManagementKey secret.String `json:"management_key"`
	PIN           secret.String `json:"pin"`
	PINRetries    int           `json:"pin_retries" minimum:"1" maximum:"255"`
	PUKRetries    int           `json:"puk_retries" minimum:"1" maximum:"255"`
}

type rotateRequest struct {
	Target
	ManagementKey        secret.String  `json:"management_key" doc:"The new key in hex."`
	CurrentManagementKey *secret.String `json:"current_management_key,omitempty" doc:"Without it the factory key is the current one."`
	Algorithm            string         `json:"algorithm,omitempty" enum:"TDES,AES128,AES192,AES256" doc:"Without it, by the key's length; of 24 bytes AES192, or TDES on firmware before 5.4.2."`
}

type subjectBody struct {
	CommonName         string `json:"common_name" minLength:"1" maxLength:"64"`
	Email              string `json:"email,omitempty" maxLength:"255" doc:"Accepted, but not put into the request: the token tool's subjects have no such attribute. The certificate's email is the server's to set."`
	Organization       string `json:"organization,omitempty" maxLength:"64"`
	OrganizationalUnit string `json:"organizational_unit,omitempty" maxLength:"64"`
	Locality           string `json:"locality,omitempty" maxLength:"128"`
	Province           string `json:"province,omitempty" maxLength:"128"`
	Country            string `json:"country,omitempty" pattern:"^[A-Z]{2}$"`
}

type generateRequest struct {
	Target
	Slot          string         `json:"slot,omitempty" enum:"9a,9c,9d,9e" default:"9a"`
	PIN           secret.String  `json:"pin"`
	ManagementKey *secret.String `json:"management_key,omitempty" doc:"Needed unless reuse_key is true."`
	Subject       subjectBody    `json:"subject"`
	PINPolicy     string         `json:"pin_policy,omitempty" enum:"default,never,once,always"`
	TouchPolicy   string         `json:"touch_policy,omitempty" enum:"default,never,always,cached"`
	Overwrite     bool           `json:"overwrite,omitempty" doc:"Make a new key even if the slot holds one, which is then lost."`
	ReuseKey      bool           `json:"reuse_key,omitempty" doc:"Request for the key that the slot holds (renewal)."`
}

type generateBody struct {
	CSR             string   `json:"csr" doc:"PEM PKCS #10 request, its signature and key verified."`
	Attestation     []string `json:"attestation" nullable:"false" doc:"PEM certificates: the slot's attestation, then the token's intermediate of slot f9. Empty when the token cannot attest the key."`
	PublicKeySHA256 string   `json:"public_key_sha256" doc:"Of the key that the request is for: hex SHA-256 of its SubjectPublicKeyInfo."`
}

type importRequest struct {
	Target
	Slot          string         `json:"slot,omitempty" enum:"9a,9c,9d,9e" default:"9a"`
	Certificate   string         `json:"certificate" maxLength:"16384" doc:"One PEM certificate, for the key that the slot holds."`
	ManagementKey secret.String  `json:"management_key"`
	PIN           *secret.String `json:"pin,omitempty" doc:"Needed only where the token does not tell its public key (before firmware 5.3, for an imported key)."`
}

type resetRequest struct {
	Serial  string `json:"serial" pattern:"^[0-9A-Za-z][0-9A-Za-z-]{3,63}$"`
	Confirm string `json:"confirm" doc:"The serial once more: keys and certificates are destroyed."`
}

// body wraps a response body for huma, in a request body's.
type body[T any] struct{ Body T }

func reply[T any](v T) *body[T] { return &body[T]{v} }

// problemBody describes the problem documents of the agent.
type problemBody struct {
	edge.ProblemDocument
	RetriesLeft *int  `json:"retries_left,omitempty" nullable:"false" doc:"With wrong_pin, wrong_puk, pin_blocked, puk_blocked and retries_low."`
	Tried       *int  `json:"tried,omitempty" nullable:"false" doc:"With retries_low and others during a probe: how many candidates were tried and found wrong."`
	Outcome     *bool `json:"outcome_known,omitempty" nullable:"false" doc:"With tool_failed: false when the token may or may not have been changed."`
}
