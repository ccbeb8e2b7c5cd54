package session

import (
	"context"
	"crypto/rsa"
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/textinput"
)

// Agent is a workstation's agent that a person has paired. Its identity, or its
// RSA key if it presents none, identifies it across restarts.
type Agent struct {
	ID          int64
	UserID      int64
	Fingerprint string // hex SHA-256 of the SubjectPublicKeyInfo of the identity, or of the RSA key
	Hostname    string // as last reported
	CreatedAt   time.Time
	LastUsedAt  time.Time
}

// KeepAgentKeys is how long the key of an agent with an identity is recognized
// by itself after its last registration, for clients that register it without
// the identity. The key of a live session is recognized for as long as the
// session.
const KeepAgentKeys = 90 * 24 * time.Hour

// AgentKey is what an agent registers with.
type AgentKey struct {
	PublicKey   string // PEM
	Fingerprint string // hex SHA-256 of the SubjectPublicKeyInfo
	Identity    string // fingerprint of the identity that vouches for the key; empty without
	Hostname    string
	At          time.Time
	MAC         string // Session.AgentKeyMAC
}

// Agent returns the fingerprint that identifies the agent.
func (k AgentKey) Agent() string {
	if k.Identity != "" {
		return k.Identity
	}
	return k.Fingerprint
}

// Registration is what a client submits about the agent on its workstation.
type Registration struct {
	PublicKey     string    // PEM
	Identity      *Identity // nil: the client registers the key alone
	Hostname      string
	ConfirmedCode string   // that the person has compared
	Origins       []string // that the identity may have signed for
}

// Identity is an agent's identity with its signature over the key.
type Identity struct {
	PublicKey string // PEM
	Signature string // base64
}

func (r Registration) read(now time.Time) (AgentKey, error) {
	key, err := agentkey.ParsePublicKey(r.PublicKey)
	if err != nil {
		return AgentKey{}, fault.Invalid(fault.Wrong("public_key", "bad_agent_key",
			"must be the agent's public key: one PEM block PUBLIC KEY, RSA of 4096 to 8192 bits, exponent 65537"))
	}
	if !textinput.ValidLine(r.Hostname, 253) || strings.ContainsFunc(r.Hostname, unicode.IsSpace) {
		return AgentKey{}, fault.Invalid(fault.Wrongf("hostname", "bad_hostname",
			"must have at most {max} characters, without spaces and control characters", fault.Params{"max": 253}))
	}
	out := AgentKey{Hostname: r.Hostname, At: now}
	if out.PublicKey, err = agentkey.EncodePublicKey(key); err != nil {
		return AgentKey{}, err
	}
	if out.Fingerprint, err = agentkey.Fingerprint(key); err != nil || r.Identity == nil {
		return out, err
	}
	identity, err := agentkey.ParseIdentity(r.Identity.PublicKey)
	if err != nil {
		return AgentKey{}, fault.Invalid(fault.Wrong("identity.public_key", "bad_agent_identity",
			"must be the agent's identity: one PEM block PUBLIC KEY, Ed25519"))
	}
	if _, ok := agentkey.Verify(identity, r.Identity.Signature, r.Origins, key); !ok {
		return AgentKey{}, fault.Invalid(fault.Wrong("identity.signature", "bad_agent_signature",
			"must be the signature that the agent made for this public_key"))
	}
	out.Identity, err = agentkey.Fingerprint(identity)
	return out, err
}

// RegisterAgent binds an agent's public key to the actor's own live session,
// replacing any earlier key. An agent that the person has paired before
// registers silently; see pair for the others.
func (s *Service) RegisterAgent(ctx context.Context, a access.Actor, id int64, r Registration) error {
	if id != a.SessionID {
		return fault.New(fault.NotFound, "not_own_session",
			"Register the agent with your own session. Its ID is session_id in the response to your sign-in.")
	}
	key, err := r.read(s.Now())
	if err != nil {
		return err
	}
	if key.MAC, err = s.Signer.Vouch(ctx, id, a.UserID, key); err != nil {
		return err
	}
	a.Hostname = r.Hostname
	return s.Store.RegisterAgent(ctx, id, key, func(state AgentState) (AgentDecision, error) {
		return s.pair(a, key, r.ConfirmedCode, state)
	})
}

// AgentKey returns the agent key that a session has registered:
// AgentNotRegistered when there is none or its MAC is wrong, RecoveryRequired
// when the key does not match the registered fingerprint.
func (s *Service) AgentKey(ctx context.Context, sessionID int64) (*rsa.PublicKey, error) {
	sess, err := s.Store.Session(ctx, access.All(), sessionID)
	if err != nil {
		return nil, err
	}
	if !sess.Live(s.Now()) {
		return nil, Ended
	}
	if sess.AgentPublicKey == "" {
		return nil, errNoAgent
	}
	key, err := agentkey.ParsePublicKey(sess.AgentPublicKey)
	if err != nil {
		return nil, fmt.Errorf("the session's agent key: %w", err)
	}
	fingerprint, err := agentkey.Fingerprint(key)
	if err != nil {
		return nil, err
	}
	if fingerprint != sess.AgentKeyFingerprint {
		s.Log.ErrorContext(ctx, "a session's agent key is not the one that was registered: somebody changed the database",
			"session_id", sessionID, "user_id", sess.UserID, "registered", sess.AgentKeyFingerprint, "found", fingerprint)
		return nil, errKeyReplaced
	}
	switch ok, err := s.Signer.vouches(ctx, sess); {
	case err != nil:
		return nil, err
	case !ok:
		return nil, s.unvouched(ctx, sess)
	}
	return key, nil
}

var errNoAgent = fault.New(fault.AgentNotRegistered, "no_agent_key",
	"No agent is registered with this session. Start the agent on your workstation and register it.")

var errKeyReplaced = fault.New(fault.RecoveryRequired, "agent_key_replaced",
	"The agent key in the database is not the one that was registered with your session. Someone has changed the "+
		"database. Tell an administrator: the server's log has both fingerprints. Register your agent again to "+
		"restore its key.")

// ListAgents returns the agents that the actor has paired, newest first.
func (s *Service) ListAgents(ctx context.Context, a access.Actor, p page.Request) (page.Page[Agent], error) {
	return s.Store.ListAgents(ctx, a.UserID, p)
}

// RemoveAgent forgets one of the actor's agents and removes its key from their
// live sessions. From then on unpaired agents, even if none is left, register
// only after the person compares their code. NotFound when it is not theirs.
func (s *Service) RemoveAgent(ctx context.Context, a access.Actor, id int64) error {
	return s.Store.RemoveAgent(ctx, a.UserID, id, func(gone Agent) audit.Entry {
		return audit.By(a, audit.SessionAgentRemoved, "agent", audit.ID(id), "agent "+gone.Fingerprint)
	})
}
