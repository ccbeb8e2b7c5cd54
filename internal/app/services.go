package app

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/account"
	"github.com/keyward/keyward/internal/audit"
	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/ca"
	"github.com/keyward/keyward/internal/cert"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/custody"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/httpapi"
	"github.com/keyward/keyward/internal/hwkey"
	"github.com/keyward/keyward/internal/intentlog"
	"github.com/keyward/keyward/internal/licensepolicy"
	"github.com/keyward/keyward/internal/notify/reminder"
	"github.com/keyward/keyward/internal/ocsp"
	"github.com/keyward/keyward/internal/oidc"
	"github.com/keyward/keyward/internal/password"
	"github.com/keyward/keyward/internal/pki"
	"github.com/keyward/keyward/internal/profile"
	"github.com/keyward/keyward/internal/profile/preview"
	"github.com/keyward/keyward/internal/report"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/session"
	"github.com/keyward/keyward/internal/settings"
	"github.com/keyward/keyward/internal/signon"
	"github.com/keyward/keyward/internal/store"
	"github.com/keyward/keyward/internal/system"
	"github.com/keyward/keyward/internal/vault"
)

type services struct {
	store         *store.DB
	sessions      *session.Service
	users         *account.Users
	organizations *account.Organizations
	hwkeys        *hwkey.Service
	reports       *report.Service
	certificates  *cert.Service
	profiles      *profile.Service
	preview       *preview.Service
	crl           *pki.CRLCache
	cas           *ca.Service
	parentCRLs    *pki.ParentCRLs
	ocsp          *ocsp.Responder
	ocspNamed     bool // in new certificates
	passwords     *settings.PasswordPolicies
	views         *settings.Views
	apikeys       *session.APIKeys
	webhooks      webhooks
	tasks         *system.Tasks
	sealer        *chain.Sealer
	signon        *signon.Service
	denials       *audit.Denials
	guard         *rollback.Guard
	paired        func(context.Context) error
	leads         *system.Leadership
	backups       *backup.Service
	reach         *system.VaultOutage // nil where no other server can have the vault
	jobs          *backup.Runner
	schedule      *backup.Scheduler // of backups
	drills        *backup.Scheduler
	watch         *backup.Watch
	barrier       *backup.Barrier
	restorer      *backup.Restorer
	license       *licensepolicy.Service
	mails         mails
	reminders     *reminder.Service
	seals         *sealWatch
	lookout       *lookout
}

