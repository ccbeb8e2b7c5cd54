package main

import (
	"context"
	"path/filepath"
	"slices"
)

// settings of every server: no rate limits; everything else is the default, including
// the access log.
var settings = []string{
	"RATE_LIMIT_SESSION=off", "RATE_LIMIT_ANONYMOUS=off", "RATE_LIMIT_LOGIN=off", "RATE_LIMIT_OPEN=off",
	"METRICS_LISTEN=off", "SITE_URL=" + siteURL,
}

const siteURL = "http://localhost:8080"

// serve starts the server on a data directory and returns after its first response.
func (b *bench) serve(ctx context.Context, data string, env ...string) (*process, error) {
	program := filepath.Join(b.bin, "keyward")
	p, err := b.spawn(ctx, nil, slices.Concat(settings, env), program, "serve", "--data", data, "--listen", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	if err := p.await(ctx, p.listening("keyward is ready", `"listen":"`)); err != nil {
		return nil, err
	}
	return p, answers(ctx, p.url("/health"))
}

func (p *process) url(path string) string { return "http://" + p.addr + path }
