package resource

import (
	"context"
	"net"
	"net/http"
	"net/url"

	"github.com/danielgtaylor/huma/v2"

	"github.com/keyward/keyward/api/backend"
	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/loopback"
	"github.com/keyward/keyward/internal/page"
	"github.com/keyward/keyward/internal/session"
)

// RegisterAgentInput is a registration with its origin.
type RegisterAgentInput struct {
	SessionPath
	Origin string `header:"Origin" hidden:"true"`
	host   string
	Body   backend.RegisterAgentRequest
}

// Resolve records the Host header.
func (in *RegisterAgentInput) Resolve(ctx huma.Context) []error {
	in.host = ctx.Host()
	return nil
}

func registerAgents(s *httpapi.Server, svc *session.Service) {
	tags := []string{"session"}
	httpapi.Register(s, httpapi.Operation{ID: "register-agent", Method: http.MethodPost, Path: "/api/session/{id}/register-agent", Tags: tags,
		Summary: "Register a workstation agent's public key with your session",
		Description: "An agent that you have used before, recognized by its identity or this very key, is accepted. Another one needs " +
			"recent authentication, and 409 agent_confirmation_required asks you to compare its code, unless it is your first " +
			"ever."},
		func(ctx context.Context, in *RegisterAgentInput) (*StatusOutput, error) {
			r := session.Registration{PublicKey: in.Body.PublicKey, Hostname: in.Body.Hostname, ConfirmedCode: in.Body.ConfirmedCode,
				Origins: signedOrigins(s, in.Origin, in.host)}
			if id := in.Body.Identity; id != nil {
				r.Identity = &session.Identity{PublicKey: id.PublicKey, Signature: id.Signature}
			}
			return statusOK(), svc.RegisterAgent(ctx, httpapi.ActorFrom(ctx), in.ID, r)
		})
	httpapi.Register(s, httpapi.Operation{ID: "list-agents", Method: http.MethodGet, Path: "/api/auth/agents", Tags: tags,
		Summary: "List the agents that you have paired"},
		func(ctx context.Context, in *Paging) (*answer[page.Page[backend.Agent]], error) {
			p, err := in.parse()
			if err != nil {
				return nil, err
			}
			list, err := svc.ListAgents(ctx, httpapi.ActorFrom(ctx), p)
			if err != nil {
				return nil, err
			}
			return &answer[page.Page[backend.Agent]]{page.Map(list, agentBody)}, nil
		})
	httpapi.Register(s, httpapi.Operation{ID: "remove-agent", Method: http.MethodDelete, Path: "/api/auth/agents/{id}",
		Tags: tags, Status: http.StatusNoContent,
		Summary: "Remove an agent, and its key from your live sessions"},
		func(ctx context.Context, in *AgentPath) (*struct{}, error) {
			return nil, svc.RemoveAgent(ctx, httpapi.ActorFrom(ctx), in.ID)
		})
}

// AgentPath names an agent.
type AgentPath struct {
	ID int64 `path:"id" minimum:"1"`
}

func agentBody(a session.Agent) backend.Agent {
	return backend.Agent{ID: a.ID, Fingerprint: a.Fingerprint, Code: agentkey.VerificationCode(a.Fingerprint), Hostname: a.Hostname,
		CreatedAt: a.CreatedAt.UTC(), LastUsedAt: a.LastUsedAt.UTC()}
}

// signedOrigins returns the origins that an agent may have signed for: our pages', or
// none, as for a program. While the site is on loopback, the pages of this machine are
// ours: the asking one and the asked one, under any of its names.
func signedOrigins(s *httpapi.Server, origin, host string) []string {
	all := append(s.Origins(), agentkey.NoOrigin)
	site, err := url.Parse(s.SiteURL())
	if err != nil || !loopback.Host(site.Hostname()) {
		return all
	}
	if loopback.Site(origin) {
		all = append(all, origin)
	}
	_, port, err := net.SplitHostPort(host)
	for _, port := range []string{port, site.Port()} {
		if err != nil || port == "" {
			continue
		}
		for _, name := range []string{"localhost", "127.0.0.1", "::1"} {
			all = append(all, "http://"+net.JoinHostPort(name, port), "https://"+net.JoinHostPort(name, port))
		}
	}
	return all
}
