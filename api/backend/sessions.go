package backend

import (
	"time"
)

// ListedSession is a session in a list.
type ListedSession struct {
	Session
	Current bool `json:"current" doc:"true for the session that asks"`
}

// RegisterAgentRequest binds an agent's key to a session.
type RegisterAgentRequest struct {
	PublicKey     string         `json:"public_key" minLength:"1" maxLength:"4096" doc:"PEM SubjectPublicKeyInfo, RSA of 4096 to 8192 bits, exponent 65537"`
	Hostname      string         `json:"hostname,omitempty" maxLength:"253"`
	Identity      *AgentIdentity `json:"identity,omitempty" doc:"as the agent sent it with its key; absent: the key alone, which is recognized if you have registered it before"`
	ConfirmedCode string         `json:"confirmed_code,omitempty" maxLength:"64" doc:"the code that the person has compared with what keyward-agent code prints; see agent_confirmation_required"`
}

// AgentIdentity is the key by which an agent is known again, and its word for
// the one that it registers.
type AgentIdentity struct {
	PublicKey string `json:"public_key" minLength:"1" maxLength:"4096" doc:"PEM SubjectPublicKeyInfo, Ed25519"`
	Signature string `json:"signature" minLength:"1" maxLength:"256" doc:"base64; for an origin of this site, or - for a program"`
}

// Agent is one that a person has paired.
type Agent struct {
	ID          int64     `json:"id"`
	Fingerprint string    `json:"fingerprint" doc:"hex SHA-256 of the SubjectPublicKeyInfo of the agent's identity, or of the RSA key of one that showed none"`
	Code        string    `json:"code" doc:"what keyward-agent code prints there"`
	Hostname    string    `json:"hostname" doc:"of the workstation, as last reported; can be empty"`
	CreatedAt   time.Time `json:"created_at"`
	LastUsedAt  time.Time `json:"last_used_at" doc:"when it was last registered with a session"`
}

// Session is what is told of a session.
type Session struct {
	ID                  int64     `json:"id"`
	UserID              int64     `json:"user_id"`
	IPAddress           string    `json:"ip_address"`
	UserAgent           string    `json:"user_agent"`
	CreatedAt           time.Time `json:"created_at"`
	ExpiresAt           time.Time `json:"expires_at"`
	Active              bool      `json:"active" doc:"neither ended nor expired"`
	AgentRegistered     bool      `json:"agent_registered"`
	AgentKeyFingerprint *string   `json:"agent_key_fingerprint" nullable:"true" doc:"hex SHA-256 of the agent's SubjectPublicKeyInfo"`
	Hostname            string    `json:"hostname" doc:"of the workstation; empty before an agent told it"`
}