func newServices(cfg config.Config, e *engines, log *slog.Logger) *services {
	now := time.Now
	hasher := password.NewHasherWith(cfg.Argon2Concurrency, password.Parameters{
		MemoryKiB: uint32(cfg.Argon2MemoryMiB) << 10, Passes: uint32(cfg.Argon2Passes),
	})
	policy := password.DefaultPolicy()
	policy.MinLength = cfg.PasswordMinLength
	s := &services{store: e.store, seals: newSealWatch(cfg, e.vault), tasks: system.NewTasks(now),
		sealer: &chain.Sealer{Store: e.store, Vault: e.vault, Now: now}}
	s.passwords = &settings.PasswordPolicies{Store: e.store, Default: policy, Now: now}
	s.organizations = &account.Organizations{Store: e.store, Now: now}
	s.views = &settings.Views{Store: e.store, Now: now}
	s.users = &account.Users{Store: e.store, Organizations: e.store, Hasher: hasher, Policies: s.passwords, Log: log, Now: now}
	s.sessions = &session.Service{
		Store: e.store, Users: e.store, Audit: e.store, Hasher: hasher, Policies: s.passwords,
		Signer: &session.Signer{Vault: e.vault, Now: now},
		Lifetimes: session.Lifetimes{
			Access: time.Duration(cfg.AccessTokenMinutes) * time.Minute, Session: cfg.SessionLifetime, Refresh: cfg.RefreshTokenLifetime,
		},
		Binding: session.DeviceBinding(cfg.DeviceBinding), AgentTrust: session.AgentTrust(cfg.AgentTrust), Log: log, Now: now,
	}
	s.apikeys = &session.APIKeys{Store: e.store, Organizations: e.store, Now: now}
	kept := vault.Guarded{KV: e.vault, Check: e.store.Admitted}
	s.signon = &signon.Service{
		Settings: e.store, Store: e.store, Organizations: e.store, Audit: e.store, Accounts: s.users, Sessions: s.sessions,
		Provider: oidc.New(now), Vault: kept, SiteURL: cfg.SiteURL, Log: log, Now: now,
	}
	s.sessions.LocalLogin = s.signon.LocalLogin
	s.crl = &pki.CRLCache{PKI: e.vault, Now: now, Log: log}
	s.certificates = &cert.Service{
		Store: e.store, Devices: e.store, Agents: s.sessions, PKI: e.vault, CRL: s.crl,
		Policy: cert.SubjectPolicy(cfg.SubjectPolicy), Keys: e.keys, Log: log, Now: now, Issuances: intentlog.NewIssuances(e.vault, now),
	}
	s.certificates.Published = s.crl
	s.profiles = &profile.Service{
		Vault: kept, Log: e.store, Certificates: e.store, KeyTypes: role(cfg).KeyTypes, MaxTTL: cfg.CertTTL,
		Realm: cfg.KerberosRealm, Constant: cfg.VaultAddr != "", Now: now,
	}
	if cfg.VaultAddr != "" {
		s.profiles.SetUp = profileSetUp(e.vault)
	}
	s.certificates.Profiles = s.profiles
	s.preview = newPreview(cfg, e, s, now)
	s.users.NameCounts = func(ctx context.Context) (bool, error) { return s.profiles.Uses(ctx, "name") }
	s.organizations.NameCounts = func(ctx context.Context) (bool, error) { return s.profiles.Uses(ctx, "organization") }
	s.cas = &ca.Service{
		PKI: e.vault, Vault: kept, Log: e.store, Certificates: e.store, Profiles: s.profiles, Lists: s.crl,
		Changed: func(ctx context.Context) { _ = s.authorityMayDiffer(ctx) }, // the loops try again

		MaxTTL: cfg.CertTTL, Now: now,
	}
	s.crl.Ended, s.crl.Unused = s.cas.Ended, s.cas.Unused
	s.parentCRLs = &pki.ParentCRLs{Files: cfg.ParentCRLFiles, Now: now}
	s.ocsp = &ocsp.Responder{PKI: e.vault, CAs: s.crl, Records: s.certificates, TTL: cfg.OCSPTTL, Log: log, Now: now}
	s.ocspNamed = cfg.OCSP == "on"
	if cfg.VaultAddr != "" { // the embedded vault serves only one server, and is away only with it
		s.crl.Shared = e.store
	}
	s.users.Publisher = s.certificates
	s.hwkeys = &hwkey.Service{
		Store: e.store, Custody: &custody.Store{Vault: kept, Now: now},
		Directory: e.store, Agents: s.sessions, Publisher: s.certificates, Log: log, Now: now,
		ReleaseLog: intentlog.NewReleases(e.vault, e.store, now, log), ReleaseLimit: cfg.ReleaseLimit,
		FirmwareCounts: cfg.FirmwareMinimum != "",
	}
	s.certificates.Releases = s.hwkeys
	s.guard = newGuard(e, s.certificates, s.hwkeys.ReleaseLog, s.sealer, s.sessions.Signer, log, now)
	s.crl.Note = func(ctx context.Context, ca []byte, number uint64) error {
		return e.store.RaiseVaultMark(access.OnRecord(ctx), rollback.CRLMark(ca), number)
	}
	s.certificates.Consistent = s.guard.Consistent
	s.certificates.SigningBlocked = s.guard.SigningBlocked
	s.hwkeys.ReleaseBlocked, s.hwkeys.RolledBack = s.guard.SigningBlocked, s.guard.DocumentRolledBack
	s.reports = &report.Service{Store: e.store, Now: now}
	s.denials = &audit.Denials{Store: e.store, Now: now}
	s.users.Denials, s.hwkeys.Denials = s.denials, s.denials
	s.paired = func(ctx context.Context) error {
		err := paired(ctx, e.store, e.vault, now)
		if errors.Is(err, errStranger) {
			return fault.New(fault.VaultUnavailable, "stranger",
				"This vault belongs to another installation. Ask an administrator: the server's log has details.").With(stranger(cfg))
		}
		return err
	}
	s.sessions.Signer.Ready = s.guard.Ready
	s.leads = &system.Leadership{Election: e.store, Log: log}
	if cfg.VaultAddr != "" {
		s.reach = &system.VaultOutage{State: e.vault.State, Now: now}
		s.leads.Unable = s.reach.Duration
	}
	s.webhooks = newWebhooks(cfg, e, kept, log, now)
	s.users.Invitations = &account.Invitations{Vault: kept, Store: e.store, Now: now}
	s.mails = newMails(cfg, e, kept, s.users.Invitations, log, now)
	s.mails.sender.Consistent = s.guard.Consistent
	s.users.MailOn = s.mails.service.On
	// The embedded vault, which this process has locked, belongs to the embedded
	// database.
	s.jobs = &backup.Runner{
		Store: e.store, Server: serverName(), Alone: cfg.DatabaseURL.Empty() && cfg.VaultAddr == "",
		Restores: s.guard.RestoreOf, Log: log, Now: now,
	}
	s.backups = newBackups(cfg, e, s, kept, log, now)
	s.guard.Forget = s.backups.Forget
	s.schedule = &backup.Scheduler{
		Kind: backup.Backup, Store: e.store, Plan: s.backups.Plan, Log: log, Now: now,
		Begin: func(ctx context.Context, due time.Time) error { return s.backups.Scheduled(ctx, s.jobs, due) },
	}
	s.watch = &backup.Watch{Store: e.store, Plan: s.backups.Plan, Now: now}
	// A restore replaces the secret of the access tokens; whoever signs in next must get one that lasts.
	s.barrier = &backup.Barrier{Active: e.store.ActiveJob, Opens: func(ctx context.Context) {
		if err := s.guard.Poll(ctx); err != nil {
			log.WarnContext(ctx, "could not compare database and vault after a restore; trying again soon", "error", err)
		}
	}}
	s.restorer = newRestorer(cfg, e, s, s.barrier, log, now)
	s.drills = &backup.Scheduler{Kind: backup.Drill, Store: e.store, Plan: s.backups.Plan, Begin: s.restorer.Scheduled, Log: log, Now: now}
	s.license = &licensepolicy.Service{
		Port: e.license, Store: e.store, Admitted: e.store.Admitted, Log: log, Now: now,
	}
	s.reminders = &reminder.Service{
		Store: e.store, Backups: s.watch.Look, Seal: s.sealer.Status, Now: now, Zone: time.Local, //nolint:gosmopolitan // the place's mornings
		CADue: s.cas.Due,
		RolledBack: func() (vault, database *rollback.Finding) {
			return s.guard.VaultRolledBack(), s.guard.DatabaseRolledBack()
		},
	}
	s.users.Grows, s.hwkeys.Grows, s.certificates.Grows, s.signon.Grows = s.license.Grows, s.license.Grows, s.license.Grows, s.license.Grows
	return s
}

