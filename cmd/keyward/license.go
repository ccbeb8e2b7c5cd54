package main

import (
	"context"
	"fmt"

	"github.com/keyward/keyward/internal/app"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/logging"
)

// licenseCommand serves the license alone until ctx ends.
func licenseCommand(ctx context.Context, args []string, std IO) error {
	return licenseReady(ctx, args, std, nil)
}

// licenseReady also reports its address, as soon as it answers.
func licenseReady(ctx context.Context, args []string, std IO, listening func(address string)) error {
	manager := newService()
	defer manager.stopped()
	cfg, err := config.LoadFor(config.License, args, std.Getenv)
	if err != nil {
		return usagef("%v", err)
	}
	log := logging.New(std.Stderr, cfg.LogLevel, cfg.LogFormat)
	err = app.RunLicense(ctx, version, cfg, log, func(address string) {
		manager.ready(ctx, log, self{address, cfg.TLSCertFile != ""}, nil)
		if listening != nil {
			listening(address)
		}
	})
	if err != nil {
		return fmt.Errorf("license: %w", err)
	}
	return nil
}
