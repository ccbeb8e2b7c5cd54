package app

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/keyward/keyward/internal/access"
	"github.com/keyward/keyward/internal/backup"
	"github.com/keyward/keyward/internal/config"
)

// errVaultHeld: only one program can open the embedded vault.
var errVaultHeld = errors.New("a server is running on this data directory and using its vault: create the backup there, " +
	"on the Backups page or with POST /api/backup/trigger, or stop the server first")

// BackupRequest holds the arguments of keyward backup.
type BackupRequest struct {
	Type backup.Type
	// Drill tests whether a backup restores, instead of creating one: the one with Key,
	// or the newest.
	Drill bool
	Key   string
	// Progress is called with the progress, at most once a second.
	Progress func(backup.Reached)
}

// progressEvery is the interval of calls to Progress.
const progressEvery = time.Second

// Backup creates or tests one backup of an installation, as a job like any other. The
// error is shown to people.
func Backup(ctx context.Context, cfg config.Config, want BackupRequest) (job backup.Job, err error) {
	cfg.SiteURL = cmp.Or(cfg.SiteURL, "http://localhost") // nothing is signed
	e := &engines{}
	if e.vault, err = vaultBeside(ctx, cfg); err != nil {
		if errors.Is(err, ErrVaultInUse) {
			err = errVaultHeld
		}
		return job, err
	}
	if e.store, err = existingDatabase(ctx, cfg); err != nil {
		return job, errors.Join(err, e.vault.Close())
	}
	defer func() { err = errors.Join(err, e.close()) }()
	if e.webhooks, err = webhookClient(cfg); err != nil {
		return job, err
	}
	s := newServices(cfg, e, slog.New(slog.DiscardHandler))
	if err := strangers(ctx, e.store, e.vault); errors.Is(err, errStranger) {
		return job, stranger(cfg)
	} else if err != nil {
		return job, err
	}
	if err := s.backups.Ready(ctx); err != nil {
		return job, err
	}
	if err := s.backups.Sweep(); err != nil {
		return job, err
	}
	hostname, _ := os.Hostname() // for the audit log; it may be unknown
	actor := access.Actor{Hostname: hostname}
	if want.Drill {
		return s.restorer.DrillNow(ctx, actor, want.Key, func(work backup.Work) backup.Work { return reporting(work, want.Progress) })
	}
	request := backup.Request{Kind: backup.Backup, Type: want.Type, Actor: actor}
	return s.jobs.Run(ctx, request, reporting(s.backups.Making(want.Type), want.Progress))
}

// reporting returns the work with its progress reported to tell.
func reporting(work backup.Work, tell func(backup.Reached)) backup.Work {
	return func(ctx context.Context, p *backup.Progress) (backup.Result, error) {
		ended := make(chan struct{})
		heard := make(chan struct{})
		go func() {
			defer close(heard)
			tick := time.NewTicker(progressEvery)
			defer tick.Stop()
			var last backup.Reached
			for {
				select {
				case <-ended:
					return
				case <-tick.C:
				}
				if now := p.Now(); now != last {
					last = now
					tell(now)
				}
			}
		}()
		defer func() { close(ended); <-heard }()
		return work(ctx, p)
	}
}

// BackupPlace returns the settings of backups and where they are stored. The server may
// be running.
func BackupPlace(ctx context.Context, cfg config.Config) (set backup.Settings, location string, err error) {
	db, err := databaseReader(ctx, cfg)
	if err != nil {
		return set, "", err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	s := &backup.Service{Rows: db, Directory: backupDirectory(cfg)}
	set, err = s.Settings(ctx)
	return set, s.Location(set), err
}

func backupDirectory(cfg config.Config) string {
	return absolute(cmp.Or(cfg.BackupDirectory, filepath.Join(cfg.Data, backupFolder)))
}
