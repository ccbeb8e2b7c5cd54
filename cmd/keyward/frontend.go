package main

import (
	"context"
	"fmt"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/logging"
)

// frontend serves the web pages alone until ctx ends.
func frontend(ctx context.Context, args []string, std IO) error {
	return frontendReady(ctx, args, std, nil)
}

// frontendReady also reports its address, as soon as it answers.
func frontendReady(ctx context.Context, args []string, std IO, listening func(address string)) error {
	manager := newService()
	defer manager.stopped()
	cfg, err := config.LoadFor(config.Frontend, args, std.Getenv)
	if err != nil {
		return usagef("%v", err)
	}
	log := logging.New(std.Stderr, cfg.LogLevel, cfg.LogFormat)
	err = app.RunFrontend(ctx, version, cfg, log, func(address string) {
		manager.ready(ctx, log, self{address, cfg.TLSCertFile != ""}, nil)
		if listening != nil {
			listening(address)
		}
	})
	if err != nil {
		return fmt.Errorf("frontend: %w", err)
	}
	return nil
}
