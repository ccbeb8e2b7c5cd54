package app_test

import (
	"context"
	"io"
	"log/slog"
	"net"
	"testing"
	"time"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/test/await"
	"github.com/keyward/keyward/test/must"
)

// TestListensLast: while a server waits for its database nobody can connect to it, so
// that a balancer uses the next.
func TestListensLast(t *testing.T) {
	t.Parallel()
	silent := must.Get(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = silent.Close() }()
	asked := make(chan net.Conn)
	go func() {
		if conn, err := silent.Accept(); err == nil {
			asked <- conn
		}
	}()
	// An address that no other test uses, so all its ports are free.
	free := must.Get(net.Listen("tcp", "127.31.7.1:0"))(t)
	cfg := testConfig(t, t.TempDir())
	cfg.Listen, cfg.SiteURL = free.Addr().String(), "https://keyward.example.org"
	cfg.DatabaseURL = secret.New("postgres://keyward@" + silent.Addr().String() + "/keyward?sslmode=disable")
	cfg.DatabaseConnectTimeout = time.Hour
	must.OK(t, free.Close())

	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	done := make(chan error, 1)
	go func() { done <- app.Run(ctx, "test", cfg, slog.New(slog.DiscardHandler), io.Discard, nil) }()
	database := await.From(t, "it asks for the database", asked)
	defer func() { _ = database.Close() }()
	if conn, err := net.Dial("tcp", cfg.Listen); err == nil {
		t.Error("it takes connections before it can answer")
		_ = conn.Close()
	}
	stop()
	if err := await.From(t, "it ends", done); err == nil {
		t.Error("no error without a database")
	}
}
