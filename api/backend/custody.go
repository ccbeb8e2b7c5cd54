package backend

import (
	"time"

	"github.com/keyward/keyward/internal/piv"
	"github.com/keyward/keyward/internal/secret"
)

// Sealed is a secret that only the registered agent can open: RSA-OAEP with
// SHA-256, label keyward/1/{serial}/{field}, base64.
type Sealed string

// Secret is the value as the agent takes it, which may take plain ones too.
func (s Sealed) Secret() secret.String { return secret.New(string(s)) }

// Optional is nil when there is none.
func (s Sealed) Optional() *secret.String {
	if s == "" {
		return nil
	}
	v := s.Secret()
	return &v
}

// Kind says where a value stands in the vault.
type Kind string

// The kinds of candidates, and None for a probe that found no match.
const (
	Current    Kind = "current"
	Pending    Kind = "pending"
	Superseded Kind = "superseded"
	Factory    Kind = "factory"
	None       Kind = "none"
)

// Candidate is a value that a card may hold.
type Candidate struct {
	Kind  Kind   `json:"kind" enum:"current,pending,superseded,factory"`
	Value Sealed `json:"value" doc:"ciphertext"`
}

// Observation is what a probe found.
type Observation struct {
	Field   piv.Field `json:"field" enum:"pin,puk,management_key"`
	Matched Kind      `json:"matched" enum:"current,pending,superseded,factory,none"`
	Version int       `json:"version,omitempty" minimum:"1" doc:"the version of the secrets that came with the candidates; 409 secrets_changed if another one is stored by now and this report would change it"`
}

// PendingSecrets is the open rotation's part of a release.
type PendingSecrets struct {
	RotationID int64 `json:"rotation_id"`
	SealedFields
}

// ReleasesOnRecord tells how often a token's secrets left, and whether the audit log
// has it.
type ReleasesOnRecord struct {
	Count    int64   `json:"count" doc:"releases that the vault logged before the secrets left"`
	OnRecord bool    `json:"on_record" doc:"the audit log has each of them as it was, but for the lost ones"`
	Lost     int64   `json:"lost" doc:"those of them that an older database lacked, which was accepted"`
	Missing  []int64 `json:"missing" nullable:"false" doc:"ids of entries that the audit log does not have; at most 100"`
	Changed  []int64 `json:"changed" nullable:"false" doc:"ids of entries that are others than were logged; at most 100"`
	Damaged  bool    `json:"damaged" doc:"what the vault logged is not whole itself; keyward audit verify says more"`
}

// ResetHWKeyRequest says why a token is reset, and whether its owner keeps it.
type ResetHWKeyRequest struct {
	Reason      string `json:"reason,omitempty" maxLength:"256"`
	RemoveOwner bool   `json:"remove_owner,omitempty" doc:"the token was returned: it has no owner then, and is in stock; for managers and administrators"`
}

// EnrolledHWKeyRequest says that the card took all three secrets.
type EnrolledHWKeyRequest struct {
	FirmwareVersion string `json:"firmware_version,omitempty" maxLength:"16" doc:"as the card reports it; kept where the token's record has none and, from its user, no minimum is demanded"`
}

// Rotation is an open rotation.
type Rotation struct {
	ID        int64        `json:"id"`
	Serial    string       `json:"serial" doc:"the token's, as the label of what is sealed has it"`
	Fields    []piv.Field  `json:"fields" nullable:"false"`
	Current   SealedFields `json:"current"`
	Next      SealedFields `json:"next" doc:"of the fields that are not settled yet"`
	CreatedAt time.Time    `json:"created_at"`
	Version   int          `json:"version" doc:"of the secrets, with this rotation"`
}

// SealedFields holds secrets by field; those that were not asked for are empty.
type SealedFields struct {
	PIN           Sealed `json:"pin,omitempty"`
	PUK           Sealed `json:"puk,omitempty"`
	ManagementKey Sealed `json:"management_key,omitempty"`
}

// Of gives one field's value, empty when it was not released.
func (s SealedFields) Of(f piv.Field) Sealed {
	switch f {
	case piv.PIN:
		return s.PIN
	case piv.PUK:
		return s.PUK
	default:
		return s.ManagementKey
	}
}

// Set is the other way round.
func (s *SealedFields) Set(f piv.Field, value Sealed) {
	switch f {
	case piv.PIN:
		s.PIN = value
	case piv.PUK:
		s.PUK = value
	default:
		s.ManagementKey = value
	}
}

// SecretsAnswer is a release of secrets.
type SecretsAnswer struct {
	Encrypted bool   `json:"encrypted" enum:"true"`
	Serial    string `json:"serial" doc:"the token's, as the label of what is sealed has it"`
	SealedFields
	Version    int                       `json:"version"`
	Pending    *PendingSecrets           `json:"pending,omitempty" doc:"there while a rotation is open"`
	Candidates map[piv.Field][]Candidate `json:"candidates,omitempty" doc:"per field, what a probe should try, in order"`
	Doubted    []piv.Field               `json:"doubted,omitempty" nullable:"false" doc:"with candidates: the fields for which the last probe found no value on the card"`
}

// SettleRotationRequest names the fields that are settled.
type SettleRotationRequest struct {
	Fields []piv.Field `json:"fields,omitempty" maxItems:"3" nullable:"false" enum:"pin,puk,management_key" doc:"absent: all that are left"`
}

// StartRotationRequest opens a change of secrets.
type StartRotationRequest struct {
	Fields []piv.Field   `json:"fields" minItems:"1" maxItems:"3" nullable:"false" enum:"pin,puk,management_key"`
	PIN    secret.String `json:"pin,omitempty,omitzero" maxLength:"8" doc:"chosen by the user, 6 to 8 digits; random if absent"`
	Reason string        `json:"reason,omitempty" maxLength:"256"`
}