// denied audits every refusal of permission, and also what was not found in the
// caller's scope.
func (s *services) denied(log *slog.Logger) func(context.Context, access.Actor, httpapi.Denial) {
	return func(ctx context.Context, a access.Actor, d httpapi.Denial) {
		targetType, targetID, details := d.TargetType, d.TargetID, string(d.Operation)
		if targetType == "" {
			targetType, targetID, details = "operation", string(d.Operation), ""
		}
		// A client that disconnects early is recorded all the same.
		if err := s.denials.Note(access.OnRecord(context.WithoutCancel(ctx)), a, targetType, targetID, details); err != nil {
			log.Error("could not audit a denial", "operation", string(d.Operation), "request_id", a.RequestID, "error", err)
		}
	}
}

// authenticator accepts access tokens and API keys.
type authenticator struct {
	sessions *session.Service
	keys     *session.APIKeys
}

func (a authenticator) Authenticate(ctx context.Context, bearer string, r httpapi.RequestInfo) (access.Actor, account.User, error) {
	if session.IsAPIKey(bearer) {
		actor, err := a.keys.Authenticate(ctx, bearer)
		return actor, account.User{}, err
	}
	return a.sessions.Authenticate(ctx, bearer, session.Client{IPAddress: r.IPAddress, UserAgent: r.UserAgent, RequestID: r.RequestID})
}

// serverName identifies this server among those of its database, for people who read
// which one works on something.
func serverName() string {
	name, err := os.Hostname()
	if err != nil {
		name = "unnamed"
	}
	return fmt.Sprintf("%s/%d", name, os.Getpid())
}
