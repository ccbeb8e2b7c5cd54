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
	PublicKey string `json:"public_key" minLength:"1" maxLength:"4096" doc:"PEM SubjectPublicKeyInfo, RSA of 4096 to 8192 bits, exponent 65537"`
	Hostname  string `json:"hostname,omitempty" maxLength:"253"`
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
