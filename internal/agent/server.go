package agent

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"runtime"

	wire "github.com/keyward/keyward/api/agent"
	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/agentkey"
	"github.com/keyward/keyward/internal/middleware"
)

// server holds what the handlers share.
type server struct {
	version        string
	allowPlaintext bool
	driver         driver.Driver
	readers        Readers
	key            *agentKey
	identity       signer
	queue          *queue
	found          discovery
	routes         routes
	events         *eventStream
	log            *slog.Logger
}

func newServer(c Config, identity signer) *server {
	return &server{
		version:        c.Version,
		allowPlaintext: c.AllowPlaintext,
		driver:         c.Driver,
		readers:        c.Readers,
		key:            newKey(),
		identity:       identity,
		queue:          newQueue(c.queueWait),
		routes:         routes{},
		events:         newEventStream(c.heartbeat),
		log:            c.Log,
	}
}

// handler returns everything behind the listener.
func (s *server) handler(c Config, port string) http.Handler {
	_, mux := s.newAPI()
	body := middleware.Body{Types: []string{"application/json"}, Timeout: c.bodyTimeout}
	g := &guard{hosts: hostsOf(port), origins: c.Origins, dev: c.Dev, log: c.Log, next: s.routes.before(body, mux)}
	return middleware.Identify(c.Log, g)
}

func (s *server) health(context.Context, *struct{}) (*body[wire.Status], error) {
	return reply(wire.Status{Status: "ok", Version: s.version}), nil
}

// asking is the page that asks for the key, which the guard has let through.
type asking struct {
	Origin string `header:"Origin" hidden:"true"`
}

// pubkey returns the RSA key, signed by the identity. The signature is valid only
// for the origin of the asking page.
func (s *server) pubkey(ctx context.Context, in *asking) (*body[wire.PublicKey], error) {
	if err := s.key.wait(ctx); err != nil {
		return nil, err
	}
	signature, err := agentkey.Sign(s.identity.key, in.Origin, s.key.private.Public())
	if err != nil {
		return nil, err
	}
	return reply(wire.PublicKey{PublicKey: s.key.public, Fingerprint: s.key.fingerprint,
		Identity: wire.Identity{PublicKey: s.identity.public, Signature: signature}}), nil
}

func (s *server) system(ctx context.Context, _ *struct{}) (*body[wire.System], error) {
	hostname, err := os.Hostname()
	if err != nil {
		hostname = "" // a workstation without a name is no reason to fail
	}
	out := wire.System{Hostname: hostname, OS: runtime.GOOS, Arch: runtime.GOARCH, AgentVersion: s.version}
	var tool driver.Tool
	err = s.queue.run(ctx, func(ctx context.Context) (err error) {
		tool, err = s.driver.Tool(ctx)
		return err
	})
	out.Tool = tool.Name
	if err == nil {
		out.ToolVersion = &tool.Version
	}
	return reply(out), nil
}
