package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/secret"
)

// RegisterAgent binds an agent's key to the current session. confirmed is the code that
// the user has compared, if one was required; see AskedCode.
func (b *Backend) RegisterAgent(ctx context.Context, key AgentKey, hostname, confirmed string) error {
	if _, err := b.bearer(ctx, secret.String{}); err != nil { // may begin a new session
		return err
	}
	body := backend.RegisterAgentRequest{PublicKey: key.PublicKey, Hostname: hostname, ConfirmedCode: confirmed}
	if key.Identity != (AgentKey{}).Identity {
		body.Identity = &backend.AgentIdentity{PublicKey: key.Identity.PublicKey, Signature: key.Identity.Signature}
	}
	for {
		id := b.SessionID()
		err := b.postAgain(ctx, "/api/session/"+strconv.FormatInt(id, 10)+"/register-agent", body, nil)
		if !fault.Is(err, fault.NotFound) || b.SessionID() == id {
			return err
		} // else the call itself began a new session
	}
}

// CodeOfUnknown returns the code that the user must compare before an agent without an
// identity is registered, since nothing proves that it is the same agent as before. It
// is empty for an agent with an identity, which the service recognizes.
func CodeOfUnknown(key AgentKey) (string, error) {
	if key.Identity != (AgentKey{}).Identity {
		return "", nil
	}
	parsed, err := agentkey.ParsePublicKey(key.PublicKey)
	if err != nil {
		return "", err
	}
	fingerprint, err := agentkey.Fingerprint(parsed)
	return agentkey.VerificationCode(fingerprint), err
}

// AskedCode returns the code that the service requires the user to compare before it
// accepts an agent, or empty when err is something else.
func AskedCode(err error) string {
	f, ok := fault.As(err)
	if !ok || f.Code != fault.AgentConfirmationRequired {
		return ""
	}
	code, _ := f.Params["code"].(string)
	return code
}

// Agents lists all agents that the user has paired, newest first.
func (b *Backend) Agents(ctx context.Context) ([]PairedAgent, error) {
	all := []PairedAgent{}
	q := url.Values{"limit": {"500"}}
	for {
		var p Page[PairedAgent]
		if err := b.get(ctx, "/api/auth/agents", q, &p); err != nil {
			return nil, err
		}
		all = append(all, p.Items...)
		if p.NextCursor == nil || *p.NextCursor == "" {
			return all, nil
		}
		q.Set("cursor", *p.NextCursor)
	}
}

// RemoveAgent removes an agent that the user has paired.
func (b *Backend) RemoveAgent(ctx context.Context, id int64) error {
	return b.call(ctx, request{method: http.MethodDelete, path: "/api/auth/agents/" + strconv.FormatInt(id, 10)}, nil)
}
