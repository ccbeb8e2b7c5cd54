package app

import (
	"context"
	"fmt"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/web"
)

// RunFrontend serves only the web pages until ctx ends, and returns nil after an
// orderly stop. ready, when not nil, is called as soon as requests are answered.
func RunFrontend(ctx context.Context, version string, cfg config.Config, log *slog.Logger, ready func(address string)) error {
	endTracing, err := startTracing(ctx, version, "keyward-frontend", cfg, log)
	if err != nil {
		return err
	}
	defer endTracing()
	in, err := newEntrance(cfg, log)
	if err != nil {
		return err
	}
	defer in.close()
	if err := in.listen(ctx); err != nil {
		return err
	}
	if cfg.SiteURL == "" {
		cfg.SiteURL = defaultSiteURL(cfg, in.api.Addr())
	}
	pages, err := web.Handler(webOptions(cfg))
	if err != nil {
		return err
	}
	var backend *url.URL
	if cfg.BackendURL != "" {
		if backend, err = url.Parse(cfg.BackendURL); err != nil {
			return fmt.Errorf("BACKEND_URL: %w", err)
		}
	}
	server := httpapi.NewFrontend(httpapi.Options{
		Version: version, Log: log, Web: pages, TrustedProxies: cfg.TrustedProxies, SiteURL: cfg.SiteURL, AccessLog: cfg.AccessLog,
	}, backend)
	log.Info("keyward frontend is ready", "listen", in.api.Addr().String(), "site_url", cfg.SiteURL, "backend", cfg.BackendURL)
	remark(log, cfg.SiteURL, "")
	if ready != nil {
		ready(in.api.Addr().String())
	}
	return httpapi.Serve(ctx, in.api, server, log, stopping(cfg, server))
}

// webOptions are the settings that the pages get.
func webOptions(cfg config.Config) web.Options {
	o := web.Options{AgentURL: cfg.AgentURL, SiteURL: cfg.SiteURL, Downloads: cfg.DownloadsDir}
	if o.Downloads == "" {
		if program, err := os.Executable(); err == nil { // otherwise no downloads are offered
			o.Downloads = filepath.Dir(program)
		}
	}
	return o
}
