// Package app wires the server by hand: engines, domain services, HTTP edge and
// background loops. Nothing else in the server knows them all.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/events"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/httpapi/resource"
	"github.com/keyward/keyward/internal/move"
	"github.com/keyward/keyward/internal/secret"
	"github.com/keyward/keyward/internal/web"
)

// Addrs are the addresses that a server listens on.
type Addrs struct {
	API     string
	Metrics string // empty when off
	// Reload rereads what a running server can reread, and logs what it cannot.
	Reload func()
}

// Run runs a whole server until ctx ends, and returns nil after an orderly stop: it
// accepts nothing new, answers requests in flight, and only then closes the stores. The
// first password goes to stdout, once. ready, when not nil, is called as soon as
// requests are answered.
func Run(ctx context.Context, version string, cfg config.Config, log *slog.Logger, stdout io.Writer, ready func(Addrs)) error {
	return run(ctx, version, cfg, log, stdout, ready, true)
}

// RunBackend is Run without the web pages.
func RunBackend(ctx context.Context, version string, cfg config.Config, log *slog.Logger, stdout io.Writer, ready func(Addrs)) error {
	return run(ctx, version, cfg, log, stdout, ready, false)
}

func run(
	ctx context.Context, version string, cfg config.Config, log *slog.Logger, stdout io.Writer, ready func(Addrs), withPages bool,
) (err error) {
	endTracing, err := startTracing(ctx, version, "keyward", cfg, log)
	if err != nil {
		return err
	}
	defer endTracing()
	in, err := newEntrance(cfg, log)
	if err != nil {
		return err
	}
	defer in.close()
	if cfg.SiteURL == "" { // its default needs the port, and no balancer is in front then
		if err := in.listen(ctx); err != nil {
			return err
		}
		cfg.SiteURL = defaultSiteURL(cfg, in.api.Addr())
	}
	var pages http.Handler
	if withPages {
		if pages, err = web.Handler(webOptions(cfg)); err != nil {
			return err
		}
	}
	if err := ownData(cfg); err != nil {
		return err
	}
	e, err := openEngines(ctx, cfg, log)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, e.close()) }()

	followers, err := tails(cfg, e.store, log, time.Now)
	if err != nil {
		return err
	}
	s := newServices(cfg, e, log)
	if err := s.backups.Sweep(); err != nil {
		return err
	}
	if err := s.tryBegin(ctx, cfg, log); err != nil {
		return err
	}
	if err := s.lookAtLicense(ctx); err != nil {
		log.WarnContext(ctx, "the license status is not known yet; trying again", "error", err)
	}
	writeEngineMarker(ctx, cfg, log)
	s.sweepScratch(ctx, log)
	if err := errors.Join(in.listen(ctx), in.listenMetrics(ctx)); err != nil {
		return err
	}
	// After listening, which may fail: the password is shown only once.
	if err := firstAdministrator(ctx, cfg, s, stdout); err != nil {
		return err
	}
	// Checked again: the accounts found may be those of a move that began meanwhile.
	if err := move.RefuseTarget(ctx, e.store); err != nil {
		return err
	}
	metrics := httpapi.NewMetrics()
	metrics.Registry.MustRegister(slices.Concat(heldMetrics(s.guard), backupMetrics(s.watch), licenseMetrics(s.license),
		mailMetrics(s.mails.sender), append(newOCSPMetrics(s.ocsp), caMetrics{s}))...)
	s.lookout = newLookout(e, s, newHealth(cfg, e, s), followers, keepChecks(cfg, s, log))
	metrics.Registry.MustRegister(leaderMetric(s.leads.Leads), s.lookout, buildMetric(version))
	server := newServer(version, cfg, e, s, metrics, log, pages)

	// A restore may be running on another server, or may have been killed.
	if err := s.barrier.Look(ctx); err != nil {
		return fmt.Errorf("whether a backup is being restored: %w", err)
	}
	group, groupCtx := errgroup.WithContext(ctx)
	loopCtx, stopLoops := context.WithCancel(context.WithoutCancel(ctx))
	defer stopLoops()
	loops := s.loops(log).withTails(followers)
	group.Go(func() error {
		defer stopLoops()
		return httpapi.Serve(groupCtx, in.api, server, log, stopping(cfg, server))
	})
	group.Go(func() error { loops.run(loopCtx); return nil })
	group.Go(func() error { noteProvider(groupCtx, s.signon, log); return nil })
	addrs := Addrs{API: in.api.Addr().String(), Reload: func() { in.reload(e.store.Reload) }}
	if in.metrics != nil {
		addrs.Metrics = in.metrics.Addr().String()
		group.Go(func() error {
			return httpapi.Serve(groupCtx, in.metrics, metrics.Handler(), log, httpapi.Stop{Delay: cfg.DrainDelay, Limit: time.Second})
		})
	}
	log.Info("keyward is ready", "listen", addrs.API, "site_url", cfg.SiteURL, "metrics", addrs.Metrics)
	remark(log, cfg.SiteURL, cfg.PKIBase())
	if ready != nil {
		ready(addrs)
	}
	return group.Wait()
}

