package app

import (
	"context"
	"errors"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/keyward/keyward/internal/audit/chain"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/config"
	"github.com/keyward/keyward/internal/fault"
	"github.com/keyward/keyward/internal/rollback"
	"github.com/keyward/keyward/internal/system"
)

// newSystem wires the reports on the server itself.
func newSystem(version string, cfg config.Config, e *engines, s *services) *system.Service {
	now := time.Now
	data := dataDirectory(cfg.Data)
	return &system.Service{
		Version: version, SiteURL: cfg.SiteURL, StartedAt: now(), VaultEngine: vaultEngine(cfg), Now: now,
		Database: e.store, Vault: e.vault, Tasks: s.tasks, Leads: s.leads.Leads,
		Storage: storage{data, &backup.StoreWatch{Backups: s.backups}, backupDirectory(cfg)},
		License: func() system.LicenseReport { return licenseReport(cfg, s.license.Latest()) },
		Begun: &system.Begun{Records: e.store, Mail: s.mails.service.On, SiteURL: cfg.SiteURL,
			Backup: func(ctx context.Context) (bool, error) {
				stands, err := s.watch.Look(ctx)
				return stands.Succeeded != nil, err
			}},
		Health: s.lookout.health,
	}
}

// newHealth checks the parts of the service; a new one is one more line here.
func newHealth(cfg config.Config, e *engines, s *services) *system.Health {
	now := time.Now
	return system.NewHealth(now,
		system.DatabaseComponent(e.store, s.guard.SchemaTampering, func() []string { return s.guard.DatabaseRolledBack().Lines() }),
		system.VaultComponent(e.vault.State, func() []string { return s.guard.VaultRolledBack().Lines() }),
		system.AuthorityComponent(e.vault, certificateLifetime(cfg), s.crl.RolledBack, now),
		ocspComponent(s.ocsp, s.ocspNamed, now),
		sealingComponent(s.sealer, now),
		system.FollowerComponent("webhooks", s.webhooks.fanOut.Lag),
		s.tasks.Component(),
		backupsComponent(s.watch),
		licenseComponent(cfg, s.license),
		mailComponent(s.mails.service),
		signOnComponent(s.signon),
		system.DiskComponent(func() (int64, int64, bool, error) { return space(cfg.Data) }),
	)
}

// leaderMetric reports whether this server leads.
func leaderMetric(leads func() bool) prometheus.Collector {
	return prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "keyward_leader", Help: "1 while this server does the background work that one of all servers does.",
	}, func() float64 { return oneIf(leads()) })
}

// heldMetrics report why secrets and signatures are held back, with the reasons of the
// API's refusals.
func heldMetrics(guard *rollback.Guard) (gauges []prometheus.Collector) {
	for reason, holds := range map[string]func() bool{
		"vault_older":      func() bool { return guard.VaultRolledBack() != nil },
		"database_older":   func() bool { return guard.DatabaseRolledBack() != nil },
		"database_altered": func() bool { return len(guard.SchemaTampering()) > 0 },
	} {
		gauges = append(gauges, prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "keyward_recovery_required", Help: "1 while secrets and signatures are held back, by the reason.",
			ConstLabels: prometheus.Labels{"reason": reason},
		}, func() float64 { return oneIf(holds()) }))
	}
	return gauges
}

func oneIf(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// sealingComponent is the health of the audit log's seal.
func sealingComponent(sealer *chain.Sealer, now func() time.Time) system.Component {
	return system.Component{Name: "audit_sealing", Check: func(ctx context.Context) system.Finding {
		st, err := sealer.Status(ctx)
		switch _, broken := st.Broken(); {
		case err != nil:
			return system.Finding{Status: system.Failed, Code: "seal_unknown",
				Detail: "The audit log's seal can't be checked: the vault or the database is not responding."}
		case broken:
			return system.Finding{Status: system.Failed,
				Code: "seal_broken", Detail: "The audit log was changed from outside and is no longer sealed. Run keyward audit verify."}
		case st.Failure != nil:
			return system.Finding{Status: system.Degraded, Code: "seal_failed",
				Detail: "The latest audit log entries could not be sealed. Keyward keeps trying."}
		case st.Late(now()):
			return system.Finding{Status: system.Degraded, Code: "seal_late",
				Detail: "Audit log entries have been waiting for their seal for more than five minutes."}
		}
		return system.Finding{Status: system.OK}
	}}
}

// dataDirectory reports on the directory of the embedded engines.
type dataDirectory string

// maxFiles bounds the report; the embedded engines have a handful.
const maxFiles = 200

// report describes the directory's files. It leaves out one that disappears meanwhile,
// as the write-ahead log may.
func (d dataDirectory) report() (r system.DataReport, err error) {
	root, err := filepath.Abs(string(d))
	if err != nil {
		root = string(d)
	}
	r = system.DataReport{Path: root, Files: []system.FileReport{}}
	err = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			err = addFile(&r, path, entry)
		}
		if errors.Is(err, fs.ErrNotExist) && path != root {
			return nil
		}
		return err
	})
	if err == nil {
		var free, total int64
		var known bool
		if free, total, known, err = space(root); known {
			r.FreeBytes, r.TotalBytes = &free, &total
		}
	}
	if err != nil {
		return r, fault.New(fault.StorageUnavailable, "data_directory", "The data directory can't be read right now. Try again "+
			"shortly.").With(err)
	}
	return r, nil
}

func addFile(r *system.DataReport, path string, entry fs.DirEntry) error {
	info, err := entry.Info()
	if err != nil {
		return err
	}
	r.UsedBytes += info.Size()
	if len(r.Files) < maxFiles {
		name, err := filepath.Rel(r.Path, path)
		if err != nil {
			return err
		}
		r.Files = append(r.Files, system.FileReport{Name: filepath.ToSlash(name), SizeBytes: info.Size()})
	}
	return nil
}
