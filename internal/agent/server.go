package agent

import (
	"context"
	"log/slog"
	"net/http"
	"os"
	"runtime"

	"github.com/keyward/keyward/internal/agent/driver"
	"github.com/keyward/keyward/internal/edge"
)

// server holds what the handlers share.
type server struct {
	version        string
	allowPlaintext bool
	driver         driver.Driver
	readers        Readers
	key            *agentKey
	queue          *queue
	found          discovery
	routes         routes
	events         *eventStream
	log            *slog.Logger
}

func newServer(c Config) *server {
	return &server{
		version:        c.Version,
		allowPlaintext: c.AllowPlaintext,
		driver:         c.Driver,
		readers:        c.Readers,
		key:            newKey(),
		queue:          newQueue(c.queueWait),
		routes:         routes{},
		events:         newEventStream(c.heartbeat),
		log:            c.Log,
	}
}

// handler is everything behind the listener.
func (s *server) handler(c Config, port string) http.Handler {
	_, mux := s.newAPI()
	body := edge.Body{Types: []string{"application/json"}, Timeout: c.bodyTimeout}
	g := &guard{hosts: hostsOf(port), origins: c.Origins, dev: c.Dev, log: c.Log, next: s.routes.before(body, mux)}
	return edge.Identify(c.Log, g)
}

func (s *server) health(context.Context, *struct{}) (*body[statusBody], error) {
	return reply(statusBody{Status: "ok", Version: s.version}), nil
}

func (s *server) pubkey(ctx context.Context, _ *struct{}) (*body[pubkeyBody], error) {
	if err := s.key.wait(ctx); err != nil {
		return nil, err
	}
	return reply(pubkeyBody{PublicKey: s.key.public}), nil
}

func (s *server) system(ctx context.Context, _ *struct{}) (*body[systemBody], error) {
	hostname, err := os.Hostname()
	if err != nil {
		hostname = "" // a workstation without a name is no reason to fail
	}
	out := systemBody{Hostname: hostname, OS: runtime.GOOS, Arch: runtime.GOARCH, AgentVersion: s.version}
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