func firstAdministrator(ctx context.Context, cfg config.Config, s *services, stdout io.Writer) error {
	err := s.users.Bootstrap(ctx, cfg.AdminPassword, func(pw secret.String) error {
		_, err := fmt.Fprintf(stdout, "\n  First administrator: admin\n  Password (shown once, must be changed at first sign-in): %s\n\n",
			pw.Reveal())
		return err
	})
	if f, ok := fault.As(err); ok && f.Code == fault.PasswordPolicy {
		return fmt.Errorf("KEYWARD_ADMIN_PASSWORD: %s", f.Detail)
	}
	if err != nil {
		return fmt.Errorf("first administrator: %w", err)
	}
	return nil
}

func newServer(
	version string, cfg config.Config, e *engines, s *services, metrics *httpapi.Metrics, log *slog.Logger, pages http.Handler,
) *httpapi.Server {
	server := httpapi.New(httpapi.Options{
		Version: version, Log: log, Auth: authenticator{s.sessions, s.apikeys},
		Health: e, Found: s.guard.States, SignInBlocked: s.guard.SignInBlocked, Started: s.sessions.Signer.Loaded, Metrics: metrics,
		Changes: s.barrier.Changes, Witness: s.witness(log),
		AllowedOrigins: cfg.AllowedOrigins, TrustedProxies: cfg.TrustedProxies, SiteURL: cfg.SiteURL,
		Limits: limits(cfg), Web: pages, AccessLog: cfg.AccessLog, OnDenied: s.denied(log),
	})
	resource.Register(server, resource.Services{
		Profiles: s.profiles, Preview: s.preview,
		Sessions: s.sessions, Users: s.users, Organizations: s.organizations, HWKeys: s.hwkeys, Reports: s.reports,
		Certificates: s.certificates, CAs: s.cas, CRL: s.crl, ParentCRLs: s.parentCRLs, OCSP: s.ocsp,
		Audit: e.store, Sealer: s.sealer, VerifyAudit: e.verifyLive, Notices: e.store, Passwords: s.passwords,
		Events:  events.NewHub(e.store, log),
		Views:   s.views,
		APIKeys: s.apikeys, Webhooks: s.webhooks.service,
		System: newSystem(version, cfg, e, s), SignOn: s.signon, Recovery: s.guard, Backups: s.backups, BackupJobs: s.jobs,
		BackupWatch: s.watch, Restorer: s.restorer,
		License: s.license, Mail: s.mails.service,
	})
	return server
}

func limits(cfg config.Config) httpapi.Limits {
	return httpapi.Limits{
		Session: httpapi.Rate(cfg.SessionRate), Anonymous: httpapi.Rate(cfg.AnonymousRate),
		Login: httpapi.Rate(cfg.LoginRate), Open: httpapi.Rate(cfg.OpenRate),
	}
}
